// How this works. A folder's owner holds a lock on the folder itself. Who finds a folder that it can lock has found one
// whose owner is dead, and removes it while it holds the lock. Between its making and its locking a fresh folder looks
// abandoned too: its maker therefore looks whether it is still there once the lock is held, and makes another if not.
#include "judge/sandbox/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "judge/sandbox/plan.h"

namespace judge::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 16;                       // each is lost only to a judge that starts in the same microsecond
constexpr auto kAbandoned = std::chrono::hours(1);  // where the file system knows no locks, age has to do
constexpr const char* kPrefixInTemporary = "cuda-judge-";

enum class Owner { gone, alive, unknown };

// On `gone` the lock is held by `fd`.
Owner owner_of(int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return Owner::gone;
  return errno == EWOULDBLOCK ? Owner::alive : Owner::unknown;
}

bool is_at(int fd, const std::string& path) {
  struct stat held {
  }, there{};
  return fstat(fd, &held) == 0 && lstat(path.c_str(), &there) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

// In /tmp there may be those of other users, which are theirs to remove; what root's boxes own is root's.
bool belongs_to_us(uid_t owner) {
  return owner == geteuid() || (geteuid() == 0 && owner >= kBoxUserBase && owner <= kBoxUserLast);
}

bool is_old(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written > kAbandoned;
}

// Those that exist now. A process that ends by exit() while a thread still works, as after Ctrl-C, runs no destructor
// of that thread; what is left is removed then. Never destroyed, because such a thread may still come by.
struct Registry {
  std::mutex mutex;
  std::set<fs::path> paths;
};

Registry& registry() {
  static Registry* const all = [] {
    std::atexit([] {
      Registry& left = registry();
      const std::lock_guard lock(left.mutex);
      for (const fs::path& path : left.paths) remove_tree(path);
    });
    return new Registry;
  }();
  return *all;
}

void remember(const fs::path& path) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.paths.insert(path);
}

void forget(const fs::path& path) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.paths.erase(path);
}

}  // namespace

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error))
    if (it->is_directory(error) && !it->is_symlink(error)) chmod(it->path().c_str(), 0700);
  fs::remove_all(path, error);
}

void remove_abandoned(const fs::path& parent, const char* prefix) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  for (const fs::path& path : found) {
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;  // another user's
    struct stat info {};
    const Owner owner = fstat(fd, &info) == 0 && belongs_to_us(info.st_uid) ? owner_of(fd) : Owner::alive;
    if (owner == Owner::gone || (owner == Owner::unknown && is_old(path))) remove_tree(path);
    close(fd);
  }
}

PrivateFolder::PrivateFolder(const fs::path& parent, const char* prefix) {
  remove_abandoned(parent, prefix);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string pattern = (parent / prefix).string() + "XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("a temporary folder in '" + parent.string() + "': " + std::strerror(errno));
    const int fd = open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    if (owner_of(fd) != Owner::alive && is_at(fd, pattern)) {
      path_ = pattern;
      lock_ = fd;
      remember(path_);
      return;
    }
    close(fd);
  }
  throw std::runtime_error("a temporary folder in '" + parent.string() + "': others remove it as it is made");
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty()) {
    remove_tree(path_);
    forget(path_);
  }
  if (lock_ >= 0) close(lock_);
}

bool is_plain(const fs::path& path) {
  const std::string& text = path.native();
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || std::strchr("/._-+", c) != nullptr) && c != '\0';
  });
}

bool reachable_in_box(const fs::path& path) {
  if (geteuid() != 0) return true;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return false;
  struct stat info {};
  for (fs::path above = real.parent_path();; above = above.parent_path()) {
    if (stat(above.c_str(), &info) != 0 || !(info.st_mode & S_IXOTH)) return false;
    if (above == above.parent_path()) break;
  }
  if (stat(real.c_str(), &info) != 0 || !(info.st_mode & S_IROTH)) return false;
  return (info.st_mode & S_IXOTH) || !(S_ISDIR(info.st_mode) || (info.st_mode & S_IXUSR));
}

PrivateFolder plain_folder(const fs::path& preferred, const char* prefix) {
  if (!preferred.empty() && is_plain(preferred) && reachable_in_box(preferred)) return PrivateFolder(preferred, prefix);
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("TMPDIR"); chosen && *chosen == '/') places.emplace_back(chosen);
  places.insert(places.end(), {"/tmp", "/var/tmp"});
  std::string why;
  for (const fs::path& place : places) {
    if (!is_plain(place)) continue;
    if (!reachable_in_box(place) || access(place.c_str(), W_OK | X_OK) != 0) {
      why += (why.empty() ? "" : ", ") + place.string();
      continue;
    }
    return PrivateFolder(place, kPrefixInTemporary);
  }
  throw std::runtime_error(
      "the box needs a folder with a plain name that its user can reach, and there is none: tried " +
      (preferred.empty() ? "" : preferred.string() + ", ") + why +
      ". Remedy: set TMPDIR to a folder that everybody may use");
}

}  // namespace judge::sandbox
