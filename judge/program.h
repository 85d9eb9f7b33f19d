#pragma once
// Running any CUDA program with a main(): compile, run in the box on the emulated device, and tell what the device saw.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/build/build.h"
#include "judge/device/record.h"
#include "judge/device/transfers.h"
#include "judge/occupancy.h"
#include "judge/session/session.h"
#include "judge/verdict/verdict.h"

namespace judge {

struct ProgramOptions {
  std::vector<std::string> nvcc_flags;
  std::vector<std::string> arguments;                            // argv[1], …
  std::vector<std::pair<std::string, std::string>> environment;  // all of the program's
  std::filesystem::path working_directory;                       // the program's, and that of relative paths in flags
  bool may_write = true;                                         // into the working directory
  std::array<int, 3> streams{0, 1, 2};                           // what becomes its stdin, stdout, stderr
  std::string device = "auto";                                   // auto | emulator
  std::string gpu = "t4";                                        // which GPU the emulator stands for
  std::uint64_t schedule_seed = 0;                               // 0: threads in plain order
  std::chrono::milliseconds wall_limit{600'000};
  std::uint64_t memory_bytes = 4ull << 30;  // of the host process, and again of the device
  std::vector<int> traced_lines;            // source lines whose accesses are recorded lane by lane
  bool register_report = false;             // asks ptxas for registers, so that occupancy is exact: compiles longer
  std::filesystem::path root;               // repository root
  std::filesystem::path cache_dir;          // default: root/build/cache, or $CUDA_JUDGE_CACHE
  std::filesystem::path program_dir;        // judge-device, judge-host, libcudart.so.13
  const std::atomic<bool>* cancelled = nullptr;
};

struct KernelReport {  // every launch of one kernel in one shape
  std::string kernel;
  device::Dim3 grid, block;
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint64_t launches = 0;
  std::optional<int> registers;  // per thread, when ptxas was asked
  Occupancy occupancy;
  device::Counters counters;
  std::vector<device::LineRecord> lines;  // the line with the most memory traffic first
};

struct ProgramReport {
  int schema_version = 2;
  std::vector<build::ProgramSource> sources;
  std::string device;  // "emulator (Tesla T4)"
  build::Result build;
  bool ran = false;
  session::HostOutcome host;
  device::CaseRecord record;
  std::vector<KernelReport> kernels;  // in the order of their first launches
  device::Transfers transfers;
  // What the device found wrong, or which limit the run broke; accepted when neither. How the program ended by itself
  // is in `host`.
  verdict::Verdict finding = verdict::Verdict::accepted;
  std::string judge_error_stage, judge_error;  // a fault of the judge
  std::uint64_t schedule_seed = 0;
  double wall_ms = 0, device_ms = 0;
  std::uint64_t wall_limit_ms = 0;  // what it was given
  std::uint64_t device_peak_bytes = 0;

  // What the shell gets: the program's own status, 128 + n when signal n ended it; where that would be 0, or there is
  // none, the exit status of the finding. `findings_count` false: what the device found changes nothing.
  int exit_status(bool findings_count = true) const;
};

// Reads the sources from their paths. Throws std::runtime_error with a sentence when one cannot be read.
std::vector<build::ProgramSource> read_program(const std::vector<std::filesystem::path>& paths);

// Both throw std::invalid_argument for options that make no sense, and never for anything that the program did. Errors
// of compilation are in the result; a fault of the judge is a ProgramReport with judge_error, or build::ToolchainError
// and std::runtime_error from the compilation alone.
build::Result compile_program(const std::vector<build::ProgramSource>& sources, const ProgramOptions& options);
ProgramReport run_program(const std::vector<build::ProgramSource>& sources, const ProgramOptions& options);

}  // namespace judge
