#include "judge/session/box_files.h"

#include <sys/stat.h>

#include <string>
#include <system_error>

namespace judge::session {
namespace {

namespace fs = std::filesystem;

bool fits(const fs::path& path) {
  return sandbox::is_plain(path) && sandbox::reachable_in_box(path);
}

void copy_for_everybody(const fs::path& from, const fs::path& to) {
  fs::remove(to);
  fs::copy_file(from, to);  // throws, and names both
  ::chmod(to.c_str(), 0755);
}

}  // namespace

BoxFiles::BoxFiles(const fs::path& program_dir) : programs_(program_dir) {
  const char* const names[] = {"judge-host", "libcudart.so.13"};
  bool all_fit = fits(program_dir);
  for (const char* name : names) all_fit = all_fit && fits(program_dir / name);
  std::error_code error;
  if (all_fit || !fs::exists(program_dir / names[0], error)) return;  // a missing one is told by the box, with its name
  const fs::path folder = copies();
  for (const char* name : names) copy_for_everybody(program_dir / name, folder / name);
  programs_ = folder;
}

fs::path BoxFiles::library(const fs::path& library) {
  std::error_code error;
  if (fits(library) || !fs::exists(library, error)) return library;
  const fs::path copy = copies() / "library.so";
  copy_for_everybody(library, copy);
  return copy;
}

const fs::path& BoxFiles::copies() {
  if (!folder_) {
    folder_.emplace(sandbox::plain_folder({}, ""));
    ::chmod(folder_->path().c_str(), 0755);
  }
  return folder_->path();
}

}  // namespace judge::session
