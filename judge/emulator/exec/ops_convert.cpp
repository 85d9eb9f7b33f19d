// Conversions (PTX ISA, "cvt"). Decoding composes a cvt from these steps: bring the source to a full slot, round,
// clamp, convert, narrow to the destination.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/narrow.h"
#include "judge/emulator/exec/rounding.h"

namespace judge::emulator::JUDGE_ISA {

using namespace arithmetic;

JUDGE_UNARY(sext8_b32, s32, u32, static_cast<s8>(a))
JUDGE_UNARY(sext16_b32, s32, u32, static_cast<s16>(a))
JUDGE_UNARY(sext8_b16, u32, u32, static_cast<u32>(s32{static_cast<s8>(a)}) & 0xffffu)
JUDGE_UNARY(zext_b64, u64, u32, a)
JUDGE_UNARY(sext_b64, s64, s32, a)

JUDGE_UNARY(f32_from_s32, f32, s32, static_cast<f32>(a))
JUDGE_UNARY(f32_from_u32, f32, u32, static_cast<f32>(a))
JUDGE_UNARY(f32_from_s64, f32, s64, static_cast<f32>(a))
JUDGE_UNARY(f32_from_u64, f32, u64, static_cast<f32>(a))
JUDGE_UNARY(f64_from_s32, f64, s32, static_cast<f64>(a))
JUDGE_UNARY(f64_from_u32, f64, u32, static_cast<f64>(a))
JUDGE_UNARY(f64_from_s64, f64, s64, static_cast<f64>(a))
JUDGE_UNARY(f64_from_u64, f64, u64, static_cast<f64>(a))

// 64-bit integers have more bits than f64: aux is the Rounding.
template <bool Full, class T>
[[gnu::always_inline]] static inline const Instr* from_wide_rounded(Warp& w, const Instr* i) {
  const T* a = lanes<T>(w, i->a);
  alignas(64) f64 r[kLanes];
  {
    RoundingScope scope(static_cast<Rounding>(i->aux));
    for (int l = 0; l < kLanes; ++l) {
      const volatile T x = a[l];
      const volatile f64 y = static_cast<f64>(x);
      r[l] = y;
    }
  }
  const f64* result = r;
  for_lanes<Full>(w, lanes<f64>(w, i->d), [=](int l) { return result[l]; });
  return i + 1;
}
JUDGE_OP(f64_from_s64_rounded) {
  return from_wide_rounded<Full, s64>(w, i);
}
JUDGE_OP(f64_from_u64_rounded) {
  return from_wide_rounded<Full, u64>(w, i);
}

// To odd, for narrowing further: the low 11 bits become one sticky bit, which leaves 53 significant ones.
[[gnu::always_inline]] static inline f64 odd_from(u64 m) {
  const u64 high = m >> 53 ? (m & ~u64{0x7ff}) | (m & 0x7ff ? 0x800 : 0) : m;
  return static_cast<f64>(high);
}
JUDGE_UNARY(f64_odd_from_u64, f64, u64, odd_from(a))
JUDGE_UNARY(f64_odd_from_s64, f64, s64, a < 0 ? -odd_from(u64{0} - static_cast<u64>(a)) : odd_from(static_cast<u64>(a)))

// Float to integer, truncating and clamping. NaN gives 0 from f32 to 32 bits; in the other conversions the top bit
// alone.
template <class I, class F>
[[gnu::always_inline]] static inline I truncate(F x, F lowest, F beyond, I min, I max, I nan) {
  // lowest: the least float not below min; beyond: the least float above max.
  const bool inside = x > lowest && x < beyond;
  const I value = static_cast<I>(inside ? x : F{0});
  return inside ? value : x >= beyond ? max : x <= lowest ? min : nan;
}
constexpr s32 kMinS32 = -0x7fffffff - 1;
constexpr s64 kMinS64 = -0x7fffffffffffffff - 1;
JUDGE_UNARY(s32_from_f32, s32, f32, truncate<s32>(a, -0x1p31f, 0x1p31f, kMinS32, 0x7fffffff, 0))
JUDGE_UNARY(u32_from_f32, u32, f32, truncate<u32>(a, 0.0f, 0x1p32f, 0u, ~0u, 0u))
JUDGE_UNARY(s64_from_f32, s64, f32, truncate<s64>(a, -0x1p63f, 0x1p63f, kMinS64, ~kMinS64, kMinS64))
JUDGE_UNARY(u64_from_f32, u64, f32, truncate<u64>(a, 0.0f, 0x1p64f, u64{0}, ~u64{0}, u64{1} << 63))
JUDGE_UNARY(s32_from_f64, s32, f64, truncate<s32>(a, -0x1p31, 0x1p31, kMinS32, 0x7fffffff, kMinS32))
JUDGE_UNARY(u32_from_f64, u32, f64, truncate<u32>(a, 0.0, 0x1p32, 0u, ~0u, 0x80000000u))
JUDGE_UNARY(s64_from_f64, s64, f64, truncate<s64>(a, -0x1p63, 0x1p63, kMinS64, ~kMinS64, kMinS64))
JUDGE_UNARY(u64_from_f64, u64, f64, truncate<u64>(a, 0.0, 0x1p64, u64{0}, ~u64{0}, u64{1} << 63))

// Rounding to an integral value of the same type; the sign of zero is kept.
JUDGE_UNARY(rint_f32, f32, f32, canonical(__builtin_rintf(a)))
JUDGE_UNARY(trunc_f32, f32, f32, canonical(__builtin_truncf(a)))
JUDGE_UNARY(floor_f32, f32, f32, canonical(__builtin_floorf(a)))
JUDGE_UNARY(ceil_f32, f32, f32, canonical(__builtin_ceilf(a)))
JUDGE_UNARY(rint_f64, f64, f64, __builtin_rint(a))
JUDGE_UNARY(trunc_f64, f64, f64, __builtin_trunc(a))
JUDGE_UNARY(floor_f64, f64, f64, __builtin_floor(a))
JUDGE_UNARY(ceil_f64, f64, f64, __builtin_ceil(a))

JUDGE_UNARY(f64_from_f32, f64, f32, static_cast<f64>(a))
// A NaN keeps its sign and the top of its payload.
JUDGE_UNARY(f32_from_f64, f32, f64, static_cast<f32>(a))
JUDGE_OP(f32_from_f64_rounded) {
  const Rounding mode = rounding_of(i->aux);
  return map<Full, f32, f64>(w, i, [=](f64 a) { return narrow_f64(a, mode); });
}
JUDGE_UNARY(f32_odd_from_f64, u32, u64, static_cast<u32>(odd_f32_bits(a)))

JUDGE_UNARY(f32_from_f16, f32, u32, canonical(F16::widen(a & 0xffffu)))
// bf16 is the upper half of f32: a NaN keeps its payload.
JUDGE_UNARY(f32_from_bf16, u32, u32, a << 16)
JUDGE_UNARY(f16_from_f32, u32, f32, narrow<F16>(a))
JUDGE_UNARY(bf16_from_f32, u32, f32, narrow<BF16>(a))

template <bool Full, class F>
[[gnu::always_inline]] static inline const Instr* narrow_modified(Warp& w, const Instr* i) {
  const u32 aux = i->aux;
  const Rounding mode = rounding_of(aux);
  return map<Full, u32, f32>(w, i, [=](f32 a) {
    u32 h = narrow<F>(a, mode);
    if (aux & kSaturate) h = saturate_half<F>(h);
    if (aux & kRelu) h = relu_half<F>(h);
    return h;
  });
}
JUDGE_OP(f16_from_f32_modified) {
  return narrow_modified<Full, F16>(w, i);
}
JUDGE_OP(bf16_from_f32_modified) {
  return narrow_modified<Full, BF16>(w, i);
}

// tf32 keeps 10 bits of the significand; the low 13 bits of the result are zero.
JUDGE_OP(tf32_from_f32) {
  const u32 aux = i->aux;
  const Rounding mode = rounding_of(aux);
  return map<Full, u32, u32>(w, i, [=](u32 a) {
    const u32 m = a & 0x7fffffffu;
    const u32 half = mode == Rounding::away ? 0x1000u : mode == Rounding::nearest ? 0xfffu + (m >> 13 & 1u) : 0u;
    const u32 rounded = m >= 0x7f800000u ? m : (m + half) & ~0x1fffu;
    if (m > 0x7f800000u) return 0x7fffe000u;
    return aux & kRelu && a >> 31 ? 0u : (rounded | (a & 0x80000000u));
  });
}

}  // namespace judge::emulator::JUDGE_ISA
