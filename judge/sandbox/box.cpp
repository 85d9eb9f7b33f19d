// The judge's side of the box. How it works:
//
// start() writes a plan into a memfd and starts the inner program (inner/main.cpp) with vfork semantics: no page table
// is copied, whatever the judge's size, and nothing of the judge's memory gets into the box. The inner program sets up
// the layers and answers on the "ready" pipe: the layers applied, or an error; the pipe's end means that execve
// succeeded. A third pipe, "life", only ever closes: when the judge wants the tree dead, or when the judge itself is
// dead. The "status" pipe brings the end of the first program once everything in the box is gone.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "judge/sandbox/filter.h"
#include "judge/sandbox/inner_image.h"
#include "judge/sandbox/plan.h"
#include "judge/sandbox/process_tree.h"
#include "judge/sandbox/sandbox.h"
#include "judge/sandbox/start.h"

namespace judge::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSetupLimit{10};  // building a box takes milliseconds; a loaded machine may need more
constexpr std::chrono::seconds kKillLimit{10};   // then even the watcher is killed
constexpr std::size_t kReadyCap = 256 * 1024;

[[noreturn]] void throw_errno(const std::string& what) {
  throw BoxError("the box: " + what + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe");
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
};

int poll_milliseconds(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 3'600'000));
}

bool wait_readable(int fd, Clock::time_point deadline) {
  for (;;) {
    pollfd event{fd, POLLIN, 0};
    const int ready = poll(&event, 1, poll_milliseconds(deadline));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= deadline) return false;
    if (ready < 0 && errno != EINTR) throw_errno("poll");
  }
}

std::string absolute_name(const std::filesystem::path& path) {
  std::string text = std::filesystem::absolute(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// A listed path is visible under the name it was given and, when that leads through links, under its real one.
std::vector<std::string> absolute_paths(const std::vector<std::filesystem::path>& paths, const char* kind) {
  std::vector<std::string> list;
  for (const std::filesystem::path& path : paths) {
    const std::string name = absolute_name(path);
    std::error_code error;
    const std::string real = std::filesystem::canonical(name, error).string();
    if (error)
      throw BoxError("the box: the " + std::string(kind) + " path '" + name + "' cannot be opened: " + error.message());
    if (name == "/" || real == "/") throw BoxError("the box: '/' may not be listed as " + std::string(kind));
    list.push_back(name);
    if (real != name) list.push_back(real);
  }
  return list;
}

const std::string& cached_filter(const FilterOptions& options) {
  static std::mutex mutex;
  static std::map<std::tuple<bool, bool, std::uint64_t, bool>, std::string> filters;
  const std::lock_guard lock(mutex);
  std::string& filter =
      filters[{options.network, options.may_start_programs, options.exec_path_address, options.own_pid_namespace}];
  if (filter.empty()) filter = build_filter(options);
  return filter;
}

// One secret address per process of the judge: its boxes cannot see each other, and none can read its own filter.
std::uint64_t secret_exec_address() {
  static const std::uint64_t address = [] {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) throw_errno("getrandom");
    constexpr std::uint64_t kLowest = 0x100'0000'0000, kSpan = 0x3000'0000'0000;  // far from stack, libraries and heap
    return kLowest + random % kSpan;
  }();
  return address;
}

Plan make_plan(const BoxOptions& options, std::uint32_t left_out) {
  if (options.argv.empty()) throw BoxError("the box: no program to start");
  Plan plan;
  plan.argv = options.argv;
  plan.argv[0] = absolute_name(options.argv[0]);
  for (const auto& [name, value] : options.environment) plan.environment.push_back(name + "=" + value);
  plan.working_directory = options.working_directory.empty() ? "/" : absolute_name(options.working_directory);
  std::vector<std::filesystem::path> readable = options.readable;
  readable.emplace_back(plan.argv[0]);
  plan.readable = absolute_paths(readable, "readable");
  plan.writable = absolute_paths(options.writable, "writable");
  for (const auto& [ours, number] : options.descriptors) {
    if (ours < 0 || number < 0 || static_cast<std::uint32_t>(number) >= options.limits.open_files)
      throw BoxError("the box: descriptor " + std::to_string(ours) + " cannot become number " + std::to_string(number));
    plan.descriptor_numbers.push_back(static_cast<std::uint32_t>(number));
  }
  plan.keep_user = options.keep_user;
  plan.private_tmp = options.private_tmp;
  plan.network = options.network;
  plan.may_start_programs = options.may_start_programs;
  if (!options.may_start_programs) plan.exec_path_address = secret_exec_address();
  const Limits& limits = options.limits;
  plan.cpu_seconds =
      static_cast<std::uint64_t>(std::max<long long>(1, std::chrono::ceil<std::chrono::seconds>(limits.cpu).count()));
  plan.address_space_bytes = limits.address_space_bytes;
  plan.file_bytes = limits.file_bytes;
  plan.open_files = limits.open_files;
  plan.processes = limits.processes;
  plan.stack_bytes = limits.stack_bytes;
  plan.wanted_layers = ((1u << kLayerCount) - 1) & ~left_out;
  for (const Layer layer : options.required) plan.required_layers |= 1u << static_cast<unsigned>(layer);
  plan.filter = cached_filter({plan.network, plan.may_start_programs, plan.exec_path_address, true});
  plan.filter_without_pid_namespace =
      cached_filter({plan.network, plan.may_start_programs, plan.exec_path_address, false});
  return plan;
}

Descriptor plan_descriptor(const Plan& plan) {
  Encoder encoder;
  visit_plan(encoder, plan);
  Descriptor fd(memfd_create("plan", MFD_CLOEXEC));
  if (fd.get() < 0) throw_errno("memfd_create");
  const auto size = static_cast<ssize_t>(encoder.bytes.size());
  if (pwrite(fd.get(), encoder.bytes.data(), encoder.bytes.size(), 0) != size) throw_errno("writing the plan");
  return fd;
}

// What the cloned child needs; it shares our memory until it executes the inner program, and may only make system
// calls.
struct Launch {
  const int* sources;
  int* parked;
  int count;
  int program;
  sigset_t mask;
};

int execute_inner(void* argument) {
  Launch& launch = *static_cast<Launch*>(argument);
  const int clear = kPlanDescriptor + launch.count;
  const int program = fcntl(launch.program, F_DUPFD_CLOEXEC, clear);
  for (int i = 0; i < launch.count; ++i) launch.parked[i] = fcntl(launch.sources[i], F_DUPFD_CLOEXEC, clear);
  for (int i = 0; i < launch.count; ++i)
    if (dup2(launch.parked[i], kPlanDescriptor + i) < 0) _exit(125);
  // Everything else of ours closes at execve, also what some library opened without O_CLOEXEC.
  syscall(SYS_close_range, clear, ~0u, CLOSE_RANGE_CLOEXEC);
  sigprocmask(SIG_SETMASK, &launch.mask, nullptr);
  const char* const arguments[] = {"judge-box", nullptr};
  const char* const environment[] = {nullptr};
  syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
  _exit(125);
}

std::pair<pid_t, Descriptor> start_inner(const std::vector<int>& sources) {
  constexpr std::size_t kStackBytes = 64 * 1024;
  void* const stack =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) throw_errno("mmap");
  std::vector<int> parked(sources.size());
  Launch launch{sources.data(), parked.data(), static_cast<int>(sources.size()), inner_program(), {}};
  // No handler of ours may run in the child while it shares our memory.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &launch.mask);
  int pidfd = -1;
  const pid_t pid = clone(execute_inner, static_cast<char*>(stack) + kStackBytes,
                          CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &launch, &pidfd);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &launch.mask, nullptr);
  munmap(stack, kStackBytes);
  if (pid < 0) {
    errno = error;
    throw_errno("clone");
  }
  return {pid, Descriptor(pidfd)};
}

// Reads frames until the pipe ends; the last one counts.
Ready read_ready(int fd) {
  const Clock::time_point deadline = Clock::now() + kSetupLimit;
  std::string bytes;
  for (;;) {
    if (!wait_readable(fd, deadline)) throw BoxError("the box: setting it up took too long");
    char buffer[16 * 1024];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > kReadyCap) throw BoxError("the box: its answer is too long");
  }
  Ready ready;
  Decoder frames(bytes);
  if (bytes.empty())
    throw BoxError("the box: its program died while setting up (killed from outside, or out of memory?)");
  while (frames.at != frames.end && !frames.bad) {
    std::string body;
    frames(body);
    ready = {};
    Decoder decoder(body);
    visit_ready(decoder, ready);
    frames.bad = frames.bad || decoder.bad;
  }
  if (frames.bad) throw BoxError("the box: its answer is damaged");
  ready.details.resize(kLayerCount);
  return ready;
}

}  // namespace

struct Box::Impl {
  pid_t watcher = -1;
  pid_t first = -1;
  bool has_init = false;
  Descriptor pidfd, status, life;
  std::vector<Layer> applied;
  std::vector<std::string> details;
  std::uint64_t cpu_limit_seconds = 0;
  std::optional<Exit> end;

  ~Impl() { finish(); }

  void find_first() {
    std::vector<pid_t> below = children(watcher);
    if (has_init && !below.empty()) below = children(below.front());
    if (!below.empty()) first = below.front();
  }

  // The watcher has ended, and with it everything in the box.
  void collect() {
    if (end) return;
    Ended ended;
    const bool told = read(status.get(), &ended, sizeof ended) == static_cast<ssize_t>(sizeof ended);
    siginfo_t info{};
    while (waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED) < 0 && errno == EINTR) {
    }
    Exit exit;
    exit.peak_rss_bytes = told ? ended.peak_rss_bytes : 0;
    exit.cpu_ms = told ? static_cast<double>(ended.cpu_us) / 1000 : 0;
    const int wait_status = static_cast<int>(ended.wait_status);
    if (!told || !ended.known) {
      exit.signaled = true;
      exit.signal = SIGKILL;
    } else if (WIFEXITED(wait_status)) {
      exit.exited = true;
      exit.status = WEXITSTATUS(wait_status);
    } else {
      exit.signaled = true;
      exit.signal = WTERMSIG(wait_status);
      exit.cpu_limit = exit.signal == SIGXCPU ||
                       (exit.signal == SIGKILL && exit.cpu_ms >= static_cast<double>(cpu_limit_seconds) * 1000);
    }
    end = exit;
    life.reset();
  }

  void finish() {
    if (end || pidfd.get() < 0) return;
    life.reset();
    if (!wait_readable(pidfd.get(), Clock::now() + kKillLimit)) {
      syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
      wait_readable(pidfd.get(), Clock::now() + kKillLimit);
    }
    collect();
  }
};

Box::Box(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Box::Box(Box&&) noexcept = default;
Box& Box::operator=(Box&&) noexcept = default;
Box::~Box() = default;

Box Box::start(const BoxOptions& options) {
  Started started = start_leaving_out(options, 0);
  return std::move(started.box);
}

Started start_leaving_out(const BoxOptions& options, std::uint32_t left_out) {
  const Plan plan = make_plan(options, left_out);
  const Descriptor plan_fd = plan_descriptor(plan);
  Pipe ready, status, life;
  std::vector<int> sources = {plan_fd.get(), ready.write.get(), status.write.get(), life.read.get()};
  for (const auto& [ours, number] : options.descriptors) sources.push_back(ours);

  auto impl = std::make_unique<Box::Impl>();
  impl->cpu_limit_seconds = plan.cpu_seconds;
  impl->life = std::move(life.write);
  impl->status = std::move(status.read);
  std::tie(impl->watcher, impl->pidfd) = start_inner(sources);
  ready.write.reset(), status.write.reset(), life.read.reset();

  const Ready answer = read_ready(ready.read.get());
  if (answer.error == kMissingLayers) {
    std::string text = "the box: this machine does not give what was required:";
    for (int i = 0; i < kLayerCount; ++i)
      if (answer.applied & (1u << i))
        text +=
            "\n  " + std::string(to_string(static_cast<Layer>(i))) + ": " + answer.details[static_cast<std::size_t>(i)];
    throw BoxError(text);
  }
  if (!answer.error.empty()) throw BoxError("the box: " + answer.error);
  for (int i = 0; i < kLayerCount; ++i)
    if (answer.applied & (1u << i)) impl->applied.push_back(static_cast<Layer>(i));
  impl->has_init = (answer.applied & kPidNamespace) != 0;
  impl->find_first();
  return {Box(std::move(impl)), answer.details};
}

int Box::pidfd() const {
  return impl_->pidfd.get();
}
int Box::pid() const {
  return impl_->first;
}
const std::vector<Layer>& Box::applied() const {
  return impl_->applied;
}

std::optional<Exit> Box::wait_until(Clock::time_point deadline) {
  if (!impl_->end) {
    if (!wait_readable(impl_->pidfd.get(), deadline)) return std::nullopt;
    impl_->collect();
  }
  return impl_->end;
}

Exit Box::kill() {
  impl_->finish();
  return *impl_->end;
}

std::uint64_t Box::tree_rss_bytes() const {
  if (impl_->end) return 0;
  std::uint64_t sum = 0;
  for (const pid_t pid : descendants(impl_->watcher)) sum += private_rss_bytes(pid);
  return sum;
}

std::size_t Box::tree_processes() const {
  if (impl_->end) return 0;
  const std::size_t all = descendants(impl_->watcher).size();
  return impl_->has_init && all > 0 ? all - 1 : all;
}

}  // namespace judge::sandbox
