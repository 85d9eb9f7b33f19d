// Decoding of mov and cvt.
//
// A cvt is a chain of steps on one value: read it as its type, whatever the width of its register; round, clamp;
// convert; bring it to the width of the destination register (PTX ISA, "cvt": registers may be wider than the types).

#include <array>

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower::convert {

using namespace arithmetic;

namespace {

class Chain {
 public:
  Chain(Decode& d, Slot start) : d_(d), value_(start) {}
  void step(Op op, unsigned bits, Slot b = kNoSlot, std::uint32_t aux = 0) {
    settle();
    pending_ = {op, bits, b, aux};
    has_pending_ = true;
  }
  Slot settle() {
    if (has_pending_) value_ = d_.computed(pending_.bits, pending_.op, value_, pending_.b, kNoSlot, pending_.aux);
    has_pending_ = false;
    return value_;
  }
  void finish(Slot to, bool wide) {
    if (has_pending_)
      d_.emit(pending_.op, to, value_, pending_.b, kNoSlot, pending_.aux);
    else
      d_.emit(wide ? Op::mov_b64 : Op::mov_b32, to, value_);
  }

 private:
  struct Step {
    Op op = kNone;
    unsigned bits = 0;
    Slot b = kNoSlot;
    std::uint32_t aux = 0;
  };
  Decode& d_;
  Slot value_;
  Step pending_;
  bool has_pending_ = false;
};

bool is_integer(Type t) {
  return (t >= Type::u8 && t <= Type::s64);
}

// Bits of the register that an operand names; those of `t` for anything else.
unsigned register_bits(Decode& d, const ptx::Operand& o, Type t) {
  if (o.kind != ptx::Operand::Kind::reg) return ptx::bits_of(t);
  return ptx::bits_of(d.out.function().registers[o.reg].type);
}

// Modifiers of cvt beside its types.
struct Modifiers {
  std::optional<Rounding> rounding;     // .rn .rz .rm .rp .rna
  std::optional<Rounding> to_integral;  // .rni .rzi .rmi .rpi
  bool flush = false, saturate = false, relu = false, finite = false;
};

Modifiers take_modifiers(Decode& d) {
  Modifiers m;
  m.rounding = d.take_rounding();
  if (d.take("rna")) m.rounding = Rounding::away;
  if (d.take("rni")) m.to_integral = Rounding::nearest;
  if (d.take("rzi")) m.to_integral = Rounding::zero;
  if (d.take("rmi")) m.to_integral = Rounding::minus;
  if (d.take("rpi")) m.to_integral = Rounding::plus;
  m.flush = d.take("ftz");
  m.saturate = d.take("sat");
  m.relu = d.take("relu");
  m.finite = d.take("satfinite");
  return m;
}

// The chain that holds the source as f32, f64, or an integer extended to 32 or 64 bits.
Chain start(Decode& d, std::size_t k, Type t) {
  const bool narrow_from_wide = register_bits(d, d.operand(k), t) == 64 && ptx::bits_of(t) < 64;
  Chain chain(d, d.source(k, narrow_from_wide ? Type::b64 : t));
  if (narrow_from_wide) chain.step(Op::low_b64, 32);
  switch (t) {
    case Type::u8:
      chain.step(Op::low_b16, 32);
      break;
    case Type::s8:
      chain.step(Op::sext8_b32, 32);
      break;
    case Type::u16:
      chain.step(Op::low_b32, 32);
      break;
    case Type::s16:
      chain.step(Op::sext16_b32, 32);
      break;
    case Type::f16:
      chain.step(Op::f32_from_f16, 32);
      break;
    case Type::bf16:
      chain.step(Op::f32_from_bf16, 32);
      break;
    default:
      break;
  }
  return chain;
}

struct Range {
  std::int64_t low;
  std::uint64_t high;
};
Range range_of(Type t) {
  const unsigned bits = ptx::bits_of(t);
  if (!ptx::is_signed(t)) return {0, ~std::uint64_t{0} >> (64 - bits)};
  const std::uint64_t high = ~std::uint64_t{0} >> (65 - bits);
  return {-static_cast<std::int64_t>(high) - 1, high};
}

// Clamps an integer of type `from` (extended) to the range of `to`.
void clamp(Decode& d, Chain& chain, Type from, Type to) {
  const bool wide = ptx::bits_of(from) == 64;
  const Range have = range_of(from), want = range_of(to);
  const auto constant = [&](std::uint64_t v) {
    return wide ? d.out.pool64(v) : d.out.pool32(static_cast<std::uint32_t>(v));
  };
  const unsigned bits = wide ? 64 : 32;
  if (have.low < want.low)
    chain.step(wide ? Op::max_s64 : Op::max_s32, bits, constant(static_cast<std::uint64_t>(want.low)));
  if (have.high > want.high) {
    const bool is_signed = ptx::is_signed(from);
    chain.step(wide        ? (is_signed ? Op::min_s64 : Op::min_u64)
               : is_signed ? Op::min_s32
                           : Op::min_u32,
               bits, constant(want.high));
  }
}

// The value, an integer extended from type `from` to 32 or 64 bits, becomes `to` in operand 0's register.
void store_integer(Decode& d, Chain& chain, Type from, Type to) {
  const unsigned bits = ptx::bits_of(to), target = register_bits(d, d.operand(0), to);
  bool wide = ptx::bits_of(from) == 64;
  if (wide && bits < 64) chain.step(Op::low_b64, 32), wide = false;
  if (bits == 8) chain.step(ptx::is_signed(to) ? (target == 16 ? Op::sext8_b16 : Op::sext8_b32) : Op::low_b16, 32);
  if (bits == 16) chain.step(ptx::is_signed(to) && target > 16 ? Op::sext16_b32 : Op::low_b32, 32);
  if (bits == 32 && target < 32) d.fail("the destination register is narrower than its type");
  if (target == 64 && !wide) {
    const bool sign = bits == 64 ? ptx::is_signed(from) : ptx::is_signed(to);
    chain.step(sign ? Op::sext_b64 : Op::zext_b64, 64);
  }
  chain.finish(d.destination(target == 64 ? Type::b64 : to), target == 64);
}

void integer_to_integer(Decode& d, const Modifiers& m, Type to, Type from) {
  if (m.rounding || m.to_integral || m.flush || m.relu || m.finite) d.fail("between integers only .sat is defined");
  Chain chain = start(d, 1, from);
  if (m.saturate) clamp(d, chain, from, to);
  // Saturated, the value lies in both ranges: it extends with the sign of the destination's type.
  store_integer(d, chain, from, to);
}

Op integral_op(Rounding r, bool is_f64) {
  switch (r) {
    case Rounding::nearest:
      return is_f64 ? Op::rint_f64 : Op::rint_f32;
    case Rounding::minus:
      return is_f64 ? Op::floor_f64 : Op::floor_f32;
    case Rounding::plus:
      return is_f64 ? Op::ceil_f64 : Op::ceil_f32;
    default:
      return is_f64 ? Op::trunc_f64 : Op::trunc_f32;
  }
}

void float_to_integer(Decode& d, const Modifiers& m, Type to, Type from) {
  // .sat changes nothing: these conversions always clamp.
  if (m.rounding || m.relu || m.finite || !m.to_integral)
    d.fail("float to integer takes one of .rni, .rzi, .rmi, .rpi");
  const bool is_f64 = from == Type::f64;
  if (m.flush && from != Type::f32) d.fail(".ftz is defined for .f32");
  Chain chain = start(d, 1, from);
  if (m.flush) chain.step(Op::flush_f32, 32);
  if (*m.to_integral != Rounding::zero) chain.step(integral_op(*m.to_integral, is_f64), is_f64 ? 64 : 32);
  const bool is_signed = ptx::is_signed(to);
  if (ptx::bits_of(to) == 64) {
    if (is_f64)
      chain.step(is_signed ? Op::s64_from_f64 : Op::u64_from_f64, 64);
    else
      chain.step(is_signed ? Op::s64_from_f32 : Op::u64_from_f32, 64);
    return store_integer(d, chain, to, to);
  }
  const bool narrow = ptx::bits_of(to) < 32;
  const Slot value = narrow ? chain.settle() : kNoSlot;
  if (is_f64)
    chain.step(is_signed ? Op::s32_from_f64 : Op::u32_from_f64, 32);
  else
    chain.step(is_signed ? Op::s32_from_f32 : Op::u32_from_f32, 32);
  if (!narrow) return store_integer(d, chain, to, to);
  clamp(d, chain, is_signed ? Type::s32 : Type::u32, to);
  if (is_f64 && !is_signed) {
    // NaN gives the type's top bit, which the clamped 0x80000000 is not.
    const Slot nan = d.computed(1, Op::setp_nan_f64, value, value);
    const Slot clamped = chain.settle();
    Chain chosen(d, d.computed(32, Op::selp_b32, d.out.pool32(1u << (ptx::bits_of(to) - 1)), clamped, nan));
    return store_integer(d, chosen, Type::u32, to);
  }
  store_integer(d, chain, is_signed ? Type::s32 : Type::u32, to);
}

// The value, an f32 that stands for the true one rounded to odd or is exact, becomes a 16-bit format in operand `to`.
void narrow_half(Chain& chain, const Modifiers& m, Type to) {
  const Rounding mode = m.rounding.value_or(Rounding::nearest);
  const std::uint32_t aux = pack(Operation::add, mode, (m.saturate ? kSaturate : 0) | (m.relu ? kRelu : 0));
  const bool plain = mode == Rounding::nearest && !m.saturate && !m.relu;
  if (is_bfloat(to))
    chain.step(plain ? Op::bf16_from_f32 : Op::bf16_from_f32_modified, 32, kNoSlot, aux);
  else
    chain.step(plain ? Op::f16_from_f32 : Op::f16_from_f32_modified, 32, kNoSlot, aux);
}

void integer_to_float(Decode& d, const Modifiers& m, Type to, Type from) {
  if (m.to_integral || m.relu || m.finite) d.fail("integer to float takes one of .rn, .rz, .rm, .rp");
  if (m.flush && to != Type::f32) d.fail(".ftz is defined for .f32");
  const bool wide = ptx::bits_of(from) == 64, is_signed = ptx::is_signed(from);
  const Rounding mode = m.rounding.value_or(Rounding::nearest);
  if (!m.rounding && !(to == Type::f64 && !wide)) d.fail("a rounding is required");
  if (mode == Rounding::away) d.fail(".rna is defined for .tf32");
  Chain chain = start(d, 1, from);
  const Op exact = is_signed ? Op::f64_from_s32 : Op::f64_from_u32;
  const Op odd = is_signed ? Op::f64_odd_from_s64 : Op::f64_odd_from_u64;
  if (to == Type::f64) {
    if (!wide)
      chain.step(exact, 64);
    else if (mode == Rounding::nearest)
      chain.step(is_signed ? Op::f64_from_s64 : Op::f64_from_u64, 64);
    else
      chain.step(is_signed ? Op::f64_from_s64_rounded : Op::f64_from_u64_rounded, 64, kNoSlot,
                 static_cast<std::uint32_t>(mode));
    if (m.saturate) chain.step(Op::saturate_f64, 64);
    return chain.finish(d.destination(to), true);
  }
  if (to == Type::f32) {
    if (mode == Rounding::nearest) {
      chain.step(wide        ? (is_signed ? Op::f32_from_s64 : Op::f32_from_u64)
                 : is_signed ? Op::f32_from_s32
                             : Op::f32_from_u32,
                 32);
    } else {
      chain.step(wide ? odd : exact, 64);
      chain.step(Op::f32_from_f64_rounded, 32, kNoSlot, pack(Operation::add, mode, 0));
    }
    if (m.saturate) chain.step(Op::saturate_f32, 32);
    return chain.finish(d.destination(to), false);
  }
  chain.step(wide ? odd : exact, 64);
  chain.step(Op::f32_odd_from_f64, 32);
  narrow_half(chain, m, to);
  chain.finish(d.destination(to), false);
}

void to_tf32(Decode& d, const Modifiers& m, Type from) {
  if (from != Type::f32 || m.to_integral || m.saturate || m.flush || m.finite)
    d.fail("only {.rn, .rz, .rna}{.relu}.tf32.f32 is implemented");
  if (!m.rounding || *m.rounding == Rounding::minus || *m.rounding == Rounding::plus)
    d.fail("it takes .rn, .rz or .rna");
  const Slot a = d.source(1, from);
  d.emit(Op::tf32_from_f32, d.destination(Type::b32), a, kNoSlot, kNoSlot,
         pack(Operation::add, *m.rounding, m.relu ? kRelu : 0));
}

void float_to_float(Decode& d, const Modifiers& m, Type to, Type from) {
  if (m.finite) d.fail(".satfinite is not implemented for this type");
  const bool from_f64 = from == Type::f64;
  if (m.flush && from != Type::f32 && to != Type::f32) d.fail(".ftz goes with .f32");
  if (m.relu && !is_half(to)) d.fail(".relu is defined for 16-bit results");
  if (m.rounding && *m.rounding == Rounding::away) d.fail(".rna is defined for .tf32");
  Chain chain = start(d, 1, from);
  if (m.flush && from == Type::f32) chain.step(Op::flush_f32, 32);
  if (m.to_integral) {
    if (to != from) d.fail("rounding to an integral value keeps the type");
    chain.step(integral_op(*m.to_integral, from_f64), from_f64 ? 64 : 32);
  }
  if (is_half(to)) {
    const bool same = to == from;
    if (from_f64) chain.step(Op::f32_odd_from_f64, 32);
    if (!m.rounding && !same) d.fail("a rounding is required");
    narrow_half(chain, m, to);
    return chain.finish(d.destination(to), false);
  }
  if (to == Type::f64) {
    if (!from_f64) chain.step(Op::f64_from_f32, 64);
    if (m.saturate) chain.step(Op::saturate_f64, 64);
    return chain.finish(d.destination(to), true);
  }
  if (from_f64) {
    if (!m.rounding) d.fail("a rounding is required");
    if (*m.rounding == Rounding::nearest)
      chain.step(Op::f32_from_f64, 32);
    else
      chain.step(Op::f32_from_f64_rounded, 32, kNoSlot, pack(Operation::add, *m.rounding, 0));
    if (m.flush) chain.step(Op::flush_f32, 32);
  }
  if (m.saturate) chain.step(Op::saturate_f32, 32);
  chain.finish(d.destination(to), false);
}

// cvt.f16x2.f32 d, a, b: a to the high half.
void to_packed_half(Decode& d, const Modifiers& m, Type to, Type from) {
  if (from != Type::f32 || m.to_integral || m.saturate || m.finite || m.flush)
    d.fail("only {.rn, .rz}{.relu} from .f32 is implemented");
  if (!m.rounding || (*m.rounding != Rounding::nearest && *m.rounding != Rounding::zero)) d.fail("it takes .rn or .rz");
  const auto half = [&](std::size_t k) {
    Chain chain(d, d.source(k, from));
    narrow_half(chain, m, to);
    return chain.settle();
  };
  const Slot high = half(1), low = half(2);
  d.emit(Op::pack_b32, d.destination(Type::b32), low, high);
}

Op mov_op(Decode& d, Type t) {
  switch (ptx::bits_of(t)) {
    case 16:
    case 32:
      return Op::mov_b32;
    case 64:
      return Op::mov_b64;
    default:
      d.fail("it has no form for " + dotted(ptx::to_string(t)));
  }
}

Type bits_type(Decode& d, unsigned bits) {
  switch (bits) {
    case 8:
      return Type::b8;
    case 16:
      return Type::b16;
    case 32:
      return Type::b32;
    case 64:
      return Type::b64;
    default:
      d.fail("its vector does not fill the scalar with elements of 8, 16, 32 or 64 bits");
  }
}

struct Halving {
  Op pack, low, high;
};
Halving halving(Decode& d, unsigned bits) {
  switch (bits) {
    case 16:
      return {Op::pack_b16, Op::low_b16, Op::high_b16};
    case 32:
      return {Op::pack_b32, Op::low_b32, Op::high_b32};
    case 64:
      return {Op::pack_b64, Op::low_b64, Op::high_b64};
    default:
      d.fail("128-bit registers are not implemented");
  }
}

using Elements = std::vector<ptx::Operand>;

// Elements [from, from + count) of the vector become `to`, `bits` wide; count is a power of two above 1.
void pack_elements(Decode& d, const Elements& e, std::size_t from, std::size_t count, unsigned bits, Slot to) {
  const auto part = [&](std::size_t at) {
    if (count == 2) return d.out.source(e[at], bits_type(d, bits / 2));
    const Slot s = d.out.scratch(32);
    pack_elements(d, e, at, count / 2, bits / 2, s);
    return s;
  };
  const Slot low = part(from), high = part(from + count / 2);
  d.emit(halving(d, bits).pack, to, low, high);
}

void unpack_elements(Decode& d, const Elements& e, std::size_t from, std::size_t count, unsigned bits, Slot value) {
  const Halving h = halving(d, bits);
  for (const bool high : {false, true}) {
    const std::size_t at = high ? from + count / 2 : from;
    const Op op = high ? h.high : h.low;
    if (count > 2)
      unpack_elements(d, e, at, count / 2, bits / 2, d.computed(32, op, value));
    else if (e[at].kind != ptx::Operand::Kind::sink)
      d.emit(op, d.out.destination(e[at], bits_type(d, bits / 2)), value);
  }
}

}  // namespace

// A 128-bit register is two of 64: what is moved, packed or unpacked goes half by half.
static void mov_wide(Decode& d, const ptx::Operand& to, const ptx::Operand& from) {
  const auto halves = [&](const ptx::Operand& o, bool is_destination) -> std::array<Slot, 2> {
    if (o.kind != ptx::Operand::Kind::vector) return d.out.wide_register(o, is_destination);
    if (o.elements.size() != 2) d.fail("a 128-bit value is packed from two 64-bit parts");
    std::array<Slot, 2> slots;
    for (std::size_t k = 0; k < 2; ++k)
      slots[k] = is_destination ? d.out.destination(o.elements[k], Type::b64) : d.out.source(o.elements[k], Type::b64);
    return slots;
  };
  const auto a = halves(from, false), b = halves(to, true);
  for (std::size_t k = 0; k < 2; ++k) d.emit(Op::mov_b64, b[k], a[k]);
}

void mov(Decode& d) {
  const Type t = d.type();
  d.finish(2);
  const ptx::Operand &to = d.operand(0), &from = d.operand(1);
  if (t == Type::pred) {
    const Slot a = d.predicate_source(1);
    return d.emit(Op::mov_pred, d.predicate_destination(), a);
  }
  if (t == Type::b128) return mov_wide(d, to, from);
  const bool unpacks = to.kind == ptx::Operand::Kind::vector, packs = from.kind == ptx::Operand::Kind::vector;
  if (!unpacks && !packs) {
    const Op op = mov_op(d, t);
    const Slot a = d.source(1, t);
    return d.emit(op, d.destination(t), a);
  }
  if (unpacks && packs) d.fail("one side must be a scalar");
  const Elements& e = unpacks ? to.elements : from.elements;
  const unsigned bits = ptx::bits_of(t);
  if (e.size() != 2 && e.size() != 4) d.fail("vectors have 2 or 4 elements");
  bits_type(d, bits / static_cast<unsigned>(e.size()));
  if (unpacks)
    unpack_elements(d, e, 0, e.size(), bits, d.source(1, t));
  else
    pack_elements(d, e, 0, e.size(), bits, d.destination(t));
}

void cvt(Decode& d) {
  if (d.take("pack")) return cvt_pack(d);
  const Modifiers m = take_modifiers(d);
  const Type to = d.type(), from = d.type();
  d.finish(is_packed(to) && from == Type::f32 ? 3 : 2);
  if (is_packed(to)) return to_packed_half(d, m, to, from);
  if (to == Type::tf32) return to_tf32(d, m, from);
  const auto is_plain_float = [](Type t) {
    return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64;
  };
  if ((!is_integer(to) && !is_plain_float(to)) || (!is_integer(from) && !is_plain_float(from)))
    d.fail("it is not implemented between these types");
  if (is_integer(to))
    is_integer(from) ? integer_to_integer(d, m, to, from) : float_to_integer(d, m, to, from);
  else
    is_integer(from) ? integer_to_float(d, m, to, from) : float_to_float(d, m, to, from);
}

// cvt.pack.sat.T.s32{.b32} d, a, b{, c}: d = c << 2n | sat(a) << n | sat(b), n the bits of T.
void cvt_pack(Decode& d) {
  if (!d.take("sat")) d.fail("cvt.pack takes .sat");
  const Type to = d.type(), from = d.type();
  const bool accumulates = d.take_type().has_value();
  d.finish(accumulates ? 4 : 3);
  const unsigned bits = ptx::bits_of(to);
  if (from != Type::s32 || !is_integer(to) || (bits != 8 && bits != 16) || accumulates != (bits == 8))
    d.fail("only .u16 and .s16 of two, .u8 and .s8 of three operands are implemented");
  const auto part = [&](std::size_t k) {
    Chain chain(d, d.source(k, from));
    clamp(d, chain, from, to);
    return chain.settle();
  };
  const Slot a = part(1), b = part(2);
  if (bits == 16) return d.emit(Op::pack_b32, d.destination(Type::b32), b, a);
  const Slot c = d.source(3, Type::b32);
  d.emit(Op::pack_b32, d.destination(Type::b32), d.computed(32, Op::pack_b16, b, a), c);
}

}  // namespace judge::emulator::lower::convert
