#pragma once
// The recursive-descent parser of one PTX module. Its parts are split by what they read: parser_module.cpp (module
// level, .file, .section), parser_function.cpp (functions, bodies, .loc), parser_declarations.cpp (variables and
// registers), parser_initialisers.cpp, parser_instructions.cpp, parser_expressions.cpp.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "judge/emulator/ptx/lexer.h"
#include "judge/emulator/ptx/module.h"
#include "judge/emulator/ptx/names.h"

namespace judge::emulator::ptx {

// The value of a constant expression (PTX ISA, "Constant Expressions").
struct Constant {
  enum class Kind : std::uint8_t { s64, u64, f64, f32 } kind = Kind::s64;
  std::uint64_t bits = 0;
};

class Parser {
 public:
  Parser(std::string_view text, std::deque<std::string>& storage, const ParseLimits& limits, Module& module)
      : lexer_(text), storage_(storage), limits_(limits), module_(module) {}
  void run();

 private:
  // Tokens.
  const Token& peek() const { return lexer_.peek(); }
  Token take() { return lexer_.take(); }
  bool accept(std::uint16_t punctuation);
  bool accept_dotted(std::string_view spelling);
  Token expect(std::uint16_t punctuation, std::string_view what);
  Token expect_word(std::string_view what);
  std::uint64_t expect_integer(std::string_view what, std::uint64_t largest);
  [[noreturn]] void expected(std::string_view what) const;  // at the next token
  void count(std::size_t& counter, std::size_t limit, std::string_view what, Position at) const;

  // Module level.
  void parse_version();
  void parse_target();
  void parse_file();
  void parse_section();
  void parse_alias();
  void parse_module_item();
  void parse_module_variables(Space space, const Variable& linkage);
  void add_module_variable(Variable variable);
  void add_function(Function function);
  void name_inlined_functions();

  // Functions.
  void parse_function(const Variable& linkage, bool is_entry);
  void parse_parameters(std::vector<Variable>& list, bool declare);
  Variable parse_parameter(bool declare);
  void parse_function_directives(Function& function);
  void parse_dimensions(std::uint32_t (&dimensions)[3]);
  void parse_body();
  void parse_body_directive();
  void parse_location();
  void parse_statement();
  void parse_label(const Token& name);
  void parse_prototype(const Token& label);
  void parse_table(const Token& label, std::string_view directive);
  int intern(const Location& location, std::uint64_t name_offset, Position at);
  int call_site(int file, int line, int column);

  // Declarations.
  struct Specifiers {
    Type type = Type::none;
    unsigned vector = 1;
    std::uint32_t align = 0;  // 0: not given
    bool is_managed = false;
    Position type_at;
  };
  Specifiers parse_specifiers(bool is_parameter);
  std::uint32_t parse_align();
  void parse_attributes(bool& is_managed);
  void skip_parentheses(std::string_view what);
  Variable parse_declarator(Space space, const Specifiers& specifiers, const Token& name);
  void parse_registers();
  void parse_local_variables(Space space);
  void add_registers(std::string_view name, std::optional<std::uint32_t> range, const Specifiers& specifiers,
                     Position at);

  // Initialisers.
  struct Shape {
    std::vector<std::uint64_t> dimensions;  // outermost first, a vector type's own length last; 0: to be found
    std::uint64_t element_bytes = 0;
  };
  void parse_initialiser(Variable& variable, const Shape& shape);
  std::uint64_t fill(Variable& variable, const Shape& shape, std::size_t depth, std::uint64_t begin, std::uint64_t end);
  void put_value(Variable& variable, const Shape& shape, std::uint64_t offset);
  void put_constant(Variable& variable, const Constant& value, std::uint64_t offset, std::uint64_t bytes, Position at);
  void put_masked_byte(Variable& variable, const Constant& mask, std::uint64_t offset, Position at);
  Relocation parse_relocation();
  void reserve_initial(Variable& variable, std::uint64_t bytes, Position at);

  // Instructions.
  void parse_instruction();  // with its guard
  void finish_instruction(Instruction& instruction, const Token& opcode);
  void parse_call(Instruction& instruction);
  std::vector<Operand> parse_argument_list();
  Operand parse_operand();
  Operand parse_vector();
  Operand parse_address();
  Operand parse_named_operand();
  void parse_index(Operand& operand);
  const Variable* find_variable(std::string_view unique_name) const;
  Operand parse_register_use(const Token& name, const Binding& binding);
  std::optional<Operand> parse_special_register(const Token& name) const;
  Operand parse_pair(Operand first);
  Operand immediate(const Constant& value) const;
  std::int64_t parse_offset();

  // Expressions.
  Constant parse_expression();
  Constant parse_expression_after(Constant left);  // the rest of one whose first operand is read already
  Constant parse_unary();
  Constant parse_binary(Constant left, int least_precedence);
  Constant parse_primary();
  Constant apply(const Token& op, const Constant& left, const Constant& right) const;
  static Constant negate(const Constant& value);
  static Constant logical_not(const Constant& value);

  // Deeper than ParseLimits::nesting ends the parse, so that hostile text cannot exhaust the stack.
  struct Deeper {
    Deeper(Parser& parser);
    ~Deeper() { --parser_.depth_; }
    Parser& parser_;
  };

  struct PendingName {  // `.loc …, function_name $L__info_string3 + 4`
    std::size_t location = 0;
    std::string_view label;
    std::uint64_t offset = 0;
  };

  Lexer lexer_;
  std::deque<std::string>& storage_;
  const ParseLimits& limits_;
  Module& module_;
  std::size_t depth_ = 0;
  std::size_t registers_ = 0, instructions_ = 0, operands_ = 0, names_count_ = 0;  // counted against limits_
  std::uint64_t initial_bytes_ = 0;

  std::unordered_map<std::string_view, std::size_t> variable_index_, function_index_;
  std::unordered_map<std::string_view, std::string*> debug_strings_;  // in storage_
  std::vector<PendingName> pending_names_;
  using LocationKey = std::tuple<int, int, int, int, std::string_view, std::uint64_t>;
  std::map<LocationKey, int> interned_;                 // every distinct .loc -> index into Module::locations
  std::map<std::tuple<int, int, int>, int> latest_at_;  // file, line, column -> the last such .loc of this function

  Function function_;  // being read
  std::unordered_map<std::string_view, std::size_t> local_index_;  // of its variables, by unique name
  std::optional<Names> names_;
  int location_ = -1;
  Instruction* instruction_ = nullptr;
  bool has_unresolved_ = false;
};

}  // namespace judge::emulator::ptx
