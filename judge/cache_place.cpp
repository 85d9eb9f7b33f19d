#include "judge/cache_place.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace judge {

namespace {

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::filesystem::path user_cache() {
  // The XDG base directory specification: a relative path is to be ignored.
  if (const std::string chosen = environment_value("XDG_CACHE_HOME"); chosen.starts_with('/'))
    return std::filesystem::path(chosen) / "cuda-judge";
  std::string home = environment_value("HOME");
  if (home.empty())
    if (const passwd* const user = ::getpwuid(::geteuid())) home = user->pw_dir;
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".cache" / "cuda-judge";
}

}  // namespace

bool can_hold_cache(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path entries = folder / "entries";  // root may have made it in a user's folder
  if (std::filesystem::exists(entries, error) && ::access(entries.c_str(), W_OK | X_OK) != 0) return false;
  std::filesystem::path place = std::filesystem::absolute(folder);
  while (place.has_relative_path() && !std::filesystem::exists(place, error)) place = place.parent_path();
  return std::filesystem::is_directory(place, error) && ::access(place.c_str(), W_OK | X_OK) == 0;
}

std::filesystem::path default_cache_dir(const std::filesystem::path& root) {
  if (const std::string given = environment_value("CUDA_JUDGE_CACHE"); !given.empty()) return given;
  const std::filesystem::path shared = root / "build" / "cache";
  if (can_hold_cache(shared)) return shared;
  const std::filesystem::path own = user_cache();
  return own.empty() || !can_hold_cache(own) ? shared : own;  // the shared one's name in the message when neither can
}

}  // namespace judge
