#pragma once
// The files that the boxed host process needs, under names by which it can open them. They stay where they are, unless
// the box's user cannot get there (root's closed folders) or the loader would misread the name ("$LIB", ':'): then they
// are copied to a private folder that goes with this object.

#include <filesystem>
#include <optional>

#include "judge/sandbox/private_folder.h"

namespace judge::session {

class BoxFiles {
 public:
  explicit BoxFiles(const std::filesystem::path& program_dir);  // holds judge-host and libcudart.so.13
  const std::filesystem::path& programs() const { return programs_; }
  // The submission's library; a copy is valid until the next call.
  std::filesystem::path library(const std::filesystem::path& library);

 private:
  const std::filesystem::path& copies();
  std::filesystem::path programs_;
  std::optional<sandbox::PrivateFolder> folder_;
};

}  // namespace judge::session
