#pragma once
// The names of one function: nested scopes, resolved and renamed apart while the body is read.
//
// How this works. `{ }` opens a scope in PTX, and inline assembly uses it to reuse names (`{ .reg .pred p; … }`), so
// the same spelling may mean different things in different places. Registers become indices at once. Variables and
// labels keep a name that is unique in the function: the first of a spelling keeps it, later ones get ".2", ".3", …
// appended (a dot cannot occur in an identifier, so no clash is possible). A use of a label may precede it: such
// operands are remembered per scope, and looked up when their scope closes; what is still unknown then moves to the
// enclosing scope. What nobody in the function declares is a symbol of the module.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::ptx {

struct Binding {
  enum class Kind : std::uint8_t { reg, variable } kind = Kind::reg;
  std::uint32_t first = 0;       // reg: index of the register; of a vector register's first component
  unsigned components = 1;       // `.reg .v4 .f32 x` is four registers
  std::string_view unique_name;  // variable
};

struct UnresolvedTable {  // .branchtargets or .calltargets, whose entries may be declared later
  std::string_view table;
  std::vector<std::string_view> targets;
  std::vector<bool> resolved;
};

class Names {
 public:
  // `storage` keeps generated names alive as long as the module.
  Names(Function& function, std::deque<std::string>& storage) : function_(function), storage_(storage) {
    scopes_.emplace_back();
  }

  std::size_t depth() const { return scopes_.size(); }
  void open();
  void close();  // resolves what this scope declares; closing the outermost one ends the function

  void declare_register(std::string_view name, Type type, unsigned components, Position at);
  void declare_registers(std::string_view prefix, std::uint32_t count, Type type, Position at);  // %r<10>
  std::string_view declare_variable(std::string_view name, Position at);                         // its unique name
  std::string_view declare_label(std::string_view name, Position at);                            // its unique name

  const Binding* find(std::string_view name);
  void name_register(std::uint32_t index, std::string_view spelling) { function_.register_names[index] = spelling; }

  // An operand whose `reg` is this is a name that no enclosing scope has declared so far.
  static constexpr std::uint32_t unresolved = 0xffffffffu;
  void remember_instruction(std::uint32_t index) { scopes_.back().pending.push_back(index); }
  void remember_table(UnresolvedTable table) { scopes_.back().tables.push_back(std::move(table)); }

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, Binding> names;
    std::unordered_map<std::string_view, Range> ranges;  // by prefix
    std::unordered_set<std::string_view> stems;          // of all register names here, without trailing digits
    std::unordered_map<std::string_view, std::string_view> labels;
    std::vector<std::uint32_t> pending;
    std::vector<UnresolvedTable> tables;
  };

  const Binding* find_in(const Scope& scope, std::string_view name);
  void require_free(std::string_view name, Position at);
  std::string_view unique(std::string_view name);
  static void resolve(std::vector<Operand>& operands, const Scope& scope);
  static void give_up(std::vector<Operand>& operands);

  Function& function_;
  std::deque<std::string>& storage_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, std::uint32_t> used_;  // spelling -> how often it was declared
  Binding found_;                                             // what find_in() returns for a register of a range
};

}  // namespace judge::emulator::ptx
