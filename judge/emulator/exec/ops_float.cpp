// f32 and f64 arithmetic (PTX ISA, "Floating Point Instructions"). The forms that nvcc emits by default have operations
// of their own; every other rounding, .ftz and .sat combination goes through float_op_*.

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/rounding.h"

namespace judge::emulator::JUDGE_ISA {

using namespace arithmetic;

JUDGE_BINARY(add_f32, f32, f32, f32, canonical(a + b))
JUDGE_BINARY(sub_f32, f32, f32, f32, canonical(a - b))
JUDGE_BINARY(mul_f32, f32, f32, f32, canonical(a* b))
JUDGE_BINARY(div_f32, f32, f32, f32, canonical(a / b))
JUDGE_UNARY(rcp_f32, f32, f32, canonical(1.0f / a))
JUDGE_UNARY(sqrt_f32, f32, f32, canonical(__builtin_sqrtf(a)))
JUDGE_TERNARY(fma_f32, f32, f32, f32, f32, canonical(__builtin_fmaf(a, b, c)))
JUDGE_BINARY(add_ftz_f32, f32, f32, f32, canonical(flush(flush(a) + flush(b))))
JUDGE_BINARY(sub_ftz_f32, f32, f32, f32, canonical(flush(flush(a) - flush(b))))
JUDGE_BINARY(mul_ftz_f32, f32, f32, f32, canonical(flush(flush(a) * flush(b))))
JUDGE_TERNARY(fma_ftz_f32, f32, f32, f32, f32, canonical(flush(__builtin_fmaf(flush(a), flush(b), flush(c)))))

JUDGE_BINARY(add_f64, f64, f64, f64, a + b)
JUDGE_BINARY(sub_f64, f64, f64, f64, a - b)
JUDGE_BINARY(mul_f64, f64, f64, f64, a* b)
JUDGE_BINARY(div_f64, f64, f64, f64, a / b)
JUDGE_UNARY(rcp_f64, f64, f64, 1.0 / a)
JUDGE_UNARY(sqrt_f64, f64, f64, __builtin_sqrt(a))
JUDGE_TERNARY(fma_f64, f64, f64, f64, f64, __builtin_fma(a, b, c))

namespace {

template <class T>
void dispatch(u32 aux, const T* a, const T* b, const T* c, T* r) {
  const Rounding mode = rounding_of(aux);
  switch (operation_of(aux)) {
    case Operation::add:
      return compute<Operation::add>(mode, a, b, c, r);
    case Operation::sub:
      return compute<Operation::sub>(mode, a, b, c, r);
    case Operation::mul:
      return compute<Operation::mul>(mode, a, b, c, r);
    case Operation::fma:
      return compute<Operation::fma>(mode, a, b, c, r);
    case Operation::div:
      return compute<Operation::div>(mode, a, b, c, r);
    case Operation::sqrt:
      return compute<Operation::sqrt>(mode, a, b, c, r);
  }
}

// Slots that an operation does not use read its first operand.
const f32* flushed(LaneState& w, Slot s, u32 aux, f32* buffer) {
  const f32* x = lanes<f32>(w, s);
  if (!(aux & kFlush)) return x;
  for (int l = 0; l < kLanes; ++l) buffer[l] = flush(x[l]);
  return buffer;
}

}  // namespace

// .sat: NaN becomes +0, and -0 does too.
[[gnu::always_inline]] static inline f32 saturate(f32 x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

JUDGE_OP(float_op_f32) {
  alignas(64) f32 x[kLanes], y[kLanes], z[kLanes], r[kLanes];
  const u32 aux = i->aux;
  dispatch<f32>(aux, flushed(w, i->a, aux, x), flushed(w, i->b, aux, y), flushed(w, i->c, aux, z), r);
  if (aux & kFlush)
    for (int l = 0; l < kLanes; ++l) r[l] = flush(r[l]);
  if (aux & kSaturate)
    for (int l = 0; l < kLanes; ++l) r[l] = saturate(r[l]);
  const f32* result = r;
  for_lanes<Full>(w, lanes<f32>(w, i->d), [=](int l) { return canonical(result[l]); });
  return i + 1;
}

JUDGE_OP(float_op_f64) {
  alignas(64) f64 r[kLanes];
  dispatch<f64>(i->aux, lanes<f64>(w, i->a), lanes<f64>(w, i->b), lanes<f64>(w, i->c), r);
  const f64* result = r;
  for_lanes<Full>(w, lanes<f64>(w, i->d), [=](int l) { return result[l]; });
  return i + 1;
}

JUDGE_UNARY(flush_f32, f32, f32, canonical(flush(a)))
JUDGE_UNARY(saturate_f32, f32, f32, saturate(a))
JUDGE_UNARY(saturate_f64, f64, f64, a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0)
// .relu: NaN stays (canonical), everything not above zero becomes +0.
JUDGE_UNARY(relu_f32, f32, f32, a != a ? f32_of(0x7fffffffu) : a > 0.0f ? a : 0.0f)

JUDGE_UNARY(neg_f32, f32, f32, canonical(-a))
JUDGE_UNARY(neg_f64, u64, u64, a ^ 0x8000000000000000u)
JUDGE_UNARY(abs_f32, f32, f32, canonical(f32_of(bits_of(a) & 0x7fffffffu)))
JUDGE_UNARY(abs_f64, u64, u64, a & 0x7fffffffffffffffu)
// copysign d, a, b: the sign of a, the magnitude of b.
JUDGE_BINARY(copysign_f32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
JUDGE_BINARY(copysign_f64, u64, u64, u64, (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu))

// min and max order -0 below +0. One NaN gives the other operand, two the canonical NaN; with .NaN one is enough. The
// order of floats is that of their bits read as signed integers, the magnitude of negatives inverted.
[[gnu::always_inline]] static inline s32 order(f32 x) {
  const s32 bits = static_cast<s32>(bits_of(x));
  return bits ^ static_cast<s32>(static_cast<u32>(bits >> 31) >> 1);
}
[[gnu::always_inline]] static inline s64 order(f64 x) {
  const s64 bits = static_cast<s64>(bits_of(x));
  return bits ^ static_cast<s64>(static_cast<u64>(bits >> 63) >> 1);
}
[[gnu::always_inline]] static inline f32 numeric(f32 chosen, f32 a, f32 b) {
  return a != a ? canonical(b) : b != b ? a : chosen;
}
[[gnu::always_inline]] static inline f64 numeric(f64 chosen, f64 a, f64 b) {
  return a != a ? b : b != b ? a : chosen;
}
JUDGE_BINARY(min_f32, f32, f32, f32, numeric(order(a) < order(b) ? a : b, a, b))
JUDGE_BINARY(max_f32, f32, f32, f32, numeric(order(a) > order(b) ? a : b, a, b))
JUDGE_BINARY(min_f64, f64, f64, f64, numeric(order(a) < order(b) ? a : b, a, b))
JUDGE_BINARY(max_f64, f64, f64, f64, numeric(order(a) > order(b) ? a : b, a, b))
JUDGE_BINARY(min_nan_f32, f32, f32, f32, a != a || b != b ? f32_of(0x7fffffffu) : order(a) < order(b) ? a : b)
JUDGE_BINARY(max_nan_f32, f32, f32, f32, a != a || b != b ? f32_of(0x7fffffffu) : order(a) > order(b) ? a : b)

// .xorsign.abs: the extremum of the magnitudes gets the product of the signs: d = (a ^ b) & sign | c, c being that.
JUDGE_TERNARY(xor_sign_f32, u32, u32, u32, u32, c == 0x7fffffffu ? c : ((a ^ b) & 0x80000000u) | (c & 0x7fffffffu))

template <class U>
[[gnu::always_inline]] static inline bool has_property(U bits, Property p, U exponent_mask, U mantissa_mask) {
  const U exponent = bits & exponent_mask, mantissa = bits & mantissa_mask;
  switch (p) {
    case Property::finite:
      return exponent != exponent_mask;
    case Property::infinite:
      return exponent == exponent_mask && mantissa == 0;
    case Property::number:
      return exponent != exponent_mask || mantissa == 0;
    case Property::notanumber:
      return exponent == exponent_mask && mantissa != 0;
    case Property::normal:  // zeros count as normal
      return exponent != exponent_mask && (exponent != 0 || mantissa == 0);
    case Property::subnormal:
      return exponent == 0 && mantissa != 0;
  }
  return false;
}
JUDGE_OP(testp_f32) {
  const u32* a = lanes<u32>(w, i->a);
  u32 bits = 0;
  for (int l = 0; l < kLanes; ++l)
    bits |= u32{has_property(a[l], static_cast<Property>(i->aux), 0x7f800000u, 0x007fffffu)} << l;
  store_predicate<Full>(w, i->d, bits);
  return i + 1;
}
JUDGE_OP(testp_f64) {
  const u64* a = lanes<u64>(w, i->a);
  u32 bits = 0;
  for (int l = 0; l < kLanes; ++l)
    bits |= u32{has_property<u64>(a[l], static_cast<Property>(i->aux), 0x7ff0000000000000u, 0x000fffffffffffffu)} << l;
  store_predicate<Full>(w, i->d, bits);
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
