#pragma once
// What an instruction's accesses look like, remembered between its executions.
//
// A load or store in a loop usually has one shape: the same lanes at the same distances from each other, only somewhere
// else. What the shape costs (sectors, wavefronts, conflicts), whether it is aligned, how far it reaches and into which
// regular pieces it falls is worked out once, by learn(); as long as the shape stays, an execution only compares 32
// distances and counts a hit. A shift of all addresses changes no bank conflict; it changes sectors only with the place
// inside the sector, which belongs to the shape.

#include <cstdint>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

struct AccessPattern {
  std::uint32_t mask = 0;         // active lanes; 0: nothing is known yet
  std::uint32_t first = 0;        // the lowest of them, from whose address distances count
  std::uint32_t phase = 0;        // global: that address within its sector
  std::int32_t low = 0, high = 0; // bytes that are touched: [low, high) from that address
  std::uint32_t sectors = 0, wavefronts = 0, conflicts = 0;  // of one execution
  std::uint64_t hits = 0;         // executions not yet in AccessCounts
  // Lanes that lie side by side at neighbouring words, or at one word. None: the lanes are looked at one by one.
  struct Run {
    std::uint8_t lane, lanes;
    bool one_word;
  };
  static constexpr int kMaxRuns = 4;
  int runs = 0;
  Run run[kMaxRuns] = {};
  alignas(64) std::int32_t distance[kLanes] = {};  // 0 for inactive lanes
};

// From now on `p` is the shape of these addresses (32 device addresses or offsets in shared memory; `bytes` of one lane), after
// its hits have been added to the counts. False, with p.mask 0: misaligned, or the lanes are too far apart.
bool learn(AccessPattern& p, AccessCounts& counts, memop::Space space, const std::uint64_t* addresses, std::uint32_t mask,
           std::uint32_t bytes);

// Adds the hits to the counts.
void settle(AccessPattern& p, AccessCounts& counts, std::uint32_t bytes);

}  // namespace judge::emulator
