// How this works. One pass over every instruction: first what its operands refer to (labels, tables, symbols), then
// what the opcode's row in opcode_rules.cpp says of their number and width, then the forms with rules of their own
// (mov, cvt, ld and st), then what the target allows. Widths follow PTX ISA, "Operand Type Checking" and "Operand Size
// Exceeding Instruction-Type Size": a register must be exactly as wide as the instruction's type, except in ld, st
// and cvt, where it may be wider. Whether a register is declared .f32, .b32 or .u32 is not checked.

#include <string>
#include <unordered_set>

#include "judge/emulator/ptx/module.h"
#include "judge/emulator/ptx/opcode_rules.h"

namespace judge::emulator::ptx {
namespace {

using Kind = Operand::Kind;

struct Types {
  Type first = Type::none, last = Type::none;
  int count = 0;
  unsigned vector = 1;
};

Types types_of(const Instruction& instruction) {
  Types types;
  for (std::string_view modifier : instruction.modifiers) {
    if (modifier == "v2" || modifier == "v4" || modifier == "v8") {
      types.vector = static_cast<unsigned>(modifier[1] - '0');
    } else if (const auto type = type_from(modifier)) {
      if (types.count++ == 0) types.first = *type;
      types.last = *type;
    }
  }
  return types;
}

class FunctionValidator {
 public:
  FunctionValidator(const Module& module, const Function& function, const std::unordered_set<std::string_view>& symbols)
      : module_(module), function_(function), module_symbols_(symbols) {
    for (const auto* list : {&function.variables, &function.parameters, &function.results}) {
      for (const Variable& variable : *list) local_symbols_.insert(variable.name);
    }
  }

  void run() {
    for (const Instruction& instruction : function_.body) check(instruction);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::string spelling(current_->opcode.substr(0, 60));
    for (std::string_view modifier : current_->modifiers) {
      if (spelling.size() > 100) break;
      spelling += '.';
      spelling += modifier.substr(0, 60);
    }
    throw ParseError(current_->at, spelling + ": " + what);
  }

  static std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 60)) + "'"; }
  static std::string ordinal(std::size_t index) { return "operand " + std::to_string(index + 1); }

  void check(const Instruction& instruction) {
    current_ = &instruction;
    if (instruction.guard && width_of(*instruction.guard) != 1) {
      fail("guard " + register_name(*instruction.guard) + " is not a predicate");
    }
    for (const auto* list : {&instruction.operands, &instruction.call_results, &instruction.call_arguments}) {
      for (const Operand& operand : *list) check_names(operand);
    }
    check_target();
    const Types types = types_of(instruction);
    if (instruction.opcode == "call") return check_call();
    if (instruction.opcode == "mov") return check_mov(types);
    if (instruction.opcode == "cvt") return check_cvt(types);
    if (const OperandRule* rule = operand_rule(instruction.opcode)) check_operands(*rule, types);
    if (instruction.opcode == "bra") check_branch();
    if (instruction.opcode == "brx") check_table();
    if (instruction.opcode == "ld" || instruction.opcode == "ldu") check_access(types, 0);
    if (instruction.opcode == "st") check_access(types, 1);
  }

  unsigned width_of(std::uint32_t reg) const { return bits_of(function_.registers[reg].type); }
  std::string register_name(std::uint32_t reg) const {
    return std::string(function_.register_names[reg].substr(0, 60));
  }

  // What is neither a variable nor a function nor a label must not be used as a value.
  void check_names(const Operand& operand) const {
    const bool names_symbol = operand.kind == Kind::symbol || (operand.kind == Kind::address && operand.base_is_symbol);
    if (names_symbol && local_symbols_.count(operand.name) == 0 && module_symbols_.count(operand.name) == 0) {
      fail(quoted(operand.name) + " is not declared");
    }
    for (const Operand& element : operand.elements) check_names(element);
  }

  void check_target() const {
    const int version = module_.version_major * 10 + module_.version_minor;
    for (const FeatureRule& rule : feature_rules()) {
      if (!rule.opcode.empty() && rule.opcode != current_->opcode) continue;
      if (!rule.modifier.empty() && !current_->has_modifier(rule.modifier)) continue;
      const std::string what = rule.modifier.empty() ? "" : "." + std::string(rule.modifier) + " ";
      if (rule.exact_architecture && (module_.sm != rule.sm || module_.target_suffix.empty())) {
        fail(what + "needs .target sm_" + std::to_string(rule.sm) + "a, this module is for " +
             std::string(module_.target));
      }
      if (module_.sm < rule.sm) {
        fail(what + "needs .target sm_" + std::to_string(rule.sm) + " or higher, this module is for " +
             std::string(module_.target));
      }
      if (version < rule.version) {
        fail(what + "needs .version " + std::to_string(rule.version / 10) + "." + std::to_string(rule.version % 10) +
             " or higher, this module says " + std::to_string(module_.version_major) + "." +
             std::to_string(module_.version_minor));
      }
    }
  }

  void check_branch() const {
    const Operand& target = current_->operands[0];
    if (target.kind != Kind::label) fail("expected a label");
    if (function_.labels.count(target.name) == 0)
      fail("there is no label " + quoted(target.name) + " in this function");
  }

  void check_table() const {
    const Operand& operand = current_->operands[1];
    const auto table = function_.branch_tables.find(operand.name);
    if (operand.kind != Kind::label || table == function_.branch_tables.end()) {
      fail(quoted(operand.name) + " is not the label of a .branchtargets list");
    }
    // Every table is looked through once, however many branches use it.
    if (!checked_tables_.insert(operand.name).second) return;
    for (std::string_view target : table->second) {
      if (function_.labels.count(target) == 0) fail("there is no label " + quoted(target) + ", which the table names");
    }
  }

  void check_call() const {
    const Operand& callee = current_->operands[0];
    if (callee.kind == Kind::reg) {
      const unsigned width = width_of(callee.reg);
      if (width != 32 && width != 64) fail("a function's address is 32 or 64 bits wide");
      if (current_->operands.size() < 2) fail("an indirect call needs a .callprototype or .calltargets label");
      const std::string_view name = current_->operands[1].name;
      if (function_.prototypes.count(name) == 0 && function_.branch_tables.count(name) == 0) {
        fail(quoted(name) + " is not the label of a .callprototype or .calltargets list");
      }
    } else if (callee.kind != Kind::symbol) {
      fail("expected the name of a function or a register");
    } else if (local_symbols_.count(callee.name) != 0) {
      fail(quoted(callee.name) + " is a variable, not a function");
    }
  }

  void check_operands(const OperandRule& rule, const Types& types) const {
    const auto& operands = current_->operands;
    const std::size_t mark = rule.operands.find('?');
    const std::size_t least = mark == std::string_view::npos ? rule.operands.size() : mark;
    const std::size_t most = mark == std::string_view::npos ? rule.operands.size() : rule.operands.size() - 1;
    if (operands.size() < least || operands.size() > most) {
      const std::string wanted =
          least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
      fail("expected " + wanted + " operands, found " + std::to_string(operands.size()));
    }
    const bool one_width = types.count == 1 || (types.count > 1 && bits_of(types.first) == bits_of(types.last));
    const unsigned width = bits_of(types.last);
    const unsigned wide = current_->has_modifier("wide") ? 2 * width : width;
    std::size_t index = 0;
    for (char letter : rule.operands) {
      if (letter == '?') continue;
      if (index == operands.size()) break;
      const std::size_t i = index++;
      switch (letter) {
        case 'D':
          if (one_width) destination(i, width);
          break;
        case 'W':
          if (one_width) destination(i, wide);
          break;
        case 'd':
          destination(i, 32);
          break;
        case 'F':
          destination(i, bits_of(types.first));
          break;
        case 'P':
          predicate_destination(i);
          break;
        case 't':
          if (one_width || rule.operands.find_first_of("Ff") != std::string_view::npos) source(i, width, types.last);
          break;
        case 'w':
          if (one_width) source(i, wide, types.last);
          break;
        case 'f':
          source(i, bits_of(types.first), types.first);
          break;
        case 'r':
          source(i, 32, Type::b32);
          break;
        case 'p':
          predicate_source(i);
          break;
        case 'a':
          address(i);
          break;
        default:
          break;
      }
    }
  }

  void require_width(std::size_t index, const Operand& operand, unsigned width) const {
    const unsigned actual = width_of(operand.reg);
    if (width != 0 && actual != width) {
      fail(ordinal(index) + ", " + register_name(operand.reg) + ", has " + std::to_string(actual) +
           " bits and should have " + std::to_string(width));
    }
  }

  void destination(std::size_t index, unsigned width) const {
    const Operand& operand = current_->operands[index];
    if (operand.kind == Kind::reg && !operand.negated) return require_width(index, operand, width);
    if (operand.kind == Kind::sink || operand.kind == Kind::pair || operand.kind == Kind::vector) return;
    fail(ordinal(index) + " is written and must be a register");
  }

  void source(std::size_t index, unsigned width, Type type) const {
    const Operand& operand = current_->operands[index];
    if (operand.kind == Kind::reg) return require_width(index, operand, width);
    if (operand.kind == Kind::immediate && operand.literal != Operand::Literal::integer &&
        (is_signed(type) || (type >= Type::u8 && type <= Type::u64))) {
      fail(ordinal(index) + " is a floating-point constant, the type ." + std::string(to_string(type)) +
           " is an integer");
    }
    if (operand.kind == Kind::address) fail(ordinal(index) + " cannot be an address in brackets here");
    if (operand.kind == Kind::label) fail(ordinal(index) + " is a label and not a value");
  }

  void predicate_destination(std::size_t index) const {
    const Operand& operand = current_->operands[index];
    if (operand.kind == Kind::sink) return;
    if (operand.kind == Kind::reg && !operand.negated && width_of(operand.reg) == 1) return;
    if (operand.kind == Kind::pair) {
      for (const Operand& half : operand.elements) {
        if (half.kind == Kind::reg && width_of(half.reg) != 1) fail(register_name(half.reg) + " is not a predicate");
      }
      return;
    }
    fail(ordinal(index) + " is written and must be a predicate register");
  }

  void predicate_source(std::size_t index) const {
    const Operand& operand = current_->operands[index];
    if (operand.kind == Kind::immediate) return;
    if (operand.kind != Kind::reg || width_of(operand.reg) != 1) fail(ordinal(index) + " must be a predicate");
  }

  void address(std::size_t index) const {
    const Operand& operand = current_->operands[index];
    if (operand.kind != Kind::address) fail(ordinal(index) + " must be an address in brackets");
    if (!operand.base_is_reg) return;
    const unsigned width = width_of(operand.reg);
    if (width != 32 && width != 64) {
      fail("the base of an address has 32 or 64 bits, " + register_name(operand.reg) + " has " + std::to_string(width));
    }
  }

  // ld and st: as many registers as .v2, .v4 or .v8 say, none narrower than the type.
  void check_access(const Types& types, std::size_t index) const {
    const Operand& value = current_->operands[index];
    if (index == 0 && value.kind == Kind::immediate) fail(ordinal(index) + " is written and must be a register");
    const std::size_t count = value.kind == Kind::vector ? value.elements.size() : 1;
    if (count != types.vector) {
      fail("expected " + std::to_string(types.vector) + " values, found " + std::to_string(count));
    }
    at_least(value, bits_of(types.last));
    for (const Operand& element : value.elements) at_least(element, bits_of(types.last));
  }

  void at_least(const Operand& operand, unsigned width) const {
    if (operand.kind != Kind::reg) return;
    const unsigned actual = width_of(operand.reg);
    if (actual < width || (actual == 1 && width != 1)) {
      fail(register_name(operand.reg) + " has " + std::to_string(actual) + " bits, the type has " +
           std::to_string(width));
    }
  }

  void check_cvt(const Types& types) const {
    const auto& operands = current_->operands;
    if (operands.size() < 2 || operands.size() > 4) {
      fail("expected 2 to 4 operands, found " + std::to_string(operands.size()));
    }
    if (operands[0].kind == Kind::immediate) fail(ordinal(0) + " is written and must be a register");
    if (types.count != 2) {
      if (types.count < 2) fail("expected two types, .to.from");
      return;
    }
    at_least(operands[0], bits_of(types.first));
    at_least(operands[1], operands.size() == 2 ? bits_of(types.last) : 0);
  }

  // mov moves a value, an address, or packs and unpacks: {a, b} together are as wide as the other side.
  void check_mov(const Types& types) const {
    const auto& operands = current_->operands;
    if (operands.size() != 2) fail("expected 2 operands, found " + std::to_string(operands.size()));
    if (types.count != 1) fail("expected one type");
    const unsigned width = bits_of(types.last) * types.vector;
    for (std::size_t i = 0; i < 2; ++i) {
      const Operand& operand = operands[i];
      if (operand.kind == Kind::vector) {
        unsigned sum = 0;
        bool known = true;
        for (const Operand& element : operand.elements) {
          known = known && element.kind == Kind::reg;
          if (element.kind == Kind::reg) sum += width_of(element.reg);
        }
        if (known && sum != width) {
          fail("the parts of " + ordinal(i) + " have " + std::to_string(sum) + " bits together, the type has " +
               std::to_string(width));
        }
      } else if (operand.kind == Kind::reg) {
        require_width(i, operand, width);
      } else if (i == 0 && operand.kind != Kind::sink) {
        fail(ordinal(i) + " is written and must be a register");
      } else if (operand.kind == Kind::address) {
        fail(ordinal(i) + " cannot be an address in brackets here");
      }
    }
  }

  const Module& module_;
  const Function& function_;
  const std::unordered_set<std::string_view>& module_symbols_;
  std::unordered_set<std::string_view> local_symbols_;
  mutable std::unordered_set<std::string_view> checked_tables_;
  const Instruction* current_ = nullptr;
};

}  // namespace

void validate(const Module& module) {
  std::unordered_set<std::string_view> symbols;
  for (const Variable& variable : module.variables) symbols.insert(variable.name);
  for (const Function& function : module.functions) symbols.insert(function.name);
  for (const auto& [alias, target] : module.aliases) symbols.insert(alias);
  for (const Variable& variable : module.variables) {
    for (const Relocation& relocation : variable.relocations) {
      if (symbols.count(relocation.symbol) == 0) {
        throw ParseError(variable.at, "the initialiser of '" + std::string(variable.name.substr(0, 60)) + "' names '" +
                                          std::string(relocation.symbol.substr(0, 60)) + "', which is not declared");
      }
    }
  }
  for (const Function& function : module.functions) FunctionValidator(module, function, symbols).run();
}

}  // namespace judge::emulator::ptx
