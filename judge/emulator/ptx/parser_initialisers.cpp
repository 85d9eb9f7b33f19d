#include <bit>
#include <cstring>

#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

constexpr std::uint64_t address_bytes = 8;

// A double rounded to the nearest half or bfloat, ties to even, by way of its bits.
std::uint16_t narrow_float(double value, int exponent_bits, int mantissa_bits) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((1ull << 52) - 1);
  if (exponent == 0x7ff) return static_cast<std::uint16_t>(sign | infinity | (mantissa ? 1 << (mantissa_bits - 1) : 0));
  if (exponent == 0) return sign;  // a subnormal double is below the smallest of either format
  int target = exponent - 1023 + bias;
  int shift = 52 - mantissa_bits;
  mantissa |= 1ull << 52;
  if (target <= 0) {
    shift += 1 - target;
    target = 0;
    if (shift > 54) return sign;
  }
  std::uint64_t kept = mantissa >> shift;
  const std::uint64_t rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  // The implicit bit adds to the exponent field, and so does a carry out of the mantissa.
  const std::uint64_t result = target == 0 ? kept : (static_cast<std::uint64_t>(target - 1) << mantissa_bits) + kept;
  return static_cast<std::uint16_t>(sign | (result > infinity ? infinity : result));
}

double as_double(const Constant& value) {
  switch (value.kind) {
    case Constant::Kind::f64:
      return std::bit_cast<double>(value.bits);
    case Constant::Kind::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    case Constant::Kind::u64:
      return static_cast<double>(value.bits);
    default:
      return static_cast<double>(static_cast<std::int64_t>(value.bits));
  }
}

bool is_real(const Constant& value) {
  return value.kind == Constant::Kind::f64 || value.kind == Constant::Kind::f32;
}

}  // namespace

void Parser::reserve_initial(Variable& variable, std::uint64_t bytes, Position at) {
  if (bytes <= variable.initial.size()) return;
  initial_bytes_ += bytes - variable.initial.size();
  if (initial_bytes_ > limits_.initial_bytes) {
    throw ParseError(at, "more than " + std::to_string(limits_.initial_bytes) +
                             " bytes of initialised variables (limit: initial_bytes)");
  }
  variable.initial.resize(bytes);
}

void Parser::parse_initialiser(Variable& variable, const Shape& shape) {
  const Position at = peek().at;
  if (variable.type == Type::texref || variable.type == Type::samplerref || variable.type == Type::surfref) {
    throw ParseError(at, "initialisers of texture, sampler and surface references are not supported");
  }
  if (shape.dimensions.empty()) {
    reserve_initial(variable, shape.element_bytes, at);
    const bool braced = accept('{');  // `= {5}` for a scalar, as in C
    put_value(variable, shape, 0);
    if (braced) expect('}', "'}' after the only value of a scalar");
    return;
  }
  if (!peek().is('{')) expected("'{' to begin the values of an array");
  if (variable.bytes == 0 && shape.dimensions.front() == 0) {  // x[] = {…}: as many as are given
    const std::uint64_t used = fill(variable, shape, 0, 0, limits_.variable_bytes);
    std::uint64_t row = shape.element_bytes;
    for (std::size_t i = 1; i < shape.dimensions.size(); ++i) row *= shape.dimensions[i];
    variable.bytes = row == 0 ? 0 : (used + row - 1) / row * row;
  } else {
    reserve_initial(variable, variable.bytes, at);
    fill(variable, shape, 0, 0, variable.bytes);
  }
  reserve_initial(variable, variable.bytes, at);
}

// Reads `{ … }` into [begin, end) at one level of the array; returns how far it came. An inner brace fills one
// sub-array and what it leaves out is zero; values without inner braces go on from element to element.
std::uint64_t Parser::fill(Variable& variable, const Shape& shape, std::size_t depth, std::uint64_t begin,
                           std::uint64_t end) {
  Deeper deeper(*this);
  expect('{', "'{'");
  std::uint64_t stride = shape.element_bytes;  // bytes of what one inner brace fills
  for (std::size_t i = depth + 1; i < shape.dimensions.size(); ++i) stride *= shape.dimensions[i];
  std::uint64_t cursor = begin;
  if (accept('}')) return cursor;
  do {
    if (peek().is('}')) break;  // a comma after the last value
    if (peek().is('{')) {
      const Position at = peek().at;
      if (depth + 1 >= shape.dimensions.size()) expected("a value: there are more braces than dimensions");
      if (stride == 0 || cursor + stride > end) throw ParseError(at, "expected '}': more values than the array holds");
      if ((cursor - begin) % stride != 0) expected("a value: the row begun before this brace is not full");
      reserve_initial(variable, cursor + stride, at);
      fill(variable, shape, depth + 1, cursor, cursor + stride);
      cursor += stride;
    } else {
      if (cursor + shape.element_bytes > end) expected("'}': more values than the array holds");
      reserve_initial(variable, cursor + shape.element_bytes, peek().at);
      put_value(variable, shape, cursor);
      cursor += shape.element_bytes;
    }
  } while (accept(','));
  expect('}', "',' or '}' after a value");
  return cursor;
}

// symbol, symbol+4, generic(symbol), generic(symbol)+4
Relocation Parser::parse_relocation() {
  Relocation relocation;
  Token name = expect_word("the name of a variable or function");
  if (name.text == "generic" && peek().is('(')) {
    take();
    relocation.generic = true;
    name = expect_word("the name of a variable");
    if (peek().is('+') || peek().is('-')) relocation.addend = parse_offset();
    expect(')', "')' after the variable");
  }
  relocation.symbol = name.text;
  if (peek().is('+') || peek().is('-')) {
    const auto more = static_cast<std::uint64_t>(parse_offset());
    relocation.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(relocation.addend) + more);
  }
  return relocation;
}

void Parser::put_value(Variable& variable, const Shape& shape, std::uint64_t offset) {
  const Position at = peek().at;
  if (peek().is_word() && peek().text != "WARP_SZ") {
    if (shape.element_bytes != address_bytes && shape.element_bytes != address_bytes / 2) {
      throw ParseError(at,
                       "an address needs an element of 64 or 32 bits, not ." + std::string(to_string(variable.type)));
    }
    Relocation relocation = parse_relocation();
    relocation.offset = offset;
    relocation.bytes = static_cast<unsigned>(shape.element_bytes);
    variable.relocations.push_back(relocation);
    return;
  }
  const Constant value = parse_expression();
  if (peek().is('(')) return put_masked_byte(variable, value, offset, at);
  put_constant(variable, value, offset, shape.element_bytes, at);
}

// PTX ISA, "Initializers": 0xFF00(symbol) is byte 1 of the address. Only all eight bytes in order are an address here.
void Parser::put_masked_byte(Variable& variable, const Constant& mask, std::uint64_t offset, Position at) {
  if (bits_of(variable.type) != 8) throw ParseError(at, "a masked address needs elements of 8 bits");
  expect('(', "'('");
  Relocation relocation = parse_relocation();
  expect(')', "')' after the masked address");
  if (mask.bits == 0xff) {
    relocation.offset = offset;
    variable.relocations.push_back(relocation);
    return;
  }
  const bool goes_on = !variable.relocations.empty() && variable.relocations.back().symbol == relocation.symbol &&
                       variable.relocations.back().addend == relocation.addend &&
                       variable.relocations.back().generic == relocation.generic;
  const std::uint64_t byte = goes_on ? offset - variable.relocations.back().offset : address_bytes;
  if (byte == 0 || byte >= address_bytes || mask.bits != 0xffull << (8 * byte)) {
    throw ParseError(at, "expected the eight bytes of an address in order: 0xFF(x), 0xFF00(x), …");
  }
}

void Parser::put_constant(Variable& variable, const Constant& value, std::uint64_t offset, std::uint64_t bytes,
                          Position at) {
  std::uint64_t bits = value.bits;
  switch (variable.type) {
    case Type::f64:
      bits = std::bit_cast<std::uint64_t>(as_double(value));
      break;
    case Type::f32:
      bits = value.kind == Constant::Kind::f32 ? value.bits
                                               : std::bit_cast<std::uint32_t>(static_cast<float>(as_double(value)));
      break;
    // nvcc writes the bits of a half as an integer, although the type is a float's.
    case Type::f16:
      if (is_real(value)) bits = narrow_float(as_double(value), 5, 10);
      break;
    case Type::bf16:
      if (is_real(value)) bits = narrow_float(as_double(value), 8, 7);
      break;
    case Type::b32:
      if (value.kind == Constant::Kind::f64) throw ParseError(at, "expected a 32-bit value");
      break;
    default:
      if (is_real(value) && !(bytes == 8 && value.kind == Constant::Kind::f64)) {
        throw ParseError(at, "expected an integer for an element of type ." + std::string(to_string(variable.type)));
      }
  }
  for (std::uint64_t i = 0; i < bytes && i < 8; ++i)
    variable.initial[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

}  // namespace judge::emulator::ptx
