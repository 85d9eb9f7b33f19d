#include <algorithm>
#include <bit>

#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

constexpr std::uint32_t opaque_bytes = 8;  // a texture, sampler or surface is held as a 64-bit handle
constexpr std::size_t most_dimensions = 16;
constexpr std::uint64_t largest_align = 1u << 20;

std::uint32_t element_bytes_of(Type type) {
  if (type == Type::texref || type == Type::samplerref || type == Type::surfref) return opaque_bytes;
  return std::max(1u, bits_of(type) / 8);
}

}  // namespace

std::uint32_t Parser::parse_align() {
  const Position at = peek().at;
  const std::uint64_t align = expect_integer("an alignment", largest_align);
  if (!std::has_single_bit(align)) throw ParseError(at, "expected a power of two as the alignment");
  return static_cast<std::uint32_t>(align);
}

// .attribute(.managed), .attribute(.unified(1, 2)), lists of them.
void Parser::parse_attributes(bool& is_managed) {
  expect('(', "'(' after .attribute");
  do {
    if (accept_dotted(".managed")) {
      is_managed = true;
    } else if (accept_dotted(".unified")) {
      skip_parentheses("'(' after .unified");
    } else {
      expected("an attribute: .managed or .unified");
    }
  } while (accept(','));
  expect(')', "')' after the attributes");
}

void Parser::skip_parentheses(std::string_view what) {
  expect('(', what);
  while (!accept(')')) {
    if (peek().kind == Token::Kind::end) expected("')'");
    take();
  }
}

// What may stand between the state space and the name, in any order: .align 8 .v4 .f32, .u64 .ptr .global .align 4, …
Parser::Specifiers Parser::parse_specifiers(bool is_parameter) {
  Specifiers result;
  result.type_at = peek().at;
  std::uint32_t pointee_align = 0;  // describes what a pointer parameter points to, not the parameter
  bool is_pointer = false;
  while (peek().kind == Token::Kind::dotted) {
    const Token word = take();
    const std::string_view name = word.text.substr(1);
    if (name == "align") {
      (is_pointer ? pointee_align : result.align) = parse_align();
    } else if (name == "attribute") {
      parse_attributes(result.is_managed);
    } else if (name == "v2" || name == "v4" || name == "v8") {
      result.vector = static_cast<unsigned>(name[1] - '0');
    } else if (is_parameter && name == "ptr") {
      is_pointer = true;
    } else if (is_pointer &&
               (name == "global" || name == "const" || name == "shared" || name == "local" || name == "param")) {
      continue;
    } else if (const auto type = type_from(name); type && result.type == Type::none) {
      result.type = *type;
      result.type_at = word.at;
    } else {
      throw ParseError(word.at, "expected a type, .align or a vector length, found " + describe(word));
    }
  }
  if (result.type == Type::none) expected("a type");
  return result;
}

// The name is read already: dimensions and initialiser follow.
Variable Parser::parse_declarator(Space space, const Specifiers& specifiers, const Token& name) {
  Variable variable;
  variable.name = name.text;
  variable.at = name.at;
  variable.space = space;
  variable.type = specifiers.type;
  variable.vector = specifiers.vector;
  variable.is_managed = specifiers.is_managed;
  Shape shape;
  shape.element_bytes = element_bytes_of(specifiers.type);
  const std::uint64_t natural = shape.element_bytes * specifiers.vector;
  variable.align = specifiers.align != 0 ? specifiers.align : static_cast<std::uint32_t>(natural);
  variable.bytes = natural;
  bool is_open = false;  // x[]
  while (peek().is('[')) {
    const Token bracket = take();
    if (shape.dimensions.size() == most_dimensions) throw ParseError(bracket.at, "expected at most 16 dimensions");
    variable.is_array = true;
    std::uint64_t length = 0;
    if (peek().is(']')) {
      if (!shape.dimensions.empty()) expected("a length: only the first dimension may be left out");
      is_open = true;
    } else {
      const Position at = peek().at;
      const Constant value = parse_expression();
      const bool is_integer = value.kind == Constant::Kind::s64 || value.kind == Constant::Kind::u64;
      if (!is_integer || (value.kind == Constant::Kind::s64 && static_cast<std::int64_t>(value.bits) < 0)) {
        throw ParseError(at, "expected an array length that is an integer and not negative");
      }
      length = value.bits;
    }
    expect(']', "']' after the array length");
    const std::uint64_t factor = is_open && shape.dimensions.empty() ? 1 : length;
    shape.dimensions.push_back(length);
    if (__builtin_mul_overflow(variable.bytes, factor, &variable.bytes) || variable.bytes > limits_.variable_bytes) {
      throw ParseError(name.at, describe(name) + " is larger than " + std::to_string(limits_.variable_bytes) +
                                    " bytes (limit: variable_bytes)");
    }
  }
  if (specifiers.vector > 1) shape.dimensions.push_back(specifiers.vector);
  if (is_open) variable.bytes = 0;
  if (accept('=')) parse_initialiser(variable, shape);
  return variable;
}

void Parser::add_registers(std::string_view name, std::optional<std::uint32_t> range, const Specifiers& specifiers,
                           Position at) {
  const std::uint64_t added = std::uint64_t{range.value_or(1)} * specifiers.vector;
  if (function_.registers.size() + added > limits_.registers_per_function) {
    throw ParseError(at, "more than " + std::to_string(limits_.registers_per_function) +
                             " registers in one function (limit: registers_per_function)");
  }
  registers_ += added;
  if (registers_ > limits_.registers) {
    throw ParseError(at, "more than " + std::to_string(limits_.registers) + " registers (limit: registers)");
  }
  if (range) {
    if (specifiers.vector != 1)
      throw ParseError(at, "expected a scalar type: a numbered range has no vector registers");
    names_->declare_registers(name, *range, specifiers.type, at);
  } else {
    count(names_count_, limits_.names, "names", at);
    names_->declare_register(name, specifiers.type, specifiers.vector, at);
  }
}

void Parser::parse_registers() {
  const Specifiers specifiers = parse_specifiers(false);
  do {
    const Token name = expect_word("a register name");
    std::optional<std::uint32_t> range;
    if (accept('<')) {
      range = static_cast<std::uint32_t>(expect_integer("how many registers", 0xffffffffu));
      expect('>', "'>' after the number of registers");
    }
    add_registers(name.text, range, specifiers, name.at);
  } while (accept(','));
  expect(';', "',' or ';' after a register");
}

void Parser::parse_local_variables(Space space) {
  const Specifiers specifiers = parse_specifiers(false);
  do {
    const Token name = expect_word("a variable name");
    count(names_count_, limits_.names, "names", name.at);
    const std::string_view unique_name = names_->declare_variable(name.text, name.at);
    Variable variable = parse_declarator(space, specifiers, name);
    variable.name = unique_name;
    if (space == Space::global || space == Space::constant) {
      add_module_variable(std::move(variable));
    } else {
      if (!variable.initial.empty()) throw ParseError(name.at, "only .global and .const variables have initialisers");
      local_index_.emplace(unique_name, function_.variables.size());
      function_.variables.push_back(std::move(variable));
    }
  } while (accept(','));
  expect(';', "',' or ';' after a variable");
}

}  // namespace judge::emulator::ptx
