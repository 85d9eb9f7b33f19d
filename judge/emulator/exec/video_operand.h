#pragma once
// Meaning of Instr::aux for the SIMD video instructions: shared by lower/video.cpp and exec/ops_video.cpp.

#include <cstdint>

namespace judge::emulator::video {

enum class Operation : std::uint32_t { add, sub, avrg, absdiff, min, max, set };
enum class Comparison : std::uint32_t { eq, ne, lt, le, gt, ge };

inline constexpr std::uint32_t kOperationMask = 7;
inline constexpr std::uint32_t kBytes = 1u << 3;  // four bytes; otherwise two halves
inline constexpr std::uint32_t kSignedA = 1u << 4, kSignedB = 1u << 5, kSignedD = 1u << 6;
inline constexpr std::uint32_t kSaturate = 1u << 7;
inline constexpr std::uint32_t kAccumulate = 1u << 8;  // .add: c plus the sum of the parts
inline constexpr int kComparisonShift = 9;

}  // namespace judge::emulator::video
