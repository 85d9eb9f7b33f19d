#pragma once
// Arithmetic under a rounding mode other than to-nearest. Included only by ops_*.cpp.
//
// AVX-512 instructions carry their rounding mode. Elsewhere the mode of the thread is switched around a scalar loop;
// the operands pass through volatile variables, so that the compiler moves no operation across the switch.

#include <cfenv>
#include <cmath>

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"

namespace judge::emulator {
namespace {

using arithmetic::Operation;
using arithmetic::Rounding;

class RoundingScope {
 public:
  explicit RoundingScope(Rounding r) : before_(std::fegetround()) {
    std::fesetround(r == Rounding::zero    ? FE_TOWARDZERO
                    : r == Rounding::minus ? FE_DOWNWARD
                    : r == Rounding::plus  ? FE_UPWARD
                                           : FE_TONEAREST);
  }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

inline f32 fused(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
inline f64 fused(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
inline f32 root(f32 a) {
  return __builtin_sqrtf(a);
}
inline f64 root(f64 a) {
  return __builtin_sqrt(a);
}

// r[l] = a[l] op b[l] (op c[l]) for all lanes, rounded as asked. Unused operands may be any readable slot.
template <Operation op, class T>
[[maybe_unused]] inline void compute_scalar(Rounding mode, const T* a, const T* b, const T* c, T* r) {
  RoundingScope scope(mode);
  for (int l = 0; l < kLanes; ++l) {
    const volatile T x = a[l], y = b[l], z = c[l];
    volatile T result;
    if constexpr (op == Operation::add) result = x + y;
    if constexpr (op == Operation::sub) result = x - y;
    if constexpr (op == Operation::mul) result = x * y;
    if constexpr (op == Operation::fma) result = fused(T{x}, T{y}, T{z});
    if constexpr (op == Operation::div) result = x / y;
    if constexpr (op == Operation::sqrt) result = root(T{x});
    r[l] = result;
  }
}

#if defined(__AVX512F__)
template <Operation op, int kMode>
inline void compute_vector(const f32* a, const f32* b, const f32* c, f32* r) {
  for (int l = 0; l < kLanes; l += 16) {
    const __m512 x = _mm512_loadu_ps(a + l), y = _mm512_loadu_ps(b + l), z = _mm512_loadu_ps(c + l);
    __m512 v = x;
    if constexpr (op == Operation::add) v = _mm512_add_round_ps(x, y, kMode);
    if constexpr (op == Operation::sub) v = _mm512_sub_round_ps(x, y, kMode);
    if constexpr (op == Operation::mul) v = _mm512_mul_round_ps(x, y, kMode);
    if constexpr (op == Operation::fma) v = _mm512_fmadd_round_ps(x, y, z, kMode);
    if constexpr (op == Operation::div) v = _mm512_div_round_ps(x, y, kMode);
    if constexpr (op == Operation::sqrt) v = _mm512_sqrt_round_ps(x, kMode);
    _mm512_storeu_ps(r + l, v);
  }
}

template <Operation op, int kMode>
inline void compute_vector(const f64* a, const f64* b, const f64* c, f64* r) {
  for (int l = 0; l < kLanes; l += 8) {
    const __m512d x = _mm512_loadu_pd(a + l), y = _mm512_loadu_pd(b + l), z = _mm512_loadu_pd(c + l);
    __m512d v = x;
    if constexpr (op == Operation::add) v = _mm512_add_round_pd(x, y, kMode);
    if constexpr (op == Operation::sub) v = _mm512_sub_round_pd(x, y, kMode);
    if constexpr (op == Operation::mul) v = _mm512_mul_round_pd(x, y, kMode);
    if constexpr (op == Operation::fma) v = _mm512_fmadd_round_pd(x, y, z, kMode);
    if constexpr (op == Operation::div) v = _mm512_div_round_pd(x, y, kMode);
    if constexpr (op == Operation::sqrt) v = _mm512_sqrt_round_pd(x, kMode);
    _mm512_storeu_pd(r + l, v);
  }
}
#endif

template <Operation op, class T>
[[maybe_unused]] inline void compute(Rounding mode, const T* a, const T* b, const T* c, T* r) {
#if defined(__AVX512F__)
  switch (mode) {
    case Rounding::nearest:
      return compute_vector<op, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC>(a, b, c, r);
    case Rounding::zero:
      return compute_vector<op, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC>(a, b, c, r);
    case Rounding::minus:
      return compute_vector<op, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC>(a, b, c, r);
    case Rounding::plus:
      return compute_vector<op, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC>(a, b, c, r);
    case Rounding::away:
      break;
  }
#endif
  compute_scalar<op>(mode, a, b, c, r);
}

}  // namespace
}  // namespace judge::emulator
