#include <array>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::ptx {
namespace {

struct TypeRow {
  std::string_view spelling;
  unsigned bits;
};

// In the order of enum Type (PTX ISA, "Fundamental Types", "Packed Data Types", "Alternate Floating-Point Data
// Formats").
constexpr std::array<TypeRow, 29> type_rows{{
    {"", 0},        {"pred", 1},    {"b8", 8},     {"b16", 16},       {"b32", 32},    {"b64", 64},
    {"b128", 128},  {"u8", 8},      {"u16", 16},   {"u32", 32},       {"u64", 64},    {"s8", 8},
    {"s16", 16},    {"s32", 32},    {"s64", 64},   {"f16", 16},       {"f16x2", 32},  {"bf16", 16},
    {"bf16x2", 32}, {"tf32", 32},   {"f32", 32},   {"f64", 64},       {"e4m3", 8},    {"e5m2", 8},
    {"e4m3x2", 16}, {"e5m2x2", 16}, {"texref", 0}, {"samplerref", 0}, {"surfref", 0},
}};
static_assert(type_rows.size() == static_cast<std::size_t>(Type::surfref) + 1);

}  // namespace

std::optional<Type> type_from(std::string_view spelling) {
  for (std::size_t i = 1; i < type_rows.size(); ++i) {
    if (type_rows[i].spelling == spelling) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Type t) {
  return type_rows[static_cast<std::size_t>(t)].spelling;
}

unsigned bits_of(Type t) {
  return type_rows[static_cast<std::size_t>(t)].bits;
}

bool is_float(Type t) {
  return t >= Type::f16 && t <= Type::e5m2x2;
}

bool is_signed(Type t) {
  return t >= Type::s8 && t <= Type::s64;
}

ParseError::ParseError(Position where, const std::string& what)
    : std::runtime_error("PTX line " + std::to_string(where.line) + ", column " + std::to_string(where.column) + ": " +
                         what),
      at(where) {}

}  // namespace judge::emulator::ptx
