// Decoding of logic, shifts and bit fields.

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower::bits {

namespace {

void logic(Decode& d, Op predicate, Op b32, Op b64) {
  const Type t = d.type();
  d.finish(3);
  if (t == Type::pred) {
    const Slot a = d.predicate_source(1), b = d.predicate_source(2);
    return d.emit(predicate, d.predicate_destination(), a, b);
  }
  const Slot a = d.source(1, t), b = d.source(2, t);
  d.emit(by_width(d, t, b32, b32, b64), d.destination(t), a, b);
}

void shift(Decode& d, bool left) {
  const Type t = d.type();
  d.finish(3);
  const Slot a = d.source(1, t), n = d.source(2, Type::u32);
  const Op op = left ? by_width(d, t, Op::shl_b16, Op::shl_b32, Op::shl_b64)
                     : by_type(d, t, {Op::shr_u16, Op::shr_s16, Op::shr_u32, Op::shr_s32, Op::shr_u64, Op::shr_s64});
  d.emit(op, d.destination(t), a, n);
}

// d is 32 bits wide whatever a is.
void count(Decode& d, Type t, Op b32, Op b64) {
  d.finish(2);
  const Slot a = d.source(1, t);
  d.emit(by_width(d, t, kNone, b32, b64), d.destination(Type::u32), a);
}

// .clamp or .wrap, written before or after the other modifiers.
bool take_wrap(Decode& d) {
  if (d.take("wrap")) return true;
  if (!d.take("clamp")) d.fail("one of .clamp, .wrap is required");
  return false;
}

// Selectors of the named modes, for c = 0 … 3, 16 bits each (PTX ISA, "prmt", table of modes).
struct PermuteMode {
  std::string_view name;
  std::uint64_t selectors;
};
constexpr PermuteMode kPermuteModes[] = {
    {"f4e", 0x6543'5432'4321'3210}, {"b4e", 0x0123'7012'6701'5670}, {"rc8", 0x3333'2222'1111'0000},
    {"ecl", 0x3333'3222'3211'3210}, {"ecr", 0x3210'2210'1110'0000}, {"rc16", 0x3232'1010'3232'1010},
};

}  // namespace

void and_(Decode& d) {
  logic(d, Op::and_pred, Op::and_b32, Op::and_b64);
}
void or_(Decode& d) {
  logic(d, Op::or_pred, Op::or_b32, Op::or_b64);
}
void xor_(Decode& d) {
  logic(d, Op::xor_pred, Op::xor_b32, Op::xor_b64);
}

void not_(Decode& d) {
  const Type t = d.type();
  d.finish(2);
  if (t == Type::pred) {
    const Slot a = d.predicate_source(1);
    return d.emit(Op::not_pred, d.predicate_destination(), a);
  }
  const Slot a = d.source(1, t);
  d.emit(by_width(d, t, Op::not_b16, Op::not_b32, Op::not_b64), d.destination(t), a);
}

void cnot(Decode& d) {
  const Type t = d.type();
  d.finish(2);
  const Slot a = d.source(1, t);
  d.emit(by_width(d, t, Op::cnot_b32, Op::cnot_b32, Op::cnot_b64), d.destination(t), a);
}

void shl(Decode& d) {
  shift(d, true);
}
void shr(Decode& d) {
  shift(d, false);
}

void shf(Decode& d) {
  const bool left = d.take("l");
  if (!left && !d.take("r")) d.fail("one of .l, .r is required");
  const bool wrap = take_wrap(d);
  const Type t = d.type();
  d.finish(4);
  if (t != Type::b32) d.fail("it is defined for .b32");
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, Type::u32);
  d.emit(left ? (wrap ? Op::shf_l_wrap : Op::shf_l_clamp) : (wrap ? Op::shf_r_wrap : Op::shf_r_clamp), d.destination(t),
         a, b, c);
}

void lop3(Decode& d) {
  // The second form also gives p = (d != 0) BoolOp q.
  const bool with_or = d.take("or"), with_and = !with_or && d.take("and");
  const bool has_predicate = with_or || with_and;
  const Type t = d.type();
  d.finish(has_predicate ? 6 : 5);
  if (t != Type::b32) d.fail("it is defined for .b32");
  const ptx::Operand& table = d.operand(4);
  if (table.kind != ptx::Operand::Kind::immediate || table.bits > 255)
    d.fail("its table must be a constant from 0 to 255");
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, t);
  if (!has_predicate) return d.emit(Op::lop3_b32, d.destination(t), a, b, c, static_cast<std::uint32_t>(table.bits));
  const ptx::Operand& both = d.operand(0);
  if (both.kind != ptx::Operand::Kind::pair) d.fail("the form with a predicate writes d|p");
  const Slot q = d.predicate_source(5);
  const Slot value = d.computed(32, Op::lop3_b32, a, b, c, static_cast<std::uint32_t>(table.bits));
  const Slot nonzero = d.computed(1, Op::setp_ne_b32, value, d.out.pool32(0));
  d.emit(with_or ? Op::or_pred : Op::and_pred, d.out.predicate_destination(both.elements[1]), nonzero, q);
  d.emit(Op::mov_b32, d.out.destination(both.elements[0], t), value);
}

void popc(Decode& d) {
  count(d, d.type(), Op::popc_b32, Op::popc_b64);
}
void clz(Decode& d) {
  count(d, d.type(), Op::clz_b32, Op::clz_b64);
}

void bfind(Decode& d) {
  const bool amount = d.take("shiftamt");
  const Type t = d.type();
  d.finish(2);
  const Op op =
      amount
          ? by_type(d, t,
                    {kNone, kNone, Op::bfind_shift_u32, Op::bfind_shift_s32, Op::bfind_shift_u64, Op::bfind_shift_s64})
          : by_type(d, t, {kNone, kNone, Op::bfind_u32, Op::bfind_s32, Op::bfind_u64, Op::bfind_s64});
  const Slot a = d.source(1, t);
  d.emit(op, d.destination(Type::u32), a);
}

void fns(Decode& d) {
  const Type t = d.type();
  d.finish(4);
  if (t != Type::b32) d.fail("it is defined for .b32");
  const Slot mask = d.source(1, t), base = d.source(2, Type::b32), n = d.source(3, Type::s32);
  d.emit(Op::fns_b32, d.destination(t), mask, base, n);
}

void brev(Decode& d) {
  const Type t = d.type();
  d.finish(2);
  const Slot a = d.source(1, t);
  d.emit(by_width(d, t, kNone, Op::brev_b32, Op::brev_b64), d.destination(t), a);
}

void bfe(Decode& d) {
  const Type t = d.type();
  d.finish(4);
  const Slot a = d.source(1, t), position = d.source(2, Type::u32), length = d.source(3, Type::u32);
  d.emit(by_type(d, t, {kNone, kNone, Op::bfe_u32, Op::bfe_s32, Op::bfe_u64, Op::bfe_s64}), d.destination(t), a,
         position, length);
}

void bfi(Decode& d) {
  const Type t = d.type();
  d.finish(5);
  const Slot a = d.source(1, t), b = d.source(2, t), position = d.source(3, Type::u32), length = d.source(4, Type::u32);
  d.emit(by_width(d, t, kNone, Op::bfi_b32, Op::bfi_b64), d.destination(t), a, b, position, 0, length);
}

void bmsk(Decode& d) {
  const bool wrap = take_wrap(d);
  const Type t = d.type();
  d.finish(3);
  if (t != Type::b32) d.fail("it is defined for .b32");
  const Slot a = d.source(1, Type::u32), b = d.source(2, Type::u32);
  d.emit(wrap ? Op::bmsk_wrap : Op::bmsk_clamp, d.destination(t), a, b);
}

void szext(Decode& d) {
  const bool wrap = take_wrap(d);
  const Type t = d.type();
  d.finish(3);
  const Slot a = d.source(1, t), n = d.source(2, Type::u32);
  const Op op = wrap ? by_type(d, t, {kNone, kNone, Op::szext_wrap_u32, Op::szext_wrap_s32, kNone, kNone})
                     : by_type(d, t, {kNone, kNone, Op::szext_clamp_u32, Op::szext_clamp_s32, kNone, kNone});
  d.emit(op, d.destination(t), a, n);
}

void prmt(Decode& d) {
  const PermuteMode* mode = nullptr;
  for (const auto& m : kPermuteModes)
    if (d.take(m.name)) mode = &m;
  const Type t = d.type();
  d.finish(4);
  if (t != Type::b32) d.fail("it is defined for .b32");
  const Slot a = d.source(1, t), b = d.source(2, t), c = d.source(3, t), to = d.destination(t);
  if (mode)
    d.emit(Op::prmt_mode, to, a, b, c, 0, mode->selectors);
  else
    d.emit(Op::prmt_b32, to, a, b, c);
}

}  // namespace judge::emulator::lower::bits
