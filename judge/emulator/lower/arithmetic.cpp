// The families of arithmetic instructions by opcode, and the reading of their modifiers.

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "judge/emulator/lower/decode.h"

namespace judge::emulator::lower {

namespace {

using Decoder = void (*)(Decode&);

// Opcodes that integers and floats share.
template <Decoder kInteger, Decoder kFloat>
void by_class(Decode& d) {
  d.last_is_float() ? kFloat(d) : kInteger(d);
}

const std::unordered_map<std::string_view, Decoder>& decoders() {
  static const std::unordered_map<std::string_view, Decoder> table = {
      {"add", by_class<integer::add, floating::add>},
      {"sub", by_class<integer::sub, floating::sub>},
      {"mul", by_class<integer::mul, floating::mul>},
      {"mad", by_class<integer::mad, floating::fma>},
      {"div", by_class<integer::div, floating::div>},
      {"abs", by_class<integer::abs, floating::abs>},
      {"neg", by_class<integer::neg, floating::neg>},
      {"min", by_class<integer::min, floating::min>},
      {"max", by_class<integer::max, floating::max>},
      {"addc", integer::addc},
      {"subc", integer::subc},
      {"madc", integer::madc},
      {"mul24", integer::mul24},
      {"mad24", integer::mad24},
      {"sad", integer::sad},
      {"rem", integer::rem},
      {"dp4a", integer::dp4a},
      {"dp2a", integer::dp2a},
      {"and", bits::and_},
      {"or", bits::or_},
      {"xor", bits::xor_},
      {"not", bits::not_},
      {"cnot", bits::cnot},
      {"shl", bits::shl},
      {"shr", bits::shr},
      {"shf", bits::shf},
      {"lop3", bits::lop3},
      {"popc", bits::popc},
      {"clz", bits::clz},
      {"bfind", bits::bfind},
      {"fns", bits::fns},
      {"brev", bits::brev},
      {"bfe", bits::bfe},
      {"bfi", bits::bfi},
      {"bmsk", bits::bmsk},
      {"szext", bits::szext},
      {"prmt", bits::prmt},
      {"fma", floating::fma},
      {"rcp", floating::rcp},
      {"sqrt", floating::sqrt},
      {"rsqrt", floating::rsqrt},
      {"copysign", floating::copysign},
      {"testp", floating::testp},
      {"ex2", floating::ex2},
      {"lg2", floating::lg2},
      {"sin", floating::sin},
      {"cos", floating::cos},
      {"tanh", floating::tanh},
      {"setp", compare::setp},
      {"set", compare::set},
      {"selp", compare::selp},
      {"slct", compare::slct},
      {"mov", convert::mov},
      {"cvt", convert::cvt},
  };
  return table;
}

}  // namespace

bool lower_arithmetic(const ptx::Instruction& instruction, FunctionLowering& out) {
  const auto it = decoders().find(instruction.opcode);
  if (it == decoders().end()) return false;
  Decode d(instruction, out);
  it->second(d);
  return true;
}

Decode::Decode(const ptx::Instruction& instruction, FunctionLowering& out_)
    : out(out_), instruction_(instruction), left_(instruction.modifiers) {}

bool Decode::take(std::string_view modifier) {
  const auto it = std::find(left_.begin(), left_.end(), modifier);
  if (it == left_.end()) return false;
  left_.erase(it);
  return true;
}

std::optional<Rounding> Decode::take_rounding() {
  if (take("rn")) return Rounding::nearest;
  if (take("rz")) return Rounding::zero;
  if (take("rm")) return Rounding::minus;
  if (take("rp")) return Rounding::plus;
  return std::nullopt;
}

std::optional<Type> Decode::take_type() {
  for (auto it = left_.begin(); it != left_.end(); ++it) {
    if (const auto t = ptx::type_from(*it)) {
      left_.erase(it);
      return t;
    }
  }
  return std::nullopt;
}

Type Decode::type() {
  const auto t = take_type();
  if (!t) fail("its type is missing or not known");
  return *t;
}

bool Decode::last_is_float() const {
  for (auto it = left_.rbegin(); it != left_.rend(); ++it)
    if (const auto t = ptx::type_from(*it)) return ptx::is_float(*t) || is_half(*t);
  return false;
}

void Decode::finish(std::size_t operands) {
  if (!left_.empty()) fail("the modifier " + dotted(left_.front()) + " is not implemented here");
  if (instruction_.operands.size() != operands)
    fail("it has " + std::to_string(instruction_.operands.size()) + " operands instead of " + std::to_string(operands));
}

void Decode::fail(const std::string& why) {
  out.unsupported(instruction_, why);
  std::abort();  // not reached: unsupported() throws
}

void Decode::emit(Op op, Slot d, Slot a, Slot b, Slot c, std::uint32_t aux, std::uint64_t imm) {
  Instr& i = out.emit(op);
  i.d = d;
  i.a = a;
  i.b = b == kNoSlot ? a : b;
  i.c = c == kNoSlot ? a : c;
  i.aux = aux;
  i.imm = imm;
}

Slot Decode::computed(unsigned bits, Op op, Slot a, Slot b, Slot c, std::uint32_t aux) {
  const Slot d = out.scratch(bits);
  emit(op, d, a, b, c, aux);
  return d;
}

std::string dotted(std::string_view modifier) {
  std::string s(1, '.');
  return s.append(modifier);
}

bool is_half(Type t) {
  return t == Type::f16 || t == Type::f16x2 || t == Type::bf16 || t == Type::bf16x2;
}
bool is_packed(Type t) {
  return t == Type::f16x2 || t == Type::bf16x2;
}
bool is_bfloat(Type t) {
  return t == Type::bf16 || t == Type::bf16x2;
}
Type element_of(Type t) {
  return t == Type::f16x2 ? Type::f16 : t == Type::bf16x2 ? Type::bf16 : t;
}

Op by_width(Decode& d, Type t, Op b16, Op b32, Op b64) {
  Op op = kNone;
  switch (t) {
    case Type::b16:
    case Type::u16:
    case Type::s16:
      op = b16;
      break;
    case Type::b32:
    case Type::u32:
    case Type::s32:
      op = b32;
      break;
    case Type::b64:
    case Type::u64:
    case Type::s64:
      op = b64;
      break;
    default:
      break;
  }
  if (op == kNone) d.fail("it has no form for " + dotted(ptx::to_string(t)));
  return op;
}

Op by_type(Decode& d, Type t, const IntegerOps& ops) {
  return ptx::is_signed(t) ? by_width(d, t, ops.s16, ops.s32, ops.s64) : by_width(d, t, ops.u16, ops.u32, ops.u64);
}

Slot widened(Decode& d, Slot half, Type element) {
  return d.computed(32, is_bfloat(element) ? Op::f32_from_bf16 : Op::f32_from_f16, half);
}

Slot half_of(Decode& d, Slot packed, bool high) {
  return d.computed(32, high ? Op::high_b32 : Op::low_b32, packed);
}

}  // namespace judge::emulator::lower
