#pragma once
// What a `require` may name: every counter of JUDGE_COUNTERS, and figures derived from them and from the build.

#include <cstdint>
#include <string_view>

#include "judge/emulator/observe/counters.h"

namespace judge::catalogue {

// Facts that are no event counts. Of several kernels and launches: the largest of each, except launches.
struct ResourceFacts {
  std::uint64_t registers = 0;             // per thread
  std::uint64_t spill_bytes = 0;           // stores plus loads, per thread
  std::uint64_t static_shared_bytes = 0;   // per block
  std::uint64_t dynamic_shared_bytes = 0;  // per block
  std::uint64_t local_bytes = 0;           // stack frame, per thread
  std::uint64_t launches = 0;
  std::uint64_t block_threads = 0;
  // Of the recorded operations; sums.
  std::uint64_t copied_to_device_bytes = 0, copied_from_device_bytes = 0;
  std::uint64_t managed_bytes = 0, prefetched_bytes = 0;
  std::uint64_t streams_used = 0, async_copy_bytes = 0, overlapped_copy_bytes = 0;
  std::uint64_t unwaited_copies = 0, clashing_copies = 0;
};

// The value of a metric of metric_names(). Throws std::invalid_argument for any other name.
double metric_value(std::string_view name, const emulator::Counters& counters, const ResourceFacts& resources);

// One line in English for documentation and `show`; throws like metric_value.
std::string_view metric_meaning(std::string_view name);

}  // namespace judge::catalogue
