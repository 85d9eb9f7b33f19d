#include "judge/emulator/ptx/names.h"

namespace judge::emulator::ptx {
namespace {

constexpr std::size_t longest_number = 7;  // digits; ParseLimits::registers_per_function is far below 10^7

std::string_view without_digits(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name;
}

}  // namespace

void Names::open() {
  scopes_.emplace_back();
}

void Names::close() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  const bool outermost = scopes_.empty();
  if (!scope.labels.empty() || outermost) {
    for (std::uint32_t index : scope.pending) {
      Instruction& instruction = function_.body[index];
      for (auto* list : {&instruction.operands, &instruction.call_results, &instruction.call_arguments}) {
        resolve(*list, scope);
        if (outermost) give_up(*list);
      }
    }
    for (UnresolvedTable& table : scope.tables) {
      for (std::size_t i = 0; i < table.targets.size(); ++i) {
        const auto label = scope.labels.find(table.targets[i]);
        if (table.resolved[i] || label == scope.labels.end()) continue;
        table.targets[i] = label->second;
        table.resolved[i] = true;
      }
    }
  }
  if (outermost) {
    for (UnresolvedTable& table : scope.tables) function_.branch_tables[table.table] = std::move(table.targets);
    return;
  }
  Scope& parent = scopes_.back();
  if (parent.pending.size() < scope.pending.size()) parent.pending.swap(scope.pending);
  parent.pending.insert(parent.pending.end(), scope.pending.begin(), scope.pending.end());
  for (UnresolvedTable& table : scope.tables) parent.tables.push_back(std::move(table));
}

void Names::resolve(std::vector<Operand>& operands, const Scope& scope) {
  for (Operand& operand : operands) {
    if (operand.reg == unresolved) {
      if (const auto label = scope.labels.find(operand.name); label != scope.labels.end()) {
        operand.name = label->second;
        operand.reg = 0;
        if (operand.kind == Operand::Kind::symbol) operand.kind = Operand::Kind::label;
      }
    }
    if (!operand.elements.empty()) resolve(operand.elements, scope);
  }
}

void Names::give_up(std::vector<Operand>& operands) {
  for (Operand& operand : operands) {
    if (operand.reg == unresolved) operand.reg = 0;
    if (!operand.elements.empty()) give_up(operand.elements);
  }
}

const Binding* Names::find_in(const Scope& scope, std::string_view name) {
  if (const auto it = scope.names.find(name); it != scope.names.end()) return &it->second;
  if (scope.ranges.empty()) return nullptr;
  // %r12 is register 12 of `%r<…>`, or 2 of `%r1<…>`.
  std::uint32_t number = 0, power = 1;
  for (std::size_t digits = 1; digits <= longest_number && digits < name.size(); ++digits) {
    const std::size_t split = name.size() - digits;
    const char c = name[split];
    if (c < '0' || c > '9') break;
    number += static_cast<std::uint32_t>(c - '0') * power;
    power *= 10;
    if (c == '0' && digits > 1) continue;  // %r01 is not register 1
    const auto range = scope.ranges.find(name.substr(0, split));
    if (range != scope.ranges.end() && number < range->second.count) {
      found_ = Binding{Binding::Kind::reg, range->second.first + number, 1, {}};
      return &found_;
    }
  }
  return nullptr;
}

const Binding* Names::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const Binding* binding = find_in(*scope, name)) return binding;
  }
  return nullptr;
}

void Names::require_free(std::string_view name, Position at) {
  const Scope& scope = scopes_.back();
  if (scope.labels.count(name) != 0 || find_in(scope, name) != nullptr) {
    throw ParseError(at, "'" + std::string(name.substr(0, 60)) + "' is declared twice in this scope");
  }
}

void Names::declare_register(std::string_view name, Type type, unsigned components, Position at) {
  require_free(name, at);
  Scope& scope = scopes_.back();
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  scope.names.emplace(name, Binding{Binding::Kind::reg, first, components, {}});
  scope.stems.insert(without_digits(name));
  function_.registers.resize(first + components, Register{type, 1});
  function_.register_names.resize(first + components, name);
}

void Names::declare_registers(std::string_view prefix, std::uint32_t count, Type type, Position at) {
  Scope& scope = scopes_.back();
  // Only names with the same stem can coincide with one of these.
  if (!scope.stems.insert(without_digits(prefix)).second) {
    std::string name(prefix);
    for (std::uint32_t i = 0; i < count; ++i) {
      name.resize(prefix.size());
      name += std::to_string(i);
      require_free(name, at);
    }
    if (scope.ranges.count(prefix) != 0) require_free(name, at);
  }
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  scope.ranges[prefix] = Range{first, count};
  function_.registers.resize(first + count, Register{type, 1});
  function_.register_names.resize(first + count, prefix);
}

std::string_view Names::unique(std::string_view name) {
  const std::uint32_t times = ++used_[name];
  if (times == 1) return name;
  return storage_.emplace_back(std::string(name) + "." + std::to_string(times));
}

std::string_view Names::declare_variable(std::string_view name, Position at) {
  require_free(name, at);
  const std::string_view unique_name = unique(name);
  scopes_.back().names.emplace(name, Binding{Binding::Kind::variable, 0, 1, unique_name});
  return unique_name;
}

std::string_view Names::declare_label(std::string_view name, Position at) {
  require_free(name, at);
  const std::string_view unique_name = unique(name);
  scopes_.back().labels.emplace(name, unique_name);
  return unique_name;
}

}  // namespace judge::emulator::ptx
