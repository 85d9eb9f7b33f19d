#pragma once
// The parsed form of one PTX module. Names and tokens are views into Module::text.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// How names come out. Registers are indices: of a function's `.reg` parameters first (results, then parameters), and a
// vector register `.reg .v4 .f32 x` is four registers (x.y is an ordinary register operand, x a vector operand).
// Variables, labels and tables declared more than once in different scopes of a function are renamed apart ("param0",
// "param0.2"); operands carry the renamed name. `.global` and `.const` variables of a body are moved to the module.

namespace judge::emulator::ptx {

enum class Space : std::uint8_t { none, reg, sreg, constant, global, local, param, shared, texref };

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  texref,
  samplerref,
  surfref
};
std::optional<Type> type_from(std::string_view spelling);  // "u32" (no dot)
std::string_view to_string(Type t);
unsigned bits_of(Type t);  // 1 for pred, 0 for none and opaque types
bool is_float(Type t);
bool is_signed(Type t);  // s8..s64

struct Position {  // in the PTX text, from 1
  int line = 0, column = 0;
};

// A source position from `.loc`. inlined_at (index into Module::locations, -1: none) leads to the call site's own.
struct Location {
  int file = 0;  // key of Module::files
  int line = 0, column = 0;
  int inlined_at = -1;
  std::string_view inlined_function;  // mangled name of the function that was inlined here; may be empty
};

struct Relocation {  // in an initialiser: 8 (or the low 4) bytes at `offset` hold the address of `symbol` + addend
  std::uint64_t offset = 0;
  std::string_view symbol;
  std::int64_t addend = 0;
  bool generic = false;  // generic(symbol)
  unsigned bytes = 8;
};

struct Variable {  // .global, .const, .shared, .local, .param, at module or function scope
  std::string_view name;
  Space space = Space::none;
  Type type = Type::none;
  unsigned vector = 1;
  std::uint32_t align = 1;  // explicit or natural
  std::uint64_t bytes = 0;  // 0 for `extern .shared x[]`
  bool is_array = false, is_extern = false, is_visible = false, is_weak = false, is_managed = false;
  std::vector<std::uint8_t> initial;  // empty, or exactly `bytes` long
  std::vector<Relocation> relocations;
  Position at;
};

struct Register {  // declared by .reg; `%r<10>` declares %r0 … %r9
  Type type = Type::none;
  unsigned vector = 1;
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,
    immediate,
    symbol /* variable, function or label name used as a value */,
    special /* %tid.x */,
    address /* [base+offset] */,
    vector /* {a, b, …} */,
    label,
    sink /* _ */,
    pair /* d|p */
  };
  Kind kind = Kind::none;
  bool negated = false;    // !%p or -value of a register (as in some inline assembly)
  std::uint32_t reg = 0;   // Kind::reg: index into Function::registers; address with a register base too
  std::string_view name;   // symbol, special ("%tid.x"), label; address with a symbol base
  std::uint64_t bits = 0;  // immediate: integer value, or the bits of the float literal as written
  enum class Literal : std::uint8_t { integer, f32, f64 } literal = Literal::integer;  // 0f…, 0d… or 1.5 (f64)
  bool base_is_reg = false, base_is_symbol = false;  // address; neither: absolute [imm]
  std::int64_t offset = 0;                           // address; symbol+offset used as a value too
  std::vector<Operand> elements;  // vector; pair (two); address: what follows the base, as in [tex, sampler, {x, y}]
};

struct Instruction {
  std::string_view opcode;  // "ld"
  std::vector<std::string_view>
      modifiers;                       // "global", "nc", "v4", "f32": what follows, split at dots ("L2::128B" whole)
  std::optional<std::uint32_t> guard;  // register index of @p
  bool guard_negated = false;
  std::vector<Operand> operands;
  int location = -1;  // index into Module::locations, -1: none
  Position at;
  // call only: `call (ret), callee, (args), proto;` operands: the callee, then a label of a prototype or table if given
  std::vector<Operand> call_results, call_arguments;
  // brx.idx: operand 1 names a branch table
  bool has_modifier(std::string_view m) const {
    for (auto x : modifiers)
      if (x == m) return true;
    return false;
  }
};

struct Function {
  std::string_view name;
  bool is_entry = false, is_extern = false /* declaration only */, is_visible = false, is_weak = false,
       no_return = false;
  std::vector<Variable> parameters, results;     // .param or .reg form
  std::vector<Register> registers;               // every register of every scope, renamed apart
  std::vector<std::string_view> register_names;  // same index; for messages
  std::vector<Variable> variables;               // .local, .shared, .param declared in the body
  std::vector<Instruction> body;
  std::unordered_map<std::string_view, std::uint32_t> labels;  // label -> index into body (may equal body.size())
  std::unordered_map<std::string_view, std::vector<std::string_view>> branch_tables;  // .branchtargets
  std::unordered_map<std::string_view, std::uint32_t>
      prototypes;  // .callprototype label -> index into Module::prototypes
  // performance directives
  std::uint32_t max_threads[3] = {0, 0, 0}, required_threads[3] = {0, 0, 0};
  std::uint32_t min_blocks = 0;
  std::uint32_t cluster[3] = {0, 0, 0};
  Position at;
};

struct Prototype {
  std::vector<Variable> results, parameters;
};

struct Module {
  std::shared_ptr<const std::string> text;  // owns what every string_view points into
  int version_major = 0, version_minor = 0;
  std::string_view target;         // "sm_75"
  int sm = 0;                      // 75
  std::string_view target_suffix;  // "a" for sm_90a
  int address_size = 64;
  std::unordered_map<int, std::string> files;  // .file index -> path
  std::vector<Location> locations;
  std::vector<Variable> variables;  // module scope
  std::vector<Function> functions;  // entries, functions, declarations; in order
  std::vector<Prototype> prototypes;
  std::unordered_map<std::string_view, std::string_view> aliases;  // .alias name -> the function it stands for
};

class ParseError : public std::runtime_error {  // what(): "PTX line 12, column 5: …"
 public:
  ParseError(Position at, const std::string& what);
  Position at;
};

// Limits that keep a hostile module from exhausting the device process; exceeding one is a ParseError that names it.
struct ParseLimits {
  std::size_t text_bytes = 64u << 20;
  std::size_t registers_per_function = 1u << 20;
  std::size_t instructions = 4u << 20;
  std::size_t nesting = 64;
  std::uint64_t variable_bytes = 1ull << 32;  // of one variable
  std::size_t registers = 8u << 20;           // of all functions together
  std::size_t operands = 16u << 20;
  std::size_t names = 4u << 20;              // variables, labels and .loc positions together
  std::uint64_t initial_bytes = 256u << 20;  // of all initialised variables together
};

Module parse(std::string text, const ParseLimits& limits = {});  // throws ParseError

// Rules that do not need lowering: labels exist, registers declared once, operand counts and register widths match the
// opcode's types, features allowed by the target (.version/.target). Throws ParseError at the instruction.
void validate(const Module& module);

}  // namespace judge::emulator::ptx
