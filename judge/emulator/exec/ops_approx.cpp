// The approximate functions (PTX ISA, "ex2", "lg2", "sin", …). Results lie within the ISA's error bounds, but their
// last bits are not those of any particular GPU. Plain multiplications and additions only, so that every instruction
// set gives the same bits. aux: kFlush for .ftz.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

using namespace arithmetic;

namespace {

[[gnu::always_inline]] inline f32 quiet_nan() {
  return f32_of(0x7fffffffu);
}
[[gnu::always_inline]] inline f32 with_exponent(s32 n) {
  return f32_of(static_cast<u32>(n + 127) << 23);
}

template <bool Full, class F>
[[gnu::always_inline]] inline const Instr* approximate(Warp& w, const Instr* i, F f) {
  if (i->aux & kFlush) return map<Full, f32, f32>(w, i, [=](f32 a) { return flush(f(flush(a))); });
  return map<Full, f32, f32>(w, i, f);
}

// 2^x = 2^n 2^f with |f| <= 1/2; the Taylor series of degree 7 is off by less than 2^-27. The power of two is applied
// in two factors, so that only the last product rounds, also among the subnormals.
[[gnu::always_inline]] inline f32 ex2(f32 x) {
  constexpr f32 kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the low bits
  const f32 low = x > -152.0f ? x : -152.0f;
  const f32 clamped = low < 129.0f ? low : 129.0f;
  const f32 shifted = clamped + kRound;
  const s32 n = static_cast<s32>(bits_of(shifted) - bits_of(kRound));
  const f32 f = clamped - (shifted - kRound);
  f32 p = 1.5252734e-5f;
  p = p * f + 1.5403530e-4f;
  p = p * f + 1.3333558e-3f;
  p = p * f + 9.6181291e-3f;
  p = p * f + 5.5504109e-2f;
  p = p * f + 2.4022651e-1f;
  p = p * f + 6.9314718e-1f;
  p = p * f + 1.0f;
  const s32 half = n >> 1;
  const f32 r = p * with_exponent(half) * with_exponent(n - half);
  return x == x ? r : quiet_nan();
}

// log2(x) = e + 2/ln2 atanh((m - 1)/(m + 1)), m in [sqrt(1/2), sqrt(2)), in f64: absolute error below 2^-30.
[[gnu::always_inline]] inline f32 lg2(f32 x) {
  const bool small = bits_of(x) < 0x00800000u;
  const u32 bits = bits_of(small ? x * 0x1p23f : x);
  const u32 shifted = bits - 0x3f3504f3u;  // sqrt(1/2)
  const s32 e = static_cast<s32>(shifted) >> 23;
  const f64 m = static_cast<f64>(f32_of(bits - (static_cast<u32>(e) << 23)));
  const f64 t = (m - 1.0) / (m + 1.0), t2 = t * t;
  f64 p = 1.0 / 13;
  p = p * t2 + 1.0 / 11;
  p = p * t2 + 1.0 / 9;
  p = p * t2 + 1.0 / 7;
  p = p * t2 + 1.0 / 5;
  p = p * t2 + 1.0 / 3;
  p = p * t2 + 1.0;
  const f64 r = static_cast<f64>(e - (small ? 23 : 0)) + t * p * 2.8853900817779268147;
  const f32 finite = static_cast<f32>(r);
  if (x != x || x < 0.0f) return quiet_nan();
  if (x == 0.0f) return f32_of(0xff800000u);
  return bits_of(x) == 0x7f800000u ? x : finite;
}

// sin(r + k pi/2) through f64, k to the nearest; pi/2 in two parts, the first short enough that k times it is exact.
[[gnu::always_inline]] inline f64 sine(f64 x, u64 quarter) {
  constexpr f64 kRound = 6755399441055744.0;  // 1.5 * 2^52
  constexpr f64 kHigh = 1.57079632673412561417e+00, kLow = 6.07710050650619224932e-11;
  const f64 shifted = x * 0.63661977236758134308 + kRound;
  const u64 k = bits_of(shifted) + quarter;
  const f64 n = shifted - kRound;
  const f64 r = (x - n * kHigh) - n * kLow, r2 = r * r;
  const f64 s =
      r *
      (1.0 + r2 * (-1.0 / 6 + r2 * (1.0 / 120 + r2 * (-1.0 / 5040 + r2 * (1.0 / 362880 + r2 * (-1.0 / 39916800))))));
  const f64 c =
      1.0 + r2 * (-1.0 / 2 + r2 * (1.0 / 24 + r2 * (-1.0 / 720 + r2 * (1.0 / 40320 + r2 * (-1.0 / 3628800)))));
  const u64 value = choose((k & 1) != 0, bits_of(c), bits_of(s));
  return f64_of(value ^ (k & 2) << 62);
}

// Beyond this the short pi/2 loses accuracy, and the C library reduces the argument.
constexpr f32 kReducible = 1048576.0f;

template <bool Full>
[[gnu::always_inline]] inline const Instr* sine_or_cosine(Warp& w, const Instr* i, u64 quarter) {
  alignas(64) f32 x[kLanes], r[kLanes];
  const f32* a = lanes<f32>(w, i->a);
  const bool ftz = i->aux & kFlush;
  for (int l = 0; l < kLanes; ++l) x[l] = ftz ? flush(a[l]) : a[l];
  bool large = false;
  for (int l = 0; l < kLanes; ++l) large |= !(x[l] < kReducible && x[l] > -kReducible);
  alignas(64) f64 value[kLanes];
  for (int l = 0; l < kLanes; ++l) value[l] = static_cast<f64>(x[l]);
  for (int l = 0; l < kLanes; ++l) value[l] = sine(value[l], quarter);
  for (int l = 0; l < kLanes; ++l) r[l] = static_cast<f32>(value[l]);
  if (large) {
    for (int l = 0; l < kLanes; ++l) {
      if (x[l] < kReducible && x[l] > -kReducible) continue;
      const f64 exact = quarter ? __builtin_cos(static_cast<f64>(x[l])) : __builtin_sin(static_cast<f64>(x[l]));
      r[l] = canonical(static_cast<f32>(exact));
    }
  }
  const f32* result = r;
  for_lanes<Full>(w, lanes<f32>(w, i->d), [=](int l) { return ftz ? flush(result[l]) : result[l]; });
  return i + 1;
}

// tanh(x) = 1 - 2 / (e^2x + 1); near zero, where that cancels, x - x^3/3.
[[gnu::always_inline]] inline f32 tanh_of(f32 x) {
  const f32 a = f32_of(bits_of(x) & 0x7fffffffu);
  const f32 e = ex2(a * 2.8853901f);
  const f32 large = 1.0f - 2.0f / (e + 1.0f);
  const f32 small = a - a * a * a * (1.0f / 3.0f);
  const f32 r = a < 0.02f ? small : large;
  return x == x ? f32_of(bits_of(r) | (bits_of(x) & 0x80000000u)) : quiet_nan();
}

}  // namespace

JUDGE_OP(ex2_f32) {
  return approximate<Full>(w, i, [](f32 a) { return ex2(a); });
}
JUDGE_OP(lg2_f32) {
  return approximate<Full>(w, i, [](f32 a) { return lg2(a); });
}
JUDGE_OP(sin_f32) {
  return sine_or_cosine<Full>(w, i, 0);
}
JUDGE_OP(cos_f32) {
  return sine_or_cosine<Full>(w, i, 1);
}
JUDGE_OP(tanh_f32) {
  return approximate<Full>(w, i, [](f32 a) { return tanh_of(a); });
}
JUDGE_OP(rcp_approx_f32) {
  return approximate<Full>(w, i, [](f32 a) { return canonical(1.0f / a); });
}
JUDGE_OP(sqrt_approx_f32) {
  return approximate<Full>(w, i, [](f32 a) { return canonical(__builtin_sqrtf(a)); });
}
JUDGE_OP(rsqrt_f32) {
  return approximate<Full>(w, i, [](f32 a) { return canonical(1.0f / __builtin_sqrtf(a)); });
}

// div.approx: a divisor above 2^126 gives 0, or NaN from an infinite dividend, as a * (1/b) does on hardware.
[[gnu::always_inline]] static inline f32 divide_approx(f32 a, f32 b) {
  const u32 m = bits_of(b) & 0x7fffffffu;
  const bool large = m > 0x7e800000u && m < 0x7f800000u;
  const f32 sign = f32_of((bits_of(a) ^ bits_of(b)) & 0x80000000u);
  const f32 special = (bits_of(a) & 0x7fffffffu) >= 0x7f800000u ? quiet_nan() : sign;
  return large ? special : canonical(a / b);
}
JUDGE_BINARY(div_approx_f32, f32, f32, f32, divide_approx(a, b))
JUDGE_BINARY(div_approx_ftz_f32, f32, f32, f32, flush(divide_approx(flush(a), flush(b))))
JUDGE_BINARY(div_full_ftz_f32, f32, f32, f32, flush(canonical(flush(a) / flush(b))))

JUDGE_UNARY(rsqrt_f64, f64, f64, 1.0 / __builtin_sqrt(a))

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64 read and write the upper 32 bits only; subnormals count as zero.
[[gnu::always_inline]] static inline f64 upper(f64 x) {
  const u64 bits = bits_of(x) & 0xffffffff00000000u;
  return f64_of(bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u);
}
JUDGE_UNARY(rcp_upper_f64, f64, f64, a == a ? upper(1.0 / upper(a)) : f64_of(0x7fffffff00000000u))
JUDGE_UNARY(rsqrt_upper_f64, f64, f64, upper(1.0 / __builtin_sqrt(upper(a))))

}  // namespace judge::emulator::JUDGE_ISA
