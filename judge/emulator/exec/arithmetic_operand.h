#pragma once
// Meaning of Instr::aux for arithmetic: agreed between lower/arithmetic_*.cpp and exec/ops_*.cpp.

#include <cstdint>

namespace judge::emulator::arithmetic {

enum class Rounding : std::uint8_t { nearest, zero, minus, plus, away /* to nearest, ties away: cvt.rna */ };

enum class Operation : std::uint8_t { add, sub, mul, fma, div, sqrt };

// float_op_*: operation | rounding << 4 | flags.
inline constexpr std::uint32_t kFlush = 1u << 8;     // .ftz
inline constexpr std::uint32_t kSaturate = 1u << 9;  // .sat: [0, 1], NaN to 0
inline constexpr std::uint32_t kRelu = 1u << 10;     // .relu: negative to 0, NaN kept canonical

inline constexpr std::uint32_t pack(Operation op, Rounding r, std::uint32_t flags) {
  return static_cast<std::uint32_t>(op) | static_cast<std::uint32_t>(r) << 4 | flags;
}
inline constexpr Operation operation_of(std::uint32_t aux) {
  return static_cast<Operation>(aux & 15);
}
inline constexpr Rounding rounding_of(std::uint32_t aux) {
  return static_cast<Rounding>(aux >> 4 & 15);
}

// add_carry_*: CC.CF is added in, is written; the operation subtracts.
inline constexpr std::uint32_t kCarryIn = 1, kCarryOut = 2, kSubtract = 4;

// dp4a, dp2a.
inline constexpr std::uint32_t kSignedA = 1, kSignedB = 2, kHighHalf = 4;

// min/max of floats.
inline constexpr std::uint32_t kMaximum = 1, kNan = 2, kXorSign = 4;

// testp.
enum class Property : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };

}  // namespace judge::emulator::arithmetic
