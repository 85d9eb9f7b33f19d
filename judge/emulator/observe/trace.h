#pragma once
// The addresses of single memory accesses, for whoever wants to show them lane by lane. Recorded on demand only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "judge/emulator/observe/fault.h"

namespace judge::emulator {

// One access of one warp in one state space.
struct TracedAccess {
  SourceLocation where;
  MemorySpace space = MemorySpace::global;
  AccessKind kind = AccessKind::read;
  std::uint64_t block = 0;                  // linear
  std::uint32_t warp = 0;                   // in the block
  std::uint32_t bytes = 0;                  // of one lane
  std::uint32_t mask = 0;                   // lanes that take part
  std::array<std::uint64_t, 32> address{};  // device addresses, or offsets in the window of the space; 0 elsewhere
};

inline constexpr std::size_t kMaxTracedAccesses = 256;  // of a launch: a few requests are shown, not a kernel's traffic

}  // namespace judge::emulator
