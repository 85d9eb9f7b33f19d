// A deny list: nvcc, gcc and a student's program use too much of the kernel for a list of what is allowed to stay
// right. What is denied is what reaches out of the box or has a history of kernel holes, and what the other layers rely
// on not being undone. A denied call fails with EPERM, so that a program that only tries it goes on; clone3 answers
// ENOSYS, because its flags lie in memory where a filter cannot look, and the C library then falls back to clone.
#include "judge/sandbox/filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "judge/sandbox/plan.h"
#include "judge/sandbox/sandbox.h"

namespace judge::sandbox {
namespace {

constexpr const char* kDenied[] = {
    // other processes' memory and state
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_getfd",
    // the file system's shape
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount",
    "fspick", "mount_setattr", "quotactl", "quotactl_fd", "swapon", "swapoff", "name_to_handle_at", "open_by_handle_at",
    "fanotify_init", "fanotify_mark", "mknod", "mknodat",
    // namespaces
    "unshare", "setns",
    // the kernel itself
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "syslog", "_sysctl",
    "lookup_dcookie", "vhangup", "nfsservctl", "modify_ldt", "iopl", "ioperm", "uselib", "acct",
    // keys
    "keyctl", "add_key", "request_key",
    // the machine's settings
    "reboot", "sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime",
    "personality",
    // memory placement of other processes; memory that no limit sees
    "move_pages", "migrate_pages", "memfd_secret"};

// System V and POSIX queues outlive their processes unless an ipc namespace ends with them; no compiler and no exercise
// needs them.
constexpr const char* kDeniedIpc[] = {"shmget", "semget", "msgget", "mq_open"};

constexpr const char* kDeniedSignals[] = {
    "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal"};

constexpr std::uint64_t kNamespaceFlags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                             CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (!context_) throw BoxError("the box: libseccomp could not start a filter (out of memory?)");
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  template <class... Comparisons>
  void deny(const char* name, int error, Comparisons... comparisons) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) return;  // a call that this architecture or this libseccomp does not know
    const int rc = seccomp_rule_add(context_, SCMP_ACT_ERRNO(error), number, sizeof...(comparisons), comparisons...);
    if (rc < 0 && rc != -EEXIST)
      throw BoxError(std::string("the box: libseccomp refused the rule for ") + name + ": " + std::strerror(-rc));
  }

  std::string bytes() const {
    const int fd = memfd_create("filter", MFD_CLOEXEC);
    if (fd < 0) throw BoxError(std::string("the box: memfd_create: ") + std::strerror(errno));
    std::string program;
    const int rc = seccomp_export_bpf(context_, fd);
    const off_t size = lseek(fd, 0, SEEK_END);
    if (rc == 0 && size > 0) {
      program.resize(static_cast<std::size_t>(size));
      if (pread(fd, program.data(), program.size(), 0) != size) program.clear();
    }
    close(fd);
    if (program.empty()) throw BoxError("the box: libseccomp could not export its filter");
    return program;
  }

 private:
  scmp_filter_ctx context_;
};

}  // namespace

std::string build_filter(const FilterOptions& options) {
  Filter filter;
  for (const char* name : kDenied) filter.deny(name, EPERM);
  for (const char* name : kDeniedIpc) filter.deny(name, EPERM);
  filter.deny("clone3", ENOSYS);
  for (const std::uint64_t flag : kNamespaceFlags) filter.deny("clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  // Pushing characters into a terminal that the judge shares would run commands as the user.
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, std::uint64_t{0x541C} /* TIOCLINUX */})
    filter.deny("ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffull, request));
  if (!options.network) filter.deny("socket", EPERM, SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  if (!options.may_start_programs) {
    filter.deny("execveat", EPERM);
    filter.deny("execve", EPERM, SCMP_A0(SCMP_CMP_NE, options.exec_path_address));
  }
  if (!options.own_pid_namespace) {
    for (const char* name : kDeniedSignals) filter.deny(name, EPERM);
    filter.deny("tgkill", EPERM, SCMP_A0(SCMP_CMP_NE, kOwnPidPlaceholder));
    filter.deny("prlimit64", EPERM, SCMP_A0(SCMP_CMP_NE, 0));
  }
  return filter.bytes();
}

}  // namespace judge::sandbox
