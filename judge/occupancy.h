#pragma once
// How many warps of a kernel a multiprocessor can hold at once, and what limits that.

#include <cstdint>

#include "judge/device/device.h"

namespace judge {

enum class OccupancyLimit : std::uint8_t { warps, blocks, registers, shared_memory, does_not_fit };

struct Occupancy {
  int blocks = 0;     // of this kernel on one multiprocessor
  int warps = 0;      // in them
  int max_warps = 0;  // that the multiprocessor has room for
  OccupancyLimit limit = OccupancyLimit::warps;
  double share() const { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
};

// The rules of the CUDA Occupancy Calculator. registers: per thread; 0 when not known, which then limits nothing.
Occupancy theoretical_occupancy(const device::DeviceProperties& gpu, std::uint32_t block_threads, int registers,
                                std::uint32_t shared_bytes);

}  // namespace judge
