#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "judge/sandbox/inner/inner.h"

namespace judge::sandbox::inner {
namespace {

// Written out here because the kernel headers of Debian 12 (6.1) stop at ABI 2; values from the kernel's landlock.h.
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;  // ABI 4
  std::uint64_t scoped;              // ABI 6
};
constexpr std::uint64_t kTruncate = 1ull << 14;     // ABI 3
constexpr std::uint64_t kIoctlDevice = 1ull << 15;  // ABI 5
constexpr std::uint64_t kBindTcp = 1ull << 0, kConnectTcp = 1ull << 1;
constexpr std::uint64_t kScopeAbstractSocket = 1ull << 0, kScopeSignal = 1ull << 1;

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kReadExecute = kRead | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kNeverGranted =
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO;
// A rule for a file may name only these.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;

std::uint64_t handled_access(long abi) {
  std::uint64_t access = kReadExecute | kWrite | kNeverGranted;
  if (abi >= 2) access |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) access |= kTruncate;
  if (abi >= 5) access |= kIoctlDevice;
  return access;
}

bool allow(int ruleset, const std::string& path, std::uint64_t access) {
  landlock_path_beneath_attr rule{};
  rule.parent_fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return errno == ENOENT || errno == ENOTDIR;  // nothing there, nothing to allow
  struct stat info {};
  fstat(rule.parent_fd, &info);
  rule.allowed_access = S_ISDIR(info.st_mode) ? access : access & kOfFiles;
  const bool added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(rule.parent_fd);
  return added;
}

}  // namespace

void apply_landlock(Setup& setup) {
  if (!setup.wants(kLandlock)) return setup.miss(kLandlock, "left out on request");
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1)
    return setup.miss(kLandlock, error_text("landlock_create_ruleset") +
                                     "; needs Linux 5.13 or newer booted with landlock in its lsm= list");
  RulesetAttributes attributes{handled_access(abi), 0, 0};
  std::size_t size = sizeof attributes.handled_access_fs;
  if (abi >= 4) {
    size = offsetof(RulesetAttributes, scoped);
    if (!setup.plan.network) attributes.handled_access_net = kBindTcp | kConnectTcp;
  }
  if (abi >= 6) {
    size = sizeof attributes;
    attributes.scoped = kScopeAbstractSocket | kScopeSignal;
  }
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return setup.miss(kLandlock, error_text("landlock_create_ruleset"));

  const std::uint64_t handled = attributes.handled_access_fs;
  bool added = true;
  for (const std::string& path : system_paths()) added = added && allow(ruleset, path, kReadExecute & handled);
  for (const std::string& path : device_files())
    added = added && allow(ruleset, path, (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE) & handled);
  // In our own pid namespace /proc shows only the box; elsewhere only our own entry is opened.
  added = added && allow(ruleset, setup.has(kPidNamespace) && setup.has(kMountNamespace) ? "/proc" : "/proc/self",
                         kRead & handled);
  const std::uint64_t write_too = (kRead | kWrite | kTruncate | LANDLOCK_ACCESS_FS_REFER) & handled;
  if (setup.plan.private_tmp && setup.has(kMountNamespace)) added = added && allow(ruleset, "/tmp", write_too);
  for (const std::string& path : setup.plan.readable) added = added && allow(ruleset, path, kReadExecute & handled);
  for (const std::string& path : setup.plan.writable) added = added && allow(ruleset, path, write_too);
  if (added && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0)
    setup.apply(kLandlock, "ABI " + std::to_string(abi));
  else
    setup.miss(kLandlock, error_text("Landlock rules"));
  close(ruleset);
}

}  // namespace judge::sandbox::inner
