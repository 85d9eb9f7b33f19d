// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"). Decoding swaps operands for gt and ge,
// and composes .and/.or/.xor, p|q, set and slct from these.

#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

// Bit l of the result is compare(a[l], b[l]). kCode is the same comparison as AVX-512 numbers them.
template <int kCode, class T, class F>
[[gnu::always_inline]] inline u32 compare_lanes(const T* a, const T* b, [[maybe_unused]] F compare) {
#if defined(__AVX512F__)
  const auto bits = [&]<int kStep>(auto one) {
    u32 r = 0;
#pragma GCC unroll 4
    for (int l = 0; l < kLanes; l += kStep) r |= static_cast<u32>(one(a + l, b + l)) << l;
    return r;
  };
  if constexpr (__is_same(T, u32))
    return bits.template operator()<16>([](const T* x, const T* y) {
      return _mm512_cmp_epu32_mask(_mm512_load_si512(x), _mm512_load_si512(y), kCode);
    });
  if constexpr (__is_same(T, s32))
    return bits.template operator()<16>([](const T* x, const T* y) {
      return _mm512_cmp_epi32_mask(_mm512_load_si512(x), _mm512_load_si512(y), kCode);
    });
  if constexpr (__is_same(T, u64))
    return bits.template operator()<8>([](const T* x, const T* y) {
      return _mm512_cmp_epu64_mask(_mm512_load_si512(x), _mm512_load_si512(y), kCode);
    });
  if constexpr (__is_same(T, s64))
    return bits.template operator()<8>([](const T* x, const T* y) {
      return _mm512_cmp_epi64_mask(_mm512_load_si512(x), _mm512_load_si512(y), kCode);
    });
  if constexpr (__is_same(T, f32))
    return bits.template operator()<16>(
        [](const T* x, const T* y) { return _mm512_cmp_ps_mask(_mm512_load_ps(x), _mm512_load_ps(y), kCode); });
  if constexpr (__is_same(T, f64))
    return bits.template operator()<8>(
        [](const T* x, const T* y) { return _mm512_cmp_pd_mask(_mm512_load_pd(x), _mm512_load_pd(y), kCode); });
#else
  alignas(64) s32 all[kLanes];
  for (int l = 0; l < kLanes; ++l) all[l] = compare(a[l], b[l]) ? -1 : 0;
  return sign_bits(all);
#endif
}

}  // namespace

#define SETP(name, T, code, ...)                                                                                      \
  JUDGE_OP(name) {                                                                                                    \
    const u32 bits = compare_lanes<code>(lanes<T>(w, i->a), lanes<T>(w, i->b), [](T a, T b) { return __VA_ARGS__; }); \
    store_predicate<Full>(w, i->d, bits);                                                                             \
    return i + 1;                                                                                                     \
  }

SETP(setp_eq_b32, u32, 0, a == b)
SETP(setp_ne_b32, u32, 4, a != b)
SETP(setp_lt_u32, u32, 1, a < b)
SETP(setp_le_u32, u32, 2, a <= b)
SETP(setp_lt_s32, s32, 1, a < b)
SETP(setp_le_s32, s32, 2, a <= b)
SETP(setp_eq_b64, u64, 0, a == b)
SETP(setp_ne_b64, u64, 4, a != b)
SETP(setp_lt_u64, u64, 1, a < b)
SETP(setp_le_u64, u64, 2, a <= b)
SETP(setp_lt_s64, s64, 1, a < b)
SETP(setp_le_s64, s64, 2, a <= b)

// Ordered comparisons are false when an operand is NaN; the unordered ones (equ, …) are true.
SETP(setp_eq_f32, f32, 0x00, a == b)
SETP(setp_ne_f32, f32, 0x0c, a<b || a> b)
SETP(setp_lt_f32, f32, 0x11, a < b)
SETP(setp_le_f32, f32, 0x12, a <= b)
SETP(setp_num_f32, f32, 0x07, a == a && b == b)
SETP(setp_equ_f32, f32, 0x08, !(a < b || a > b))
SETP(setp_neu_f32, f32, 0x04, !(a == b))
SETP(setp_ltu_f32, f32, 0x19, !(a >= b))
SETP(setp_leu_f32, f32, 0x1a, !(a > b))
SETP(setp_nan_f32, f32, 0x03, a != a || b != b)
SETP(setp_eq_f64, f64, 0x00, a == b)
SETP(setp_ne_f64, f64, 0x0c, a<b || a> b)
SETP(setp_lt_f64, f64, 0x11, a < b)
SETP(setp_le_f64, f64, 0x12, a <= b)
SETP(setp_num_f64, f64, 0x07, a == a && b == b)
SETP(setp_equ_f64, f64, 0x08, !(a < b || a > b))
SETP(setp_neu_f64, f64, 0x04, !(a == b))
SETP(setp_ltu_f64, f64, 0x19, !(a >= b))
SETP(setp_leu_f64, f64, 0x1a, !(a > b))
SETP(setp_nan_f64, f64, 0x03, a != a || b != b)

// d = predicate c ? a : b.
JUDGE_OP(selp_b32) {
  const u32 chosen = *predicate(w, i->c);
  const u32 *a = lanes<u32>(w, i->a), *b = lanes<u32>(w, i->b);
  u32* d = lanes<u32>(w, i->d);
#if defined(__AVX512F__)
  for (int l = 0; l < kLanes; l += 16) {
    const __m512i value = _mm512_mask_blend_epi32(static_cast<__mmask16>(chosen >> l), _mm512_load_si512(b + l),
                                                  _mm512_load_si512(a + l));
    if constexpr (Full)
      _mm512_store_si512(d + l, value);
    else
      _mm512_mask_store_epi32(d + l, static_cast<__mmask16>(w.mask >> l), value);
  }
#else
  for_lanes<Full>(w, d, [=](int l) { return chosen & (1u << l) ? a[l] : b[l]; });
#endif
  return i + 1;
}

JUDGE_OP(selp_b64) {
  const u32 chosen = *predicate(w, i->c);
  const u64 *a = lanes<u64>(w, i->a), *b = lanes<u64>(w, i->b);
  u64* d = lanes<u64>(w, i->d);
#if defined(__AVX512F__)
  for (int l = 0; l < kLanes; l += 8) {
    const __m512i value =
        _mm512_mask_blend_epi64(static_cast<__mmask8>(chosen >> l), _mm512_load_si512(b + l), _mm512_load_si512(a + l));
    if constexpr (Full)
      _mm512_store_si512(d + l, value);
    else
      _mm512_mask_store_epi64(d + l, static_cast<__mmask8>(w.mask >> l), value);
  }
#else
  for_lanes<Full>(w, d, [=](int l) { return chosen & (1u << l) ? a[l] : b[l]; });
#endif
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
