#include "judge/build/beside.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>

#include "judge/build/build.h"
#include "judge/build/compile.h"
#include "judge/build/programs.h"
#include "judge/build/unit.h"
#include "judge/sandbox/private_folder.h"

namespace judge::build {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCopies = 64, kCopyCap = 1u << 20;

// What stands before the name of a file that a source includes, in the compiler's words.
const std::array kWorkNames = {std::string(kBeside) + "/", std::string(kCopies) + "/",
                               std::string(kBelowCommon) + "/../", std::string(kCommon) + "/"};

// The names in #include "…" lines. A line in a comment or in a branch not taken names a file too many, which does no
// harm.
std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  };
  while (at < text.size()) {
    skip_blanks();
    if (at < text.size() && text[at] == '#') {
      ++at;
      skip_blanks();
      constexpr std::string_view kInclude = "include";
      if (text.compare(at, kInclude.size(), kInclude) == 0) {
        at += kInclude.size();
        skip_blanks();
        const std::size_t line = std::min(text.find('\n', at), text.size());
        const std::size_t end = at < line && text[at] == '"' ? text.find('"', at + 1) : std::string::npos;
        if (end != std::string::npos && end < line) names.push_back(text.substr(at + 1, end - at - 1));
      }
    }
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return names;
}

// The judge is root here and must not be led to other files than those in the folder: no link, no "..".
std::optional<std::string> read_beneath(int folder, const fs::path& name) {
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const int fd = static_cast<int>(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how));
  if (fd < 0) return std::nullopt;
  std::optional<std::string> text = read_open_file(fd, kCopyCap);
  close(fd);
  return text;
}

void copy_unreadable(const fs::path& copies, const fs::path& source_dir, const std::string& source) {
  const int folder = open(source_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  std::set<fs::path> seen;
  std::vector<std::pair<fs::path, std::string>> texts = {{"", source}};  // the folder of a text, and the text
  while (!texts.empty() && seen.size() < kMostCopies) {
    const auto [place, text] = std::move(texts.back());
    texts.pop_back();
    for (const std::string& name : quoted_includes(text))
      for (const fs::path& path : {(place / name).lexically_normal(), fs::path(name).lexically_normal()}) {
        if (path.is_absolute() || *path.begin() == ".." || !seen.insert(path).second) continue;
        std::optional<std::string> found = read_beneath(folder, path);
        if (!found) continue;
        if (!sandbox::reachable_in_box(source_dir / path)) {
          std::error_code error;
          fs::create_directories((copies / path).parent_path(), error);
          for (fs::path made = (copies / path).parent_path(); made != copies; made = made.parent_path())
            chmod(made.c_str(), 0755);  // whatever the umask is
          write_source(copies / path, *found);
        }
        texts.emplace_back(path.parent_path(), std::move(*found));
        break;
      }
  }
  close(folder);
}

}  // namespace

std::vector<fs::path> provide_neighbours(const fs::path& work, const fs::path& source_dir, const std::string& source) {
  std::vector<fs::path> readable;
  std::error_code error;
  if (source_dir.empty()) return readable;
  if (sandbox::reachable_in_box(source_dir) && fs::is_directory(source_dir, error)) {
    fs::create_directory_symlink(source_dir, work / kBeside, error);
    if (error) throw std::runtime_error("a link in '" + work.string() + "': " + error.message());
    readable.push_back(source_dir);
  }
  if (geteuid() == 0) {
    if (mkdir((work / kCopies).c_str(), 0755) != 0)
      throw std::runtime_error("a folder in '" + work.string() + "': " + std::strerror(errno));
    chmod((work / kCopies).c_str(), 0755);
    copy_unreadable(work / kCopies, source_dir, source);
  }
  return readable;
}

std::optional<std::string> read_common(const fs::path& header) {
  return header.empty() ? std::nullopt : read_file(header, kCopyCap);
}

void provide_common(const fs::path& work, const std::optional<std::string>& bytes) {
  if (!bytes) return;
  for (const fs::path& folder : {work / kCommon, work / kBelowCommon}) {
    if (mkdir(folder.c_str(), 0755) != 0)
      throw std::runtime_error("a folder in '" + work.string() + "': " + std::strerror(errno));
    chmod(folder.c_str(), 0755);  // whatever the umask is
  }
  write_source(work / kCommon / kCommonHeader, *bytes);
}

std::string without_work_names(std::string text) {
  for (const std::string& folder : kWorkNames)
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

fs::path original_of(const fs::path& in_work, const fs::path& work, const fs::path& source_dir) {
  for (const char* name : {kBeside, kCopies}) {
    const std::string folder = (work / name).string() + "/";
    if (in_work.native().starts_with(folder))
      return (source_dir / in_work.native().substr(folder.size())).lexically_normal();
  }
  return in_work;
}

std::string true_name(const std::string& compiled_path, const std::string& source_name) {
  for (const std::string& folder : kWorkNames)
    if (const std::size_t at = compiled_path.find(folder); at != std::string::npos)
      return compiled_path.substr(at + folder.size());
  const std::string file = fs::path(compiled_path).filename().string();
  return file == safe_file_name(source_name) ? source_name : compiled_path;
}

}  // namespace judge::build
