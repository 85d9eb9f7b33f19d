// Lowering of loads, stores, atomics, fences and address conversions.

#include <algorithm>
#include <bit>

#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

using memop::AtomOp;
using memop::AtomType;

struct Access {
  std::uint32_t space = memop::generic;
  unsigned vector = 1;
  ptx::Type type = ptx::Type::none;
  bool strong = false, orders = false;  // orders: acquire or release at a scope beyond the block
};

// Cache and eviction hints change speed on hardware, never the result (PTX ISA 9.7.9, "Cache Operators").
bool is_hint(std::string_view m) {
  static constexpr std::string_view kHints[] = {"ca", "cg",   "cs",    "lu",   "cv",      "wb",    "wt",
                                                "nc", "weak", "noftz", "mmio", "unified", "async", "L2::cache_hint"};
  return std::find(std::begin(kHints), std::end(kHints), m) != std::end(kHints) || m.starts_with("L1::") ||
         m.starts_with("L2::");
}

bool is_scope(std::string_view m) {
  return m == "cta" || m == "cluster" || m == "gpu" || m == "sys";
}

std::optional<std::uint32_t> space_from(std::string_view m) {
  if (m == "global") return memop::global;
  if (m == "shared" || m == "shared::cta") return memop::shared;
  if (m == "local") return memop::local;
  if (m == "const") return memop::constant;
  if (m == "param" || m == "param::entry" || m == "param::func") return memop::param;
  return std::nullopt;
}

}  // namespace

void Lowering::note_unit(std::uint32_t space, unsigned width) {
  Program& p = kernel_.program();
  const unsigned shift = std::min(2u, static_cast<unsigned>(std::countr_zero(width)));
  if (space == memop::shared || space == memop::generic) p.shared_unit_shift = std::min(p.shared_unit_shift, shift);
  if (space == memop::global || space == memop::generic) p.global_unit_shift = std::min(p.global_unit_shift, shift);
}

Lowering::AddressOperand Lowering::address(const ptx::Operand& o, const ptx::Instruction& i) {
  AddressOperand a;
  if (o.kind != ptx::Operand::Kind::address) unsupported(i, "an address in brackets is expected");
  a.offset = static_cast<std::uint64_t>(o.offset);
  if (o.base_is_reg) {
    const unsigned bits = slot_bits(function_.registers[o.reg].type);
    if (bits != 32 && bits != 64) unsupported(i, "an address register of 32 or 64 bits is expected");
    a.base = placement_.slots[o.reg];
    a.wide = bits == 64;
  } else if (local_offsets_.count(o.name) != 0 && o.base_is_symbol && !function_.is_entry) {
    a.base = local_address(local_offsets_.at(o.name), true);
    a.wide = true;
  } else if (o.base_is_symbol) {
    a.offset += symbol_value(o.name, &i, &a.variable);
  }
  return a;
}

Slot Lowering::data_slot(const ptx::Operand& o, ptx::Type type, bool is_destination, std::uint32_t* aux) {
  if (o.kind == ptx::Operand::Kind::reg) {
    const unsigned bits = slot_bits(function_.registers[o.reg].type);
    if (bits == 1 || bits > 64) unsupported(*now_, "a data register of 8 to 64 bits is expected");
    if (bits == 64) *aux |= memop::kRegister64;
    if (ptx::bits_of(function_.registers[o.reg].type) == 16) *aux |= memop::kRegister16;
    return placement_.slots[o.reg];
  }
  const bool wide = ptx::bits_of(type) == 64;
  if (wide) *aux |= memop::kRegister64;
  if (is_destination) {
    if (o.kind != ptx::Operand::Kind::sink) unsupported(*now_, "a register is expected as destination");
    return scratch(wide ? 64 : 32);
  }
  return source(o, type);
}

namespace {

Access parse_access(const ptx::Instruction& i, Lowering& lowering) {
  Access a;
  for (const auto m : i.modifiers) {
    if (const auto s = space_from(m))
      a.space = *s;
    else if (m == "v2")
      a.vector = 2;
    else if (m == "v4")
      a.vector = 4;
    else if (m == "v8")
      a.vector = 8;
    else if (const auto t = ptx::type_from(m))
      a.type = *t;
    else if (m == "volatile" || m == "relaxed")
      a.strong = true;
    else if (m == "acquire" || m == "release")
      a.strong = a.orders = true;
    else if (m == "shared::cluster")
      lowering.unsupported(i, "distributed shared memory");
    else if (!is_hint(m) && !is_scope(m))
      lowering.unsupported(i, "modifier ." + std::string(m));
  }
  if (a.type == ptx::Type::none || a.type == ptx::Type::b128) lowering.unsupported(i, "its type");
  return a;
}

}  // namespace

void Lowering::lower_load(const ptx::Instruction& i) {
  if (i.operands.size() < 2) unsupported(i, "a destination and an address are expected");
  const Access access = parse_access(i, *this);
  const unsigned width = ptx::bits_of(access.type) / 8;
  if (access.orders && !i.has_modifier("cta")) kernel_.program().orders_across_blocks = true;

  if (access.space == memop::param && i.operands[1].base_is_symbol) {
    // Parameters at a fixed place: of the kernel, or of a device function (bytes in the frame).
    std::vector<ptx::Operand> elements{i.operands[0]};
    if (i.operands[0].kind == ptx::Operand::Kind::vector) elements = i.operands[0].elements;
    std::uint32_t offset = 0;
    const bool kernel_parameter = is_entry_parameter(i.operands[1].name, &offset);
    const ParamRegion* region = kernel_parameter ? nullptr : param_region(i.operands[1].name);
    if (!kernel_parameter && region == nullptr)
      unsupported(i, "the parameter " + std::string(i.operands[1].name) + " is not declared");
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::uint32_t aux = static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift;
      if (ptx::is_signed(access.type)) aux |= memop::kSigned;
      const Slot d = data_slot(elements[k], access.type, true, &aux);
      const std::uint64_t at = static_cast<std::uint64_t>(i.operands[1].offset) + k * width;
      const std::uint64_t end = kernel_parameter ? kernel_.program().parameter_bytes : region->bytes;
      if ((kernel_parameter ? offset : 0) + at + width > end) unsupported(i, "it reads past the end of the parameter");
      const bool wide = (aux & memop::kRegister64) != 0;
      const Op op = !kernel_parameter     ? Op::ld_frame
                    : width == 4 && !wide ? Op::ld_param_32
                    : width == 8 && wide  ? Op::ld_param_64
                                          : Op::ld_param;
      Instr& l = emit(op);
      l.d = d;
      l.aux = aux;
      if (kernel_parameter) {
        l.imm = offset + at;
      } else {
        l.imm = region->frame_offset + at;
        l.b = region->stride;
      }
    }
    return;
  }

  const AddressOperand at = address(i.operands[1], i);
  std::uint32_t aux = access.space | static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(access.vector)) << memop::kVectorShift;
  if (ptx::is_signed(access.type)) aux |= memop::kSigned;
  if (access.strong) aux |= memop::kStrong;
  if (at.wide) aux |= memop::kAddress64;
  if (access.space == memop::constant) aux |= memop::kCounted;
  if (access.space == memop::shared && is_quiet(i)) aux |= memop::kQuiet;
  if (access.space != memop::constant) note_unit(access.space, width);

  Slot d;
  if (access.vector > 1) {
    if (i.operands[0].elements.size() != access.vector)
      unsupported(i, std::to_string(access.vector) + " destinations are expected");
    std::vector<Slot> slots;
    for (const auto& e : i.operands[0].elements) slots.push_back(data_slot(e, access.type, true, &aux));
    d = list(slots);
  } else {
    d = data_slot(i.operands[0], access.type, true, &aux);
  }

  const bool plain32 = access.vector == 1 && width == 4 && (aux & (memop::kRegister64 | memop::kStrong)) == 0;
  const bool plain64 = access.vector == 1 && width == 8 && (aux & memop::kStrong) == 0;
  Op op = Op::ld;
  std::uint64_t imm = at.offset;
  if (access.space == memop::constant && at.base == kNoSlot && at.variable != nullptr && (plain32 || plain64) &&
      at.offset % width == 0 && at.variable->contains(at.offset, width)) {
    op = plain32 ? Op::ld_const_32 : Op::ld_const_64;
    imm = reinterpret_cast<std::uint64_t>(at.variable->data + (at.offset - at.variable->base));
  } else if (access.space == memop::shared && plain32 && at.base != kNoSlot && !at.wide) {
    op = Op::ld_shared_32;
  } else if (access.space == memop::global && plain32 && at.base != kNoSlot && at.wide) {
    op = Op::ld_global_32;
  }
  Instr& l = emit(op);
  l.d = d;
  l.a = at.base;
  l.imm = imm;
  l.aux = aux;
}

void Lowering::lower_store(const ptx::Instruction& i) {
  if (i.operands.size() < 2) unsupported(i, "an address and a value are expected");
  const Access access = parse_access(i, *this);
  const unsigned width = ptx::bits_of(access.type) / 8;
  if (access.orders && !i.has_modifier("cta")) kernel_.program().orders_across_blocks = true;

  if (access.space == memop::param) {
    const ParamRegion* region = i.operands[0].base_is_symbol ? param_region(i.operands[0].name) : nullptr;
    if (region == nullptr) unsupported(i, "only .param variables of the function can be stored to");
    std::vector<ptx::Operand> elements{i.operands[1]};
    if (i.operands[1].kind == ptx::Operand::Kind::vector) elements = i.operands[1].elements;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::uint32_t aux = static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift;
      const Slot value = data_slot(elements[k], access.type, false, &aux);
      const std::uint64_t at = static_cast<std::uint64_t>(i.operands[0].offset) + k * width;
      if (at + width > region->bytes) unsupported(i, "it writes past the end of the parameter");
      Instr& s = emit(Op::st_frame);
      s.d = value;
      s.aux = aux;
      s.imm = region->frame_offset + at;
      s.b = region->stride;
    }
    return;
  }

  const AddressOperand at = address(i.operands[0], i);
  std::uint32_t aux = access.space | static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(access.vector)) << memop::kVectorShift;
  if (access.strong) aux |= memop::kStrong;
  if (at.wide) aux |= memop::kAddress64;
  note_unit(access.space, width);
  Slot value;
  if (access.vector > 1) {
    if (i.operands[1].elements.size() != access.vector)
      unsupported(i, std::to_string(access.vector) + " values are expected");
    std::vector<Slot> slots;
    for (const auto& e : i.operands[1].elements) slots.push_back(data_slot(e, access.type, false, &aux));
    value = list(slots);
  } else {
    value = data_slot(i.operands[1], access.type, false, &aux);
  }
  const bool plain32 =
      access.vector == 1 && width == 4 && (aux & (memop::kRegister64 | memop::kStrong)) == 0 && at.base != kNoSlot;
  Op op = Op::st;
  if (plain32 && access.space == memop::shared && !at.wide)
    op = Op::st_shared_32;
  else if (plain32 && access.space == memop::global && at.wide)
    op = Op::st_global_32;
  Instr& s = emit(op);
  s.d = value;
  s.a = at.base;
  s.imm = at.offset;
  s.aux = aux;
}

void Lowering::lower_atomic(const ptx::Instruction& i, bool has_result) {
  std::uint32_t space = memop::generic;
  std::optional<AtomOp> op;
  ptx::Type type = ptx::Type::none;
  bool orders = false, block_scope = false;
  for (const auto m : i.modifiers) {
    static constexpr std::pair<std::string_view, AtomOp> kOps[] = {
        {"add", AtomOp::add}, {"min", AtomOp::min},  {"max", AtomOp::max},   {"and", AtomOp::and_},
        {"or", AtomOp::or_},  {"xor", AtomOp::xor_}, {"exch", AtomOp::exch}, {"cas", AtomOp::cas},
        {"inc", AtomOp::inc}, {"dec", AtomOp::dec}};
    const auto found = std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& e) { return e.first == m; });
    if (found != std::end(kOps))
      op = found->second;
    else if (const auto s = space_from(m))
      space = *s;
    else if (const auto t = ptx::type_from(m))
      type = *t;
    else if (m == "acquire" || m == "release" || m == "acq_rel")
      orders = true;
    else if (m == "cta")
      block_scope = true;
    else if (m != "relaxed" && !is_hint(m) && !is_scope(m))
      unsupported(i, "modifier ." + std::string(m));
  }
  if (!op || type == ptx::Type::none) unsupported(i, "");
  AtomType kind;
  switch (type) {
    case ptx::Type::b32:
    case ptx::Type::u32:
      kind = AtomType::u32;
      break;
    case ptx::Type::s32:
      kind = AtomType::s32;
      break;
    case ptx::Type::b64:
    case ptx::Type::u64:
      kind = AtomType::u64;
      break;
    case ptx::Type::s64:
      kind = AtomType::s64;
      break;
    case ptx::Type::f32:
      kind = AtomType::f32;
      break;
    case ptx::Type::f64:
      kind = AtomType::f64;
      break;
    case ptx::Type::f16:
      kind = AtomType::f16;
      break;
    case ptx::Type::bf16:
      kind = AtomType::bf16;
      break;
    case ptx::Type::f16x2:
      kind = AtomType::f16x2;
      break;
    case ptx::Type::bf16x2:
      kind = AtomType::bf16x2;
      break;
    case ptx::Type::b16:
      kind = AtomType::b16;
      break;
    default:
      unsupported(i, "its type");
  }
  const bool floating = kind == AtomType::f32 || kind == AtomType::f64 || kind == AtomType::f16 ||
                        kind == AtomType::bf16 || kind == AtomType::f16x2 || kind == AtomType::bf16x2;
  if (floating && *op != AtomOp::add) unsupported(i, "only add exists for floating-point types here");
  if (kind == AtomType::b16 && *op != AtomOp::cas && *op != AtomOp::exch) unsupported(i, "its type");
  const unsigned width = ptx::bits_of(type) / 8;

  const std::size_t first = has_result ? 1 : 0;
  const std::size_t values = *op == AtomOp::cas ? 2 : 1;
  if (i.operands.size() < first + 1 + values)
    unsupported(i, std::to_string(first + 1 + values) + " operands are expected");
  std::uint32_t aux = space | static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(*op) << memop::kAtomShift |
                      static_cast<std::uint32_t>(kind) << memop::kAtomTypeShift;
  const AddressOperand at = address(i.operands[first], i);
  if (at.wide) aux |= memop::kAddress64;
  std::uint32_t ignored = 0;
  const Slot b = data_slot(i.operands[first + 1], type, false, &ignored);
  const Slot c = values == 2 ? data_slot(i.operands[first + 2], type, false, &ignored) : kNoSlot;
  Slot d = kNoSlot;
  if (has_result && i.operands[0].kind != ptx::Operand::Kind::sink) d = data_slot(i.operands[0], type, true, &aux);
  // ptxas turns an atomic whose result nobody reads into a reduction; the hardware counts the two apart.
  if (d == kNoSlot || (i.operands[0].kind == ptx::Operand::Kind::reg && !read_[i.operands[0].reg]))
    aux |= memop::kNoResult;
  const ptx::Operand& value = i.operands[first + 1];
  if ((aux & memop::kNoResult) != 0 && *op == AtomOp::add && kind == AtomType::u32 &&
      value.kind == ptx::Operand::Kind::immediate && value.bits == 1)
    aux |= memop::kCountsOne;
  note_unit(space, width);
  Program& p = kernel_.program();
  if (space != memop::shared) p.has_global_atomics = true;
  if (orders && !block_scope) p.orders_across_blocks = true;
  Instr& a = emit(Op::atom);
  a.d = d;
  a.a = at.base;
  a.b = b;
  a.c = c;
  a.imm = at.offset;
  a.aux = aux;
}

bool Lowering::lower_memory(const ptx::Instruction& i) {
  if (i.opcode == "ld" || i.opcode == "ldu") {
    lower_load(i);
    return true;
  }
  if (i.opcode == "st") {
    lower_store(i);
    return true;
  }
  if (i.opcode == "atom") {
    lower_atomic(i, true);
    return true;
  }
  if (i.opcode == "red" && !i.has_modifier("async")) {
    lower_atomic(i, false);
    return true;
  }
  if (i.opcode == "membar" || i.opcode == "fence") {
    if (i.has_modifier("gl") || i.has_modifier("gpu") || i.has_modifier("sys"))
      kernel_.program().orders_across_blocks = true;
    emit(Op::fence);
    return true;
  }
  if (i.opcode == "prefetch" || i.opcode == "prefetchu" || i.opcode == "discard" || i.opcode == "applypriority") {
    emit(Op::prefetch);
    return true;
  }
  if (i.opcode == "cvta") {
    // cvta{.to}.space.size d, a;  between a space's own address and the generic one (PTX ISA, "cvta").
    if (i.operands.size() != 2) unsupported(i, "two operands are expected");
    std::uint32_t space = memop::generic;
    for (const auto m : i.modifiers)
      if (const auto s = space_from(m)) space = *s;
    const bool wide = i.has_modifier("u64") || i.has_modifier("s64") || i.has_modifier("b64");
    if (!wide) unsupported(i, "32-bit generic addresses");
    if (i.has_modifier("shared::cluster")) unsupported(i, "distributed shared memory");
    const Slot a = source(i.operands[1], ptx::Type::u64);
    const Slot d = destination(i.operands[0], ptx::Type::u64);
    Instr& c = emit(i.has_modifier("to") ? Op::cvta_to : Op::cvta_from);
    c.d = d;
    c.a = a;
    c.aux = space;
    return true;
  }
  if (i.opcode == "isspacep") {
    if (i.operands.size() != 2) unsupported(i, "two operands are expected");
    std::uint32_t space = memop::generic;
    for (const auto m : i.modifiers)
      if (const auto s = space_from(m)) space = *s;
    if (space == memop::generic) unsupported(i, "its space");
    const Slot a = source(i.operands[1], ptx::Type::u64);
    const Slot d = predicate_destination(i.operands[0]);
    Instr& c = emit(Op::isspacep);
    c.d = d;
    c.a = a;
    c.aux = space;
    return true;
  }
  return false;
}

}  // namespace judge::emulator::lower
