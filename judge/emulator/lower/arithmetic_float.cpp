// Decoding of floating-point arithmetic in every precision.

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower::floating {

using namespace arithmetic;

namespace {

constexpr std::uint32_t kOneF32 = 0x3f800000u;
constexpr std::uint64_t kOneF64 = 0x3ff0000000000000u;

// One operation in the four 16-bit formats.
struct HalfOps {
  Op f16, f16x2, bf16, bf16x2;
};
Op by_half(Decode& d, Type t, const HalfOps& ops) {
  switch (t) {
    case Type::f16:
      return ops.f16;
    case Type::f16x2:
      return ops.f16x2;
    case Type::bf16:
      return ops.bf16;
    case Type::bf16x2:
      return ops.bf16x2;
    default:
      d.fail("it has no form for " + dotted(ptx::to_string(t)));
  }
}
#define HALF_OPS(name) \
  { Op::name##_f16, Op::name##_f16x2, Op::name##_bf16, Op::name##_bf16x2 }

// One operation of f32 and f64 to nearest; the rest is float_op_*.
struct FloatOps {
  Operation operation;
  Op f32, ftz_f32, f64;
};

void require_f32_or_f64(Decode& d, Type t) {
  if (t != Type::f32 && t != Type::f64) d.fail("it has no form for " + dotted(ptx::to_string(t)));
}

void rounded(Decode& d, const FloatOps& ops, Type t, Rounding mode, std::uint32_t flags, Slot to, Slot a, Slot b,
             Slot c) {
  require_f32_or_f64(d, t);
  if (t == Type::f64) {
    if (flags) d.fail(".ftz and .sat are defined for .f32");
    if (mode == Rounding::nearest) return d.emit(ops.f64, to, a, b, c);
    return d.emit(Op::float_op_f64, to, a, b, c, pack(ops.operation, mode, 0));
  }
  if (mode == Rounding::nearest && flags == 0) return d.emit(ops.f32, to, a, b, c);
  if (mode == Rounding::nearest && flags == kFlush && ops.ftz_f32 != kNone) return d.emit(ops.ftz_f32, to, a, b, c);
  d.emit(Op::float_op_f32, to, a, b, c, pack(ops.operation, mode, flags));
}

// add, sub, mul, fma.
void arithmetic_of(Decode& d, const FloatOps& ops, const HalfOps& halves, std::size_t sources) {
  const auto mode = d.take_rounding();
  std::uint32_t flags = 0;
  if (d.take("ftz")) flags |= kFlush;
  if (d.take("sat")) flags |= kSaturate;
  if (d.take("relu")) flags |= kRelu;
  const Type t = d.type();
  d.finish(sources + 1);
  const Slot a = d.source(1, t), b = d.source(2, t), c = sources == 3 ? d.source(3, t) : kNoSlot;
  if (is_half(t)) {
    if (mode && *mode != Rounding::nearest) d.fail("16-bit formats round to nearest only");
    if (is_bfloat(t) && (flags & (kFlush | kSaturate))) d.fail(".ftz and .sat are not defined for bf16");
    if ((flags & kRelu) && ops.operation != Operation::fma) d.fail(".relu is defined for fma");
    return d.emit(by_half(d, t, halves), d.destination(t), a, b, c, flags);
  }
  if (flags & kRelu) d.fail(".relu is defined for 16-bit formats");
  rounded(d, ops, t, mode.value_or(Rounding::nearest), flags, d.destination(t), a, b, c);
}

constexpr FloatOps kDiv = {Operation::div, Op::div_f32, Op::div_full_ftz_f32, Op::div_f64};
constexpr FloatOps kRcp = {Operation::div, Op::rcp_f32, kNone, Op::rcp_f64};
constexpr FloatOps kSqrt = {Operation::sqrt, Op::sqrt_f32, kNone, Op::sqrt_f64};

// A function of one operand, defined in f32 and carried to the 16-bit formats through it.
void approximation(Decode& d, Op op, bool has_half_forms) {
  if (!d.take("approx")) d.fail(".approx is required");
  const bool flush = d.take("ftz");
  const Type t = d.type();
  d.finish(2);
  const std::uint32_t aux = flush ? kFlush : 0;
  const Slot a = d.source(1, t);
  if (t == Type::f32) return d.emit(op, d.destination(t), a, kNoSlot, kNoSlot, aux);
  if (!is_half(t) || !has_half_forms) d.fail("it has no form for " + dotted(ptx::to_string(t)));
  const Type element = element_of(t);
  const bool bfloat = is_bfloat(t);
  const auto of_half = [&](Slot half, Slot to) {
    if (flush && !bfloat) half = d.computed(32, Op::flush_f16, half);
    const Slot result = d.computed(32, op, widened(d, half, element), kNoSlot, kNoSlot, bfloat ? aux : 0);
    if (!flush || bfloat) return d.emit(bfloat ? Op::bf16_from_f32 : Op::f16_from_f32, to, result);
    d.emit(Op::flush_f16, to, d.computed(32, Op::f16_from_f32, result));
  };
  const Slot to = d.destination(t);
  if (!is_packed(t)) return of_half(a, to);
  const Slot low = d.out.scratch(32), high = d.out.scratch(32);
  of_half(half_of(d, a, false), low);
  of_half(half_of(d, a, true), high);
  d.emit(Op::pack_b32, to, low, high);
}

std::uint32_t sign_mask(Type t) {
  return is_packed(t) ? 0x80008000u : 0x8000u;
}

Slot flushed(Decode& d, Slot a, Type t) {
  if (t == Type::f32) return d.computed(32, Op::flush_f32, a);
  if (t == Type::f16) return d.computed(32, Op::flush_f16, a);
  if (t == Type::f16x2) return d.computed(32, Op::flush_f16x2, a);
  d.fail(".ftz is not defined for " + dotted(ptx::to_string(t)));
}

void sign(Decode& d, bool negate) {
  const bool flush = d.take("ftz");
  const Type t = d.type();
  d.finish(2);
  Slot a = d.source(1, t);
  if (flush) a = flushed(d, a, t);
  const Slot to = d.destination(t);
  if (is_half(t)) {
    if (negate) return d.emit(Op::xor_b32, to, a, d.out.pool32(sign_mask(t)));
    return d.emit(Op::and_b32, to, a, d.out.pool32(is_packed(t) ? 0x7fff7fffu : 0x7fffu));
  }
  require_f32_or_f64(d, t);
  if (t == Type::f32)
    d.emit(negate ? Op::neg_f32 : Op::abs_f32, to, a);
  else
    d.emit(negate ? Op::neg_f64 : Op::abs_f64, to, a);
}

struct ExtremumOps {
  HalfOps half, half_nan;
  Op f32, f32_nan, f64;
};

void extremum(Decode& d, const ExtremumOps& ops) {
  const bool flush = d.take("ftz"), nan = d.take("NaN"), xor_sign = d.take("xorsign");
  if (xor_sign && !d.take("abs")) d.fail(".xorsign goes with .abs");
  const Type t = d.type();
  d.finish(3);
  Slot a = d.source(1, t), b = d.source(2, t);
  if (t == Type::f64) {
    if (flush || nan || xor_sign) d.fail("the form for .f64 has no modifiers");
    return d.emit(ops.f64, d.destination(t), a, b);
  }
  if (flush) a = flushed(d, a, t), b = flushed(d, b, t);
  const bool half = is_half(t);
  if (!half) require_f32_or_f64(d, t);
  const Op op = half ? by_half(d, t, nan ? ops.half_nan : ops.half) : nan ? ops.f32_nan : ops.f32;
  const Slot to = d.destination(t);
  if (!xor_sign) return d.emit(op, to, a, b);
  const auto magnitude = [&](Slot x) {
    if (!half) return d.computed(32, Op::abs_f32, x);
    return d.computed(32, Op::and_b32, x, d.out.pool32(is_packed(t) ? 0x7fff7fffu : 0x7fffu));
  };
  const Slot absolute_a = magnitude(a), absolute_b = magnitude(b);
  d.emit(half ? Op::xor_sign_16x2 : Op::xor_sign_f32, to, a, b, d.computed(32, op, absolute_a, absolute_b));
}

}  // namespace

void add(Decode& d) {
  arithmetic_of(d, {Operation::add, Op::add_f32, Op::add_ftz_f32, Op::add_f64}, HALF_OPS(add), 2);
}
void sub(Decode& d) {
  arithmetic_of(d, {Operation::sub, Op::sub_f32, Op::sub_ftz_f32, Op::sub_f64}, HALF_OPS(sub), 2);
}
void mul(Decode& d) {
  arithmetic_of(d, {Operation::mul, Op::mul_f32, Op::mul_ftz_f32, Op::mul_f64}, HALF_OPS(mul), 2);
}
void fma(Decode& d) {
  arithmetic_of(d, {Operation::fma, Op::fma_f32, Op::fma_ftz_f32, Op::fma_f64}, HALF_OPS(fma), 3);
}

void div(Decode& d) {
  const bool approx = d.take("approx"), full = d.take("full");
  const auto mode = d.take_rounding();
  const bool flush = d.take("ftz");
  const Type t = d.type();
  d.finish(3);
  const Slot a = d.source(1, t), b = d.source(2, t), to = d.destination(t);
  if (!approx && !full) {
    if (!mode) d.fail("one of .approx, .full, .rn, .rz, .rm, .rp is required");
    return rounded(d, kDiv, t, *mode, flush ? kFlush : 0, to, a, b, kNoSlot);
  }
  if (t != Type::f32 || mode) d.fail(".approx and .full are defined for .f32 without a rounding");
  if (approx) return d.emit(flush ? Op::div_approx_ftz_f32 : Op::div_approx_f32, to, a, b);
  d.emit(flush ? Op::div_full_ftz_f32 : Op::div_f32, to, a, b);
}

void rcp(Decode& d) {
  const bool approx = d.take("approx"), flush = d.take("ftz");
  const auto mode = d.take_rounding();
  const Type t = d.type();
  d.finish(2);
  if (!approx && !mode) d.fail("one of .approx, .rn, .rz, .rm, .rp is required");
  require_f32_or_f64(d, t);
  const Slot a = d.source(1, t), to = d.destination(t);
  if (approx && t == Type::f64) {
    if (!flush) d.fail(".approx.f64 goes with .ftz");
    return d.emit(Op::rcp_upper_f64, to, a);
  }
  if (approx) return d.emit(Op::rcp_approx_f32, to, a, kNoSlot, kNoSlot, flush ? kFlush : 0);
  if (*mode == Rounding::nearest && !flush) return d.emit(t == Type::f64 ? kRcp.f64 : kRcp.f32, to, a);
  const Slot one = t == Type::f64 ? d.out.pool64(kOneF64) : d.out.pool32(kOneF32);
  rounded(d, kDiv, t, *mode, flush ? kFlush : 0, to, one, a, kNoSlot);
}

void sqrt(Decode& d) {
  const bool approx = d.take("approx"), flush = d.take("ftz");
  const auto mode = d.take_rounding();
  const Type t = d.type();
  d.finish(2);
  const Slot a = d.source(1, t), to = d.destination(t);
  if (approx) {
    if (t != Type::f32) d.fail(".approx is defined for .f32");
    return d.emit(Op::sqrt_approx_f32, to, a, kNoSlot, kNoSlot, flush ? kFlush : 0);
  }
  if (!mode) d.fail("one of .approx, .rn, .rz, .rm, .rp is required");
  rounded(d, kSqrt, t, *mode, flush ? kFlush : 0, to, a, kNoSlot, kNoSlot);
}

void rsqrt(Decode& d) {
  if (!d.take("approx")) d.fail(".approx is required");
  const bool flush = d.take("ftz");
  const Type t = d.type();
  d.finish(2);
  require_f32_or_f64(d, t);
  const Slot a = d.source(1, t), to = d.destination(t);
  if (t == Type::f64) return d.emit(flush ? Op::rsqrt_upper_f64 : Op::rsqrt_f64, to, a);
  d.emit(Op::rsqrt_f32, to, a, kNoSlot, kNoSlot, flush ? kFlush : 0);
}

void abs(Decode& d) {
  sign(d, false);
}
void neg(Decode& d) {
  sign(d, true);
}

void min(Decode& d) {
  extremum(d, {HALF_OPS(min), HALF_OPS(min_nan), Op::min_f32, Op::min_nan_f32, Op::min_f64});
}
void max(Decode& d) {
  extremum(d, {HALF_OPS(max), HALF_OPS(max_nan), Op::max_f32, Op::max_nan_f32, Op::max_f64});
}

void copysign(Decode& d) {
  const Type t = d.type();
  d.finish(3);
  require_f32_or_f64(d, t);
  const Slot a = d.source(1, t), b = d.source(2, t);
  d.emit(t == Type::f64 ? Op::copysign_f64 : Op::copysign_f32, d.destination(t), a, b);
}

void testp(Decode& d) {
  struct Name {
    std::string_view name;
    Property property;
  };
  static constexpr Name kNames[] = {
      {"finite", Property::finite},         {"infinite", Property::infinite}, {"number", Property::number},
      {"notanumber", Property::notanumber}, {"normal", Property::normal},     {"subnormal", Property::subnormal},
  };
  std::optional<Property> property;
  for (const auto& n : kNames)
    if (d.take(n.name)) property = n.property;
  const Type t = d.type();
  d.finish(2);
  if (!property) d.fail("the tested property is missing");
  require_f32_or_f64(d, t);
  const Slot a = d.source(1, t);
  d.emit(t == Type::f64 ? Op::testp_f64 : Op::testp_f32, d.predicate_destination(), a, kNoSlot, kNoSlot,
         static_cast<std::uint32_t>(*property));
}

void ex2(Decode& d) {
  approximation(d, Op::ex2_f32, true);
}
void lg2(Decode& d) {
  approximation(d, Op::lg2_f32, false);
}
void sin(Decode& d) {
  approximation(d, Op::sin_f32, false);
}
void cos(Decode& d) {
  approximation(d, Op::cos_f32, false);
}
void tanh(Decode& d) {
  approximation(d, Op::tanh_f32, true);
}

}  // namespace judge::emulator::lower::floating
