// Decoding of setp, set, selp and slct. Comparisons are reduced to a few by swapping operands.

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower::compare {

namespace {

enum class Relation { eq, ne, lt, le, num, equ, neu, ltu, leu, nan };

struct Comparison {
  std::string_view name;
  Relation relation;
  bool swap;         // compare b with a
  bool is_unsigned;  // lo, ls, hi, hs: for unsigned and bit types only
};

constexpr Comparison kComparisons[] = {
    {"eq", Relation::eq, false, false},   {"ne", Relation::ne, false, false},   {"lt", Relation::lt, false, false},
    {"le", Relation::le, false, false},   {"gt", Relation::lt, true, false},    {"ge", Relation::le, true, false},
    {"lo", Relation::lt, false, true},    {"ls", Relation::le, false, true},    {"hi", Relation::lt, true, true},
    {"hs", Relation::le, true, true},     {"equ", Relation::equ, false, false}, {"neu", Relation::neu, false, false},
    {"ltu", Relation::ltu, false, false}, {"leu", Relation::leu, false, false}, {"gtu", Relation::ltu, true, false},
    {"geu", Relation::leu, true, false},  {"num", Relation::num, false, false}, {"nan", Relation::nan, false, false},
};

const Comparison& take_comparison(Decode& d) {
  for (const auto& c : kComparisons)
    if (d.take(c.name)) return c;
  d.fail("the comparison is missing");
}

Op float_op(Relation r, bool is_f64) {
  switch (r) {
    case Relation::eq:
      return is_f64 ? Op::setp_eq_f64 : Op::setp_eq_f32;
    case Relation::ne:
      return is_f64 ? Op::setp_ne_f64 : Op::setp_ne_f32;
    case Relation::lt:
      return is_f64 ? Op::setp_lt_f64 : Op::setp_lt_f32;
    case Relation::le:
      return is_f64 ? Op::setp_le_f64 : Op::setp_le_f32;
    case Relation::num:
      return is_f64 ? Op::setp_num_f64 : Op::setp_num_f32;
    case Relation::equ:
      return is_f64 ? Op::setp_equ_f64 : Op::setp_equ_f32;
    case Relation::neu:
      return is_f64 ? Op::setp_neu_f64 : Op::setp_neu_f32;
    case Relation::ltu:
      return is_f64 ? Op::setp_ltu_f64 : Op::setp_ltu_f32;
    case Relation::leu:
      return is_f64 ? Op::setp_leu_f64 : Op::setp_leu_f32;
    case Relation::nan:
      return is_f64 ? Op::setp_nan_f64 : Op::setp_nan_f32;
  }
  return kNone;
}

Op integer_op(Decode& d, const Comparison& c, Type t) {
  const bool wide = ptx::bits_of(t) == 64, is_signed = ptx::is_signed(t);
  const bool is_bits = t == Type::b16 || t == Type::b32 || t == Type::b64;
  if (c.is_unsigned && is_signed) d.fail(dotted(c.name) + " compares unsigned types");
  switch (c.relation) {
    case Relation::eq:
      return wide ? Op::setp_eq_b64 : Op::setp_eq_b32;
    case Relation::ne:
      return wide ? Op::setp_ne_b64 : Op::setp_ne_b32;
    case Relation::lt:
      if (is_bits) break;
      return wide ? (is_signed ? Op::setp_lt_s64 : Op::setp_lt_u64) : is_signed ? Op::setp_lt_s32 : Op::setp_lt_u32;
    case Relation::le:
      if (is_bits) break;
      return wide ? (is_signed ? Op::setp_le_s64 : Op::setp_le_u64) : is_signed ? Op::setp_le_s32 : Op::setp_le_u32;
    default:
      break;
  }
  d.fail(dotted(c.name) + " is not defined for " + dotted(ptx::to_string(t)));
}

// to = a (comparison) b for operands that lie in slots as type t.
void compare_slots(Decode& d, const Comparison& c, Type t, bool flush, Slot to, Slot a, Slot b) {
  if (flush && t != Type::f32 && t != Type::f16) d.fail(".ftz is defined for .f32 and .f16");
  if (t == Type::f32 || t == Type::f64 || is_half(t)) {
    if (c.is_unsigned) d.fail(dotted(c.name) + " compares unsigned types");
    const auto prepared = [&](Slot x) {
      if (flush) x = d.computed(32, t == Type::f32 ? Op::flush_f32 : Op::flush_f16, x);
      return is_half(t) ? widened(d, x, t) : x;
    };
    a = prepared(a), b = prepared(b);
    return d.emit(float_op(c.relation, t == Type::f64), to, c.swap ? b : a, c.swap ? a : b);
  }
  const Op op = integer_op(d, c, t);
  switch (t) {
    case Type::s16:
      a = d.computed(32, Op::sext16_b32, a);
      b = d.computed(32, Op::sext16_b32, b);
      break;
    case Type::b16:
    case Type::u16:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::b64:
    case Type::u64:
    case Type::s64:
      break;
    default:
      d.fail("it has no form for " + dotted(ptx::to_string(t)));
  }
  d.emit(op, to, c.swap ? b : a, c.swap ? a : b);
}

Op take_combination(Decode& d) {
  if (d.take("and")) return Op::and_pred;
  if (d.take("or")) return Op::or_pred;
  if (d.take("xor")) return Op::xor_pred;
  return kNone;
}

// Slot of a predicate with the comparison's result for one half of packed operands (or for whole operands).
Slot half_result(Decode& d, const Comparison& c, Type t, bool flush, Slot a, Slot b, bool high) {
  const Slot to = d.out.scratch(1);
  const Slot x = half_of(d, a, high), y = half_of(d, b, high);
  compare_slots(d, c, element_of(t), flush, to, x, y);
  return to;
}

}  // namespace

void setp(Decode& d) {
  const Comparison& c = take_comparison(d);
  const bool flush = d.take("ftz");
  const Op combine = take_combination(d);
  const Type t = d.type();
  d.finish(combine == kNone ? 3 : 4);
  const ptx::Operand& target = d.operand(0);
  const bool both = target.kind == ptx::Operand::Kind::pair;
  const Slot a = d.source(1, t), b = d.source(2, t);
  const Slot q = combine == kNone ? kNoSlot : d.predicate_source(3);
  const ptx::Operand& first = both ? target.elements[0] : target;

  if (is_packed(t)) {  // p for the low half, q for the high half
    Slot low = half_result(d, c, t, flush, a, b, false), high = half_result(d, c, t, flush, a, b, true);
    if (combine != kNone) {
      low = d.computed(1, combine, low, q);
      high = d.computed(1, combine, high, q);
    }
    d.emit(Op::mov_pred, d.out.predicate_destination(first), low);
    if (both) d.emit(Op::mov_pred, d.out.predicate_destination(target.elements[1]), high);
    return;
  }
  if (!both && combine == kNone) return compare_slots(d, c, t, flush, d.out.predicate_destination(first), a, b);

  // q may be one of the registers written: it is read into the results before either is.
  const Slot result = d.out.scratch(1);
  compare_slots(d, c, t, flush, result, a, b);
  const Slot p_value = combine == kNone ? result : d.computed(1, combine, result, q);
  if (both) {
    Slot other = d.computed(1, Op::not_pred, result);
    if (combine != kNone) other = d.computed(1, combine, other, q);
    d.emit(Op::mov_pred, d.out.predicate_destination(target.elements[1]), other);
  }
  d.emit(Op::mov_pred, d.out.predicate_destination(first), p_value);
}

void set(Decode& d) {
  const Comparison& c = take_comparison(d);
  const bool flush = d.take("ftz");
  const Op combine = take_combination(d);
  const Type to_type = d.type(), t = d.type();
  d.finish(combine == kNone ? 3 : 4);
  const Slot a = d.source(1, t), b = d.source(2, t);
  const Slot q = combine == kNone ? kNoSlot : d.predicate_source(3);
  std::uint32_t one = 0;
  switch (to_type) {
    case Type::u32:
    case Type::s32:
      one = 0xffffffffu;
      break;
    case Type::u16:
    case Type::s16:
      one = 0xffffu;
      break;
    case Type::f32:
      one = 0x3f800000u;
      break;
    case Type::f16:
    case Type::f16x2:
      one = 0x3c00u;
      break;
    case Type::bf16:
    case Type::bf16x2:
      one = 0x3f80u;
      break;
    default:
      d.fail("it has no result of type " + dotted(ptx::to_string(to_type)));
  }
  const auto chosen = [&](Slot p) { return combine == kNone ? p : d.computed(1, combine, p, q); };
  const Slot zero = d.out.pool32(0);
  if (is_packed(t)) {
    if (!is_packed(to_type)) d.fail("packed operands give a packed result");
    const Slot low = chosen(half_result(d, c, t, flush, a, b, false)),
               high = chosen(half_result(d, c, t, flush, a, b, true));
    const Slot x = d.computed(32, Op::selp_b32, d.out.pool32(one), zero, low);
    const Slot y = d.computed(32, Op::selp_b32, d.out.pool32(one), zero, high);
    return d.emit(Op::pack_b32, d.destination(to_type), x, y);
  }
  if (is_packed(to_type)) d.fail("a packed result needs packed operands");
  const Slot p = d.out.scratch(1);
  compare_slots(d, c, t, flush, p, a, b);
  d.emit(Op::selp_b32, d.destination(to_type), d.out.pool32(one), zero, chosen(p));
}

void selp(Decode& d) {
  const Type t = d.type();
  d.finish(4);
  const unsigned bits = ptx::bits_of(t);
  if (bits != 16 && bits != 32 && bits != 64) d.fail("it has no form for " + dotted(ptx::to_string(t)));
  const Slot a = d.source(1, t), b = d.source(2, t), p = d.predicate_source(3);
  d.emit(bits == 64 ? Op::selp_b64 : Op::selp_b32, d.destination(t), a, b, p);
}

void slct(Decode& d) {
  const bool flush = d.take("ftz");
  const Type t = d.type(), by = d.type();
  d.finish(4);
  if (by != Type::s32 && by != Type::f32) d.fail("it chooses by .s32 or .f32");
  const unsigned bits = ptx::bits_of(t);
  if (bits != 16 && bits != 32 && bits != 64) d.fail("it has no form for " + dotted(ptx::to_string(t)));
  const Slot a = d.source(1, t), b = d.source(2, t);
  Slot c = d.source(3, by);
  if (flush) c = d.computed(32, Op::flush_f32, c);
  // c >= 0 as 0 <= c: NaN chooses b, -0 chooses a.
  const Slot p = d.computed(1, by == Type::s32 ? Op::setp_le_s32 : Op::setp_le_f32, d.out.pool32(0), c);
  d.emit(bits == 64 ? Op::selp_b64 : Op::selp_b32, d.destination(t), a, b, p);
}

}  // namespace judge::emulator::lower::compare
