// Lowering of texture and surface instructions, in the form that names its object by a 64-bit handle: nvcc 12 and newer
// emit no other.

#include <algorithm>
#include <bit>

#include "judge/emulator/exec/texture_operand.h"
#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

struct Geometry {
  std::string_view name;
  unsigned dimensions;
  bool layered;
};

constexpr Geometry kGeometries[] = {
    {"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};

const Geometry* geometry_from(std::string_view m) {
  const auto found = std::find_if(std::begin(kGeometries), std::end(kGeometries), [&](auto& g) { return g.name == m; });
  return found == std::end(kGeometries) ? nullptr : found;
}

// Operands in one register or in braces.
std::vector<ptx::Operand> parts(const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::vector) return o.elements;
  return {o};
}

}  // namespace

// The handle and the coordinates of [handle, {coordinates}], into a and b.
void Lowering::texture_place(const ptx::Instruction& i, const ptx::Operand& o, unsigned dimensions, bool layered,
                             ptx::Type coordinate, Slot& handle, std::uint32_t& coordinates) {
  if (o.kind != ptx::Operand::Kind::address || !o.base_is_reg)
    unsupported(i, "only objects named by a 64-bit handle are supported, no .texref, .samplerref or .surfref");
  if (o.offset != 0 || slot_bits(function_.registers[o.reg].type) != 64) unsupported(i, "a 64-bit handle is expected");
  if (o.elements.size() != 1) unsupported(i, "one list of coordinates is expected, no sampler, offset or comparison");
  const auto given = parts(o.elements[0]);
  const std::size_t wanted = dimensions + (layered ? 1 : 0);
  if (given.size() < wanted) unsupported(i, std::to_string(wanted) + " coordinates are expected");
  handle = placement_.slots[o.reg];
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < wanted; ++k)
    slots.push_back(source(given[k], layered && k == 0 ? ptx::Type::b32 : coordinate));
  coordinates = list(slots);
}

void Lowering::lower_texture_fetch(const ptx::Instruction& i) {
  const bool gather = i.opcode == "tld4";
  const Geometry* geometry = nullptr;
  std::vector<ptx::Type> types;
  std::uint64_t fields = gather ? texop::kGather : 0;
  bool four = false;
  std::optional<unsigned> component;
  std::size_t extra = 0;  // operands after the address
  for (const auto m : i.modifiers) {
    static constexpr std::string_view kComponents = "rgba";
    if (const Geometry* g = geometry_from(m))
      geometry = g;
    else if (m == "v4")
      four = true;
    else if (m == "cube" || m == "acube")
      unsupported(i, "cubemap textures");
    else if (!gather && m == "base")
      continue;
    else if (!gather && m == "level")
      extra = 1;
    else if (!gather && m == "grad")
      extra = 2;
    else if (gather && m.size() == 1 && kComponents.find(m[0]) != std::string_view::npos)
      component = static_cast<unsigned>(kComponents.find(m[0]));
    else if (const auto t = ptx::type_from(m))
      types.push_back(*t);
    else
      unsupported(i, "modifier ." + std::string(m));
  }
  if (geometry == nullptr || types.size() != 2 || !four) unsupported(i, "its form");
  if (gather && (geometry->dimensions != 2 || !component)) unsupported(i, "its form");
  const auto is_value = [](ptx::Type t) { return t == ptx::Type::f32 || t == ptx::Type::s32 || t == ptx::Type::u32; };
  if (!is_value(types[0])) unsupported(i, "its result type");
  if (types[1] != ptx::Type::f32 && (types[1] != ptx::Type::s32 || gather)) unsupported(i, "its coordinate type");
  if (i.operands.size() != 2 + extra) unsupported(i, "its operands: no offsets or depth comparison");

  // Level of detail and gradients choose among the levels of a mipmap. Arrays here have one level.
  fields |= geometry->dimensions | (geometry->layered ? texop::kLayered : 0) |
            (types[1] == ptx::Type::s32 ? texop::kIntegerCoordinates : 0) |
            std::uint64_t{component.value_or(0)} << texop::kComponentShift;
  Slot handle = kNoSlot, resident = kNoSlot;
  std::uint32_t coordinates = 0;
  texture_place(i, i.operands[1], geometry->dimensions, geometry->layered, types[1], handle, coordinates);
  const ptx::Operand* to = &i.operands[0];
  if (to->kind == ptx::Operand::Kind::pair) {
    if (to->elements[1].kind != ptx::Operand::Kind::sink) resident = predicate_destination(to->elements[1]);
    to = &to->elements[0];
  }
  if (to->kind != ptx::Operand::Kind::vector || to->elements.size() != 4) unsupported(i, "4 destinations are expected");
  std::vector<Slot> slots;
  for (const auto& o : to->elements) slots.push_back(destination(o, types[0]));
  Instr& t = emit(Op::tex);
  t.d = list(slots);
  t.a = handle;
  t.b = coordinates;
  t.c = resident;
  t.imm = fields;
  t.aux = memop::global;
}

void Lowering::lower_surface_access(const ptx::Instruction& i) {
  const bool is_store = i.opcode == "sust";
  const Geometry* geometry = nullptr;
  std::optional<texop::OutOfRange> rule;
  ptx::Type type = ptx::Type::none;
  unsigned vector = 1;
  bool formatted = false, form = false;
  for (const auto m : i.modifiers) {
    if (const Geometry* g = geometry_from(m))
      geometry = g;
    else if (m == "b" || (m == "p" && is_store)) {
      form = true;
      formatted = m == "p";
    } else if (m == "v2")
      vector = 2;
    else if (m == "v4")
      vector = 4;
    else if (m == "trap")
      rule = texop::OutOfRange::trap;
    else if (m == "clamp")
      rule = texop::OutOfRange::clamp;
    else if (m == "zero")
      rule = texop::OutOfRange::zero;
    else if (const auto t = ptx::type_from(m))
      type = *t;
    else if (m != "ca" && m != "cg" && m != "cs" && m != "cv" && m != "wb" && m != "wt")
      unsupported(i, "modifier ." + std::string(m));
  }
  if (geometry == nullptr || type == ptx::Type::none || !form || i.operands.size() != 2) unsupported(i, "its form");
  const unsigned width = ptx::bits_of(type) / 8;
  if (width == 0 || width > 8 || width * vector > 16 || (formatted && width != 4)) unsupported(i, "its type");

  const ptx::Operand& data = i.operands[is_store ? 1 : 0];
  const auto elements = parts(data);
  if (elements.size() != vector) unsupported(i, std::to_string(vector) + " values are expected");
  Slot handle = kNoSlot;
  std::uint32_t coordinates = 0;
  texture_place(i, i.operands[is_store ? 0 : 1], geometry->dimensions, geometry->layered, ptx::Type::s32, handle,
                coordinates);
  std::uint32_t aux = memop::global | static_cast<std::uint32_t>(std::countr_zero(width)) << memop::kWidthShift |
                      static_cast<std::uint32_t>(std::countr_zero(vector)) << memop::kVectorShift;
  std::vector<Slot> slots;
  for (const auto& o : elements) slots.push_back(data_slot(o, type, !is_store, &aux));
  // A formatted store writes texels, whose width only the surface knows.
  note_unit(memop::global, formatted ? 1 : width);
  Instr& s = emit(is_store ? Op::sust : Op::suld);
  s.d = list(slots);
  s.a = handle;
  s.b = coordinates;
  s.aux = aux;
  s.imm = geometry->dimensions | (geometry->layered ? texop::kLayered : 0) | (formatted ? texop::kFormatted : 0) |
          static_cast<std::uint64_t>(rule.value_or(texop::OutOfRange::trap)) << texop::kOutOfRangeShift;
}

void Lowering::lower_texture_query(const ptx::Instruction& i) {
  using texop::Query;
  static constexpr std::pair<std::string_view, Query> kQueries[] = {
      {"width", Query::width},       {"height", Query::height},
      {"depth", Query::depth},       {"array_size", Query::layers},
      {"num_samples", Query::samples}, {"num_mipmap_levels", Query::levels},
      {"normalized_coords", Query::normalized}};
  std::optional<Query> query;
  for (const auto m : i.modifiers) {
    const auto found = std::find_if(std::begin(kQueries), std::end(kQueries), [&](auto& q) { return q.first == m; });
    if (found != std::end(kQueries))
      query = found->second;
    else if (m != "b32")
      unsupported(i, "modifier ." + std::string(m));
  }
  if (!query || i.operands.size() != 2) unsupported(i, "its form");
  const ptx::Operand& o = i.operands[1];
  if (o.kind != ptx::Operand::Kind::address || !o.base_is_reg || o.offset != 0 || !o.elements.empty() ||
      slot_bits(function_.registers[o.reg].type) != 64)
    unsupported(i, "only objects named by a 64-bit handle are supported, no .texref, .samplerref or .surfref");
  const Slot d = destination(i.operands[0], ptx::Type::b32);
  Instr& q = emit(Op::txq);
  q.d = d;
  q.a = placement_.slots[o.reg];
  q.imm = static_cast<std::uint64_t>(*query) << texop::kQueryShift | (i.opcode == "suq" ? texop::kSurface : 0);
}

bool Lowering::lower_texture(const ptx::Instruction& i) {
  if (i.opcode == "tex" || i.opcode == "tld4")
    lower_texture_fetch(i);
  else if (i.opcode == "suld" || i.opcode == "sust")
    lower_surface_access(i);
  else if (i.opcode == "txq" || i.opcode == "suq")
    lower_texture_query(i);
  else
    return false;
  return true;
}

}  // namespace judge::emulator::lower
