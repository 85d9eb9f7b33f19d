#pragma once
// Who touched a word last: the shadow entries from which races are found.
//
// Each unit of shared or global memory (a word, or a smaller unit when the kernel makes smaller accesses) has two 64-bit
// entries, for the last write and the last read. An entry says who (thread of the block, instruction) and when (epochs).
// The epoch is in the top bits, so that "older than now, hence ordered" is one comparison for all 32 lanes.
//
//   shared: | epoch 25 | warps 1 | lanes 1 | atomic 1 | warp epoch 10 | instruction 16 | thread 10 |
//   global: | epoch 8 | blocks 1 | warps 1 | lanes 1 | atomic 1 | block 14 | barrier 6 | warp epoch 6 | instr. 16 | thread 10 |
//
// The shared epoch grows with every block barrier and every new block of a worker: a lower one means that a barrier lies
// between. The global epoch grows with every launch, and within a launch with every 2^14 blocks, so that it tells with the
// block's low bits which block an entry means. The warp epoch grows with every __syncwarp since that barrier. `warps`, `lanes` and `blocks` in a read entry say
// that besides the thread named there another warp (since the barrier), another lane of its warp (since the __syncwarp), or
// another block (in this launch) has read the unit too. Counters that would overflow stick at their maximum, which means
// "ordered": a race may then be missed, none is invented.
//
// Kernels with fences have their own account of what is ordered (ordering.h). In their entries the place of the epochs of
// barriers and __syncwarps is taken by a tick of the warp: global: since the block began; shared: since the last barrier.
//
// A race needs two accesses, one of them a plain write, or a plain access against an atomic, and nothing between them that
// orders them (CUDA C++ Programming Guide, "Memory Fence Functions", "Synchronization Functions"; PTX ISA, "Memory
// Consistency Model").

#include <cstdint>

namespace judge::emulator::race {

inline constexpr int kThreadBits = 10, kInstrBits = 16;
inline constexpr int kInstrShift = kThreadBits;
inline constexpr int kWhoBits = kThreadBits + kInstrBits;
inline constexpr std::uint64_t kThreadMask = (1u << kThreadBits) - 1;
inline constexpr std::uint64_t kInstrMax = (1u << kInstrBits) - 1;
inline constexpr std::uint64_t kWarpMask = kThreadMask & ~std::uint64_t{31};

struct SharedLayout {
  static constexpr int kWarpEpochShift = kWhoBits, kWarpEpochBits = 10;
  static constexpr int kAtomicShift = kWarpEpochShift + kWarpEpochBits;  // 36
  static constexpr int kEpochShift = kAtomicShift + 3;                   // 39
  static constexpr int kEpochBits = 64 - kEpochShift;
  static constexpr std::uint64_t kAtomic = 1ull << kAtomicShift;
  static constexpr std::uint64_t kLanes = kAtomic << 1, kWarps = kAtomic << 2, kBlocks = 0;
  static constexpr std::uint64_t kWarpEpochMax = (1u << kWarpEpochBits) - 1;
  static constexpr std::uint64_t kWarpEpochMask = kWarpEpochMax << kWarpEpochShift;
};

struct GlobalLayout {
  static constexpr int kWarpEpochShift = kWhoBits, kWarpEpochBits = 6;
  static constexpr int kBarrierShift = kWarpEpochShift + kWarpEpochBits, kBarrierBits = 6;  // 32
  static constexpr int kBlockShift = kBarrierShift + kBarrierBits, kBlockBits = 14;         // 38
  static constexpr int kAtomicShift = kBlockShift + kBlockBits;                             // 52
  static constexpr int kEpochShift = kAtomicShift + 4;                                      // 56
  static constexpr int kEpochBits = 64 - kEpochShift;
  static constexpr std::uint64_t kAtomic = 1ull << kAtomicShift;
  static constexpr std::uint64_t kLanes = kAtomic << 1, kWarps = kAtomic << 2, kBlocks = kAtomic << 3;
  static constexpr std::uint64_t kWarpEpochMax = (1u << kWarpEpochBits) - 1;
  static constexpr std::uint64_t kWarpEpochMask = kWarpEpochMax << kWarpEpochShift;
  static constexpr std::uint64_t kBarrierMax = (1u << kBarrierBits) - 1;
  static constexpr std::uint64_t kBarrierMask = kBarrierMax << kBarrierShift;
  static constexpr int kTickBits = kWarpEpochBits + kBarrierBits;  // in kernels with fences: instead of both epochs
  static constexpr std::uint64_t kTickMax = (1u << kTickBits) - 1;
  // Of entries of one launch: the block.
  static constexpr std::uint64_t kBlockMask = ((1ull << kBlockBits) - 1) << kBlockShift | ~0ull << kEpochShift;
  static constexpr std::uint64_t kEpochMax = (1u << kEpochBits) - 1;
};

// The bits of an entry that tell one thread from every other.
template <class L>
constexpr std::uint64_t who_mask() {
  if constexpr (L::kBlocks != 0) return kThreadMask | L::kBlockMask;
  else return kThreadMask;
}

inline std::uint32_t thread_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry & kThreadMask); }
inline std::uint32_t instr_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> kInstrShift & kInstrMax); }

// The linear number of the block that an entry of this launch means. A launch of more blocks than there are epochs left
// for has its last blocks share one: then it is the lowest of the blocks that it can be.
inline std::uint64_t block_of(std::uint64_t entry, std::uint64_t first_epoch) {
  using L = GlobalLayout;
  const std::uint64_t low = entry >> L::kBlockShift & ((1u << L::kBlockBits) - 1);
  return ((entry >> L::kEpochShift) - first_epoch) << L::kBlockBits | low;
}

// How an entry of this epoch (caller has checked that) relates to the access stamped `mine`.
enum class Relation : std::uint8_t { own, ordered, other_lane, other_warp, other_block };

inline Relation relation(SharedLayout, std::uint64_t entry, std::uint64_t mine) {
  const std::uint64_t x = entry ^ mine;
  if ((x & kThreadMask) == 0) return Relation::own;
  if ((x & kWarpMask) != 0) return Relation::other_warp;
  const std::uint64_t we = entry & SharedLayout::kWarpEpochMask;
  if ((x & SharedLayout::kWarpEpochMask) != 0 || we == SharedLayout::kWarpEpochMask) return Relation::ordered;
  return Relation::other_lane;
}

inline Relation relation(GlobalLayout, std::uint64_t entry, std::uint64_t mine) {
  using L = GlobalLayout;
  const std::uint64_t x = entry ^ mine;
  if ((x & L::kBlockMask) != 0) return Relation::other_block;
  if ((x & kThreadMask) == 0) return Relation::own;
  if ((x & L::kBarrierMask) != 0 || (entry & L::kBarrierMask) == L::kBarrierMask) return Relation::ordered;
  if ((x & kWarpMask) != 0) return Relation::other_warp;
  if ((x & L::kWarpEpochMask) != 0 || (entry & L::kWarpEpochMask) == L::kWarpEpochMask) return Relation::ordered;
  return Relation::other_lane;
}

// Whether an access stamped `mine` races with the last write. `mine` carries kAtomic when it is atomic.
template <class L>
bool races_with_write(std::uint64_t entry, std::uint64_t mine, std::uint64_t epoch_start, bool across_blocks) {
  if (entry < epoch_start) return false;
  if ((entry & mine & L::kAtomic) != 0) return false;
  switch (relation(L{}, entry, mine)) {
    case Relation::own:
    case Relation::ordered: return false;
    case Relation::other_block: return across_blocks;
    default: return true;
  }
}

// Whether a write stamped `mine` races with a read recorded in `entry`. Atomic reads are not recorded as reads.
template <class L>
bool races_with_read(std::uint64_t entry, std::uint64_t mine, std::uint64_t epoch_start, bool across_blocks) {
  if (entry < epoch_start) return false;
  if (L::kBlocks != 0 && (entry & L::kBlocks) != 0 && across_blocks) return true;
  switch (relation(L{}, entry, mine)) {
    case Relation::own: {
      // Another reader beside this thread, if nothing ordered it since: the flags speak of the entry's own epochs.
      const std::uint64_t x = entry ^ mine;
      if constexpr (L::kBlocks != 0) {
        if ((x & GlobalLayout::kBarrierMask) != 0 || (entry & GlobalLayout::kBarrierMask) == GlobalLayout::kBarrierMask)
          return false;
      }
      if ((entry & L::kWarps) != 0) return true;
      return (entry & L::kLanes) != 0 && (x & L::kWarpEpochMask) == 0 &&
             (entry & L::kWarpEpochMask) != L::kWarpEpochMask;
    }
    case Relation::ordered: {
      if constexpr (L::kBlocks != 0) {
        const std::uint64_t x = entry ^ mine;
        if ((x & GlobalLayout::kBarrierMask) != 0 || (entry & GlobalLayout::kBarrierMask) == GlobalLayout::kBarrierMask)
          return false;
      }
      return (entry & L::kWarps) != 0;
    }
    case Relation::other_block: return across_blocks;
    default: return true;
  }
}

// The read entry after a read stamped `mine`. Flags survive as long as what they say is still unordered with later writes:
// `lanes` until the next __syncwarp, `warps` until the next block barrier, `blocks` until the next launch.
template <class L>
constexpr std::uint64_t merge_read(std::uint64_t entry, std::uint64_t mine, std::uint64_t epoch_start) {
  const std::uint64_t x = entry ^ mine;
  std::uint64_t barrier_mask = 0, block_mask = 0;
  if constexpr (L::kBlocks != 0) {
    barrier_mask = GlobalLayout::kBarrierMask;
    block_mask = GlobalLayout::kBlockMask;
  }
  const std::uint64_t lanes = (x & L::kWarpEpochMask) != 0 ? 0 : (entry & L::kLanes) | ((x & 31) != 0 ? L::kLanes : 0);
  const std::uint64_t warps = (x & kWarpMask) != 0 ? L::kWarps : (entry & L::kWarps) | lanes;
  const std::uint64_t in_block = (x & barrier_mask) != 0 ? 0 : warps;
  const std::uint64_t flags = (entry & L::kBlocks) | ((x & block_mask) != 0 ? L::kBlocks : in_block);
  return mine | (entry >= epoch_start ? flags : 0);
}

}  // namespace judge::emulator::race
