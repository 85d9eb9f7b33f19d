#include "judge/emulator/lower/origins.h"

#include <algorithm>
#include <map>
#include <set>

namespace judge::emulator::lower {

namespace {

using Kind = ptx::Operand::Kind;

constexpr int kMaxVariables = 64;  // of one kernel; addresses of further ones are not followed
constexpr int kMaxRounds = 64;     // of following values through loops

bool has_result(const ptx::Instruction& i) {
  static constexpr std::string_view kNone[] = {"st", "red", "bra", "bar", "barrier", "ret", "exit", "trap", "call"};
  return !i.operands.empty() && std::find(std::begin(kNone), std::end(kNone), i.opcode) == std::end(kNone);
}

bool comes_from_memory(const ptx::Instruction& i) {
  return i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "atom" || i.opcode == "tex" || i.opcode == "suld" ||
         i.opcode == "shfl" || i.opcode == "ldmatrix";
}

// Results that are one of their operands as it is; all others combine them.
bool hands_on(const ptx::Instruction& i) {
  return i.opcode == "mov" || i.opcode == "cvta" || i.opcode == "selp" || i.opcode == "cvt" || i.opcode == "slct";
}

}  // namespace

AddressOrigins::AddressOrigins(const ptx::Function& f, const Lookup& lookup)
    : of_(f.registers.size(), 0),
      elsewhere_(f.registers.size(), false),
      copy_of_(f.registers.size(), -1),
      local_part_(f.body.size(), -1),
      symbol_in_(f.registers.size()) {
  std::vector<bool> defined(f.registers.size(), false);
  for (const auto& i : f.body) {
    const auto define = [&](const auto& self, const ptx::Operand& o) -> void {
      for (const auto& e : o.elements) self(self, e);
      if (o.kind != Kind::reg) return;
      const bool copies = (i.opcode == "mov" || i.opcode == "cvta") && i.operands.size() == 2 &&
                          i.operands[1].kind == Kind::reg && !i.guard;
      const bool takes_address = i.opcode == "mov" && i.operands.size() == 2 && !i.guard &&
                                 (i.operands[1].kind == Kind::symbol || i.operands[1].kind == Kind::label) &&
                                 i.operands[1].offset == 0;
      symbol_in_[o.reg] = takes_address && !defined[o.reg] ? i.operands[1].name : std::string_view();
      copy_of_[o.reg] = defined[o.reg] ? -2 : copies ? static_cast<std::int32_t>(i.operands[1].reg) : -1;
      defined[o.reg] = true;
    };
    if (has_result(i)) define(define, i.operands[0]);
    for (const auto& r : i.call_results) define(define, r);
  }
  split_local(f, lookup);
  follow(f, lookup);
  find_swaps(f);
}

int AddressOrigins::number(std::string_view name, const Lookup& lookup) {
  if (name.empty()) return -1;
  for (const Name& n : names_)
    if (n.name == name) return n.number;
  int number = -1;
  if (const auto place = lookup(name); place && variables_.size() < kMaxVariables) {
    number = static_cast<int>(variables_.size());
    variables_.push_back(*place);
  }
  names_.push_back({name, number});
  return number;
}

// The register that a chain of copies begins with.
std::uint32_t AddressOrigins::root(std::uint32_t reg) const {
  for (int steps = 0; steps < 16 && copy_of_[reg] >= 0; ++steps) reg = static_cast<std::uint32_t>(copy_of_[reg]);
  return reg;
}

void AddressOrigins::split_local(const ptx::Function& f, const Lookup& lookup) {
  // Registers that hold the start of the function's local memory: %SPL, and %SP in generic form.
  std::map<std::uint32_t, int> start;
  for (const auto& i : f.body)
    if (i.opcode == "mov" && i.operands.size() == 2 && i.operands[0].kind == Kind::reg &&
        (i.operands[1].kind == Kind::symbol || i.operands[1].kind == Kind::label) && i.operands[1].offset == 0)
      if (const int n = number(i.operands[1].name, lookup);
          n >= 0 && variables_[static_cast<std::size_t>(n)].space == memop::local && copy_of_[i.operands[0].reg] == -1)
        start[i.operands[0].reg] = n;
  if (start.empty()) return;
  std::map<std::uint64_t, int> parts;  // place -> number
  std::vector<std::pair<std::size_t, std::uint64_t>> taken;
  for (std::size_t k = 0; k < f.body.size(); ++k) {
    const auto& i = f.body[k];
    if (i.opcode != "add" || i.operands.size() != 3 || i.operands[1].kind != Kind::reg ||
        i.operands[2].kind != Kind::immediate)
      continue;
    const auto base = start.find(root(i.operands[1].reg));
    if (base == start.end()) continue;
    const AddressBounds& whole = variables_[static_cast<std::size_t>(base->second)];
    if (i.operands[2].bits >= whole.high - whole.low) continue;
    const std::uint64_t place = whole.low + i.operands[2].bits;
    parts.emplace(place, base->second);
    taken.emplace_back(k, place);
  }
  for (auto p = parts.begin(); p != parts.end(); ++p) {
    if (variables_.size() >= kMaxVariables) return;
    AddressBounds part = variables_[static_cast<std::size_t>(p->second)];
    part.low = static_cast<std::uint32_t>(p->first);
    if (const auto next = std::next(p); next != parts.end() && next->first < part.high)
      part.high = static_cast<std::uint32_t>(next->first);
    p->second = static_cast<int>(variables_.size());
    variables_.push_back(part);
  }
  for (const auto& [k, place] : taken) local_part_[k] = parts.at(place);
}

void AddressOrigins::follow(const ptx::Function& f, const Lookup& lookup) {
  const auto set_of = [&](const auto& self, const ptx::Operand& o) -> Set {
    Set sum = 0;
    if (o.kind == Kind::reg || (o.kind == Kind::address && o.base_is_reg)) sum |= of_[o.reg];
    if (o.kind == Kind::symbol || o.kind == Kind::label || (o.kind == Kind::address && o.base_is_symbol))
      if (const int n = number(o.name, lookup); n >= 0) sum |= Set{1} << n;
    for (const auto& e : o.elements) sum |= self(self, e);
    return sum;
  };
  const auto is_elsewhere = [&](const auto& self, const ptx::Operand& o) -> bool {
    if (o.kind == Kind::reg && elsewhere_[o.reg]) return true;
    if ((o.kind == Kind::symbol || o.kind == Kind::label) && number(o.name, lookup) < 0) return true;
    return std::any_of(o.elements.begin(), o.elements.end(), [&](const auto& e) { return self(self, e); });
  };
  bool changed = true;
  const auto give = [&](const auto& self, const ptx::Operand& to, Set set, bool elsewhere) -> void {
    if (to.kind == Kind::reg) {
      if ((of_[to.reg] | set) != of_[to.reg] || (elsewhere && !elsewhere_[to.reg])) changed = true;
      of_[to.reg] |= set;
      if (elsewhere) elsewhere_[to.reg] = true;
    }
    for (const auto& e : to.elements) self(self, e, set, elsewhere);
  };
  // First the variables; then, knowing them, what may lead elsewhere.
  for (const bool second : {false, true}) {
    changed = true;
    for (int round = 0; changed; ++round) {
      if (round == kMaxRounds) {
        elsewhere_.assign(elsewhere_.size(), true);
        return;
      }
      changed = false;
      for (std::size_t k = 0; k < f.body.size(); ++k) {
        const auto& i = f.body[k];
        for (const auto& r : i.call_results) give(give, r, 0, second);
        if (!has_result(i)) continue;
        if (local_part_[k] >= 0) {
          give(give, i.operands[0], Set{1} << local_part_[k], false);
          continue;
        }
        if (comes_from_memory(i)) {
          give(give, i.operands[0], 0, second);
          continue;
        }
        Set set = 0;
        bool elsewhere = false;
        for (std::size_t o = 1; o < i.operands.size(); ++o) {
          set |= set_of(set_of, i.operands[o]);
          elsewhere |= is_elsewhere(is_elsewhere, i.operands[o]);
        }
        give(give, i.operands[0], set, second && elsewhere && (set == 0 || hands_on(i)));
      }
    }
  }
}

void AddressOrigins::find_swaps(const ptx::Function& f) {
  for (const auto& i : f.body) {
    if (i.opcode != "atom" || !i.has_modifier("cas") || i.operands.size() < 2) continue;
    if (i.operands[1].kind == Kind::address) swaps_.push_back(place_of(i.operands[1]));
  }
}

AddressOrigins::Place AddressOrigins::place_of(const ptx::Operand& at) const {
  if (!at.base_is_reg) return {UINT32_MAX, at.name, at.offset};
  const std::uint32_t reg = root(at.reg);
  if (!symbol_in_[reg].empty()) return {UINT32_MAX, symbol_in_[reg], at.offset};
  return {reg, {}, at.offset};
}

bool AddressOrigins::is_verified_by_swap(const ptx::Operand& at) const {
  return !swaps_.empty() && at.kind == Kind::address &&
         std::find(swaps_.begin(), swaps_.end(), place_of(at)) != swaps_.end();
}

AddressBounds AddressOrigins::hull(Set set) const {
  AddressBounds sum;
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if ((set >> k & 1) == 0) continue;
    const AddressBounds& v = variables_[k];
    if (sum.space == memop::generic)
      sum = v;
    else if (sum.space != v.space)
      return {};
    sum.low = std::min(sum.low, v.low);
    sum.high = std::max(sum.high, v.high);
  }
  return sum;
}

AddressBounds AddressOrigins::bounds(const ptx::Operand& at) const {
  if (at.kind != Kind::address) return {};
  if (at.base_is_reg) return elsewhere_[at.reg] ? AddressBounds{} : hull(of_[at.reg]);
  for (const Name& n : names_)
    if (n.name == at.name && n.number >= 0) return variables_[static_cast<std::size_t>(n.number)];
  return {};
}

}  // namespace judge::emulator::lower
