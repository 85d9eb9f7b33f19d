#pragma once
// One kernel launch on the emulator.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/emulator/lower/program.h"
#include "judge/emulator/memory/global_memory.h"
#include "judge/emulator/observe/counters.h"
#include "judge/emulator/observe/fault.h"
#include "judge/emulator/observe/trace.h"

namespace judge::emulator {

struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;      // every block makes progress while any other waits for it
  Address grid_workspace = 0;    // cooperative: 8 zero bytes, of which the second word is the grid's barrier
};

struct LaunchOptions {
  std::uint64_t step_limit = 0;      // warp instructions times 32
  std::uint64_t output_cap = 0;      // bytes of printf
  std::uint64_t schedule_seed = 0;
  unsigned workers = 0;              // 0: one per core
  std::size_t max_faults = 32;
  std::uint64_t stack_bytes = 0;     // of a thread, for local memory of nested calls; less than the default: the default
  std::vector<int> traced_lines;     // source lines whose accesses are recorded; such a launch is slower
  // A launch that runs then ends with a step_limit fault. The step limit is the one meant to be met: this one depends on
  // the machine.
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct InputStore {                // a kernel stored into an allocation marked as an input
  std::string label;               // the allocation's
  SourceLocation where;            // of the store to its first such unit
};

struct LineCounters {
  SourceLocation where;
  Counters counters;
};

struct LaunchResult {
  Counters counters;
  std::vector<LineCounters> lines;   // with memory accesses, divergence or barriers; by file and line
  std::vector<InputStore> input_stores;
  std::vector<TracedAccess> accesses;  // at LaunchOptions::traced_lines, at most kMaxTracedAccesses
  std::vector<Fault> faults;         // by block, then order of execution
  std::uint64_t faults_not_listed = 0;
  bool finished = true;              // false: a fault ended the kernel
  std::string output;
  bool output_truncated = false;
  std::uint64_t steps = 0;           // warp instructions times 32
};

// Runs launches on one device's memory, one after another.
class Launcher {
 public:
  explicit Launcher(GlobalMemory& memory) : memory_(memory) {}
  // parameters: Program::parameter_bytes long.
  LaunchResult run(const Program& program, const LaunchShape& shape, std::span<const std::byte> parameters,
                   const LaunchOptions& options);
  void reset() { epoch_ = clock_ = 0; }

 private:
  GlobalMemory& memory_;
  std::uint64_t epoch_ = 0;  // of race shadows: 1..255
  std::uint64_t clock_ = 0;  // ticks of all launches
};

}  // namespace judge::emulator
