// Decoding of integer arithmetic.

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower::integer {

using namespace arithmetic;

namespace {

void unary(Decode& d, Type t, Op op) {
  d.finish(2);
  d.emit(op, d.destination(t), d.source(1, t));
}

void binary(Decode& d, Type t, Op op) {
  d.finish(3);
  const Slot a = d.source(1, t), b = d.source(2, t);
  d.emit(op, d.destination(t), a, b);
}

// .u16x2 and .s16x2 are not types of registers: these registers are .b32.
std::optional<bool> take_packed(Decode& d) {  // whether signed
  if (d.take("u16x2")) return false;
  if (d.take("s16x2")) return true;
  return std::nullopt;
}

// Adds or subtracts with CC.CF.
void carry(Decode& d, Type t, Slot to, Slot a, Slot b, std::uint32_t flags) {
  d.emit(by_width(d, t, kNone, Op::add_carry_b32, Op::add_carry_b64), to, a, b, kNoSlot, flags, d.out.carry_flag());
}

void add_or_sub(Decode& d, bool subtract) {
  if (take_packed(d)) return binary(d, Type::b32, subtract ? Op::sub_b16x2 : Op::add_b16x2);
  if (d.take("cc")) {
    const Type t = d.type();
    d.finish(3);
    const Slot a = d.source(1, t), b = d.source(2, t);
    return carry(d, t, d.destination(t), a, b, kCarryOut | (subtract ? kSubtract : 0));
  }
  const bool saturate = d.take("sat");
  const Type t = d.type();
  if (saturate) {
    if (t != Type::s32) d.fail(".sat is defined for .s32");
    return binary(d, t, subtract ? Op::sub_sat_s32 : Op::add_sat_s32);
  }
  binary(d, t,
         subtract ? by_width(d, t, Op::sub_b16, Op::sub_b32, Op::sub_b64)
                  : by_width(d, t, Op::add_b16, Op::add_b32, Op::add_b64));
}

void with_carry(Decode& d, std::uint32_t flags) {
  if (d.take("cc")) flags |= kCarryOut;
  const Type t = d.type();
  d.finish(3);
  const Slot a = d.source(1, t), b = d.source(2, t);
  carry(d, t, d.destination(t), a, b, flags | kCarryIn);
}

enum class Part { low, high, wide };
Part take_part(Decode& d) {
  if (d.take("lo")) return Part::low;
  if (d.take("hi")) return Part::high;
  if (d.take("wide")) return Part::wide;
  d.fail("one of .lo, .hi, .wide is required");
}

Type wide_type(Decode& d, Type t) {
  switch (t) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      d.fail(".wide is defined for 16- and 32-bit types");
  }
}

Op product(Decode& d, Type t, Part part) {
  switch (part) {
    case Part::low:
      return by_width(d, t, Op::mul_lo_b16, Op::mul_lo_b32, Op::mul_lo_b64);
    case Part::high:
      return by_type(d, t,
                     {Op::mul_hi_u16, Op::mul_hi_s16, Op::mul_hi_u32, Op::mul_hi_s32, Op::mul_hi_u64, Op::mul_hi_s64});
    case Part::wide:
      break;
  }
  return by_type(d, t, {Op::mul_wide_u16, Op::mul_wide_s16, Op::mul_wide_u32, Op::mul_wide_s32, kNone, kNone});
}

// mad and madc: a product, then an addition that may take and leave a carry.
void multiply_add(Decode& d, std::uint32_t flags) {
  const Part part = take_part(d);
  if (d.take("cc")) flags |= kCarryOut;
  const bool saturate = d.take("sat");
  const Type t = d.type();
  d.finish(4);
  const Type result = part == Part::wide ? wide_type(d, t) : t;
  if (saturate && (t != Type::s32 || part != Part::high || flags)) d.fail(".sat is defined for mad.hi.s32");
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, result), to = d.destination(result);
  if (flags == 0 && part == Part::low)
    return d.emit(by_width(d, t, Op::mad_lo_b16, Op::mad_lo_b32, Op::mad_lo_b64), to, a, b, c);
  if (flags == 0 && part == Part::wide && ptx::bits_of(t) == 32)
    return d.emit(ptx::is_signed(t) ? Op::mad_wide_s32 : Op::mad_wide_u32, to, a, b, c);
  const Slot p = d.computed(ptx::bits_of(result) == 64 ? 64 : 32, product(d, t, part), a, b);
  if (flags) return carry(d, result, to, p, c, flags);
  d.emit(saturate ? Op::add_sat_s32 : by_width(d, result, Op::add_b16, Op::add_b32, Op::add_b64), to, p, c);
}

Op product24(Decode& d, Type* t) {
  const Part part = take_part(d);
  *t = d.type();
  const bool is_signed = *t == Type::s32;
  if (part == Part::wide || (!is_signed && *t != Type::u32)) d.fail("it is defined for .lo and .hi of .u32 and .s32");
  return part == Part::low ? (is_signed ? Op::mul24_lo_s32 : Op::mul24_lo_u32)
                           : (is_signed ? Op::mul24_hi_s32 : Op::mul24_hi_u32);
}

void extremum(Decode& d, const IntegerOps& ops, Op u16x2, Op s16x2) {
  const bool relu = d.take("relu");
  if (const auto packed = take_packed(d)) {
    if (!relu) return binary(d, Type::b32, *packed ? s16x2 : u16x2);
    if (!*packed) d.fail(".relu is defined for signed types");
    d.finish(3);
    const Slot a = d.source(1, Type::b32), b = d.source(2, Type::b32);
    return d.emit(Op::relu_s16x2, d.destination(Type::b32), d.computed(32, s16x2, a, b));
  }
  const Type t = d.type();
  if (!relu) return binary(d, t, by_type(d, t, ops));
  if (t != Type::s32) d.fail(".relu is defined for .s32 and .s16x2");
  d.finish(3);
  const Slot a = d.source(1, t), b = d.source(2, t);
  d.emit(Op::relu_s32, d.destination(t), d.computed(32, ops.s32, a, b));
}

std::uint32_t take_dot_signs(Decode& d) {
  const Type a = d.type(), b = d.type();
  if ((a != Type::u32 && a != Type::s32) || (b != Type::u32 && b != Type::s32))
    d.fail("both types must be .u32 or .s32");
  return (a == Type::s32 ? kSignedA : 0) | (b == Type::s32 ? kSignedB : 0);
}

void dot(Decode& d, Op op, std::uint32_t aux) {
  aux |= take_dot_signs(d);
  d.finish(4);
  const Slot a = d.source(1, Type::b32), b = d.source(2, Type::b32), c = d.source(3, Type::b32);
  d.emit(op, d.destination(Type::b32), a, b, c, aux);
}

}  // namespace

void add(Decode& d) {
  add_or_sub(d, false);
}
void sub(Decode& d) {
  add_or_sub(d, true);
}
void addc(Decode& d) {
  with_carry(d, 0);
}
void subc(Decode& d) {
  with_carry(d, kSubtract);
}

void mul(Decode& d) {
  const Part part = take_part(d);
  const Type t = d.type();
  d.finish(3);
  const Type result = part == Part::wide ? wide_type(d, t) : t;
  const Slot a = d.source(1, t), b = d.source(2, t);
  d.emit(product(d, t, part), d.destination(result), a, b);
}

void mad(Decode& d) {
  multiply_add(d, 0);
}
void madc(Decode& d) {
  multiply_add(d, kCarryIn);
}

void mul24(Decode& d) {
  Type t;
  const Op op = product24(d, &t);
  binary(d, t, op);
}

void mad24(Decode& d) {
  const bool saturate = d.take("sat");
  Type t;
  const Op op = product24(d, &t);
  if (saturate && op != Op::mul24_hi_s32) d.fail(".sat is defined for mad24.hi.s32");
  d.finish(4);
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, t);
  d.emit(saturate ? Op::add_sat_s32 : Op::add_b32, d.destination(t), d.computed(32, op, a, b), c);
}

void sad(Decode& d) {
  const Type t = d.type();
  d.finish(4);
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, t);
  d.emit(by_type(d, t, {Op::sad_u16, Op::sad_s16, Op::sad_u32, Op::sad_s32, Op::sad_u64, Op::sad_s64}),
         d.destination(t), a, b, c);
}

void div(Decode& d) {
  const Type t = d.type();
  binary(d, t, by_type(d, t, {Op::div_u16, Op::div_s16, Op::div_u32, Op::div_s32, Op::div_u64, Op::div_s64}));
}
void rem(Decode& d) {
  const Type t = d.type();
  binary(d, t, by_type(d, t, {Op::rem_u16, Op::rem_s16, Op::rem_u32, Op::rem_s32, Op::rem_u64, Op::rem_s64}));
}
void abs(Decode& d) {
  const Type t = d.type();
  unary(d, t, by_type(d, t, {kNone, Op::abs_s16, kNone, Op::abs_s32, kNone, Op::abs_s64}));
}
void neg(Decode& d) {
  const Type t = d.type();
  unary(d, t, by_type(d, t, {kNone, Op::neg_b16, kNone, Op::neg_b32, kNone, Op::neg_b64}));
}
void min(Decode& d) {
  extremum(d, {Op::min_u32, Op::min_s16, Op::min_u32, Op::min_s32, Op::min_u64, Op::min_s64}, Op::min_u16x2,
           Op::min_s16x2);
}
void max(Decode& d) {
  extremum(d, {Op::max_u32, Op::max_s16, Op::max_u32, Op::max_s32, Op::max_u64, Op::max_s64}, Op::max_u16x2,
           Op::max_s16x2);
}

void dp4a(Decode& d) {
  dot(d, Op::dp4a, 0);
}
void dp2a(Decode& d) {
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.fail("one of .lo, .hi is required");
  dot(d, Op::dp2a, high ? kHighHalf : 0);
}

}  // namespace judge::emulator::lower::integer
