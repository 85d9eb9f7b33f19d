// A private root: an empty tmpfs into which only what the program may see is bound. The bound trees are cloned first
// (open_tree), because the tmpfs has to be mounted over some folder that may itself be among them; then they are moved
// in (move_mount) and the old root is dropped. Whatever is not listed does not exist for the program, including folders
// it could not enter as the box's own user, such as /root.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "judge/sandbox/inner/inner.h"

#ifndef MOUNT_ATTR_NOSYMFOLLOW
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000
#endif

namespace judge::sandbox::inner {
namespace {

constexpr const char* kStage = "/tmp";  // exists on every system; covered only inside the namespace

int sys_open_tree(const char* path, unsigned flags) {
  return static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, path, flags));
}
int sys_move_mount(int from, const char* to) {
  return static_cast<int>(syscall(SYS_move_mount, from, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH));
}
int sys_mount_setattr(int fd, const char* path, unsigned flags, std::uint64_t set) {
  struct mount_attr attributes {};
  attributes.attr_set = set;
  return static_cast<int>(syscall(SYS_mount_setattr, fd, path, flags, &attributes, sizeof attributes));
}

struct Bind {
  int tree = -1;
  bool directory = false;
};

// Creates the folders above `path` beneath the stage.
bool make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = kStage + path.substr(0, slash);
    if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return false;
  }
  return true;
}

bool in_system_paths(const std::string& path) {
  return std::any_of(system_paths().begin(), system_paths().end(),
                     [&](const std::string& system) { return path == system || path.starts_with(system + "/"); });
}

bool make_mount_point(const std::string& path, bool directory) {
  if (!make_parents(path)) return false;
  const std::string target = kStage + path;
  struct stat info {};
  if (stat(target.c_str(), &info) == 0) return S_ISDIR(info.st_mode) == directory;  // lies in an outer bind
  if (directory) return mkdir(target.c_str(), 0755) == 0;
  const int fd = open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  close(fd);
  return true;
}

}  // namespace

bool build_private_root(Setup& setup, std::string& why) {
  const auto failed = [&why](const std::string& what) {
    why = error_text(what);
    return false;
  };
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("making mounts private");

  // Shorter paths first: an inner path is mounted over the outer one. std::map's order gives that.
  std::map<std::string, Bind> binds;
  std::vector<std::pair<std::string, std::string>> links;
  const auto add = [&](const std::string& path, std::uint64_t attributes, bool optional) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return optional || failed("'" + path + "'");
    Bind bind;
    bind.directory = S_ISDIR(info.st_mode);
    bind.tree = sys_open_tree(path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (bind.tree < 0) return failed("open_tree '" + path + "' (needs Linux 5.2)");
    if (sys_mount_setattr(bind.tree, "", AT_EMPTY_PATH | AT_RECURSIVE, attributes) != 0)
      return failed("mount_setattr '" + path + "' (needs Linux 5.12)");
    Bind& slot = binds[path];
    if (slot.tree >= 0) close(slot.tree);
    slot = bind;
    return true;
  };

  constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  for (const std::string& path : system_paths()) {
    char target[256];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length > 0 && length < static_cast<ssize_t>(sizeof target)) {  // /bin -> usr/bin
      links.emplace_back(path, std::string(target, static_cast<std::size_t>(length)));
      continue;
    }
    if (!add(path, kReadOnly, true)) return false;
  }
  for (const std::string& path : device_files())
    if (!add(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, true)) return false;
  for (const std::string& path : setup.plan.readable)
    if (!in_system_paths(path) && !add(path, kReadOnly, false)) return false;
  for (const std::string& path : setup.plan.writable)
    if (!add(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, false)) return false;

  // From here on a failure must uncover the stage again, which the program may need.
  const auto failed_staged = [&](const std::string& what) {
    failed(what);
    umount2(kStage, MNT_DETACH);
    return false;
  };
  if (mount("tmpfs", kStage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=4m,nr_inodes=16k") != 0)
    return failed("mounting the private root");
  // Before the binds: one of them may lie below /tmp.
  if (setup.plan.private_tmp && !binds.contains("/tmp")) {
    const std::string tmp = std::string(kStage) + "/tmp";
    if (mkdir(tmp.c_str(), 01777) != 0 ||
        mount("tmpfs", tmp.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=1g,nr_inodes=64k") != 0)
      return failed_staged("a private /tmp");
  }
  for (const auto& [path, bind] : binds) {
    if (!make_mount_point(path, bind.directory)) return failed_staged("a place for '" + path + "' in the private root");
    if (sys_move_mount(bind.tree, (kStage + path).c_str()) != 0) return failed_staged("mounting '" + path + "'");
    close(bind.tree);
  }
  for (const auto& [path, target] : links)
    if (!make_parents(path) || symlink(target.c_str(), (kStage + path).c_str()) != 0)
      return failed_staged("'" + path + "'");
  if (!make_parents(setup.plan.working_directory + "/")) return failed_staged("the working directory");

  // Our own processes only. A container that masks parts of its /proc forbids a new one: the program then has none.
  bool has_proc = false;
  if (setup.has(kPidNamespace) && make_mount_point("/proc", true))
    has_proc =
        mount("proc", (std::string(kStage) + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;

  if (sys_mount_setattr(AT_FDCWD, kStage, 0, MOUNT_ATTR_RDONLY) != 0) return failed_staged("closing the private root");
  if (chdir(kStage) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return failed_staged("pivot_root");
  if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) fail(setup, error_text("leaving the old root"));
  why = has_proc ? "private root" : "private root, without /proc (this container masks it)";
  return true;
}

}  // namespace judge::sandbox::inner
