// The program that builds a box and watches over it. The judge starts it from memory (inner_image.cpp), so that no copy
// of the judge's own memory, which holds the expected outputs, ever lies behind the box's walls.
//
//   watcher   this process. Outside the pid namespace. Ends the box when the judge hangs up or dies, or when init ends;
//             then says how the first program ended and goes.
//     init    process 1 of the pid namespace: collects orphans, ends with the first program, and the kernel then kills
//             everything that is left in the namespace.
//       the first program
//
// Without a pid namespace there is no init: the watcher becomes the subreaper of the tree and kills what is left by
// walking it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "judge/sandbox/inner/inner.h"
#include "judge/sandbox/process_tree.h"

namespace judge::sandbox::inner {

int ready_descriptor = kReadyDescriptor;

void Setup::apply(LayerBit layer, std::string detail) {
  applied |= layer;
  details[static_cast<std::size_t>(__builtin_ctz(layer))] = std::move(detail);
}

void Setup::miss(LayerBit layer, std::string why) {
  applied &= ~layer;
  details[static_cast<std::size_t>(__builtin_ctz(layer))] = std::move(why);
}

std::string error_text(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

void report_ready(const Setup& setup, const std::string& error) {
  Ready ready{setup.applied, error, setup.details};
  Encoder body, frame;
  visit_ready(body, ready);
  frame(body.bytes);
  for (std::size_t sent = 0; sent < frame.bytes.size();) {
    const ssize_t n = write(ready_descriptor, frame.bytes.data() + sent, frame.bytes.size() - sent);
    if (n <= 0) _exit(126);
    sent += static_cast<std::size_t>(n);
  }
}

void fail(const Setup& setup, const std::string& error) {
  report_ready(setup, error);
  _exit(126);
}

const std::vector<std::string>& system_paths() {
  static const std::vector<std::string> paths = {"/bin",
                                                 "/sbin",
                                                 "/lib",
                                                 "/lib32",
                                                 "/lib64",
                                                 "/libx32",
                                                 "/usr",
                                                 "/etc/alternatives",
                                                 "/etc/ld.so.cache",
                                                 "/etc/ld.so.conf",
                                                 "/etc/ld.so.conf.d"};
  return paths;
}

const std::vector<std::string>& device_files() {
  static const std::vector<std::string> paths = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  return paths;
}

namespace {

std::string read_plan() {
  std::string bytes;
  char buffer[64 * 1024];
  for (ssize_t got; (got = read(kPlanDescriptor, buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(got));
  close(kPlanDescriptor);
  return bytes;
}

// The watcher and init must not keep the first program's descriptors (a pipe would never end), nor the ready one.
void point_standard_streams_to_null() {
  for (int fd = 0; fd < 3; ++fd) {
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0 && null != fd) {
      dup2(null, fd);
      close(null);
    }
  }
}

// Collects children until `first` has ended; returns its wait status.
int collect_until(pid_t first) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == first) return status;
    if (ended < 0 && errno != EINTR) return 0;
  }
}

// Process 1: forks the first program and hands its wait status to the watcher.
[[noreturn]] void be_init(Setup& setup, pid_t outer_pid, int result) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // of the watcher, which is single-threaded
  prctl(PR_SET_DUMPABLE, 0);
  close(kStatusDescriptor), close(kLifeDescriptor);
  enter_other_namespaces(setup);
  const pid_t first = fork();
  if (first < 0) fail(setup, error_text("fork"));
  if (first == 0) {
    close(result);
    confine_and_execute(setup, outer_pid);
  }
  dup2(result, kReadyDescriptor);
  close_range(kReadyDescriptor + 1, ~0u, 0);
  point_standard_streams_to_null();
  drop_capabilities();
  const int status = collect_until(first);
  _exit(write(kReadyDescriptor, &status, sizeof status) == sizeof status ? 0 : 1);
}

// Stopped processes cannot fork: when a walk finds nobody new, all are known and the kill leaves none behind.
void kill_descendants() {
  constexpr int kWalks = 64;
  std::vector<pid_t> known;
  for (int walk = 0; walk < kWalks; ++walk) {
    std::vector<pid_t> now = descendants(getpid());
    for (const pid_t pid : now) kill(pid, SIGSTOP);
    if (now == known) break;
    known.swap(now);
  }
  for (const pid_t pid : known) kill(pid, SIGKILL);
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

void kill_all(pid_t child, bool child_is_init) {
  if (child_is_init) {
    kill(child, SIGKILL);  // the kernel kills the namespace with it
  } else {
    for (kill_descendants(); !children(getpid()).empty(); kill_descendants()) usleep(1000);
  }
}

// The kernel drops the account of what dies with a pid namespace, so it is taken just before.
Usage usage_of_tree() {
  Usage sum;
  for (const pid_t pid : descendants(getpid())) {
    const Usage one = usage(pid);
    sum.cpu_us += one.cpu_us;
    sum.peak_rss_bytes = std::max(sum.peak_rss_bytes, one.peak_rss_bytes);
  }
  return sum;
}

[[noreturn]] void watch(pid_t child, bool child_is_init, int result) {
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);

  int first_status = 0;
  bool first_ended = false, killed = false;
  Usage at_kill;
  for (bool child_gone = false; !child_gone;) {
    int status = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == child) {
        child_gone = true;
        if (!child_is_init) first_status = status, first_ended = !killed;
      }
    if (child_gone) break;
    pollfd events[2] = {{kLifeDescriptor, 0, 0}, {signals, POLLIN, 0}};
    if (killed) events[0].fd = -1;
    poll(events, 2, -1);
    signalfd_siginfo drained;
    while (read(signals, &drained, sizeof drained) == sizeof drained) {
    }
    if (events[0].fd >= 0 && (events[0].revents & (POLLHUP | POLLERR | POLLNVAL))) {
      killed = true;
      at_kill = usage_of_tree();
      kill_all(child, child_is_init);
      child_gone = !child_is_init;  // collected with all others
    }
  }
  if (!child_is_init) kill_all(child, false);
  if (child_is_init)
    first_ended = read(result, &first_status, sizeof first_status) == static_cast<ssize_t>(sizeof first_status);

  rusage collected{};
  getrusage(RUSAGE_CHILDREN, &collected);  // everything in the box was collected by us or by init
  Ended ended;
  ended.known = first_ended;
  ended.wait_status = static_cast<std::uint32_t>(first_status);
  ended.cpu_us = at_kill.cpu_us +
                 static_cast<std::uint64_t>(collected.ru_utime.tv_sec + collected.ru_stime.tv_sec) * 1'000'000 +
                 static_cast<std::uint64_t>(collected.ru_utime.tv_usec + collected.ru_stime.tv_usec);
  ended.peak_rss_bytes = std::max(at_kill.peak_rss_bytes, static_cast<std::uint64_t>(collected.ru_maxrss) * 1024);
  if (write(kStatusDescriptor, &ended, sizeof ended) != sizeof ended) _exit(1);
  _exit(0);
}

}  // namespace

int run() {
  Plan plan;
  const std::string bytes = read_plan();
  Decoder decoder(bytes);
  visit_plan(decoder, plan);
  Setup setup{plan};
  setup.caller_uid = geteuid();
  setup.caller_gid = getegid();
  if (decoder.bad || plan.argv.empty()) fail(setup, "the plan of the box is damaged");

  signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  setsid();  // Ctrl-C in the terminal is the judge's to handle; it then hangs up

  const pid_t own_pid = getpid();
  enter_user_and_pid_namespace(setup);
  const bool has_init = setup.has(kPidNamespace);
  if (!has_init) prctl(PR_SET_CHILD_SUBREAPER, 1);

  int result[2];
  if (pipe2(result, O_CLOEXEC) != 0) fail(setup, error_text("pipe"));
  const pid_t child = fork();
  if (child < 0) fail(setup, error_text("fork"));
  if (child == 0) {
    close(result[0]);
    if (has_init) be_init(setup, own_pid, result[1]);
    close(result[1]), close(kStatusDescriptor), close(kLifeDescriptor);
    enter_other_namespaces(setup);
    confine_and_execute(setup, own_pid);
  }
  prctl(PR_SET_DUMPABLE, 0);
  // The status and life descriptors and init's answer stay; they are neighbours once the answer is moved beside them.
  dup2(result[0], kFirstPassedDescriptor);
  close(kReadyDescriptor);
  close_range(kFirstPassedDescriptor + 1, ~0u, 0);
  point_standard_streams_to_null();
  watch(child, has_init, kFirstPassedDescriptor);
}

}  // namespace judge::sandbox::inner

int main() {
  return judge::sandbox::inner::run();
}
