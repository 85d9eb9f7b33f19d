// f16, f16x2, bf16 and bf16x2 arithmetic (PTX ISA, "Half Precision Floating Point Instructions"), each rounded once.
//
// Sums, differences and f16 products in f32 hold at least 2p + 2 bits of a p-bit format, so that rounding again is
// exact. bf16 products may fall among f32's subnormals, and fused products need more bits: those go through f64 rounded
// to odd.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/narrow.h"

namespace judge::emulator::JUDGE_ISA {

using namespace arithmetic;

namespace {

// An operation works on n values of 16 bits, one in each word: short loops without branches, which GCC vectorises. n is
// kLanes, or twice that for packed operands (the low halves, then the high ones).
constexpr int kMost = 2 * kLanes;
struct Halves {
  alignas(64) u32 at[kMost];
};

struct Add {
  template <class F, int n>
  [[gnu::always_inline]] static void run(const Halves& a, const Halves& b, const Halves&, Halves& r) {
    for (int k = 0; k < n; ++k) r.at[k] = narrow<F>(F::widen(a.at[k]) + F::widen(b.at[k]));
  }
};
struct Sub {
  template <class F, int n>
  [[gnu::always_inline]] static void run(const Halves& a, const Halves& b, const Halves&, Halves& r) {
    for (int k = 0; k < n; ++k) r.at[k] = narrow<F>(F::widen(a.at[k]) - F::widen(b.at[k]));
  }
};

// Rounds wide results: to f32, to odd; then to the format.
template <class F, int n>
[[gnu::always_inline]] inline void narrow_wide(const u64* exact, Halves& r) {
  alignas(64) u64 bits[n];
  for (int k = 0; k < n; ++k) bits[k] = odd_f32_bits(exact[k]);
  for (int k = 0; k < n; ++k) r.at[k] = static_cast<u32>(bits[k]);
  for (int k = 0; k < n; ++k) r.at[k] = narrow<F>(f32_of(r.at[k]));
}

// A product of f16 has 22 bits and an exponent that f32 holds; of bf16, one that only f64 holds.
struct Mul {
  template <class F, int n>
  [[gnu::always_inline]] static void run(const Halves& a, const Halves& b, const Halves&, Halves& r) {
    if constexpr (__is_same(F, F16)) {
      for (int k = 0; k < n; ++k) r.at[k] = narrow<F>(F::widen(a.at[k]) * F::widen(b.at[k]));
    } else {
      alignas(64) f64 product[n];
      for (int k = 0; k < n; ++k) product[k] = f64{F::widen(a.at[k])} * f64{F::widen(b.at[k])};
      narrow_wide<F, n>(reinterpret_cast<const u64*>(product), r);
    }
  }
};
struct Fma {
  template <class F, int n>
  [[gnu::always_inline]] static void run(const Halves& a, const Halves& b, const Halves& c, Halves& r) {
    if constexpr (__is_same(F, F16)) {
      for (int k = 0; k < n; ++k)
        r.at[k] = narrow<F>(odd_sum(F::widen(a.at[k]) * F::widen(b.at[k]), F::widen(c.at[k])));
    } else {
      alignas(64) f64 x[n], y[n], z[n], sum[n];
      for (int k = 0; k < n; ++k) x[k] = f64{F::widen(a.at[k])};
      for (int k = 0; k < n; ++k) y[k] = f64{F::widen(b.at[k])};
      for (int k = 0; k < n; ++k) z[k] = f64{F::widen(c.at[k])};
      for (int k = 0; k < n; ++k) sum[k] = odd_sum(x[k] * y[k], z[k]);
      narrow_wide<F, n>(reinterpret_cast<const u64*>(sum), r);
    }
  }
};

template <bool kMax, bool kKeepNan>
struct Extremum {
  template <class F, int n>
  [[gnu::always_inline]] static void run(const Halves& x, const Halves& y, const Halves&, Halves& r) {
    for (int k = 0; k < n; ++k) {
      const u32 a = x.at[k], b = y.at[k];
      // Orders -0 below +0.
      const s32 order_a = sx16(a) ^ static_cast<s32>((a >> 15) * 0x7fffu);
      const s32 order_b = sx16(b) ^ static_cast<s32>((b >> 15) * 0x7fffu);
      const u32 chosen = choose(kMax ? order_a > order_b : order_a < order_b, a, b);
      const bool nan_a = is_nan<F>(a), nan_b = is_nan<F>(b);
      r.at[k] = kKeepNan ? choose(nan_a | nan_b, 0x7fffu, chosen)
                         : choose(nan_a, choose(nan_b, 0x7fffu, b), choose(nan_b, a, chosen));
    }
  }
};

template <class F, int n>
[[gnu::always_inline]] inline void flush_all(Halves& h) {
  for (int k = 0; k < n; ++k) h.at[k] = flush_half<F>(h.at[k]);
}

template <bool kPacked>
[[gnu::always_inline]] inline void split(const u32* from, Halves& to) {
  for (int l = 0; l < kLanes; ++l) to.at[l] = from[l] & 0xffffu;
  if constexpr (kPacked)
    for (int l = 0; l < kLanes; ++l) to.at[kLanes + l] = from[l] >> 16;
}

template <bool Full, class F, class Op, bool kPacked>
[[gnu::always_inline]] inline const Instr* half(Warp& w, const Instr* i) {
  constexpr int n = kPacked ? kMost : kLanes;
  Halves a, b, c, r;
  split<kPacked>(lanes<u32>(w, i->a), a);
  split<kPacked>(lanes<u32>(w, i->b), b);
  if constexpr (__is_same(Op, Fma)) split<kPacked>(lanes<u32>(w, i->c), c);
  const u32 flags = i->aux;
  if (flags & kFlush) {
    flush_all<F, n>(a);
    flush_all<F, n>(b);
    if constexpr (__is_same(Op, Fma)) flush_all<F, n>(c);
  }
  Op::template run<F, n>(a, b, c, r);
  if (flags & kFlush) flush_all<F, n>(r);
  if (flags & kSaturate)
    for (int k = 0; k < n; ++k) r.at[k] = saturate_half<F>(r.at[k]);
  if (flags & kRelu)
    for (int k = 0; k < n; ++k) r.at[k] = relu_half<F>(r.at[k]);
  if constexpr (kPacked)
    for (int l = 0; l < kLanes; ++l) r.at[l] |= r.at[kLanes + l] << 16;
  store32<Full>(w, lanes<u32>(w, i->d), r.at);
  return i + 1;
}

}  // namespace

#define HALF(name, Op)                        \
  JUDGE_OP(name##_f16) {                      \
    return half<Full, F16, Op, false>(w, i);  \
  }                                           \
  JUDGE_OP(name##_f16x2) {                    \
    return half<Full, F16, Op, true>(w, i);   \
  }                                           \
  JUDGE_OP(name##_bf16) {                     \
    return half<Full, BF16, Op, false>(w, i); \
  }                                           \
  JUDGE_OP(name##_bf16x2) {                   \
    return half<Full, BF16, Op, true>(w, i);  \
  }

using Min = Extremum<false, false>;
using Max = Extremum<true, false>;
using MinNan = Extremum<false, true>;
using MaxNan = Extremum<true, true>;
HALF(add, Add)
HALF(sub, Sub)
HALF(mul, Mul)
HALF(fma, Fma)
HALF(min, Min)
HALF(max, Max)
HALF(min_nan, MinNan)
HALF(max_nan, MaxNan)

JUDGE_UNARY(flush_f16, u32, u32, flush_half<F16>(a))
JUDGE_UNARY(flush_f16x2, u32, u32, flush_half<F16>(a & 0xffffu) | flush_half<F16>(a >> 16) << 16)

// .xorsign.abs: c is the extremum of the magnitudes.
[[gnu::always_inline]] static inline u32 with_sign(u32 signs, u32 c) {
  return c == 0x7fffu ? c : (signs & 0x8000u) | c;
}
JUDGE_TERNARY(xor_sign_16x2, u32, u32, u32, u32,
              with_sign(a ^ b, c & 0xffffu) | with_sign((a ^ b) >> 16, c >> 16) << 16)

}  // namespace judge::emulator::JUDGE_ISA
