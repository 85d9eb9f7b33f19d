#pragma once
// Builds kept by content. An entry is a folder: the library and a record with the digests of the library and of every
// local file that was included. Entries appear whole (renamed into place), and an entry whose digests do not match is
// as good as none.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/build/build.h"

namespace judge::build {

inline constexpr const char* kTemporaryPrefix = "tmp-";  // of private folders in the cache

using IncludedFiles = std::vector<std::pair<std::string, std::string>>;  // path, digest when it was compiled

class Cache {
 public:
  explicit Cache(
      const std::filesystem::path& folder);  // creates it; throws std::runtime_error when it can't be written

  std::optional<Result> find(const std::string& key) const;
  // Stores and returns the result as find() would. `library` is the file's bytes; empty when the build failed.
  Result store(const std::string& key, Result result, const std::string& library, const IncludedFiles& included) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void prune() const;
  std::filesystem::path entry(const std::string& key) const { return folder_ / "entries" / key; }
  std::filesystem::path folder_;
};

}  // namespace judge::build
