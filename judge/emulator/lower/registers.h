#pragma once
// Places a function's virtual registers into as few slots as their lifetimes allow, so that a warp's registers stay in
// the first-level cache.
//
// Each lane runs its own valid path, and handlers write active lanes only, so what holds for one thread of a scalar
// program holds for each lane's column: registers whose lifetimes along the code do not meet may share a slot.

#include <cstdint>
#include <vector>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/lower/graph.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

struct RegisterPlacement {
  std::vector<Slot> slots;  // by register; kNoSlot when never used
  std::uint32_t bytes = 0;  // of the frame, multiple of 64
};

unsigned slot_bits(ptx::Type type);  // 1, 32 or 64

RegisterPlacement place_registers(const ptx::Function& function, const FlowGraph& graph);

}  // namespace judge::emulator::lower
