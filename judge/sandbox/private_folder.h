#pragma once
// Folders that only this process uses and that leave no traces: gone with the object, and when the process was killed,
// gone at the next start of a judge. Also where a box can reach what its user otherwise could not.

#include <filesystem>

namespace judge::sandbox {

// Owned by this process as long as it holds a lock on it (flock, which the kernel lifts when the process dies).
class PrivateFolder {
 public:
  // parent/prefixXXXXXX with mode 0700; throws std::runtime_error. Removes abandoned ones beside it first.
  PrivateFolder(const std::filesystem::path& parent, const char* prefix);
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

// Removes the folders of that prefix whose owners are gone.
void remove_abandoned(const std::filesystem::path& parent, const char* prefix);
// Whatever a program in the box has left, folders that their owner cannot enter included.
void remove_tree(const std::filesystem::path& path);

// No character in it means anything to a shell, a make rule, an #include line or the dynamic loader's variables.
bool is_plain(const std::filesystem::path& path);
// Whether the box's user may read the file, or list the folder, under this name. Ordinary users are the box's user
// themselves; for root's box the file and every folder above must be open to everybody.
bool reachable_in_box(const std::filesystem::path& path);

// A folder in which everything has a plain name that the box reaches: below `preferred` where that is so itself (and it is
// not empty), otherwise below $TMPDIR, /tmp or /var/tmp. Throws std::runtime_error, and says what to do.
PrivateFolder plain_folder(const std::filesystem::path& preferred, const char* prefix);

}  // namespace judge::sandbox
