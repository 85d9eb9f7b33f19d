#pragma once
// Conversions to and from the 16-bit formats, and exact narrowing in every rounding mode. Included by ops_*.cpp, and by sampling.cpp.
//
// Everything is branch-free integer arithmetic on lanes, so that the loops vectorise and every instruction set gives
// the same bits. A wide intermediate result is rounded "to odd" (truncated, the last bit set when something was cut): a
// value so rounded with at least two extra bits rounds once more to exactly what rounding the true value once would
// have given.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"

namespace judge::emulator {
namespace {

using arithmetic::Rounding;

// Whether rounding a value of this sign must go to the smaller (-1) or larger (+1) magnitude, or to nearest (0).
[[gnu::always_inline]] inline int direction(Rounding mode, bool negative) {
  if (mode == Rounding::zero) return -1;
  if (mode == Rounding::minus) return negative ? 1 : -1;
  if (mode == Rounding::plus) return negative ? -1 : 1;
  return 0;
}

// Corrects a magnitude that was rounded to nearest: `rounded` is its value, `exact` the value it stands for.
template <class U, class W>
[[gnu::always_inline]] inline U redirect(U magnitude, W rounded, W exact, int direction) {
  const U up = static_cast<U>(direction > 0 && rounded < exact),
          down = static_cast<U>(direction < 0 && rounded > exact);
  return magnitude + up - down;
}

[[gnu::always_inline]] inline f32 magnitude(f32 x) {
  return f32_of(bits_of(x) & 0x7fffffffu);
}
[[gnu::always_inline]] inline f64 magnitude(f64 x) {
  return f64_of(bits_of(x) & 0x7fffffffffffffffu);
}

[[gnu::always_inline]] inline f32 narrow_f64(f64 x, Rounding mode) {
  const f32 nearest = static_cast<f32>(x);
  const u32 sign = static_cast<u32>(bits_of(x) >> 32) & 0x80000000u;
  const u32 m = redirect(bits_of(nearest) & 0x7fffffffu, static_cast<f64>(magnitude(nearest)), magnitude(x),
                         direction(mode, sign != 0));
  return x == x ? f32_of(m | sign) : nearest;  // a NaN keeps its sign and the top of its payload
}

// An f64 to f32, to odd, both as bits. All in 64-bit integers, so that it vectorises.
[[gnu::always_inline]] inline u64 odd_f32_bits(u64 bits) {
  constexpr u64 kCut = 29;            // bits of the f64 significand that an f32 does not have
  constexpr u64 kLeast = 1023 - 126;  // exponent field of f32's smallest normal number
  const u64 m = bits & 0x7fffffffffffffffu;
  const u64 exponent = m >> 52;
  const u64 normal = ((m >> kCut) | static_cast<u64>((m & ((u64{1} << kCut) - 1)) != 0)) - ((kLeast - 1) << 23);
  const u64 low = kLeast - exponent + kCut, shift = choose(low < 63, low, u64{63});  // used for smaller exponents only
  const u64 significand = (m & 0xfffffffffffffu) | u64{1} << 52;
  const u64 moved = significand >> shift;
  const u64 subnormal = moved | static_cast<u64>(moved << shift != significand);
  const u64 tiny = choose(exponent == 0, static_cast<u64>(m != 0), subnormal);
  u64 r = choose(exponent < kLeast, tiny, normal);
  r = choose(exponent > kLeast + 253, u64{0x7f7fffff}, r);
  r = choose(m == 0x7ff0000000000000u, u64{0x7f800000}, r);
  r = choose(m > 0x7ff0000000000000u, u64{0x7fffffff}, r);
  return r | (bits >> 32 & 0x80000000u);
}

// a + b to odd: TwoSum (Knuth) gives the error of the sum. An infinite or NaN sum has a NaN error.
[[gnu::always_inline]] inline f64 odd_sum(f64 a, f64 b) {
  const f64 s = a + b;
  const f64 bb = s - a;
  const f64 error = (a - (s - bb)) + (b - bb);
  const u64 bits = bits_of(s);
  const u64 inexact = (static_cast<u64>(error < 0.0) | static_cast<u64>(error > 0.0)) & ~bits;
  const bool inwards = (bits_of(error) ^ bits) >> 63 != 0;
  return f64_of(choose(inwards, bits - inexact, bits + inexact));
}
[[gnu::always_inline]] inline f32 odd_sum(f32 a, f32 b) {
  const f32 s = a + b;
  const f32 bb = s - a;
  const f32 error = (a - (s - bb)) + (b - bb);
  const u32 bits = bits_of(s);
  const u32 inexact = (static_cast<u32>(error < 0.0f) | static_cast<u32>(error > 0.0f)) & ~bits;
  const bool inwards = (bits_of(error) ^ bits) >> 31 != 0;
  return f32_of(choose(inwards, bits - inexact, bits + inexact));
}

struct F16 {
  static constexpr u32 kInfinity = 0x7c00, kSmallestNormal = 0x0400, kOne = 0x3c00;

  [[gnu::always_inline]] static f32 widen(u32 h) {
    const u32 m = h & 0x7fffu;
    // Subnormals count in steps of 2^-24, the spacing of f32 from 1/2 on: no f32 subnormal arises, which would be slow.
    const u32 subnormal = bits_of(f32_of(0x3f000000u + m) - 0.5f);
    const u32 finite = choose(m < kSmallestNormal, subnormal, (m << 13) + (112u << 23));
    return f32_of(choose(m >= kInfinity, (m << 13) | 0x7f800000u, finite) | (h & 0x8000u) << 16);
  }

  [[gnu::always_inline]] static u32 nearest_magnitude(f32 a) {
    const u32 bits = bits_of(a);
    // Adding 1/2 leaves multiples of 2^-24, the spacing of f16's subnormals, rounded to nearest even.
    const u32 subnormal = bits_of(a + 0.5f) - 0x3f000000u;
    const u32 normal = ((bits + 0xfffu + (bits >> 13 & 1u)) >> 13) - (112u << 10);
    return choose(bits >= 0x477ff000u, kInfinity, choose(bits < 0x38800000u, subnormal, normal));
  }
};

struct BF16 {
  static constexpr u32 kInfinity = 0x7f80, kSmallestNormal = 0x0080, kOne = 0x3f80;

  [[gnu::always_inline]] static f32 widen(u32 h) { return f32_of(h << 16); }
  [[gnu::always_inline]] static u32 nearest_magnitude(f32 a) {
    const u32 bits = bits_of(a);
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  }
};

// f32 to a 16-bit format. NaN is canonical, 0x7fff.
template <class Format>
[[gnu::always_inline]] inline u32 narrow(f32 x) {
  const u32 sign = bits_of(x) >> 16 & 0x8000u;
  const bool is_number = (bits_of(x) & 0x7fffffffu) <= 0x7f800000u;
  return choose(is_number, Format::nearest_magnitude(magnitude(x)) | sign, 0x7fffu);
}

template <class Format>
[[gnu::always_inline]] inline u32 narrow(f32 x, Rounding mode) {
  const u32 sign = bits_of(x) >> 16 & 0x8000u;
  const u32 nearest = Format::nearest_magnitude(magnitude(x));
  const u32 m = redirect(nearest, Format::widen(nearest), magnitude(x), direction(mode, sign != 0));
  return x == x ? m | sign : 0x7fffu;
}

template <class Format>
[[gnu::always_inline]] inline bool is_nan(u32 h) {
  return (h & 0x7fffu) > Format::kInfinity;
}

// Modifiers of 16-bit results and operands.
template <class Format>
[[gnu::always_inline]] inline u32 flush_half(u32 h) {
  return (h & 0x7fffu) < Format::kSmallestNormal ? h & 0x8000u : h;
}
template <class Format>
[[gnu::always_inline]] inline u32 saturate_half(u32 h) {
  return is_nan<Format>(h) || (h & 0x8000u) ? 0u : h > Format::kOne ? Format::kOne : h;
}
template <class Format>
[[gnu::always_inline]] inline u32 relu_half(u32 h) {
  return is_nan<Format>(h) ? 0x7fffu : h & 0x8000u ? 0u : h;
}

}  // namespace
}  // namespace judge::emulator
