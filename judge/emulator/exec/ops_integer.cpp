// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). Signed and unsigned forms that give the same bits
// are one operation, named _b32. 16-bit values lie zero-extended in 32-bit slots.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

using namespace arithmetic;

using i128 = __int128;
using u128 = unsigned __int128;

JUDGE_BINARY(add_b16, u32, u32, u32, (a + b) & 0xffffu)
JUDGE_BINARY(add_b32, u32, u32, u32, a + b)
JUDGE_BINARY(add_b64, u64, u64, u64, a + b)
JUDGE_BINARY(sub_b16, u32, u32, u32, (a - b) & 0xffffu)
JUDGE_BINARY(sub_b32, u32, u32, u32, a - b)
JUDGE_BINARY(sub_b64, u64, u64, u64, a - b)

// Saturated: on signed overflow the result has the sign that the first operand had.
[[gnu::always_inline]] static inline u32 bound_of(u32 a) {
  return 0x7fffffffu + (a >> 31);
}
JUDGE_BINARY(add_sat_s32, u32, u32, u32, ((~(a ^ b) & (a ^ (a + b))) >> 31 ? bound_of(a) : a + b))
JUDGE_BINARY(sub_sat_s32, u32, u32, u32, (((a ^ b) & (a ^ (a - b))) >> 31 ? bound_of(a) : a - b))

JUDGE_BINARY(add_b16x2, u32, u32, u32, ((a + b) & 0xffffu) | ((a & 0xffff0000u) + (b & 0xffff0000u)))
JUDGE_BINARY(sub_b16x2, u32, u32, u32, ((a - b) & 0xffffu) | ((a & 0xffff0000u) - (b & 0xffff0000u)))

JUDGE_BINARY(mul_lo_b16, u32, u32, u32, (a * b) & 0xffffu)
JUDGE_BINARY(mul_lo_b32, u32, u32, u32, (a * b))
JUDGE_BINARY(mul_lo_b64, u64, u64, u64, (a * b))
JUDGE_BINARY(mul_wide_u16, u32, u32, u32, (a & 0xffffu) * (b & 0xffffu))
JUDGE_BINARY(mul_wide_s16, s32, u32, u32, sx16(a) * sx16(b))
// 64-bit products of 32-bit values, by the instruction for just that: left alone, GCC multiplies 64 by 64 bits.
template <bool Full, bool kSigned, bool kAdd>
[[gnu::always_inline]] static inline const Instr* wide_product(Warp& w, const Instr* i) {
  const u32 *a = lanes<u32>(w, i->a), *b = lanes<u32>(w, i->b);
  u64* d = lanes<u64>(w, i->d);
  [[maybe_unused]] const u64* c = kAdd ? lanes<u64>(w, i->c) : nullptr;
#if defined(__AVX512F__)
#pragma GCC unroll 4
  for (int l = 0; l < kLanes; l += 8) {
    const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(a + l));
    const __m256i y = _mm256_load_si256(reinterpret_cast<const __m256i*>(b + l));
    // Only the low halves of each 64 bits are multiplied, so that zero extension serves both.
    __m512i r = kSigned ? _mm512_mul_epi32(_mm512_cvtepu32_epi64(x), _mm512_cvtepu32_epi64(y))
                        : _mm512_mul_epu32(_mm512_cvtepu32_epi64(x), _mm512_cvtepu32_epi64(y));
    if constexpr (kAdd) r = _mm512_add_epi64(r, _mm512_load_si512(c + l));
    if constexpr (Full)
      _mm512_store_si512(d + l, r);
    else
      _mm512_mask_store_epi64(d + l, static_cast<__mmask8>(w.mask >> l), r);
  }
#else
  for_lanes<Full>(w, d, [=](int l) {
    const u64 product =
        kSigned ? static_cast<u64>(s64{static_cast<s32>(a[l])} * static_cast<s32>(b[l])) : u64{a[l]} * b[l];
    if constexpr (kAdd)
      return product + c[l];
    else
      return product;
  });
#endif
  return i + 1;
}
JUDGE_OP(mul_wide_u32) {
  return wide_product<Full, false, false>(w, i);
}
JUDGE_OP(mul_wide_s32) {
  return wide_product<Full, true, false>(w, i);
}
JUDGE_OP(mad_wide_u32) {
  return wide_product<Full, false, true>(w, i);
}
JUDGE_OP(mad_wide_s32) {
  return wide_product<Full, true, true>(w, i);
}
JUDGE_BINARY(mul_hi_u16, u32, u32, u32, ((a & 0xffffu) * (b & 0xffffu)) >> 16)
JUDGE_BINARY(mul_hi_s16, u32, u32, u32, static_cast<u32>(sx16(a) * sx16(b)) >> 16)
JUDGE_BINARY(mul_hi_u32, u32, u32, u32, static_cast<u32>(u64{a} * b >> 32))
JUDGE_BINARY(mul_hi_s32, u32, s32, s32, static_cast<u32>(static_cast<u64>(s64{a} * b) >> 32))
JUDGE_BINARY(mul_hi_u64, u64, u64, u64, static_cast<u64>(u128{a} * b >> 64))
JUDGE_BINARY(mul_hi_s64, u64, s64, s64, static_cast<u64>(static_cast<u128>(i128{a} * b) >> 64))

JUDGE_TERNARY(mad_lo_b16, u32, u32, u32, u32, (a * b + c) & 0xffffu)
JUDGE_TERNARY(mad_lo_b32, u32, u32, u32, u32, a* b + c)
JUDGE_TERNARY(mad_lo_b64, u64, u64, u64, u64, a* b + c)

// 24-bit products: bits 31:0 (lo) or 47:16 (hi) of the 48-bit product.
[[gnu::always_inline]] static inline s32 sx24(u32 x) {
  return static_cast<s32>(x << 8) >> 8;
}
JUDGE_BINARY(mul24_lo_u32, u32, u32, u32, (a & 0xffffffu) * (b & 0xffffffu))
JUDGE_BINARY(mul24_lo_s32, u32, u32, u32, static_cast<u32>(sx24(a)) * static_cast<u32>(sx24(b)))
JUDGE_BINARY(mul24_hi_u32, u32, u32, u32, static_cast<u32>(u64{a & 0xffffffu} * (b & 0xffffffu) >> 16))
JUDGE_BINARY(mul24_hi_s32, u32, u32, u32, static_cast<u32>(static_cast<u64>(s64{sx24(a)} * sx24(b)) >> 16))

// CC.CF travels in a predicate slot, named by imm.

template <bool Full, class T>
[[gnu::always_inline]] static inline const Instr* add_carry(Warp& w, const Instr* i) {
  const T* a = lanes<T>(w, i->a);
  const T* b = lanes<T>(w, i->b);
  T* d = lanes<T>(w, i->d);
  const Slot flag = static_cast<Slot>(i->imm);
  const u32 carries = i->aux & kCarryIn ? *predicate(w, flag) : 0;
  const bool subtract = i->aux & kSubtract;
  u32 out = 0;
  for (int l = 0; l < kLanes; ++l) {
    if (!Full && !w.lanes.lane[l]) continue;
    // sub.cc sets CC.CF to the borrow.
    const T in = carries >> l & 1;
    T first, sum;
    const bool over = subtract ? __builtin_sub_overflow(a[l], b[l], &first) | __builtin_sub_overflow(first, in, &sum)
                               : __builtin_add_overflow(a[l], b[l], &first) | __builtin_add_overflow(first, in, &sum);
    d[l] = sum;
    out |= static_cast<u32>(over) << l;
  }
  if (i->aux & kCarryOut) store_predicate<Full>(w, flag, out);
  return i + 1;
}
JUDGE_OP(add_carry_b32) {
  return add_carry<Full, u32>(w, i);
}
JUDGE_OP(add_carry_b64) {
  return add_carry<Full, u64>(w, i);
}

// Division by zero: PTX leaves the value open. These give what an H200 gives: all ones for quotient and
// remainder. MIN / -1 wraps.
template <class T>
[[gnu::always_inline]] static inline T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (static_cast<T>(-1) < 0) {
    if (b == -1) return static_cast<T>(0 - static_cast<u64>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
[[gnu::always_inline]] static inline T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (static_cast<T>(-1) < 0) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
// 32-bit quotients through double: q + (b-1)/b is further from q + 1 than half an ulp of any quotient below 2^32, so
// that truncating the rounded quotient is exact.
[[gnu::always_inline]] static inline u32 quotient(u32 a, u32 b) {
  const u32 safe = b ? b : 1;
  const u32 q = static_cast<u32>(static_cast<s64>(static_cast<f64>(a) / static_cast<f64>(safe)));
  return b ? q : 0xffffffffu;
}
[[gnu::always_inline]] static inline s32 quotient(s32 a, s32 b) {
  const s32 safe = b ? b : 1;
  const s32 q = static_cast<s32>(static_cast<s64>(static_cast<f64>(a) / static_cast<f64>(safe)));
  return b ? q : -1;
}
JUDGE_BINARY(div_u16, u32, u32, u32, quotient(a & 0xffffu, b & 0xffffu) & 0xffffu)
JUDGE_BINARY(div_s16, u32, u32, u32, static_cast<u32>(quotient(sx16(a), sx16(b))) & 0xffffu)
JUDGE_BINARY(div_u32, u32, u32, u32, quotient(a, b))
JUDGE_BINARY(div_s32, s32, s32, s32, quotient(a, b))
JUDGE_BINARY(div_u64, u64, u64, u64, quotient<u64>(a, b))
JUDGE_BINARY(div_s64, s64, s64, s64, quotient<s64>(a, b))
JUDGE_BINARY(rem_u16, u32, u32, u32, remainder<u32>(a & 0xffffu, b & 0xffffu) & 0xffffu)
JUDGE_BINARY(rem_s16, u32, u32, u32, static_cast<u32>(remainder<s32>(sx16(a), sx16(b))) & 0xffffu)
JUDGE_BINARY(rem_u32, u32, u32, u32, b ? a - quotient(a, b) * b : ~0u)
JUDGE_BINARY(rem_s32, u32, s32, s32,
             b ? static_cast<u32>(a) - static_cast<u32>(quotient(a, b)) * static_cast<u32>(b) : ~0u)
JUDGE_BINARY(rem_u64, u64, u64, u64, remainder<u64>(a, b))
JUDGE_BINARY(rem_s64, s64, s64, s64, remainder<s64>(a, b))

JUDGE_UNARY(neg_b16, u32, u32, (0u - a) & 0xffffu)
JUDGE_UNARY(neg_b32, u32, u32, 0u - a)
JUDGE_UNARY(neg_b64, u64, u64, u64{0} - a)
JUDGE_UNARY(abs_s16, u32, u32, (a & 0x8000u ? 0u - a : a) & 0xffffu)
JUDGE_UNARY(abs_s32, u32, u32, a >> 31 ? 0u - a : a)
JUDGE_UNARY(abs_s64, u64, u64, a >> 63 ? u64{0} - a : a)

JUDGE_BINARY(min_s16, u32, u32, u32, sx16(a) < sx16(b) ? a : b)
JUDGE_BINARY(max_s16, u32, u32, u32, sx16(a) > sx16(b) ? a : b)
JUDGE_BINARY(min_u32, u32, u32, u32, a < b ? a : b)
JUDGE_BINARY(max_u32, u32, u32, u32, a > b ? a : b)
JUDGE_BINARY(min_s32, s32, s32, s32, a < b ? a : b)
JUDGE_BINARY(max_s32, s32, s32, s32, a > b ? a : b)
JUDGE_BINARY(min_u64, u64, u64, u64, a < b ? a : b)
JUDGE_BINARY(max_u64, u64, u64, u64, a > b ? a : b)
JUDGE_BINARY(min_s64, s64, s64, s64, a < b ? a : b)
JUDGE_BINARY(max_s64, s64, s64, s64, a > b ? a : b)

// f on the low and on the high half.
template <class F>
[[gnu::always_inline]] static inline u32 halves(u32 a, u32 b, F f) {
  return (f(a & 0xffffu, b & 0xffffu) & 0xffffu) | f(a >> 16, b >> 16) << 16;
}
JUDGE_BINARY(min_u16x2, u32, u32, u32, halves(a, b, [](u32 x, u32 y) { return x < y ? x : y; }))
JUDGE_BINARY(max_u16x2, u32, u32, u32, halves(a, b, [](u32 x, u32 y) { return x > y ? x : y; }))
JUDGE_BINARY(min_s16x2, u32, u32, u32, halves(a, b, [](u32 x, u32 y) { return sx16(x) < sx16(y) ? x : y; }))
JUDGE_BINARY(max_s16x2, u32, u32, u32, halves(a, b, [](u32 x, u32 y) { return sx16(x) > sx16(y) ? x : y; }))
JUDGE_UNARY(relu_s32, s32, s32, a < 0 ? 0 : a)
JUDGE_UNARY(relu_s16x2, u32, u32, (a & 0x8000u ? 0u : a & 0xffffu) | (a >> 31 ? 0u : a & 0xffff0000u))

JUDGE_TERNARY(sad_u16, u32, u32, u32, u32, (c + (a > b ? a - b : b - a)) & 0xffffu)
JUDGE_TERNARY(sad_s16, u32, u32, u32, u32, (c + (sx16(a) > sx16(b) ? a - b : b - a)) & 0xffffu)
JUDGE_TERNARY(sad_u32, u32, u32, u32, u32, c + (a > b ? a - b : b - a))
JUDGE_TERNARY(sad_s32, u32, u32, u32, u32, c + (static_cast<s32>(a) > static_cast<s32>(b) ? a - b : b - a))
JUDGE_TERNARY(sad_u64, u64, u64, u64, u64, c + (a > b ? a - b : b - a))
JUDGE_TERNARY(sad_s64, u64, u64, u64, u64, c + (static_cast<s64>(a) > static_cast<s64>(b) ? a - b : b - a))

JUDGE_OP(dp4a) {
  const u32 *a = lanes<u32>(w, i->a), *b = lanes<u32>(w, i->b), *c = lanes<u32>(w, i->c);
  // x ^ flip - flip sign-extends a byte when flip is 0x80 and leaves it alone when it is 0.
  const u32 flip_a = i->aux & kSignedA ? 0x80u : 0u, flip_b = i->aux & kSignedB ? 0x80u : 0u;
  for_lanes<Full>(w, lanes<u32>(w, i->d), [=](int l) {
    u32 sum = c[l];
    for (int k = 0; k < 32; k += 8)
      sum += (((a[l] >> k & 0xffu) ^ flip_a) - flip_a) * (((b[l] >> k & 0xffu) ^ flip_b) - flip_b);
    return sum;
  });
  return i + 1;
}

JUDGE_OP(dp2a) {
  const u32 *a = lanes<u32>(w, i->a), *b = lanes<u32>(w, i->b), *c = lanes<u32>(w, i->c);
  const u32 flip_a = i->aux & kSignedA ? 0x8000u : 0u, flip_b = i->aux & kSignedB ? 0x80u : 0u;
  const int half = i->aux & kHighHalf ? 16 : 0;
  for_lanes<Full>(w, lanes<u32>(w, i->d), [=](int l) {
    const u32 bytes = b[l] >> half;
    return c[l] + (((a[l] & 0xffffu) ^ flip_a) - flip_a) * (((bytes & 0xffu) ^ flip_b) - flip_b) +
           (((a[l] >> 16) ^ flip_a) - flip_a) * (((bytes >> 8 & 0xffu) ^ flip_b) - flip_b);
  });
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
