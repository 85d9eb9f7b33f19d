// Lowering of atom and red (PTX ISA, "atom", "red").
//
// The scope and the order matter for races and for the order of blocks only: every atomic is carried out one lane after
// another, and blocks of a kernel with atomics on global memory take turns.

#include <algorithm>
#include <bit>

#include "judge/emulator/lower/lowering.h"
#include "judge/emulator/lower/memory_modifiers.h"

namespace judge::emulator::lower {

namespace {

using memop::AtomOp;
using memop::AtomType;
using ptx::Type;

struct Atomic {
  std::uint32_t space = memop::generic;
  std::optional<AtomOp> op;
  Type type = Type::none;
  unsigned vector = 1;
  bool orders = false, releases = false, block_scope = false, noftz = false;
};

Atomic parse_atomic(const ptx::Instruction& i, Lowering& lowering) {
  static constexpr std::pair<std::string_view, AtomOp> kOps[] = {
      {"add", AtomOp::add},  {"min", AtomOp::min},   {"max", AtomOp::max}, {"and", AtomOp::and_}, {"or", AtomOp::or_},
      {"xor", AtomOp::xor_}, {"exch", AtomOp::exch}, {"cas", AtomOp::cas}, {"inc", AtomOp::inc},  {"dec", AtomOp::dec}};
  Atomic a;
  for (const auto m : i.modifiers) {
    const auto found = std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& e) { return e.first == m; });
    if (found != std::end(kOps))
      a.op = found->second;
    else if (const auto s = space_from(m))
      a.space = *s;
    else if (const auto t = ptx::type_from(m))
      a.type = *t;
    else if (m == "v2" || m == "v4" || m == "v8")
      a.vector = static_cast<unsigned>(m[1] - '0');
    else if (m == "acquire")
      a.orders = true;
    else if (m == "release" || m == "acq_rel")
      a.orders = a.releases = true;
    else if (m == "noftz")
      a.noftz = true;
    else if (m == "cta")
      a.block_scope = true;
    else if (m != "relaxed" && !is_hint(m) && !is_scope(m))
      lowering.unsupported(i, "modifier ." + std::string(m));
  }
  if (!a.op || a.type == Type::none) lowering.unsupported(i, "an operation and a type are expected");
  if (a.space != memop::generic && a.space != memop::global && a.space != memop::shared)
    lowering.unsupported(i, "atomics exist on global and shared memory only");
  return a;
}

bool is_half(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f16x2 || t == Type::bf16x2;
}

// The combinations of the table in PTX ISA, "atom"; ptxas refuses all others.
bool exists(const Atomic& a) {
  const Type t = a.type;
  if (is_half(t)) {
    if (!a.noftz) return false;
    return *a.op == AtomOp::add || (a.vector > 1 && (*a.op == AtomOp::min || *a.op == AtomOp::max));
  }
  switch (*a.op) {
    case AtomOp::add:
      return t == Type::u32 || t == Type::s32 || t == Type::u64 || t == Type::f32 || t == Type::f64;
    case AtomOp::min:
    case AtomOp::max:
      return t == Type::u32 || t == Type::s32 || t == Type::u64 || t == Type::s64;
    case AtomOp::and_:
    case AtomOp::or_:
    case AtomOp::xor_:
      return t == Type::b32 || t == Type::b64;
    case AtomOp::inc:
    case AtomOp::dec:
      return t == Type::u32;
    case AtomOp::exch:
      return t == Type::b32 || t == Type::b64 || t == Type::b128;
    case AtomOp::cas:
      return t == Type::b16 || t == Type::b32 || t == Type::b64 || t == Type::b128;
  }
  return false;
}

AtomType kind_of(Type t) {
  switch (t) {
    case Type::s32:
      return AtomType::s32;
    case Type::b64:
    case Type::u64:
      return AtomType::u64;
    case Type::s64:
      return AtomType::s64;
    case Type::f32:
      return AtomType::f32;
    case Type::f64:
      return AtomType::f64;
    case Type::f16:
      return AtomType::f16;
    case Type::bf16:
      return AtomType::bf16;
    case Type::f16x2:
      return AtomType::f16x2;
    case Type::bf16x2:
      return AtomType::bf16x2;
    case Type::b16:
      return AtomType::b16;
    case Type::b128:
      return AtomType::b128;
    default:
      return AtomType::u32;
  }
}

}  // namespace

void Lowering::lower_atomic(const ptx::Instruction& i, bool has_result) {
  using Kind = ptx::Operand::Kind;
  const Atomic what = parse_atomic(i, *this);
  if (!exists(what)) unsupported(i, "PTX has no such combination of operation, type and .noftz");
  const AtomType kind = kind_of(what.type);
  const unsigned width = ptx::bits_of(what.type) / 8;
  if (what.vector > 1) {
    if (what.space == memop::shared) unsupported(i, "vector atomics exist on global memory only");
    const unsigned most = what.type == Type::f32 || width == 4 ? 4 : 8;
    if (!(what.type == Type::f32 || is_half(what.type)) || what.vector > most)
      unsupported(i, "PTX has no vector atomic of this type and length");
  }

  const std::size_t first = has_result ? 1 : 0;
  const std::size_t values = *what.op == AtomOp::cas ? 2 : 1;
  if (i.operands.size() < first + 1 + values)
    unsupported(i, std::to_string(first + 1 + values) + " operands are expected");

  // One slot an element: a vector has as many registers as it says, a 128-bit register is two 64-bit halves.
  const auto slots_of = [&](const ptx::Operand& o, bool is_destination) {
    std::vector<Slot> slots;
    const auto add = [&](const ptx::Operand& e) {
      if (what.type == Type::b128) {
        const auto halves = wide_register(e, is_destination);
        slots.insert(slots.end(), halves.begin(), halves.end());
      } else {
        slots.push_back(is_destination ? destination(e, what.type) : source(e, what.type));
      }
    };
    if (what.vector == 1) {
      add(o);
    } else {
      if (o.kind != Kind::vector || o.elements.size() != what.vector)
        unsupported(i, "a vector of " + std::to_string(what.vector) + " registers is expected");
      for (const auto& e : o.elements) add(e);
    }
    return slots;
  };
  const bool is_list = what.vector > 1 || what.type == Type::b128;
  const auto placed = [&](const std::vector<Slot>& slots) { return is_list ? list(slots) : slots[0]; };

  std::uint32_t aux = what.space | static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(what.vector)) << memop::kVectorShift |
                      static_cast<std::uint32_t>(*what.op) << memop::kAtomShift |
                      static_cast<std::uint32_t>(kind) << memop::kAtomTypeShift;
  if (width == 8) aux |= memop::kRegister64;
  const AddressOperand at = address(i.operands[first], i);
  if (at.wide) aux |= memop::kAddress64;
  const Slot b = placed(slots_of(i.operands[first + 1], false));
  const Slot c = values == 2 ? placed(slots_of(i.operands[first + 2], false)) : kNoSlot;
  const bool has_destination = has_result && i.operands[0].kind != Kind::sink;
  const Slot d = has_destination ? placed(slots_of(i.operands[0], true)) : kNoSlot;
  // ptxas turns an atomic whose result nobody reads into a reduction; the hardware counts the two apart.
  const auto is_read = [&](const auto& self, const ptx::Operand& o) -> bool {
    if (o.kind == Kind::reg) return read_[o.reg];
    return std::any_of(o.elements.begin(), o.elements.end(), [&](const auto& e) { return self(self, e); });
  };
  if (!has_destination || !is_read(is_read, i.operands[0])) aux |= memop::kNoResult;
  const ptx::Operand& value = i.operands[first + 1];
  if ((aux & memop::kNoResult) != 0 && *what.op == AtomOp::add && kind == AtomType::u32 &&
      value.kind == Kind::immediate && value.bits == 1)
    aux |= memop::kCountsOne;
  const bool floating = kind == AtomType::f32 || kind == AtomType::f64 || kind == AtomType::f16 ||
                        kind == AtomType::f16x2 || kind == AtomType::bf16 || kind == AtomType::bf16x2;
  const bool combines = *what.op == AtomOp::add || *what.op == AtomOp::min || *what.op == AtomOp::max ||
                        *what.op == AtomOp::and_ || *what.op == AtomOp::or_ || *what.op == AtomOp::xor_;
  const bool adds_constant = *what.op == AtomOp::add && value.kind == Kind::immediate;
  if (!floating && combines && has_one_address(i) && ((aux & memop::kNoResult) != 0 || adds_constant))
    aux |= memop::kOneLane;
  note_unit(what.space, width);
  Program& p = kernel_.program();
  if (what.space != memop::shared) p.has_global_atomics = true;
  if (what.orders) note_order(!what.block_scope);
  if (what.releases) aux |= memop::kReleases | (what.block_scope ? 0 : memop::kBeyondBlock);
  Instr& a = emit(Op::atom);
  a.d = d;
  a.a = at.base;
  a.b = b;
  a.c = c;
  a.imm = at.offset;
  a.aux = aux;
  note_bounds(i.operands[first], true);
}

}  // namespace judge::emulator::lower
