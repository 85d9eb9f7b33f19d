#pragma once
// How asynchronous copies and barriers in memory are described in Instr: shared by lowering and the handlers. a, imm
// and the low bits of aux are as in memory_operand.h.
//
//   cp_async_load   a: source; b: slot of the source size or kNoSlot; c: predicate "ignore the source" or kNoSlot
//   cp_async_store  a: destination
//   cp_async_wait   imm: groups that may stay unfinished, kEverything for wait_all
//   cp_async_arrive a: barrier; kNoIncrement
//   bulk_load       a: source; b: slot of the size
//   bulk_store      a: destination; b: slot of the size; c: slot of the barrier's address (shared destination only)
//   mbarrier        a: barrier; d: slot of the state or kNoSlot; b: slot of the count or kNoSlot; c: slot of the bytes
//   expected mbarrier_wait   a: barrier; d: predicate; b: slot of the state, of the parity with kParity

#include <cstdint>

namespace judge::emulator::asyncop {

inline constexpr std::uint64_t kEverything = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoIncrement = 1u << 16;  // cp.async.mbarrier.arrive.noinc
inline constexpr std::uint32_t kBarrier64 = 1u << 16;    // bulk_store: the barrier's address is 64 bits wide
inline constexpr std::uint32_t kParity = 1u << 16;       // mbarrier_wait
inline constexpr int kActionShift = 16;                  // mbarrier: Action, 3 bits
inline constexpr std::uint32_t kNoComplete = 1u << 19;   // mbarrier.arrive.noComplete: must not be the last

enum class Action : std::uint32_t { init, invalidate, arrive, arrive_drop, expect, complete };

// The 64 bits of an mbarrier object (PTX ISA, "Contents of the mbarrier object"; their places are open): what is
// pending and expected in bits 19:0 and 39:20, the bytes still to come as a signed number in 60:40, the phase above.
struct BarrierWord {
  std::uint32_t pending = 0, expected = 0;
  std::int32_t bytes = 0;
  std::uint32_t phase = 0;  // modulo 8

  std::uint64_t pack() const {
    return pending | std::uint64_t{expected} << 20 | (static_cast<std::uint64_t>(bytes) & 0x1f'ffffu) << 40 |
           std::uint64_t{phase & 7} << 61;
  }
  static BarrierWord unpack(std::uint64_t w) {
    BarrierWord b;
    b.pending = static_cast<std::uint32_t>(w & 0xf'ffff);
    b.expected = static_cast<std::uint32_t>(w >> 20 & 0xf'ffff);
    b.bytes = static_cast<std::int32_t>(static_cast<std::int64_t>(w << 3) >> 43);
    b.phase = static_cast<std::uint32_t>(w >> 61);
    return b;
  }
};
inline constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

}  // namespace judge::emulator::asyncop
