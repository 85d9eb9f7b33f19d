// Lowering of loads, stores, atomics, fences and address conversions.

#include <algorithm>
#include <bit>

#include "judge/emulator/lower/lowering.h"
#include "judge/emulator/lower/memory_modifiers.h"

namespace judge::emulator::lower {

namespace {

struct Access {
  std::uint32_t space = memop::generic;
  unsigned vector = 1;
  ptx::Type type = ptx::Type::none;
  bool read_only = false;
  bool strong = false, orders = false, releases = false;  // orders: acquire or release
};

}  // namespace

void Lowering::note_unit(std::uint32_t space, unsigned width) {
  Program& p = kernel_.program();
  const unsigned shift = std::min(2u, static_cast<unsigned>(std::countr_zero(width)));
  if (space == memop::shared || space == memop::generic) p.shared_unit_shift = std::min(p.shared_unit_shift, shift);
  if (space == memop::global || space == memop::generic) p.global_unit_shift = std::min(p.global_unit_shift, shift);
}

void Lowering::note_order(bool beyond_block) {
  kernel_.program().has_fences = true;
  if (beyond_block) kernel_.program().orders_across_blocks = true;
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

void Lowering::check_parameter_range(const ptx::Instruction& i, std::int64_t offset, std::uint64_t bytes,
                                     std::uint64_t begins, std::uint64_t end) {
  const std::uint64_t room = end - std::min(begins, end);
  if (offset < 0 || static_cast<std::uint64_t>(offset) > room || bytes > room - static_cast<std::uint64_t>(offset))
    unsupported(i, "it reaches outside the parameter");
}

// Data registers of one access: all of the same width, since one description serves them all.
std::vector<Slot> Lowering::data_slots(const ptx::Operand& o, ptx::Type type, unsigned vector, bool is_destination,
                                       std::uint32_t* aux) {
  if (type == ptx::Type::b128) {
    *aux |= memop::kRegister64;
    const auto halves = wide_register(o, is_destination);
    return {halves.begin(), halves.end()};
  }
  if (vector == 1) return {data_slot(o, type, is_destination, aux)};
  if (o.elements.size() != vector) unsupported(*now_, std::to_string(vector) + " registers are expected");
  std::vector<Slot> slots;
  std::optional<std::uint32_t> form;
  bool others = false;  // constants or `_`, which come in the type's own width
  for (const auto& e : o.elements) {
    std::uint32_t one = 0;
    slots.push_back(data_slot(e, type, is_destination, &one));
    if (e.kind != ptx::Operand::Kind::reg) {
      others = true;
    } else {
      if (form && *form != one) unsupported(*now_, "registers of different widths in one vector");
      form = one;
    }
  }
  const std::uint32_t natural = ptx::bits_of(type) == 64 ? memop::kRegister64 : 0u;
  if (form && others && (*form & memop::kRegister64) != natural)
    unsupported(*now_, "a constant or _ beside registers wider than the type");
  *aux |= form.value_or(natural);
  return slots;
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

bool is_global(std::uint32_t space) {
  return space == memop::global || space == memop::generic;
}

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
    else if (m == "nc")  // PTX ISA, "ld.global.nc": by way of the texture cache, which matters to no result
      a.read_only = true;
    else if (m == "volatile" || m == "relaxed")
      a.strong = true;
    else if (m == "acquire")
      a.strong = a.orders = true;
    else if (m == "release")
      a.strong = a.orders = a.releases = true;
    else if (m == "shared::cluster")
      lowering.unsupported(i, "distributed shared memory");
    else if (!is_hint(m) && !is_scope(m))
      lowering.unsupported(i, "modifier ." + std::string(m));
  }
  if (a.type == ptx::Type::none || ptx::bits_of(a.type) < 8) lowering.unsupported(i, "its type");
  // PTX ISA, "ld": 256-bit accesses need sm_100.
  if (a.vector * ptx::bits_of(a.type) > 128)
    lowering.unsupported(i, "an access of " + std::to_string(a.vector * ptx::bits_of(a.type) / 8) +
                                " bytes needs sm_100; the emulated devices have at most 16");
  return a;
}

}  // namespace

std::uint32_t Lowering::merged_bits(const ptx::Instruction& i) const {
  return static_cast<std::uint32_t>(assembler_.merged[static_cast<std::size_t>(&i - function_.body.data())])
         << memop::kMergedShift;
}

bool Lowering::has_one_address(const ptx::Instruction& i) const {
  return assembler_.one_address[static_cast<std::size_t>(&i - function_.body.data())];
}

void Lowering::lower_load(const ptx::Instruction& i) {
  if (i.operands.size() < 2) unsupported(i, "a destination and an address are expected");
  const Access access = parse_access(i, *this);
  const unsigned width = ptx::bits_of(access.type) / 8;
  if (access.orders) note_order(!i.has_modifier("cta"));
  if (access.strong && is_global(access.space)) kernel_.program().has_strong_loads = true;

  if (access.space == memop::param && i.operands[1].base_is_symbol) {
    // Parameters at a fixed place: of the kernel, or of a device function (bytes in the frame).
    std::vector<ptx::Operand> elements{i.operands[0]};
    if (i.operands[0].kind == ptx::Operand::Kind::vector) elements = i.operands[0].elements;
    std::uint32_t offset = 0;
    const bool kernel_parameter = is_entry_parameter(i.operands[1].name, &offset);
    const ParamRegion* region = kernel_parameter ? nullptr : param_region(i.operands[1].name);
    if (!kernel_parameter && region == nullptr)
      unsupported(i, "the parameter " + std::string(i.operands[1].name) + " is not declared");
    if (access.type == ptx::Type::b128) unsupported(i, "128-bit values in parameters");
    const std::uint64_t begins = kernel_parameter ? offset : 0,
                        end = kernel_parameter ? kernel_.program().parameter_bytes : region->bytes;
    check_parameter_range(i, i.operands[1].offset, elements.size() * width, begins, end);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::uint32_t aux = static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift;
      if (ptx::is_signed(access.type)) aux |= memop::kSigned;
      const Slot d = data_slot(elements[k], access.type, true, &aux);
      const std::uint64_t at = static_cast<std::uint64_t>(i.operands[1].offset) + k * width;
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
  const bool halves = access.type == ptx::Type::b128;
  std::uint32_t aux = access.space |
                      static_cast<std::uint32_t>(std::countr_zero(halves ? 8u : width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(halves ? 2u : access.vector)) << memop::kVectorShift;
  if (ptx::is_signed(access.type)) aux |= memop::kSigned;
  if (access.strong || origins_.is_verified_by_swap(i.operands[1])) aux |= memop::kStrong;
  if (at.wide) aux |= memop::kAddress64;
  if (access.space == memop::constant) aux |= memop::kCounted;
  if (access.read_only && access.space == memop::global) aux |= memop::kReadOnlyPath;
  if (access.space == memop::shared && is_quiet(i)) aux |= memop::kQuiet;
  if (access.space == memop::shared) aux |= merged_bits(i);
  if (access.space != memop::constant) note_unit(access.space, width);

  const auto slots = data_slots(i.operands[0], access.type, access.vector, true, &aux);
  const Slot d = slots.size() > 1 ? list(slots) : slots[0];

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
  note_bounds(i.operands[1]);
  if (op == Op::ld_shared_32 && (aux & memop::kQuiet) != 0 && !i.guard && imm % 4 == 0)
    shared_bases_.add_load(kernel_.program().code, i.operands[1].reg);
}

void Lowering::lower_store(const ptx::Instruction& i) {
  if (i.operands.size() < 2) unsupported(i, "an address and a value are expected");
  const Access access = parse_access(i, *this);
  const unsigned width = ptx::bits_of(access.type) / 8;
  if (access.orders) note_order(!i.has_modifier("cta"));
  if (access.strong && is_global(access.space)) kernel_.program().has_strong_stores = true;

  if (access.space == memop::param) {
    const ParamRegion* region = i.operands[0].base_is_symbol ? param_region(i.operands[0].name) : nullptr;
    if (region == nullptr) unsupported(i, "only .param variables of the function can be stored to");
    std::vector<ptx::Operand> elements{i.operands[1]};
    if (i.operands[1].kind == ptx::Operand::Kind::vector) elements = i.operands[1].elements;
    if (access.type == ptx::Type::b128) unsupported(i, "128-bit values in parameters");
    check_parameter_range(i, i.operands[0].offset, elements.size() * width, 0, region->bytes);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::uint32_t aux = static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift;
      const Slot value = data_slot(elements[k], access.type, false, &aux);
      const std::uint64_t at = static_cast<std::uint64_t>(i.operands[0].offset) + k * width;
      Instr& s = emit(Op::st_frame);
      s.d = value;
      s.aux = aux;
      s.imm = region->frame_offset + at;
      s.b = region->stride;
    }
    return;
  }

  const AddressOperand at = address(i.operands[0], i);
  const bool halves = access.type == ptx::Type::b128;
  std::uint32_t aux = access.space |
                      static_cast<std::uint32_t>(std::countr_zero(halves ? 8u : width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(halves ? 2u : access.vector)) << memop::kVectorShift;
  if (access.strong) aux |= memop::kStrong;
  if (access.releases) aux |= memop::kReleases | (i.has_modifier("cta") ? 0 : memop::kBeyondBlock);
  if (at.wide) aux |= memop::kAddress64;
  if (access.space == memop::shared) aux |= merged_bits(i);
  note_unit(access.space, width);
  const auto slots = data_slots(i.operands[1], access.type, access.vector, false, &aux);
  const Slot value = slots.size() > 1 ? list(slots) : slots[0];
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
  note_bounds(i.operands[0]);
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
    const bool beyond_block =
        i.has_modifier("gl") || i.has_modifier("gpu") || i.has_modifier("sys") || i.has_modifier("cluster");
    note_order(beyond_block);
    emit(Op::fence).aux = beyond_block ? memop::kBeyondBlock : 0;
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
