#pragma once
// Internal to exec: what scheduler.cpp, blocks.cpp and report_fault.cpp share.

#include "judge/emulator/exec/warp.h"
#include "judge/emulator/memory/pages.h"

namespace judge::emulator {

// Warp instructions a warp may execute before other warps of its block get their turn.
inline constexpr std::int64_t kStepShare = 1 << 18;
inline constexpr std::uint64_t kSeededShare = 2048;  // at most, with a schedule seed

// Memory of one running block, reused by later blocks of the worker.
struct BlockStorage {
  Pages frames, local, local_init, shared, writes, reads;
  std::vector<WarpState> warps;
};

const Instr* pick_group(WarpState& w);     // where the warp goes on; nullptr: all groups wait, or none is left
bool report_missing_lanes(WarpState& w);   // false: none waits for lanes that cannot come
const Instr* call_known(WarpState& w, const Instr* i, std::uint32_t callee);
void stamp_warp(WarpState& w);             // after a new epoch or tick
void begin_warp_epoch(WarpState& w);       // after a __syncwarp
void begin_block_epoch(BlockState& b, Worker& worker);  // after a block barrier, and at a block's start

SourceLocation location_of(const LaunchContext& launch, std::uint32_t instr);

}  // namespace judge::emulator
