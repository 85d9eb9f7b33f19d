// Decoding of ldmatrix, stmatrix, movmatrix, mma and wmma (PTX ISA, "Warp Level Matrix Multiply-Accumulate
// Instructions").

#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/exec/matrix_operand.h"
#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

using arithmetic::Rounding;
using matrixop::Element;
using matrixop::Fragment;

struct Shape {
  unsigned m = 0, n = 0, k = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

// "m16n8k16"
std::optional<Shape> shape_from(std::string_view text) {
  Shape s;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const auto& [letter, value] : {std::pair{'m', &s.m}, {'n', &s.n}, {'k', &s.k}}) {
    if (at == end || *at != letter) return std::nullopt;
    const auto [next, error] = std::from_chars(at + 1, end, *value);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(s) : std::nullopt;
}

std::optional<Element> element_from(std::string_view m) {
  static constexpr std::pair<std::string_view, Element> kNames[] = {
      {"f16", Element::f16}, {"bf16", Element::bf16}, {"tf32", Element::tf32}, {"f64", Element::f64},
      {"s8", Element::s8},   {"u8", Element::u8},     {"s4", Element::s4},     {"u4", Element::u4},
      {"b1", Element::b1},   {"e4m3", Element::e4m3}, {"e5m2", Element::e5m2}, {"f32", Element::f32},
      {"s32", Element::s32}};
  for (const auto& [name, element] : kNames)
    if (name == m) return element;
  return std::nullopt;
}

// Types that multiply each other: signed and unsigned integers, and the two forms of f8, mix.
Element family(Element e) {
  return e == Element::u8 ? Element::s8 : e == Element::u4 ? Element::s4 : e == Element::e5m2 ? Element::e4m3 : e;
}

struct Form {
  Element family;
  Shape shape;
  int sm;  // first target
};

// PTX ISA, "Matrix Shape", and the target notes of mma and wmma.
constexpr Form kMma[] = {
    {Element::f16, {8, 8, 4}, 70},    {Element::f16, {16, 8, 8}, 75},   {Element::f16, {16, 8, 16}, 80},
    {Element::bf16, {16, 8, 8}, 80},  {Element::bf16, {16, 8, 16}, 80}, {Element::tf32, {16, 8, 4}, 80},
    {Element::tf32, {16, 8, 8}, 80},  {Element::f64, {8, 8, 4}, 80},    {Element::f64, {16, 8, 4}, 90},
    {Element::f64, {16, 8, 8}, 90},   {Element::f64, {16, 8, 16}, 90},  {Element::s8, {8, 8, 16}, 75},
    {Element::s8, {16, 8, 16}, 80},   {Element::s8, {16, 8, 32}, 80},   {Element::s4, {8, 8, 32}, 75},
    {Element::s4, {16, 8, 32}, 80},   {Element::s4, {16, 8, 64}, 80},   {Element::b1, {8, 8, 128}, 75},
    {Element::b1, {16, 8, 128}, 80},  {Element::b1, {16, 8, 256}, 80},  {Element::e4m3, {16, 8, 16}, 89},
    {Element::e4m3, {16, 8, 32}, 89},
};
constexpr Form kWmma[] = {
    {Element::f16, {16, 16, 16}, 70},  {Element::f16, {8, 32, 16}, 70},  {Element::f16, {32, 8, 16}, 70},
    {Element::bf16, {16, 16, 16}, 80}, {Element::bf16, {8, 32, 16}, 80}, {Element::bf16, {32, 8, 16}, 80},
    {Element::tf32, {16, 16, 8}, 80},  {Element::f64, {8, 8, 4}, 80},    {Element::s8, {16, 16, 16}, 72},
    {Element::s8, {8, 32, 16}, 72},    {Element::s8, {32, 8, 16}, 72},   {Element::s4, {8, 8, 32}, 75},
    {Element::b1, {8, 8, 128}, 75},
};

// The modifiers of mma and wmma, whatever their order.
struct Parts {
  Shape shape;
  std::vector<bool> column_major;  // .row and .col as written
  std::vector<Element> types;
  bool saturate = false, exclusive = false, both = false;
  Rounding rounding = Rounding::nearest;
  std::string_view part;    // wmma: load, store, mma
  std::string_view matrix;  // wmma.load: a, b, c
  std::uint32_t space = memop::generic;
};

Parts read_parts(const ptx::Instruction& i, Lowering& lowering) {
  Parts p;
  for (const auto m : i.modifiers) {
    if (const auto shape = shape_from(m))
      p.shape = *shape;
    else if (m == "row" || m == "col")
      p.column_major.push_back(m == "col");
    else if (const auto element = element_from(m))
      p.types.push_back(*element);
    else if (m == "satfinite")
      p.saturate = true;
    else if (m == "xor")
      p.exclusive = true;
    else if (m == "and")
      p.both = true;
    else if (m == "rn" || m == "rz" || m == "rm" || m == "rp")
      p.rounding = m == "rn"   ? Rounding::nearest
                   : m == "rz" ? Rounding::zero
                   : m == "rm" ? Rounding::minus
                               : Rounding::plus;
    else if (m == "load" || m == "store" || m == "mma")
      p.part = m;
    else if (m == "a" || m == "b" || m == "c" || m == "d")
      p.matrix = m;
    else if (m == "global")
      p.space = memop::global;
    else if (m == "shared" || m == "shared::cta")
      p.space = memop::shared;
    else if (m != "sync" && m != "aligned" && m != "popc")
      lowering.unsupported(i, "modifier ." + std::string(m));
  }
  if (p.shape == Shape{}) lowering.unsupported(i, "its shape");
  return p;
}

std::string text(const Shape& s) {
  return ".m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
}

std::vector<ptx::Operand> elements_of(const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::vector) return o.elements;
  return {o};
}

ptx::Type register_type(Element e) {
  return e == Element::f64 ? ptx::Type::f64 : e == Element::f32 ? ptx::Type::f32 : ptx::Type::b32;
}

// Registers of a fragment that holds so many elements; two f16 share one.
unsigned registers_of(unsigned elements, Element e) {
  return elements / 32 / matrixop::per_register(e);
}

constexpr unsigned kWmmaHalfRegisters = 8;  // A and B of f16, whatever the shape

}  // namespace

void Lowering::require_form(const ptx::Instruction& i, bool found, int sm, const std::string& what) {
  if (!found) unsupported(i, what + " is not a shape of this type");
  if (kernel_.module().sm < sm)
    unsupported(i, what + " needs sm_" + std::to_string(sm) + " or newer, the module is for " +
                       std::string(kernel_.module().target));
}

// D's registers, then A's, B's and C's, behind the numbers of each.
void Lowering::lower_mma(const ptx::Instruction& i) {
  const bool wmma = i.opcode == "wmma";
  Parts p = read_parts(i, *this);
  if (i.operands.size() != 4) unsupported(i, "4 operands are expected");
  if (wmma && p.types.size() == 2) p.types = {p.types[0], Element::f16, Element::f16, p.types[1]};
  if (p.types.size() != 4) unsupported(i, "the types of D, A, B and C are expected");
  if (p.column_major.size() != 2) unsupported(i, "the layouts of A and B are expected");
  const auto [d, a, b, c] = std::array{p.types[0], p.types[1], p.types[2], p.types[3]};
  if (family(a) != family(b)) unsupported(i, "A and B of different types");

  const Form* form = nullptr;
  const auto look = [&](const auto& forms) {
    for (const Form& f : forms)
      if (f.family == family(a) && f.shape == p.shape) form = &f;
  };
  wmma ? look(kWmma) : look(kMma);
  require_form(i, form != nullptr, form != nullptr ? form->sm : 0, text(p.shape));
  const auto accumulates = [&](Element e) {
    switch (family(a)) {
      case Element::f16:
      case Element::e4m3:
        return e == Element::f16 || e == Element::f32;
      case Element::bf16:
      case Element::tf32:
        return e == Element::f32;
      case Element::f64:
        return e == Element::f64;
      default:
        return e == Element::s32;
    }
  };
  if (!accumulates(c) || !accumulates(d)) unsupported(i, "the types of C and D do not go with those of A and B");
  const bool quad_pairs = !wmma && p.shape == Shape{8, 8, 4} && a == Element::f16;
  if (!wmma && !quad_pairs && (p.column_major[0] || !p.column_major[1]))
    unsupported(i, "this shape has A stored by rows and B by columns");
  if (a == Element::b1 && p.exclusive == p.both) unsupported(i, "one of .xor, .and is expected");
  if (p.both) require_form(i, true, 80, ".and");

  unsigned count[] = {registers_of(p.shape.m * p.shape.n, d), registers_of(p.shape.m * p.shape.k, a),
                      registers_of(p.shape.k * p.shape.n, b), registers_of(p.shape.m * p.shape.n, c)};
  if (wmma && a == Element::f16) count[1] = count[2] = kWmmaHalfRegisters;
  if (quad_pairs) {
    count[0] = d == Element::f16 ? 4 : 8;
    count[1] = count[2] = 2;
    count[3] = c == Element::f16 ? 4 : 8;
  }
  const Element types[] = {d, a, b, c};
  std::vector<Slot> slots;
  for (const auto n : count) slots.push_back(n);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto operands = elements_of(i.operands[k]);
    if (operands.size() != count[k])
      unsupported(i, "operand " + std::to_string(k + 1) + " has " + std::to_string(operands.size()) +
                         " registers instead of " + std::to_string(count[k]));
    for (const auto& o : operands)
      slots.push_back(k == 0 ? destination(o, register_type(types[k])) : source(o, register_type(types[k])));
  }
  const std::uint32_t at = list(slots);
  Instr& m = emit(Op::mma);
  m.imm = at | static_cast<std::uint64_t>(p.shape.k) << 32;
  m.aux = static_cast<std::uint32_t>(a) << matrixop::kAShift | static_cast<std::uint32_t>(b) << matrixop::kBShift |
          static_cast<std::uint32_t>(c) << matrixop::kCShift | static_cast<std::uint32_t>(d) << matrixop::kDShift |
          static_cast<std::uint32_t>(std::countr_zero(p.shape.m / 8)) << matrixop::kRowsShift |
          static_cast<std::uint32_t>(std::countr_zero(p.shape.n / 8)) << matrixop::kColumnsShift |
          static_cast<std::uint32_t>(p.rounding) << matrixop::kRoundingShift;
  if (p.saturate) m.aux |= matrixop::kSaturate;
  if (p.both) m.aux |= matrixop::kAnd;
  if (quad_pairs) {
    m.aux |= matrixop::kQuadPairs;
    if (p.column_major[0]) m.aux |= matrixop::kColumnA;
    if (!p.column_major[1]) m.aux |= matrixop::kRowB;
  }
}

// wmma.load d, [p], stride and wmma.store [p], s, stride.
void Lowering::lower_wmma_transfer(const ptx::Instruction& i) {
  const Parts p = read_parts(i, *this);
  const bool load = p.part == "load";
  if (i.operands.size() < 2 || i.operands.size() > 3) unsupported(i, "registers, an address and a stride are expected");
  if (p.types.size() != 1 || p.column_major.size() != 1 || p.matrix.empty()) unsupported(i, "");
  const Element element = p.types[0];
  matrixop::Tile tile{Fragment::accumulator, element, p.column_major[0], p.shape.m, p.shape.n, 0};
  if (p.matrix == "a") {
    tile.fragment = Fragment::a;
    tile.columns = p.shape.k;
  } else if (p.matrix == "b") {
    tile.fragment = Fragment::b;
    tile.rows = p.shape.k;
  }
  const bool factor = tile.fragment != Fragment::accumulator;
  const Form* form = nullptr;
  for (const Form& f : kWmma) {
    const bool fits = factor ? f.family == family(element)
                             : (f.family == Element::f64) == (element == Element::f64) &&
                                   (f.family == Element::s8 || f.family == Element::s4 || f.family == Element::b1) ==
                                       (element == Element::s32) &&
                                   (element != Element::f16 || f.family == Element::f16);
    if (fits && f.shape == p.shape && (form == nullptr || f.sm < form->sm)) form = &f;
  }
  require_form(i, form != nullptr, form != nullptr ? form->sm : 0, text(p.shape));
  if (matrixop::bits_of(element) < 8 && tile.column_major != (tile.fragment == Fragment::b))
    unsupported(i, "elements of less than a byte lie along k");
  tile.registers = registers_of(tile.rows * tile.columns, element);
  if (factor && element == Element::f16) tile.registers = kWmmaHalfRegisters;

  const auto operands = elements_of(i.operands[load ? 0 : 1]);
  if (operands.size() != tile.registers)
    unsupported(i, "the fragment has " + std::to_string(operands.size()) + " registers instead of " +
                       std::to_string(tile.registers));
  std::vector<Slot> slots;
  for (const auto& o : operands)
    slots.push_back(load ? destination(o, register_type(element)) : source(o, register_type(element)));
  const AddressOperand at = address(i.operands[load ? 1 : 0], i);
  const Slot stride = i.operands.size() == 3 ? source(i.operands[2], ptx::Type::u32) : kNoSlot;
  const unsigned bits = matrixop::bits_of(element);
  const bool scattered_halves = !load && bits == 16 && tile.column_major;
  note_unit(p.space, scattered_halves ? 2 : 4);
  const std::uint32_t registers = list(slots);
  Instr& t = emit(load ? Op::wmma_load : Op::wmma_store);
  t.a = at.base;
  t.imm = at.offset;
  t.b = stride;
  t.c = matrixop::pack(tile);
  t.d = registers;
  // One request: a register's worth of memory, or one element of it.
  const unsigned bytes = bits == 64 ? 8 : scattered_halves ? 2 : 4;
  t.aux = p.space | static_cast<std::uint32_t>(std::countr_zero(bytes)) << memop::kWidthShift |
          (at.wide ? memop::kAddress64 : 0);
  note_bounds(i.operands[load ? 1 : 0], true);
}

void Lowering::lower_matrix_transfer(const ptx::Instruction& i) {
  const bool load = i.opcode == "ldmatrix";
  unsigned count = 1;
  bool transpose = false, eight = false, halves = false;
  std::uint32_t space = memop::generic;
  for (const auto m : i.modifiers) {
    if (m == "x1" || m == "x2" || m == "x4")
      count = static_cast<unsigned>(m[1] - '0');
    else if (m == "trans")
      transpose = true;
    else if (m == "m8n8")
      eight = true;
    else if (m == "b16")
      halves = true;
    else if (m == "shared" || m == "shared::cta")
      space = memop::shared;
    else if (m != "sync" && m != "aligned")
      unsupported(i, "modifier ." + std::string(m));
  }
  if (!eight || !halves) unsupported(i, "only .m8n8 and .b16 exist up to sm_90");
  if (i.operands.size() != 2) unsupported(i, "registers and an address are expected");
  const auto operands = elements_of(i.operands[load ? 0 : 1]);
  if (operands.size() != count) unsupported(i, std::to_string(count) + " registers are expected");
  std::vector<Slot> slots;
  for (const auto& o : operands) slots.push_back(load ? destination(o, ptx::Type::b32) : source(o, ptx::Type::b32));
  const AddressOperand at = address(i.operands[load ? 1 : 0], i);
  note_unit(space, 16);
  const std::uint32_t registers = list(slots);
  Instr& m = emit(load ? Op::ldmatrix : Op::stmatrix);
  m.a = at.base;
  m.imm = at.offset;
  m.c = count | (transpose ? matrixop::kTranspose : 0);
  m.d = registers;
  m.aux = space | 4u << memop::kWidthShift | (at.wide ? memop::kAddress64 : 0);  // rows of 16 bytes
  note_bounds(i.operands[load ? 1 : 0], true);
}

bool Lowering::lower_matrix(const ptx::Instruction& i) {
  if (i.opcode == "ldmatrix" || i.opcode == "stmatrix") {
    lower_matrix_transfer(i);
    return true;
  }
  if (i.opcode == "movmatrix") {
    if (i.operands.size() != 2 || !i.has_modifier("trans") || !i.has_modifier("m8n8") || !i.has_modifier("b16"))
      unsupported(i, "");
    const Slot a = source(i.operands[1], ptx::Type::b32), d = destination(i.operands[0], ptx::Type::b32);
    Instr& m = emit(Op::movmatrix);
    m.d = d;
    m.a = a;
    return true;
  }
  if (i.opcode == "mma") {
    if (i.has_modifier("sp") || i.has_modifier("sp::ordered_metadata")) unsupported(i, "sparse matrices");
    lower_mma(i);
    return true;
  }
  if (i.opcode == "wmma") {
    i.has_modifier("mma") ? lower_mma(i) : lower_wmma_transfer(i);
    return true;
  }
  return false;
}

}  // namespace judge::emulator::lower
