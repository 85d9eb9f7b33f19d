#pragma once
// What one warp's access costs the memory system: sectors of global memory, wavefronts and conflicts of shared memory.
// Pure arithmetic; the rules are checked against an H200's counters (tests/unit/emulator).

#include <cstdint>

namespace judge::emulator {

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kBanks = 32;

// Distinct 32-byte sectors that the active lanes touch. addresses: 32 entries; bytes: of one lane's access, 1..32.
std::uint32_t count_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes);

// Distinct 4-byte words at which the active lanes' accesses begin. A load from constant memory takes a request for each of
// them (CUDA C++ Programming Guide, "Constant Memory").
std::uint32_t count_words(const std::uint64_t* addresses, std::uint32_t mask);

struct SharedCost {
  std::uint32_t wavefronts = 0, conflicts = 0;
};

// Loads and stores. addresses: byte offsets, aligned to `bytes`; bytes: of one lane's access: 1, 2, 4, 8 or 16.
// Accesses of up to 4 bytes form one group of 32 lanes, 8-byte ones two groups of 16, 16-byte ones four of 8. If every
// active lane wants the same address as lane^1, or every one the same as lane^2, neighbouring groups merge in pairs,
// once. A group costs the largest number of distinct words it wants of one bank.
SharedCost shared_cost(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes);

// Atomics on shared memory: lanes that meet in a bank take turns, on one word too, unless ptxas lets one lane act for the
// warp (`one_lane`); if the constant 1 is added (`counts_one`), it takes an instruction that counts the lanes of each word at once, and only distinct words conflict.
SharedCost shared_atomic_cost(const std::uint64_t* addresses, std::uint32_t mask, bool one_lane, bool counts_one);

// Atomics on global memory: lanes that want one address take turns, and each turn touches its sectors, unless one lane acts
// for the warp.
std::uint32_t count_atomic_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes,
                                   bool one_lane);

}  // namespace judge::emulator
