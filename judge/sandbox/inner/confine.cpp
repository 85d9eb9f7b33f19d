// From here on the process gives up, step by step, what it will not need, and becomes the first program. The order
// matters: files are made accessible while there is privilege, the user is changed before the filters (they forbid it),
// Landlock needs no_new_privs and comes before seccomp, and execve is last.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "judge/sandbox/inner/inner.h"
#include "judge/sandbox/process_tree.h"

namespace judge::sandbox::inner {
namespace {

// Where a limit counts all processes of the user: how many more may come about elsewhere while the box runs.
constexpr std::uint64_t kOtherProcesses = 64;
constexpr uid_t kNobody = 65534;  // where a container maps too few ids for one of our own

bool accessible(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

bool may_change_user() {
  const bool may = setegid(kNobody) == 0 && seteuid(kNobody) == 0;
  const int error = errno;
  if (seteuid(0) != 0 || setegid(0) != 0) return false;
  errno = error;
  return may;
}

// Changes to the effective user for a moment to learn whether everything listed can be reached as that user.
std::string unreachable_path(const Plan& plan, uid_t uid) {
  std::string missing;
  gid_t groups[256];
  const int group_count = getgroups(256, groups);
  const bool is_program = accessible(plan.argv[0], X_OK);  // for anybody; otherwise execve will say what it is
  if (setgroups(0, nullptr) != 0 || setegid(uid) != 0 || seteuid(uid) != 0) missing = "(seteuid)";
  if (missing.empty() && !accessible(plan.argv[0], is_program ? X_OK : F_OK)) missing = plan.argv[0];
  for (const std::string& path : plan.readable)
    if (missing.empty() && (is_program || path != plan.argv[0]) && !accessible(path, R_OK)) missing = path;
  if (seteuid(0) != 0 || setegid(0) != 0) return "(seteuid back)";
  if (!missing.empty() && group_count > 0) setgroups(static_cast<std::size_t>(group_count), groups);
  return missing;
}

void give_writable_folders(const Plan& plan, uid_t uid) {
  for (const std::string& path : plan.writable) {
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;  // the program will find out; the private root has already checked that it exists
    if (fchown(fd, uid, uid) == 0) fchmod(fd, 0700);
    close(fd);
  }
}

void become_box_user(Setup& setup, pid_t outer_pid) {
  if (setup.caller_uid != 0) {
    setup.apply(kUnprivilegedUser, "user " + std::to_string(setup.caller_uid) + ", as started");
    return;
  }
  if (!setup.wants(kUnprivilegedUser)) return setup.miss(kUnprivilegedUser, "left out on request");
  if (setup.plan.keep_user) return setup.miss(kUnprivilegedUser, "the caller's own user, as asked for");
  uid_t uid = kBoxUserBase + static_cast<uid_t>(outer_pid);
  // ids that the surrounding user namespace does not map are refused
  if (setresuid(-1, uid, 0) == 0) {
    if (setresuid(-1, 0, 0) != 0) fail(setup, error_text("setresuid back"));
  } else {
    uid = kNobody;
  }
  // Strangers' code never runs as root: where root cannot be given up, the box is refused.
  if (!may_change_user())
    fail(setup, error_text("changing from root to a user without privileges") +
                    ". Remedy: start the judge as an ordinary user, or in a container with CAP_SETUID and CAP_SETGID");
  if (const std::string path = unreachable_path(setup.plan, uid); !path.empty())
    fail(setup, "only root can reach '" + path +
                    "', and what runs in the box is not root. Remedy: chmod -R a+rX it, and chmod a+x the folders "
                    "above it; or run the judge as an ordinary user");
  give_writable_folders(setup.plan, uid);
  // Dropped while the uid still allows it: an exec by a non-root user would keep the bounding set.
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability) == 0; ++capability) {
  }
  if (setgroups(0, nullptr) != 0 || setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
    fail(setup, error_text("changing to the box's user"));
  setup.apply(kUnprivilegedUser, "user " + std::to_string(uid));
}

// For root: after the change of user, so that the namespace belongs to the box's own user. It gives capabilities inside
// it, which drop_capabilities() and execve take away again.
void enter_user_namespace_as_box_user(Setup& setup) {
  if (setup.caller_uid != 0) return;
  if (!setup.wants(kUserNamespace)) return setup.miss(kUserNamespace, "left out on request");
  if (!setup.has(kUnprivilegedUser))
    return setup.miss(kUserNamespace, "not entered as root: no unprivileged user (see there)");
  const uid_t uid = getuid();
  prctl(PR_SET_DUMPABLE, 1);  // cleared by the change of user; /proc/self/uid_map would belong to root
  if (access("/proc/self/uid_map", W_OK) != 0) return setup.miss(kUserNamespace, "no /proc to write its id maps");
  if (unshare(CLONE_NEWUSER) != 0) return setup.miss(kUserNamespace, error_text("unshare(CLONE_NEWUSER)"));
  if (!map_self(uid, uid, uid, uid)) fail(setup, error_text("writing the user namespace's id maps"));
  setup.apply(kUserNamespace);
}

void set_limit(Setup& setup, __rlimit_resource resource, std::uint64_t soft, std::uint64_t hard, const char* name) {
  rlimit now{};
  getrlimit(resource, &now);
  const rlim_t allowed = now.rlim_max == RLIM_INFINITY ? hard : std::min<rlim_t>(hard, now.rlim_max);
  const rlimit wanted{std::min<rlim_t>(soft, allowed), allowed};
  if (setrlimit(resource, &wanted) != 0) fail(setup, error_text(std::string("setrlimit ") + name));
}

void limit_resources(Setup& setup) {
  if (!setup.wants(kResourceLimits)) return setup.miss(kResourceLimits, "left out on request");
  const Plan& plan = setup.plan;
  set_limit(setup, RLIMIT_CORE, 0, 0, "core");
  set_limit(setup, RLIMIT_MSGQUEUE, 0, 0, "msgqueue");
  set_limit(setup, RLIMIT_CPU, plan.cpu_seconds, plan.cpu_seconds + 1, "cpu");  // SIGXCPU, a second later SIGKILL
  set_limit(setup, RLIMIT_FSIZE, plan.file_bytes, plan.file_bytes, "file size");
  set_limit(setup, RLIMIT_NOFILE, plan.open_files, plan.open_files, "open files");
  set_limit(setup, RLIMIT_STACK, plan.stack_bytes, plan.stack_bytes, "stack");
  if (plan.address_space_bytes)
    set_limit(setup, RLIMIT_AS, plan.address_space_bytes, plan.address_space_bytes, "address space");
  // The count is per user, and per user namespace where there is one: then it counts the box alone.
  std::uint64_t processes = plan.processes;
  const bool counted_alone = setup.has(kUserNamespace) || (setup.caller_uid == 0 && setup.has(kUnprivilegedUser));
  if (!counted_alone) processes += threads_of_user(getuid()) + kOtherProcesses;
  set_limit(setup, RLIMIT_NPROC, processes, processes, "processes");
  setup.apply(kResourceLimits,
              counted_alone
                  ? ""
                  : "the limit on processes counts all processes of this user, so it is set above those there are");
}

void place_descriptors(Setup& setup) {
  const std::vector<std::uint32_t>& numbers = setup.plan.descriptor_numbers;
  const int count = static_cast<int>(numbers.size());
  const int highest = count ? static_cast<int>(*std::max_element(numbers.begin(), numbers.end())) : 2;
  const int clear = std::max({highest, kFirstPassedDescriptor + count, 2}) + 1;

  // First everything out of the way of every final number, then each to its place.
  const int ready = fcntl(ready_descriptor, F_DUPFD_CLOEXEC, clear);
  std::vector<int> parked;
  for (int i = 0; i < count; ++i) parked.push_back(fcntl(kFirstPassedDescriptor + i, F_DUPFD_CLOEXEC, clear));
  if (ready < 0 || std::count(parked.begin(), parked.end(), -1))
    fail(setup, error_text("room for the passed descriptors"));
  ready_descriptor = ready;
  close_range(0, static_cast<unsigned>(clear - 1), 0);
  for (int number = 0; number < 3; ++number) {
    if (std::count(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(number))) continue;
    const int fd = open("/dev/null", O_RDWR);
    if (fd < 0) fail(setup, error_text("/dev/null"));
    if (fd != number) {
      dup2(fd, number);
      close(fd);
    }
  }
  for (int i = 0; i < count; ++i)
    if (dup2(parked[i], static_cast<int>(numbers[i])) < 0) fail(setup, error_text("passing a descriptor"));
  if (ready > clear) close_range(static_cast<unsigned>(clear), static_cast<unsigned>(ready - 1), 0);
  close_range(static_cast<unsigned>(ready) + 1, ~0u, 0);
}

void load_filter(Setup& setup) {
  if (!setup.wants(kSeccomp)) return setup.miss(kSeccomp, "left out on request");
  std::string program = setup.has(kPidNamespace) ? setup.plan.filter : setup.plan.filter_without_pid_namespace;
  const std::size_t count = program.size() / sizeof(sock_filter);
  auto* const instructions = reinterpret_cast<sock_filter*>(program.data());
  for (std::size_t i = 0; i < count; ++i)
    if (instructions[i].k == kOwnPidPlaceholder) instructions[i].k = static_cast<std::uint32_t>(getpid());
  sock_fprog description{static_cast<unsigned short>(count), instructions};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &description) == 0) return setup.apply(kSeccomp);
  setup.miss(kSeccomp, error_text("seccomp") + "; the kernel needs CONFIG_SECCOMP_FILTER");
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& s : strings) list.push_back(const_cast<char*>(s.c_str()));
  list.push_back(nullptr);
  return list;
}

// Puts the path where the filter expects it (see filter.h): an address that the program cannot know.
const char* placed_path(Setup& setup) {
  const std::string& path = setup.plan.argv[0];
  const std::uint64_t address = setup.plan.exec_path_address;
  if (address == 0) return path.c_str();
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t start = address & ~(kPage - 1);
  const std::size_t bytes = address - start + path.size() + 1;
  void* const page = mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (page != reinterpret_cast<void*>(start)) fail(setup, error_text("placing the program's path"));
  return static_cast<char*>(std::memcpy(reinterpret_cast<void*>(address), path.c_str(), path.size() + 1));
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void drop_capabilities() {
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability) == 0; ++capability) {
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &header, none);
}

void confine_and_execute(Setup& setup, pid_t outer_pid) {
  const Plan& plan = setup.plan;
  umask(022);
  setsid();
  if (chdir(plan.working_directory.c_str()) != 0)
    fail(setup, error_text("the working directory '" + plan.working_directory + "'"));
  become_box_user(setup, outer_pid);
  enter_user_namespace_as_box_user(setup);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  place_descriptors(setup);
  limit_resources(setup);
  drop_capabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(setup, error_text("no_new_privs"));
  setup.apply(kNoNewPrivileges);
  apply_landlock(setup);

  const char* const path = placed_path(setup);
  const std::vector<char*> arguments = pointers(plan.argv), environment = pointers(plan.environment);
  reset_signals();
  load_filter(setup);
  if (const std::uint32_t missing = plan.required_layers & ~setup.applied; missing != 0) {
    setup.applied = missing;
    fail(setup, kMissingLayers);
  }
  report_ready(setup, "");
  execve(path, arguments.data(), environment.data());
  fail(setup, error_text("cannot start '" + plan.argv[0] + "'"));
}

}  // namespace judge::sandbox::inner
