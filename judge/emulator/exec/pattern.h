#pragma once
// What an instruction's accesses look like, remembered between its executions.
//
// A load or store in a loop usually has one shape: the same lanes at the same distances from each other, only somewhere
// else. What the shape costs (sectors, wavefronts, conflicts), whether it is aligned, how far it reaches and into which
// regular pieces it falls is worked out once (learn() in patterned_access.h); as long as the shape stays, an execution
// only compares 32 distances and counts a hit. A shift of all addresses changes no bank conflict; it changes sectors
// only with the place inside the sector, which belongs to the shape.

#include <cstdint>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

struct AccessPattern {
  std::uint64_t id = 0;            // of this shape; every shape that a worker learns gets another
  std::uint64_t same = 0;          // the id of another instruction's shape that was seen to be the same as this one
  std::uint32_t mask = 0;          // active lanes; 0: nothing is known yet
  std::uint32_t first = 0;         // the lowest of them, from whose address distances count
  std::uint32_t phase = 0;         // global: that address within its sector
  std::int32_t low = 0, high = 0;  // bytes that are touched: [low, high) from that address
  std::uint32_t sectors = 0, wavefronts = 0, conflicts = 0;  // of one execution
  bool counted = true;     // false: the access comes with another instruction's (memop::Merged)
  std::uint64_t hits = 0;  // executions not yet in AccessCounts
  // Lanes that lie side by side at neighbouring words, or at one word. None: the lanes are looked at one by one.
  struct Run {
    std::uint8_t lane, lanes;
    bool one_word;
  };
  static constexpr int kMaxRuns = 4;
  int runs = 0;
  Run run[kMaxRuns] = {};
  enum class Form : std::uint8_t {
    scattered,
    row,       // 32 active lanes side by side
    one_word,  // 32 active lanes at one word
    halves,    // 32 active lanes, and each half of the warp lies side by side or at one word
  };
  Form form = Form::scattered;
  bool half_is_one_word[2] = {};
  alignas(64) std::int32_t distance[kLanes] = {};  // 0 for inactive lanes
};

// Fills in runs and form from the mask and the distances, of 4-byte accesses.
void split(AccessPattern& p);

// Adds the hits to the counts.
void settle(AccessPattern& p, AccessCounts& counts, std::uint32_t bytes);

}  // namespace judge::emulator
