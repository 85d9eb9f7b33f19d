#pragma once
// The order that a schedule seed decides: of blocks, of warps in a block, of diverged lanes, and how long each runs before
// others get their turn; and what memory holds that nobody has written. Everything follows from the seed and the place of
// the decision, never from time, so that a seed repeats a run. Seed 0 is the plain order.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace judge::emulator {

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
  return mix(mix(mix(seed) ^ a) ^ b);
}

// The n-th of 0 … count - 1 in an order that `key` decides: n -> n * odd + offset modulo the next power of two is a
// permutation; numbers past the end are skipped by going on.
inline std::uint64_t permuted(std::uint64_t n, std::uint64_t count, std::uint64_t key) {
  std::uint64_t size = 1;
  while (size < count) size *= 2;
  const std::uint64_t odd = mix(key) | 1, offset = mix(key + 1);
  do n = (n * odd + offset) & (size - 1);
  while (n >= count);
  return n;
}

// Contents of memory that nobody has written, different for each seed: no value that a program would hope for.
inline void fill_dirty(std::byte* to, std::size_t bytes, std::uint64_t key) {
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8) {
    const std::uint64_t v = mix(key + at) | 0x0101'0101'0101'0101ull;
    std::memcpy(to + at, &v, 8);
  }
  if (at < bytes) std::memset(to + at, static_cast<int>(mix(key) & 0xff) | 1, bytes - at);
}

}  // namespace judge::emulator
