#pragma once
// Counter-based random bits: a value depends on its key and index only, so any part can be made alone, in any order, on
// any machine. The standard library's distributions give different values in different implementations.

#include <cstdint>
#include <string_view>

namespace judge::catalogue {

// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15u;  // SplitMix64's increment: 2^64 / golden ratio, odd

constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) {
  return mix(key + (index + 1) * kGoldenGamma);
}

// A key of its own for each name under one seed: FNV-1a over the name, then mixed with the seed.
constexpr std::uint64_t key_of(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix(mix(seed + kGoldenGamma) ^ hash);
}

}  // namespace judge::catalogue
