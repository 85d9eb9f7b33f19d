#include "judge/occupancy.h"

#include <algorithm>

namespace judge {

namespace {

// CUDA Occupancy Calculator, "Allocation unit sizes": registers are handed to warps in units of 256, to four warps at a
// time (one per scheduler); shared memory in units of 256 bytes on 7.x and of 128 bytes from 8.0 on.
constexpr int kRegisterUnit = 256, kWarpUnit = 4;

std::uint32_t shared_unit(const device::DeviceProperties& gpu) {
  return gpu.major < 8 ? 256 : 128;
}

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy theoretical_occupancy(const device::DeviceProperties& gpu, std::uint32_t block_threads, int registers,
                                std::uint32_t shared_bytes) {
  Occupancy o;
  o.max_warps = gpu.max_threads_per_multiprocessor / 32;
  o.limit = OccupancyLimit::does_not_fit;
  const int warps = static_cast<int>((block_threads + 31) / 32);
  if (warps == 0 || block_threads > static_cast<std::uint32_t>(gpu.max_threads_per_block)) return o;

  o.limit = OccupancyLimit::warps;
  o.blocks = o.max_warps / warps;
  const auto limit_to = [&](int blocks, OccupancyLimit why) {
    if (blocks >= o.blocks) return;
    o.blocks = blocks;
    o.limit = blocks == 0 ? OccupancyLimit::does_not_fit : why;
  };
  limit_to(gpu.max_blocks_per_multiprocessor, OccupancyLimit::blocks);
  if (registers > 0) {
    const int of_a_warp = round_up(registers * 32, kRegisterUnit);
    const int resident_warps = gpu.registers_per_multiprocessor / of_a_warp / kWarpUnit * kWarpUnit;
    const bool fits = round_up(warps, kWarpUnit) * of_a_warp <= gpu.registers_per_block;
    limit_to(fits ? resident_warps / warps : 0, OccupancyLimit::registers);
  }
  const std::uint32_t unit = shared_unit(gpu);
  const std::uint32_t shared = (shared_bytes + gpu.reserved_shared_bytes_per_block + unit - 1) / unit * unit;
  if (shared > 0)
    limit_to(static_cast<int>(gpu.shared_bytes_per_multiprocessor / shared), OccupancyLimit::shared_memory);
  o.warps = o.blocks * warps;
  return o;
}

}  // namespace judge
