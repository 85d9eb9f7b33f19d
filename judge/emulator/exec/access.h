#pragma once
// The general path of a memory access: any pattern, space and width. access.cpp. The handlers in ops_memory.cpp take the
// regular patterns (32 lanes, neighbouring words) and leave the rest to this.

#include <cstdint>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

// Lanes of one access that lie in one state space. addresses: offsets in the window (shared, local, param) or device
// addresses (global, constant).
struct LaneAccess {
  memop::Space space = memop::global;
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;          // of one lane: width times vector elements
  AccessKind kind = AccessKind::read;
  bool strong = false;
  bool unread = false;  // an atomic whose result nobody reads: its thread learns nothing by it
  alignas(64) std::uint64_t address[kLanes];
  std::byte* host[kLanes];          // set by check_access: where the bytes are
};

// The lanes of `todo` that go to the same space as its first lane, with their addresses. Clears them from todo.
// False after reporting a fault: an address that belongs to no space.
bool next_space(WarpState& w, const Instr* i, const std::uint64_t* generic, std::uint32_t& todo, LaneAccess& access);

// Bounds, alignment, initialisation, races, counters. Sets host. `value`: for stores, lane l's bytes at value + 32 * l, to tell
// a harmless store of an equal value. False after a fault that ends the kernel.
bool check_access(WarpState& w, const Instr* i, LaneAccess& access, const std::byte* value);

// Whether a write of shared memory inside its bounds would race with what has been done there.
bool shared_write_races(const WarpState& w, const Instr* i, int lane, std::uint64_t address, std::uint32_t bytes);

// Addresses of all lanes before the state space is known.
void gather_addresses(WarpState& w, const Instr* i, std::uint64_t* addresses);

// One element of `width` bytes into a register's lane, as Instr::aux describes the register.
void put_register(WarpState& w, Slot d, int lane, const std::byte* from, unsigned width, std::uint32_t aux);

const Instr* load(WarpState& w, const Instr* i);
const Instr* store(WarpState& w, const Instr* i);
const Instr* atomic(WarpState& w, const Instr* i);  // atomics.cpp
const Instr* pass_fence(WarpState& w, const Instr* i);
// A release is a fence with a write after it (PTX ISA, "Release and Acquire Patterns").
inline void release(WarpState& w, const Instr* i) {
  if ((i->aux & memop::kReleases) != 0) pass_fence(w, i);
}

}  // namespace judge::emulator
