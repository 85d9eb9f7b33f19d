#pragma once
// How a warp executes.
//
// A virtual register is a slot of 32 lanes in the warp's frame: 32-bit and narrower registers take 32 x 4 bytes (narrow
// values zero-extended), 64-bit ones 32 x 8 bytes. A predicate takes 4 bytes: bit l is lane l. Immediates become slots of
// a read-only pool, so that every operand is just a slot. An operand is a byte offset whose lowest bit says which of the
// two bases it counts from.
//
// A handler executes one instruction for the active lanes and returns the next instruction (nullptr: leave the loop).
// Each handler exists twice: `full` may assume that all 32 lanes are active, `masked` must leave inactive lanes alone.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace judge::emulator {

inline constexpr int kLanes = 32;

struct Instr;
struct Warp;
using Handler = const Instr* (*)(Warp& warp, const Instr* instr);

using Slot = std::uint32_t;                 // byte offset (multiple of 4) | kPoolBit
inline constexpr Slot kPoolBit = 1;
inline constexpr Slot kNoSlot = 0xffff'fffe;

struct alignas(64) Instr {
  Handler run[2];         // [0] full, [1] masked
  Slot d = kNoSlot, a = kNoSlot, b = kNoSlot, c = kNoSlot;
  std::uint64_t imm = 0;  // family's own use
  std::uint32_t aux = 0;  // modifier bits, family's own use
  std::uint32_t index = 0;       // own index in Function::code
  Slot guard = kNoSlot;          // predicate of @p; set only when run[] is the guard handler
  std::uint16_t op = 0;          // Op
  std::uint16_t flags = 0;
};
static_assert(sizeof(Instr) == 64);
inline constexpr std::uint16_t kGuardNegated = 1;
inline constexpr std::uint16_t kGathers = 2;  // waits for lanes that a membermask names
inline constexpr int kSharedBaseShift = 8;  // ld_shared_32_first, …_next: the number of their base
inline constexpr int kSharedBases = 8;      // of one warp at a time

struct LaneState;         // the part of Warp that arithmetic sees

struct alignas(64) LaneMask {
  std::uint32_t lane[kLanes];  // 0 or 0xffffffff
};

// First member of Warp, so that arithmetic handlers need nothing else.
struct LaneState {
  std::byte* base[2];     // [0] frame, [1] pool
  std::uint32_t mask;     // active lanes
  std::uint32_t partial;  // index into Instr::run: 0 when mask is all ones
  LaneMask lanes;         // mask, one word per lane
};

struct Warp : LaneState {
  struct Impl;            // scheduling, memory, counters: exec/warp.h
};

// Always inlined: code of one instruction set must not be the copy that the others link to.
template <class T>
[[gnu::always_inline]] inline T* slot(LaneState& w, Slot s) {
  return reinterpret_cast<T*>(w.base[s & kPoolBit] + (s & ~kPoolBit));
}

// One list of operations drives the enum, the dispatch tables of every instruction set, traces and the coverage list.
enum class Op : std::uint16_t {
#define OP(name) name,
#include "judge/emulator/exec/opcodes.def"
#undef OP
  count_
};

struct OpHandlers {
  const char* name;
  Handler full, masked;
};

// One build per instruction set, chosen once at start from what the CPU has.
struct InstructionSet {
  const char* name;  // "avx512", "avx2", "baseline"
  const OpHandlers* table;
};
const std::vector<InstructionSet>& instruction_sets();  // those this build has and this CPU can run, best first
const OpHandlers* op_table();                           // the chosen one's, indexed by Op
const char* instruction_set();

}  // namespace judge::emulator
