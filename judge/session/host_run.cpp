// How this works. One poll loop watches the process (pidfd), its messages, its two outputs, and the clock. The first of
// these to happen ends the run: it says that the entry returned, it dies, it breaks a limit, it talks nonsense. Then
// the whole box is killed, the pipes are emptied, and the outcome is put together, preferring what the kernel says over
// what the process said.

#include "judge/session/host_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "judge/host/setup.h"
#include "judge/sandbox/sandbox.h"

namespace judge::session {
namespace {

using Clock = std::chrono::steady_clock;
using device::Descriptor;

constexpr std::chrono::milliseconds kMemoryCheck{20};      // a process touches at most some 100 MB in this time
constexpr std::chrono::milliseconds kEndOfFileGrace{500};  // between a process closing its line and its end being seen
// A submission needs no process but its own. The box stops a loop of fork() at 64, and by then a report about memory
// would be beside the point.
constexpr std::size_t kMaxProcesses = 16;
constexpr int kMaxMessages = 16;  // an honest runner sends three

std::pair<Descriptor, Descriptor> make_pair_of(int kind) {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, fds.data()) != 0)
    throw SessionError("host start", std::string("socketpair: ") + std::strerror(errno));
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

// An output of the process, read without blocking and kept up to its cap.
class Output {
 public:
  explicit Output(std::uint64_t cap) : cap_(cap) {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
      throw SessionError("host start", std::string("pipe: ") + std::strerror(errno));
    read_ = Descriptor(fds[0]);
    write_ = Descriptor(fds[1]);
    ::fcntl(read_.get(), F_SETFL, O_NONBLOCK);
  }
  int theirs() const { return write_.get(); }
  int fd() const { return read_.get(); }
  void started() { write_.reset(); }
  bool over() const { return over_; }
  std::string take() { return std::move(text_); }

  // Reads what is there; at most a pipe's capacity and a little, so that a flood cannot hold the loop.
  void drain() {
    std::array<char, 65536> piece;
    for (int i = 0; i < 4 && read_; ++i) {
      const ssize_t n = ::read(read_.get(), piece.data(), piece.size());
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (n <= 0) return read_.reset();
      const std::size_t room = cap_ - text_.size();
      over_ = over_ || static_cast<std::size_t>(n) > room;
      text_.append(piece.data(), std::min<std::size_t>(n, room));
    }
  }

 private:
  std::uint64_t cap_;
  Descriptor read_, write_;
  std::string text_;
  bool over_ = false;
};

std::uint64_t shared_bytes(int fd) {
  struct stat s {};
  return ::fstat(fd, &s) == 0 ? static_cast<std::uint64_t>(s.st_blocks) * 512 : 0;
}

// The loader's sentence ends "undefined symbol: cudaFoo, version libcudart.so.13" for a call that our library lacks.
std::string missing_cuda_symbol(std::string_view sentence) {
  constexpr std::string_view kBefore = "undefined symbol: ";
  const std::size_t at = sentence.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = sentence.substr(at + kBefore.size());
  const std::string_view name = rest.substr(0, rest.find_first_of(", ("));
  return name.starts_with("cuda") || name.starts_with("__cuda") ? std::string(name) : std::string();
}

// People's own programs: bigger files and more of them than an exercise has any use for, and a /tmp to put them in.
void give_program_what_it_needs(const Program& program, sandbox::BoxOptions& options) {
  options.environment.insert(options.environment.end(), program.environment.begin(), program.environment.end());
  options.keep_user = true;
  options.private_tmp = true;
  options.limits.file_bytes = 8ull << 30;
  options.limits.open_files = 1024;
  options.limits.processes = 512;
  if (program.working_directory.empty() || program.working_directory == "/") return;
  options.working_directory = program.working_directory;
  (program.may_write ? options.writable : options.readable).push_back(program.working_directory);
}

}  // namespace

struct HostRun::Impl {
  const CaseRequest& request;
  Descriptor window;  // our own duplicate: how much the process put there counts as its memory
  Descriptor line, their_line;
  Output out, err;
  std::optional<sandbox::Box> box;
  HostOutcome outcome;
  bool loading = false, returned = false, load_failed = false;
  std::optional<std::uint64_t> fault;
  std::string load_sentence, uncaught;
  int messages = 0;
  std::optional<HostEnd> decided;  // by us: a limit or nonsense
  std::optional<Clock::time_point> line_closed;

  explicit Impl(const CaseRequest& r) : request(r), out(r.output_bytes), err(r.output_bytes) {}

  void decide(HostEnd end, std::string detail) {
    if (decided) return;
    decided = end;
    outcome.detail = std::move(detail);
  }

  void start(const std::filesystem::path& program_dir, const HostDescriptors& descriptors);
  void take_messages();
  void take_message(const host::HostMessage& message);
  void check_memory();
  void check_output();
  bool over() const { return decided || returned; }
  void watch(Clock::time_point deadline, int device_fd);
  HostOutcome conclude(const sandbox::Exit& exit);
};

HostRun::HostRun(const CaseRequest& request, const std::filesystem::path& program_dir,
                 const HostDescriptors& descriptors)
    : impl_(std::make_unique<Impl>(request)) {
  impl_->start(program_dir, descriptors);
}

HostRun::~HostRun() = default;

void HostRun::Impl::start(const std::filesystem::path& program_dir, const HostDescriptors& descriptors) {
  window = Descriptor(::fcntl(descriptors.window, F_DUPFD_CLOEXEC, 0));
  std::tie(line, their_line) = make_pair_of(SOCK_SEQPACKET);

  sandbox::BoxOptions options;
  options.argv = {(program_dir / "judge-host").string()};
  options.environment = {{"LD_LIBRARY_PATH", program_dir.string()}};
  options.working_directory = "/";
  options.readable = {program_dir, request.library};
  if (request.program) give_program_what_it_needs(*request.program, options);
  options.descriptors = {{request.program ? request.program->streams[1] : out.theirs(), 1},
                         {request.program ? request.program->streams[2] : err.theirs(), 2},
                         {descriptors.device, channel::kSocketFd},
                         {descriptors.bulk, channel::kBulkFd},
                         {descriptors.window, channel::kMappedFd},
                         {their_line.get(), host::kJudgeFd},
                         {descriptors.buffers, host::kBuffersFd}};
  if (request.program) options.descriptors.emplace_back(request.program->streams[0], 0);
  options.may_start_programs = false;
  // The wall clock decides about an endless loop; this one is for many threads at once.
  options.limits.cpu = 2 * request.wall_limit;
  try {
    box.emplace(sandbox::Box::start(options));
  } catch (const sandbox::BoxError& e) {
    throw SessionError("host start", e.what());
  }
  out.started();
  err.started();
  their_line.reset();
}

void HostRun::Impl::take_messages() {
  while (line && !decided) {
    host::HostMessage message;
    const ssize_t n = ::recv(line.get(), &message, sizeof message, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      line.reset();
      line_closed = Clock::now();
      return;
    }
    if (n != sizeof message || message.magic != host::kMessageMagic || ++messages > kMaxMessages)
      return decide(HostEnd::protocol_error,
                    "the host process sent the judge something that the host runner never sends");
    message.text[sizeof message.text - 1] = '\0';
    take_message(message);
  }
}

void HostRun::Impl::take_message(const host::HostMessage& message) {
  std::string text = message.text;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  switch (message.kind) {
    case host::MessageKind::setup_failed:
      if (loading) break;
      throw SessionError("host start", text);
    case host::MessageKind::loading:
      loading = true;
      return;
    case host::MessageKind::load_failed:
      load_failed = true;
      load_sentence = std::move(text);
      return;
    case host::MessageKind::returned:
      returned = true;
      return;
    case host::MessageKind::fault:
      if (!fault) fault = message.value;
      return;
    case host::MessageKind::uncaught:
      uncaught = std::move(text);
      return;
  }
  decide(HostEnd::protocol_error, "the host process sent the judge a message out of order");
}

void HostRun::Impl::check_memory() {
  if (const std::size_t processes = box->tree_processes(); processes > kMaxProcesses)
    return decide(HostEnd::process_limit, "the host code had started " + std::to_string(processes) +
                                              " processes, which are still running; a case may have " +
                                              std::to_string(kMaxProcesses));
  const std::uint64_t used = box->tree_rss_bytes() + shared_bytes(window.get());
  if (used > request.host_memory_bytes)
    decide(HostEnd::memory_limit,
           "the host process used more than " + std::to_string(request.host_memory_bytes >> 20) + " MiB of memory");
}

void HostRun::Impl::check_output() {
  if (!out.over() && !err.over()) return;
  outcome.output_truncated = true;
  decide(HostEnd::output_limit, "the host process wrote more than " + std::to_string(request.output_bytes >> 10) +
                                    " KiB to " + (out.over() ? "stdout" : "stderr"));
}

// Returns when the run is over or the process has ended.
void HostRun::Impl::watch(Clock::time_point deadline, int device_fd) {
  auto next_memory_check = Clock::now() + kMemoryCheck;
  while (!over()) {
    std::array<pollfd, 5> p{{{box->pidfd(), POLLIN, 0},
                             {line.get(), POLLIN, 0},
                             {out.fd(), POLLIN, 0},
                             {err.fd(), POLLIN, 0},
                             {device_fd, POLLIN, 0}}};  // a closed one is negative, and ignored
    const auto wake = std::min(deadline, next_memory_check);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake - Clock::now()).count();
    if (::poll(p.data(), p.size(), static_cast<int>(std::max<long long>(left, 0))) < 0 && errno != EINTR)
      throw SessionError("host", std::string("poll: ") + std::strerror(errno));
    if (p[4].revents != 0) throw SessionError("device", "the device process ended while the case ran");
    if (p[1].revents != 0) take_messages();
    if (p[2].revents != 0) out.drain();
    if (p[3].revents != 0) err.drain();
    check_output();
    if (p[0].revents != 0) return;
    const auto now = Clock::now();
    if (now >= next_memory_check) {
      check_memory();
      next_memory_check = now + kMemoryCheck;
    }
    if (request.cancelled != nullptr && *request.cancelled) decide(HostEnd::wall_limit, "the run was interrupted");
    if (line_closed && !request.program && now - *line_closed > kEndOfFileGrace)
      decide(HostEnd::protocol_error, "the host process closed its line to the judge and went on");
    if (now >= deadline && !over())
      decide(HostEnd::wall_limit, "the case took more than " + std::to_string(request.wall_limit.count()) + " ms");
  }
}

HostOutcome HostRun::Impl::conclude(const sandbox::Exit& exit) {
  outcome.exit_status = exit.exited ? exit.status : 0;
  outcome.signal = exit.signaled && !decided && !returned ? exit.signal : 0;
  if (!loading && !decided)
    throw SessionError("host start", exit.signaled
                                         ? "the host runner was ended by signal " + std::to_string(exit.signal)
                                         : "the host runner ended with status " + std::to_string(exit.status));
  if (decided) {
    outcome.end = *decided;
  } else if (returned) {
    outcome.end = HostEnd::returned;
    outcome.exit_status = 0;
  } else if (exit.cpu_limit) {
    outcome.end = HostEnd::cpu_limit;
    outcome.detail = "the host process used more processor time than the case may take";
  } else if (exit.signaled) {
    outcome.end = HostEnd::signaled;
    outcome.detail = ::strsignal(exit.signal);
    if (exit.signal == SIGABRT && !uncaught.empty()) {
      outcome.uncaught = uncaught;
      outcome.detail += ", after an exception that nothing caught: " + uncaught;
    }
    if (fault && (exit.signal == SIGSEGV || exit.signal == SIGBUS)) {
      outcome.fault_address = *fault;
      outcome.fault_in_device_memory =
          *fault >= device::kDeviceBase && *fault - device::kDeviceBase < device::kDeviceSpan;
    }
  } else if (load_failed) {
    outcome.end = HostEnd::load_failed;
    outcome.detail = load_sentence;
    outcome.missing_symbol = missing_cuda_symbol(load_sentence);
  } else if (exit.status == host::kExitLostJudge && !request.program) {
    outcome.end = HostEnd::protocol_error;
    outcome.detail = "the submission closed the host runner's line to the judge";
  } else {
    outcome.end = HostEnd::exited;
    outcome.detail = "the host process ended with exit status " + std::to_string(exit.status) +
                     (request.program ? "" : " before the entry returned");
  }
  outcome.stdout_text = out.take();
  outcome.stderr_text = err.take();
  return std::move(outcome);
}

HostOutcome HostRun::run(std::span<const std::byte> setup, Clock::time_point deadline, int device_fd) {
  Impl& run = *impl_;
  // A process that is already dead shows in watch(), with its status.
  ::send(run.line.get(), setup.data(), setup.size(), MSG_NOSIGNAL);
  run.watch(deadline, device_fd);
  const sandbox::Exit exit = run.box->kill();
  if (!run.over()) run.take_messages();
  // Every writer is dead: a pipe holds at most its capacity, which two rounds empty.
  for (int i = 0; i < 2; ++i) {
    run.out.drain();
    run.err.drain();
  }
  run.check_output();
  return run.conclude(exit);
}

}  // namespace judge::session
