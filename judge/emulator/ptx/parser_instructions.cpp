#include <algorithm>
#include <array>

#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

// Caps of one instruction; the longest real ones (wgmma with a 64x256 accumulator) have 130 operands and 12 modifiers.
constexpr std::size_t most_operands = 1024;
constexpr std::size_t most_modifiers = 32;

// PTX ISA, "Special Registers". Those of the first list have components .x .y .z (and .w).
constexpr std::array<std::string_view, 8> special_vectors{
    "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
constexpr std::array<std::string_view, 29> special_scalars{"%laneid",
                                                           "%warpid",
                                                           "%nwarpid",
                                                           "%smid",
                                                           "%nsmid",
                                                           "%gridid",
                                                           "%is_explicit_cluster",
                                                           "%cluster_ctarank",
                                                           "%cluster_nctarank",
                                                           "%lanemask_eq",
                                                           "%lanemask_le",
                                                           "%lanemask_lt",
                                                           "%lanemask_ge",
                                                           "%lanemask_gt",
                                                           "%clock",
                                                           "%clock_hi",
                                                           "%clock64",
                                                           "%globaltimer",
                                                           "%globaltimer_lo",
                                                           "%globaltimer_hi",
                                                           "%total_smem_size",
                                                           "%aggr_smem_size",
                                                           "%dynamic_smem_size",
                                                           "%current_graph_exec",
                                                           "%reserved_smem_offset_begin",
                                                           "%reserved_smem_offset_end",
                                                           "%reserved_smem_offset_cap",
                                                           "%reserved_smem_offset_0",
                                                           "%reserved_smem_offset_1"};

bool is_numbered(std::string_view name, std::string_view prefix, unsigned count, std::string_view suffix) {
  if (name.substr(0, prefix.size()) != prefix) return false;
  name.remove_prefix(prefix.size());
  if (name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix) return false;
  name.remove_suffix(suffix.size());
  if (name.empty() || name.size() > 2 || (name.size() == 2 && name[0] == '0')) return false;
  unsigned value = 0;
  for (char c : name) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value < count;
}

bool is_special_scalar(std::string_view name) {
  return std::find(special_scalars.begin(), special_scalars.end(), name) != special_scalars.end() ||
         is_numbered(name, "%envreg", 32, "") || is_numbered(name, "%pm", 8, "") || is_numbered(name, "%pm", 8, "_64");
}

bool touches(const Token& first, const Token& second) {
  return first.text.data() + first.text.size() == second.text.data();
}

// Component of a vector: PTX ISA, "Vectors as Operands": .x .y .z .w, or .r .g .b .a.
int component_of(std::string_view dotted) {
  if (dotted.size() != 2) return -1;
  const std::size_t xyzw = std::string_view("xyzw").find(dotted[1]);
  if (xyzw != std::string_view::npos) return static_cast<int>(xyzw);
  const std::size_t rgba = std::string_view("rgba").find(dotted[1]);
  return rgba == std::string_view::npos ? -1 : static_cast<int>(rgba);
}

}  // namespace

void Parser::parse_instruction() {
  Instruction instruction;
  instruction.at = peek().at;
  expect('@', "'@'");
  instruction.guard_negated = accept('!');
  const Token name = expect_word("a predicate register after '@'");
  const Binding* binding = names_->find(name.text);
  if (binding == nullptr || binding->kind != Binding::Kind::reg || binding->components != 1) {
    throw ParseError(name.at, "expected a declared predicate register, found " + describe(name));
  }
  names_->name_register(binding->first, name.text);
  instruction.guard = binding->first;
  finish_instruction(instruction, expect_word("an instruction"));
}

void Parser::parse_statement() {
  const Token word = take();
  if (accept(':')) return parse_label(word);
  Instruction instruction;
  instruction.at = word.at;
  finish_instruction(instruction, word);
}

void Parser::finish_instruction(Instruction& instruction, const Token& opcode) {
  instruction.opcode = opcode.text;
  instruction.location = location_;
  instruction_ = &instruction;
  has_unresolved_ = false;
  while (peek().kind == Token::Kind::dotted) {
    if (instruction.modifiers.size() == most_modifiers) expected("at most 32 modifiers");
    instruction.modifiers.push_back(take().text.substr(1));
  }
  if (opcode.text == "call") {
    parse_call(instruction);
  } else if (!peek().is(';')) {
    do {
      instruction.operands.push_back(parse_operand());
      if (instruction.operands.size() > most_operands) expected("at most 1024 operands");
    } while (accept(','));
  }
  expect(';', "';' after the operands of '" + std::string(opcode.text.substr(0, 60)) + "'");
  count(instructions_, limits_.instructions, "instructions", opcode.at);
  if (has_unresolved_) names_->remember_instruction(static_cast<std::uint32_t>(function_.body.size()));
  function_.body.push_back(std::move(instruction));
}

// call{.uni} {(results),} callee {, (arguments)} {, prototype or table};
void Parser::parse_call(Instruction& instruction) {
  if (peek().is('(')) {
    instruction.call_results = parse_argument_list();
    expect(',', "',' and the function to call");
  }
  instruction.operands.push_back(parse_operand());
  if (!accept(',')) return;
  if (peek().is('(')) {
    instruction.call_arguments = parse_argument_list();
    if (!accept(',')) return;
  }
  instruction.operands.push_back(parse_operand());
}

std::vector<Operand> Parser::parse_argument_list() {
  std::vector<Operand> list;
  expect('(', "'('");
  if (accept(')')) return list;
  do {
    list.push_back(parse_operand());
    if (list.size() > most_operands) expected("at most 1024 arguments");
  } while (accept(','));
  expect(')', "',' or ')' after an argument");
  return list;
}

Operand Parser::immediate(const Constant& value) const {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.bits = value.bits;
  if (value.kind == Constant::Kind::f32) operand.literal = Operand::Literal::f32;
  if (value.kind == Constant::Kind::f64) operand.literal = Operand::Literal::f64;
  return operand;
}

Operand Parser::parse_operand() {
  Deeper deeper(*this);
  const Token& next = peek();
  count(operands_, limits_.operands, "operands", next.at);
  if (next.is('{')) return parse_pair(parse_vector());  // {a, b, c, d}|p: tex, with whether the texels are there
  if (next.is('[')) return parse_address();
  if (next.is_word() && next.text != "WARP_SZ") return parse_named_operand();
  if (next.is('!') || next.is('-')) {
    const Token sign = take();
    if (peek().is_word() && peek().text != "WARP_SZ") {
      const Token name = take();
      const Binding* binding = names_->find(name.text);
      if (binding == nullptr || binding->kind != Binding::Kind::reg) {
        throw ParseError(name.at, "expected a declared register after " + describe(sign) + ", found " + describe(name));
      }
      Operand operand = parse_register_use(name, *binding);
      if (operand.kind != Operand::Kind::reg) throw ParseError(name.at, "expected one register, found a vector");
      operand.negated = true;
      return operand;
    }
    const Constant value = parse_unary();
    return immediate(parse_expression_after(sign.is('!') ? logical_not(value) : negate(value)));
  }
  const bool begins_constant = next.kind == Token::Kind::integer || next.kind == Token::Kind::single ||
                               next.kind == Token::Kind::real || next.kind == Token::Kind::dotted || next.is_word() ||
                               next.is('(') || next.is('+') || next.is('~');
  if (!begins_constant) expected("an operand");
  return immediate(parse_expression());
}

Operand Parser::parse_vector() {
  Operand vector;
  vector.kind = Operand::Kind::vector;
  expect('{', "'{'");
  do {
    if (peek().is('{') || peek().is('[')) expected("a register or constant in this vector");
    vector.elements.push_back(parse_operand());
    if (vector.elements.size() > most_operands) expected("at most 1024 elements in a vector");
  } while (accept(','));
  expect('}', "',' or '}' after an element of this vector");
  return vector;
}

// The sign of the offset in [base+4], [base+-4], [base-4] is part of the expression that follows the base.
std::int64_t Parser::parse_offset() {
  const bool minus = peek().is('-');
  const Position at = take().at;
  Constant value = parse_unary();
  if (minus) value = negate(value);
  value = parse_expression_after(value);
  if (value.kind == Constant::Kind::f32 || value.kind == Constant::Kind::f64) {
    throw ParseError(at, "expected an integer offset");
  }
  return static_cast<std::int64_t>(value.bits);
}

Operand Parser::parse_address() {
  Operand address;
  expect('[', "'['");
  if (peek().is_word() && peek().text != "WARP_SZ") {
    const Token name = peek();
    address = parse_named_operand();
    if (address.kind == Operand::Kind::reg && !address.negated) {
      address.base_is_reg = true;
    } else if (address.kind == Operand::Kind::symbol) {
      address.base_is_symbol = true;
    } else {
      throw ParseError(name.at, "expected a register or variable as the base of an address, found " + describe(name));
    }
    if (address.base_is_reg && (peek().is('+') || peek().is('-'))) address.offset = parse_offset();
  } else {
    const Position at = peek().at;
    const Constant value = parse_expression();
    if (value.kind == Constant::Kind::f32 || value.kind == Constant::Kind::f64) {
      throw ParseError(at, "expected an integer address");
    }
    address.offset = static_cast<std::int64_t>(value.bits);
  }
  address.kind = Operand::Kind::address;
  while (accept(',')) {
    if (peek().is('[')) expected("a register, constant or vector");
    address.elements.push_back(parse_operand());
    if (address.elements.size() > most_operands) expected("at most 1024 operands in an address");
  }
  expect(']', "']' of this address");
  return address;
}

Operand Parser::parse_pair(Operand first) {
  if (!accept('|')) return first;
  const Token name = expect_word("a register or '_' after '|'");
  Operand second;
  if (name.text == "_") {
    second.kind = Operand::Kind::sink;
  } else {
    const Binding* binding = names_->find(name.text);
    if (binding == nullptr || binding->kind != Binding::Kind::reg) {
      throw ParseError(name.at, "expected a declared register after '|', found " + describe(name));
    }
    second = parse_register_use(name, *binding);
  }
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.elements.reserve(2);
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(std::move(second));
  return pair;
}

Operand Parser::parse_named_operand() {
  const Token name = take();
  Operand operand;
  if (name.text == "_") {
    operand.kind = Operand::Kind::sink;
    return parse_pair(std::move(operand));
  }
  const Binding* binding = names_->find(name.text);
  if (binding != nullptr && binding->kind == Binding::Kind::reg) {
    operand = parse_register_use(name, *binding);
    return operand.kind == Operand::Kind::reg ? parse_pair(std::move(operand)) : operand;
  }
  if (binding == nullptr && name.text[0] == '%') {
    if (auto special = parse_special_register(name)) {
      if (peek().kind == Token::Kind::dotted && touches(name, peek())) {
        const Token component = take();
        special->name = {name.text.data(), name.text.size() + component.text.size()};
      }
      return *special;
    }
    throw ParseError(name.at, "register " + describe(name) + " is not declared");
  }
  operand.kind = Operand::Kind::symbol;
  if (binding != nullptr) {
    operand.name = binding->unique_name;
  } else {
    operand.name = name.text;
    operand.reg = Names::unresolved;
    has_unresolved_ = true;
    // A branch's operand is a label whether or not there is one; validate() says where it leads nowhere.
    if (instruction_->opcode == "bra" || (instruction_->opcode == "brx" && instruction_->operands.size() == 1)) {
      operand.kind = Operand::Kind::label;
    }
  }
  if (operand.kind == Operand::Kind::symbol && (peek().is('+') || peek().is('-'))) operand.offset = parse_offset();
  if (operand.kind == Operand::Kind::symbol && peek().is('[')) parse_index(operand);
  return operand;
}

// x[4]: the fifth element of a variable declared as an array; its address in mov, what lies there in ld, st and atom (PTX
// ISA, "Arrays as Operands"). ptxas counts in scalars where the elements are vectors.
void Parser::parse_index(Operand& operand) {
  const Token bracket = take();
  const Variable* variable = find_variable(operand.name);
  if (variable == nullptr || !variable->is_array) throw ParseError(bracket.at, "expected the name of an array before '['");
  if (peek().is_word() && peek().text != "WARP_SZ")
    throw ParseError(peek().at, "expected a constant: a register as an index is not supported, add it to the address");
  const Constant index = parse_expression();
  if (index.kind == Constant::Kind::f32 || index.kind == Constant::Kind::f64)
    throw ParseError(bracket.at, "expected an integer as the index");
  expect(']', "']' after the index");
  operand.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) +
                                             index.bits * std::max(1u, bits_of(variable->type) / 8));
  const std::string_view opcode = instruction_->opcode;
  if (opcode == "ld" || opcode == "ldu" || opcode == "st" || opcode == "atom" || opcode == "red") {
    operand.kind = Operand::Kind::address;
    operand.base_is_symbol = true;
  }
}

const Variable* Parser::find_variable(std::string_view unique_name) const {
  if (const auto local = local_index_.find(unique_name); local != local_index_.end())
    return &function_.variables[local->second];
  const auto known = variable_index_.find(unique_name);
  return known == variable_index_.end() ? nullptr : &module_.variables[known->second];
}

Operand Parser::parse_register_use(const Token& name, const Binding& binding) {
  Operand operand;
  std::uint32_t index = binding.first;
  if (binding.components > 1) {
    if (peek().kind != Token::Kind::dotted || !touches(name, peek())) {
      operand.kind = Operand::Kind::vector;
      operand.elements.resize(binding.components);
      for (unsigned i = 0; i < binding.components; ++i) {
        operand.elements[i].kind = Operand::Kind::reg;
        operand.elements[i].reg = index + i;
      }
      return operand;
    }
    const Token dotted = take();
    const int component = component_of(dotted.text);
    if (component < 0 || static_cast<unsigned>(component) >= binding.components) {
      throw ParseError(dotted.at, "expected a component of this vector register, found " + describe(dotted));
    }
    index += static_cast<std::uint32_t>(component);
  }
  names_->name_register(index, name.text);
  operand.kind = Operand::Kind::reg;
  operand.reg = index;
  return operand;
}

std::optional<Operand> Parser::parse_special_register(const Token& name) const {
  const bool has_component = peek().kind == Token::Kind::dotted && touches(name, peek());
  if (std::find(special_vectors.begin(), special_vectors.end(), name.text) != special_vectors.end()) {
    if (has_component && component_of(peek().text) < 0) expected("a component .x, .y, .z or .w");
  } else if (!is_special_scalar(name.text) || has_component) {
    return std::nullopt;
  }
  Operand operand;
  operand.kind = Operand::Kind::special;
  operand.name = name.text;
  return operand;
}

}  // namespace judge::emulator::ptx
