#pragma once
// Runs one case of one submission in three processes: this one (judge), the device process, a boxed host process.
// The judge sees only this door; messages, sockets and boxes stay behind it.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <span>
#include <string>
#include <vector>

#include "judge/device/device.h"
#include "judge/device/record.h"

namespace judge::session {

enum class Residence : std::uint8_t { device, host };  // where the entry's pointer argument points
enum class Direction : std::uint8_t { in, out, inout };

struct BufferArgument {
  std::string name;
  std::string element_type;          // "float32", "int32", …
  std::uint32_t element_bytes = 4;
  std::uint64_t count = 0;           // elements
  Residence residence = Residence::device;
  Direction direction = Direction::in;
  std::span<const std::byte> contents;  // in, inout: count * element_bytes; out: empty (poisoned)
};

struct ScalarArgument {
  std::string name;
  std::vector<std::byte> value;  // the object representation of the C++ parameter
};

struct Argument {  // in the entry's parameter order; exactly one is set
  std::optional<BufferArgument> buffer;
  std::optional<ScalarArgument> scalar;
};

// A program instead of an entry: its own main(), with this process's terminal or whatever it is given.
struct Program {
  std::vector<std::string> arguments;                            // argv, with the program's name first
  std::vector<std::pair<std::string, std::string>> environment;  // all of it
  std::filesystem::path working_directory;                       // readable
  bool may_write = true;                                         // into the working directory
  std::array<int, 3> streams{0, 1, 2};                           // what becomes its descriptors 0, 1, 2
};

struct CaseRequest {
  std::filesystem::path library;        // the submission, exports judge_entry(void** args), or main for a program
  std::optional<Program> program;       // then there are no arguments, and output is neither kept nor limited
  std::vector<Argument> arguments;
  std::chrono::milliseconds wall_limit{10'000};   // whole case; also ends an endless host loop
  std::uint64_t host_memory_bytes = 2ull << 30;
  std::uint64_t output_bytes = 256 * 1024;        // stdout and stderr of the host process, each
  device::RunOptions run;
  const std::atomic<bool>* cancelled = nullptr;  // true: the run ends now, as by its wall limit
};

// How the host process ended. Everything it says about itself is hostile; this is what the kernel and the judge saw.
enum class HostEnd : std::uint8_t {
  returned,        // the entry returned and the host answered as it should
  load_failed,     // dlopen failed: `detail` is the loader's sentence; `missing_symbol` when a CUDA call is unsupported
  exited,          // exit(status) before the entry returned
  signaled,        // killed by a signal; `fault_address` when it was a memory fault
  wall_limit, cpu_limit, memory_limit, output_limit,
  process_limit,   // started processes without end
  protocol_error   // nonsense on the channel
};
std::string_view to_string(HostEnd end);

struct HostOutcome {
  HostEnd end = HostEnd::returned;
  int exit_status = 0;
  int signal = 0;
  std::uint64_t fault_address = 0;
  bool fault_in_device_memory = false;  // a device pointer was dereferenced on the host
  std::string missing_symbol;
  std::string uncaught;  // "std::runtime_error: what() said", as the process says it, when an exception ended it
  std::string detail;
  std::string stdout_text, stderr_text;  // capped
  bool output_truncated = false;
};

struct OutputBuffer {
  std::string name;
  std::vector<std::byte> contents;
  std::vector<std::uint8_t> written;  // one bit per byte, LSB first; empty for host buffers
  bool guard_intact = true;
};

struct CaseOutcome {
  HostOutcome host;
  device::CaseRecord record;
  std::vector<OutputBuffer> outputs;       // out and inout buffers, in parameter order
  std::vector<std::string> changed_inputs; // names of `in` device buffers whose contents changed
  double wall_ms = 0;
  double device_ms = 0;                    // wall time inside launches: of the emulator, never a GPU time
};

struct DeviceOptions {
  std::string gpu = "t4";
  std::filesystem::path program_dir;  // where judge-device, judge-host and libcudart.so.13 are
};

// Owns one device process. Cases run one after another; each gets a fresh host process and a device like new.
// Throws SessionError (a fault of the judge, never the student's) when a process of ours cannot be started or dies.
class Session {
 public:
  explicit Session(const DeviceOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  CaseOutcome run(const CaseRequest& request);
  std::uint64_t device_peak_bytes() const;  // VmHWM of the device process
  const device::DeviceProperties& properties() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class SessionError : public std::runtime_error {
 public:
  SessionError(std::string stage, const std::string& what) : std::runtime_error(what), stage_(std::move(stage)) {}
  const std::string& stage() const { return stage_; }  // "device start", "host start", "channel", …

 private:
  std::string stage_;
};

}  // namespace judge::session
