#pragma once
// The box: starts one untrusted program (the student's host code, nvcc on the student's code) with as little as it
// needs. Linux only. Layers that this machine does not give are listed by probe(); start() says which ones it applied.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace judge::sandbox {

enum class Layer : std::uint8_t {
  no_new_privileges,
  unprivileged_user,
  resource_limits,
  user_namespace,
  mount_namespace,
  pid_namespace,
  ipc_namespace,
  network_namespace,
  landlock,
  seccomp
};
std::string_view to_string(Layer layer);

struct LayerStatus {
  Layer layer{};
  bool available = false;
  std::string detail;  // "ABI 7", or why not and how to get it
};
// Every layer, in the enum's order; takes a few milliseconds. `readable`: what the boxes of this machine will have to
// reach; where one cannot, no box can be made, no layer is available and every detail says why.
std::vector<LayerStatus> probe(const std::vector<std::filesystem::path>& readable = {});

struct Limits {
  std::chrono::milliseconds cpu{10'000};
  std::uint64_t address_space_bytes = 0;    // RLIMIT_AS; 0: none (the host process reserves a large window)
  std::uint64_t file_bytes = 256ull << 20;  // RLIMIT_FSIZE
  std::uint32_t open_files = 256;
  std::uint32_t processes = 64;  // RLIMIT_NPROC, binds only an unprivileged user
  std::uint64_t stack_bytes = 8ull << 20;
};

struct BoxOptions {
  std::vector<std::string> argv;                                 // argv[0] is a path; never a shell string
  std::vector<std::pair<std::string, std::string>> environment;  // the whole environment, nothing inherited
  std::filesystem::path working_directory;
  std::vector<std::filesystem::path>
      readable;  // files and folders (recursive), besides the system's programs and libraries
  std::vector<std::filesystem::path> writable;  // folders (recursive)
  std::vector<std::pair<int, int>>
      descriptors;  // (ours, its number in the box); every other one is closed; 0-2 default to /dev/null
  // The program stays the user who starts it, also root (without any privilege), and writable folders stay whose they
  // are: for people's own programs, whose files must be theirs.
  bool keep_user = false;
  bool private_tmp = false;  // an empty /tmp in memory, gone with the box; needs the mount namespace
  bool network = false;
  bool may_start_programs = true;  // false: execve is refused after the first
  Limits limits;
  std::vector<Layer> required;  // missing one: start() throws and names it
};

struct Exit {
  bool exited = false;  // status valid
  int status = 0;
  bool signaled = false;  // signal valid
  int signal = 0;
  bool cpu_limit = false;  // SIGXCPU or the CPU limit's SIGKILL
  std::uint64_t peak_rss_bytes = 0;
  double cpu_ms = 0;
};

class BoxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Started;

// A running boxed program and everything it started. Destruction kills the whole tree and reaps it.
class Box {
 public:
  static Box start(const BoxOptions& options);  // throws BoxError
  Box(Box&&) noexcept;
  Box& operator=(Box&&) noexcept;
  ~Box();

  int pidfd() const;  // readable (poll) when the program has ended
  int pid() const;
  const std::vector<Layer>& applied() const;
  // Waits until the deadline; nullopt when it is still running then. May be called again.
  std::optional<Exit> wait_until(std::chrono::steady_clock::time_point deadline);
  Exit kill();                           // kills the tree, reaps, returns how the first program ended
  std::uint64_t tree_rss_bytes() const;  // resident memory of the tree now (polled by the caller for a memory limit)
  std::size_t tree_processes() const;    // processes of the program now, itself included

 private:
  struct Impl;
  friend Started start_leaving_out(const BoxOptions& options, std::uint32_t left_out);
  explicit Box(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs to completion and captures both outputs, each capped.
struct Captured {
  Exit exit;
  bool timed_out = false;
  bool memory_limit = false;
  std::string out, err;
  bool truncated = false;
  double wall_ms = 0;
};
Captured run(BoxOptions options, std::chrono::steady_clock::time_point deadline, std::size_t output_cap = 1 << 20,
             std::uint64_t memory_cap_bytes = 0);

}  // namespace judge::sandbox
