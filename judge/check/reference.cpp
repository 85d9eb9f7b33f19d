// The CPU reference runs in a forked child, so that a crash or an endless loop there cannot take the judge along.
// Inputs are inherited copy-on-write; outputs lie in shared mappings. The child's end shows as end-of-file on a pipe,
// which gives the wait its deadline.

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "judge/check/check.h"
#include "judge/check/element.h"

namespace judge::check {

namespace {

using catalogue::Role;
using Clock = std::chrono::steady_clock;
using Function = void (*)(void**);

class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw ReferenceError("no memory for an output of " + std::to_string(bytes) + " bytes");
    at_.reset(static_cast<std::byte*>(at), [n = bytes_](std::byte* p) { munmap(p, n); });
  }
  std::byte* data() const { return at_.get(); }

 private:
  std::size_t bytes_;
  std::shared_ptr<std::byte> at_;
};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// How far the child came, and the loader's sentence; in shared memory.
struct Progress {
  enum Stage : int { starting, loading_failed, no_function, calling, returned };
  volatile int stage = starting;
  std::array<char, 512> message{};
};

struct Call {
  std::vector<std::byte> sizes;  // storage of the size arguments, 8 bytes each
  std::vector<void*> pointers;   // of the buffers
  std::vector<void*> arguments;  // what judge_reference takes: the address of each parameter's value
};

std::uint64_t bytes_of(const catalogue::Argument& argument, const catalogue::Names& names) {
  std::uint64_t bytes = catalogue::bytes_of(argument.type);
  for (const std::int64_t extent : catalogue::resolve_shape(argument, names)) {
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

const Buffer& input_of(const catalogue::Argument& argument, const catalogue::Names& names,
                       const std::map<std::string, Buffer>& inputs) {
  const auto found = inputs.find(argument.name);
  if (found == inputs.end()) throw ReferenceError("the input \"" + argument.name + "\" was not generated");
  if (found->second.bytes.size() != bytes_of(argument, names)) {
    throw ReferenceError("the input \"" + argument.name + "\" has " + std::to_string(found->second.bytes.size()) +
                         " bytes, expected " + std::to_string(bytes_of(argument, names)));
  }
  return found->second;
}

[[noreturn]] void run_child(const std::filesystem::path& library, const Call& call, Progress& progress) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_RDWR);  // what a reference prints must not end up in a report
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    std::strncpy(progress.message.data(), why != nullptr ? why : "unknown", progress.message.size() - 1);
    progress.stage = Progress::loading_failed;
    _exit(1);
  }
  const auto function = reinterpret_cast<Function>(dlsym(handle, "judge_reference"));
  if (function == nullptr) {
    progress.stage = Progress::no_function;
    _exit(1);
  }
  progress.stage = Progress::calling;
  try {
    function(const_cast<void**>(call.arguments.data()));
  } catch (const std::exception& e) {
    std::strncpy(progress.message.data(), e.what(), progress.message.size() - 1);
    _exit(2);
  } catch (...) {
    _exit(2);
  }
  progress.stage = Progress::returned;
  _exit(0);
}

// True when the child ended before the deadline.
bool wait_for_end(int fd, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd p{fd, POLLIN, 0};
    const int ready = poll(&p, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw ReferenceError(std::string("poll: ") + std::strerror(errno));
  }
}

int reap(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw ReferenceError(std::string("waitpid: ") + std::strerror(errno));
  }
  return status;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

void check_end(int status, const Progress& progress, const std::string& file) {
  const std::string message(progress.message.data());
  if (progress.stage == Progress::loading_failed) throw ReferenceError(file + " cannot be loaded: " + message);
  if (progress.stage == Progress::no_function) throw ReferenceError(file + " does not export judge_reference");
  if (WIFSIGNALED(status)) {
    throw ReferenceError("the CPU reference crashed with " + signal_name(WTERMSIG(status)) + " (" + file + ")");
  }
  if (progress.stage == Progress::returned && WEXITSTATUS(status) == 0) return;
  if (WEXITSTATUS(status) == 2) {
    throw ReferenceError("the CPU reference threw an exception" + (message.empty() ? "" : ": " + message));
  }
  throw ReferenceError("the CPU reference left with exit status " + std::to_string(WEXITSTATUS(status)) +
                       " before it returned");
}

}  // namespace

std::vector<std::byte> size_bytes(const catalogue::Argument& argument, std::int64_t value) {
  const bool narrow = argument.cpp_type == "int" || argument.cpp_type == "unsigned int";
  std::vector<std::byte> bytes(narrow ? 4 : 8);
  std::memcpy(bytes.data(), &value, bytes.size());  // little endian: the low half is the int
  return bytes;
}

std::map<std::string, Buffer> run_reference(const std::filesystem::path& library, const catalogue::Exercise& exercise,
                                            const catalogue::Names& names, const std::map<std::string, Buffer>& inputs,
                                            std::chrono::milliseconds limit) {
  const std::size_t count = exercise.arguments.size();
  Call call{std::vector<std::byte>(8 * count), std::vector<void*>(count), std::vector<void*>(count)};
  std::map<std::string, SharedMemory> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const catalogue::Argument& a = exercise.arguments[i];
    call.arguments[i] = &call.pointers[i];
    if (a.role == Role::size) {
      const auto bytes = size_bytes(a, names.at(a.name));
      std::copy(bytes.begin(), bytes.end(), call.sizes.begin() + static_cast<std::ptrdiff_t>(8 * i));
      call.arguments[i] = call.sizes.data() + 8 * i;
    } else if (a.role == Role::scalar) {
      call.arguments[i] = const_cast<std::byte*>(input_of(a, names, inputs).bytes.data());
    } else if (a.role == Role::in) {
      call.pointers[i] = const_cast<std::byte*>(input_of(a, names, inputs).bytes.data());
    } else {
      const SharedMemory memory(bytes_of(a, names));
      if (a.role == Role::inout) {
        const Buffer& input = input_of(a, names, inputs);
        std::memcpy(memory.data(), input.bytes.data(), input.bytes.size());
      }
      call.pointers[i] = memory.data();
      outputs.emplace(a.name, memory);
    }
  }

  const SharedMemory progress_memory(sizeof(Progress));
  Progress& progress = *new (progress_memory.data()) Progress();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw ReferenceError(std::string("pipe2: ") + std::strerror(errno));
  Descriptor read_end(ends[0]), write_end(ends[1]);
  const Clock::time_point deadline = Clock::now() + limit;
  const pid_t child = fork();
  if (child < 0) throw ReferenceError(std::string("fork: ") + std::strerror(errno));
  if (child == 0) run_child(library, call, progress);
  write_end.close();
  const bool ended = wait_for_end(read_end.get(), deadline);
  if (!ended) kill(child, SIGKILL);
  const int status = reap(child);
  if (!ended) {
    throw ReferenceError("the CPU reference did not return within " + std::to_string(limit.count()) + " ms");
  }
  check_end(status, progress, library.filename().string());

  std::map<std::string, Buffer> results;
  for (const catalogue::Argument& a : exercise.arguments) {
    const auto memory = outputs.find(a.name);
    if (memory == outputs.end()) continue;
    const std::byte* begin = memory->second.data();
    results.emplace(a.name, Buffer{a.name, a.type, catalogue::resolve_shape(a, names),
                                   std::vector<std::byte>(begin, begin + bytes_of(a, names))});
  }
  return results;
}

}  // namespace judge::check
