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

struct Add {
  template <class F>
  [[gnu::always_inline]] static u32 of(u32 a, u32 b, u32) {
    return narrow<F>(F::widen(a) + F::widen(b));
  }
};
struct Sub {
  template <class F>
  [[gnu::always_inline]] static u32 of(u32 a, u32 b, u32) {
    return narrow<F>(F::widen(a) - F::widen(b));
  }
};
struct Mul {
  template <class F>
  [[gnu::always_inline]] static u32 of(u32 a, u32 b, u32) {
    if constexpr (__is_same(F, F16))
      return narrow<F>(F::widen(a) * F::widen(b));
    else
      return narrow<F>(odd_f32(f64{F::widen(a)} * f64{F::widen(b)}));
  }
};
struct Fma {
  template <class F>
  [[gnu::always_inline]] static u32 of(u32 a, u32 b, u32 c) {
    // A product of f16 has 22 bits and an exponent that f32 holds; of bf16, one that only f64 holds.
    if constexpr (__is_same(F, F16))
      return narrow<F>(odd_sum(F::widen(a) * F::widen(b), F::widen(c)));
    else
      return narrow<F>(odd_f32(odd_sum(f64{F::widen(a)} * f64{F::widen(b)}, f64{F::widen(c)})));
  }
};

// kMaximum, kNan of aux are compile-time here.
template <bool kMax, bool kKeepNan>
struct Extremum {
  template <class F>
  [[gnu::always_inline]] static u32 of(u32 a, u32 b, u32) {
    // Orders -0 below +0.
    const s32 x = sx16(a) ^ static_cast<s32>((a >> 15) * 0x7fffu), y = sx16(b) ^ static_cast<s32>((b >> 15) * 0x7fffu);
    const u32 chosen = choose(kMax ? x > y : x < y, a, b);
    const bool nan_a = is_nan<F>(a), nan_b = is_nan<F>(b);
    if (kKeepNan) return choose(nan_a | nan_b, 0x7fffu, chosen);
    return choose(nan_a, choose(nan_b, 0x7fffu, b), choose(nan_b, a, chosen));
  }
};

template <class F, class Op>
[[gnu::always_inline]] inline u32 modified(u32 a, u32 b, u32 c, u32 flags) {
  if (flags & kFlush) a = flush_half<F>(a), b = flush_half<F>(b), c = flush_half<F>(c);
  u32 r = Op::template of<F>(a, b, c);
  if (flags & kFlush) r = flush_half<F>(r);
  if (flags & kSaturate) r = saturate_half<F>(r);
  if (flags & kRelu) r = relu_half<F>(r);
  return r;
}

template <bool Full, class F, class Op, bool kPacked>
[[gnu::always_inline]] inline const Instr* half(Warp& w, const Instr* i) {
  const u32 *a = lanes<u32>(w, i->a), *b = lanes<u32>(w, i->b), *c = lanes<u32>(w, i->c);
  u32* d = lanes<u32>(w, i->d);
  const auto run = [=](u32 flags, auto& self_w) {
    for_lanes<Full>(self_w, d, [=](int l) {
      const u32 low = modified<F, Op>(a[l] & 0xffffu, b[l] & 0xffffu, c[l] & 0xffffu, flags);
      if constexpr (!kPacked)
        return low;
      else
        return low | modified<F, Op>(a[l] >> 16, b[l] >> 16, c[l] >> 16, flags) << 16;
    });
  };
  if (i->aux == 0)
    run(0, w);
  else
    run(i->aux, w);
  return i + 1;
}

}  // namespace

// One operand is read where an operation has fewer: decoding fills c with a.
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
