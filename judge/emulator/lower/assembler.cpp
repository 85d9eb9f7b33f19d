#include "judge/emulator/lower/assembler.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace judge::emulator::lower {

namespace {

using Kind = ptx::Operand::Kind;
using memop::Merged;

constexpr int kAnyAlignment = 31;  // log2; "not known to be less"

// What is known of each register without regard to the order of instructions.
struct Known {
  int aligned = kAnyAlignment;  // trailing zero bits of its value
  bool uniform = true;          // the same in all lanes
  int definitions = 0;
};

class Analysis {
 public:
  Analysis(const ptx::Function& function, const SharedOffset& shared)
      : function_(function), shared_(shared), registers_(function.registers.size()) {
    for (const auto& i : function.body) count_definitions(i);
    // Alignment only sinks, by at least one bit each time: this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& i : function.body) changed |= visit(i);
    }
  }

  const Known& of(std::uint32_t reg) const { return registers_[reg]; }

 private:
  static bool writes_first(const ptx::Instruction& i) {
    return !i.operands.empty() && i.opcode != "st" && i.opcode != "red" && i.opcode != "bra" && i.opcode != "bar" &&
           i.opcode != "barrier";
  }

  template <class F>
  void for_each_result(const ptx::Instruction& i, F&& f) {
    const auto walk = [&](const auto& self, const ptx::Operand& o) -> void {
      if (o.kind == Kind::reg) f(registers_[o.reg]);
      for (const auto& e : o.elements) self(self, e);
    };
    if (writes_first(i)) walk(walk, i.operands[0]);
    for (const auto& r : i.call_results) walk(walk, r);
  }

  void count_definitions(const ptx::Instruction& i) {
    for_each_result(i, [](Known& k) { ++k.definitions; });
  }

  int alignment(const ptx::Operand& o) const {
    if (o.negated) return 0;
    switch (o.kind) {
      case Kind::reg:
        return registers_[o.reg].aligned;
      case Kind::immediate:
        return o.bits == 0 ? kAnyAlignment : std::min(kAnyAlignment, std::countr_zero(o.bits));
      case Kind::symbol:
        if (const auto at = shared_(o.name)) {
          const std::uint64_t value = *at + static_cast<std::uint64_t>(o.offset);
          return value == 0 ? kAnyAlignment : std::min(kAnyAlignment, std::countr_zero(value));
        }
        return 0;
      default:
        return 0;
    }
  }

  int result_alignment(const ptx::Instruction& i) const {
    if (i.operands.size() < 2) return 0;
    const auto at = [&](std::size_t k) { return k < i.operands.size() ? alignment(i.operands[k]) : 0; };
    for (const auto m : i.modifiers)
      if (m == "f32" || m == "f64" || m == "f16" || m == "hi" || m == "sat") return i.opcode == "mov" ? at(1) : 0;
    const auto sum = [](int a, int b) { return std::min(a + b, kAnyAlignment); };
    if (i.opcode == "mov" || i.opcode == "cvt" || i.opcode == "cvta") return at(1);
    if (i.opcode == "add" || i.opcode == "sub" || i.opcode == "or" || i.opcode == "xor" || i.opcode == "selp")
      return std::min(at(1), at(2));
    if (i.opcode == "and") return std::max(at(1), at(2));
    if (i.opcode == "mul") return sum(at(1), at(2));
    if (i.opcode == "mad") return std::min(sum(at(1), at(2)), at(3));
    if (i.opcode == "shl" && i.operands.size() == 3 && i.operands[2].kind == Kind::immediate)
      return sum(at(1), static_cast<int>(std::min<std::uint64_t>(i.operands[2].bits, 31)));
    return 0;
  }

  bool uniform(const ptx::Operand& o) const {
    if (o.kind == Kind::special)
      return o.name.starts_with("%ctaid") || o.name.starts_with("%nctaid") || o.name.starts_with("%ntid");
    if (o.kind == Kind::reg) return registers_[o.reg].uniform;
    if (o.kind == Kind::immediate || o.kind == Kind::symbol) return true;
    return false;
  }

  bool result_uniform(const ptx::Instruction& i) const {
    if (i.guard) return false;
    if (i.opcode == "ld") return i.has_modifier("param") && function_.is_entry;
    static constexpr std::string_view kPure[] = {"mov", "add", "sub", "mul", "mad", "shl",
                                                 "shr", "and", "or",  "xor", "cvt", "cvta"};
    if (std::find(std::begin(kPure), std::end(kPure), i.opcode) == std::end(kPure)) return false;
    return std::all_of(i.operands.begin() + 1, i.operands.end(), [&](const auto& o) { return uniform(o); });
  }

  bool visit(const ptx::Instruction& i) {
    bool changed = false;
    const int aligned = result_alignment(i);
    const bool same = result_uniform(i);
    for_each_result(i, [&](Known& k) {
      if (aligned < k.aligned) {
        k.aligned = aligned;
        changed = true;
      }
      // With several definitions lanes may have taken different ones.
      if (k.uniform && (!same || k.definitions > 1)) {
        k.uniform = false;
        changed = true;
      }
    });
    return changed;
  }

  const ptx::Function& function_;
  const SharedOffset& shared_;
  std::vector<Known> registers_;
};

// Accesses of one kind in one basic block that nothing separates, and whose base has one value.
class Merger {
 public:
  Merger(const Analysis& known, std::vector<Merged>& merged) : known_(known), merged_(merged) {}

  // base: a register and how often it was written before, or nothing where the address is known.
  void add(std::optional<std::uint32_t> base, std::uint32_t version, std::int64_t offset, unsigned width,
           std::uint32_t index) {
    auto& group = groups_[{base.value_or(~0u), version, width}];
    group.emplace(offset, index);  // of two at one place, the first
  }

  void flush() {
    for (auto& [key, group] : groups_) {
      const auto [base, version, width] = key;
      const int aligned = base == ~0u ? kAnyAlignment : known_.of(base).aligned;
      if (aligned >= 4) merge(group, width, 16);
      if (aligned >= 3 && width == 4) merge(group, width, 8);
    }
    groups_.clear();
  }

 private:
  using Group = std::map<std::int64_t, std::uint32_t>;  // offset -> index into the body

  void merge(Group& group, unsigned width, unsigned bytes) {
    const unsigned count = bytes / width;
    for (auto it = group.begin(); it != group.end();) {
      std::vector<std::uint32_t> members;
      if (it->first % bytes == 0)
        for (unsigned k = 0; k < count; ++k)
          if (const auto m = group.find(it->first + static_cast<std::int64_t>(k * width)); m != group.end())
            members.push_back(m->second);
      if (members.size() != count) {
        ++it;
        continue;
      }
      for (const std::uint32_t m : members) merged_[m] = Merged::with_another;
      merged_[*std::min_element(members.begin(), members.end())] = bytes == 16 ? Merged::into_16 : Merged::into_8;
      it = group.erase(it, std::next(it, static_cast<std::ptrdiff_t>(count)));
    }
  }

  const Analysis& known_;
  std::vector<Merged>& merged_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, Group> groups_;
};

unsigned element_width(const ptx::Instruction& i) {
  if (i.modifiers.empty()) return 0;
  const auto type = ptx::type_from(i.modifiers.back());
  return type ? ptx::bits_of(*type) / 8 : 0;
}

bool plain(const ptx::Instruction& i) {
  for (const auto m : i.modifiers)
    if (m == "v2" || m == "v4" || m == "volatile" || m == "relaxed" || m == "acquire" || m == "release") return false;
  const unsigned width = element_width(i);
  return !i.guard && (width == 4 || width == 8);
}

bool leaves_shared_memory_alone(const ptx::Instruction& i) {
  if (i.opcode == "ld" || i.opcode == "st") return !i.has_modifier("shared") && i.modifiers.size() > 1;
  return i.opcode != "atom" && i.opcode != "red" && i.opcode != "bar" && i.opcode != "barrier" && i.opcode != "call" &&
         i.opcode != "membar" && i.opcode != "fence" && i.opcode != "cp" && i.opcode != "ldmatrix" &&
         i.opcode != "stmatrix" && i.opcode != "wmma";
}

// The longest body, in PTX instructions, that was seen predicated (k_reduce_inter); the shortest with a branch has
// more.
constexpr std::uint32_t kPredicatedLength = 7;

// A block that its predecessor's last instruction branches around, and which only goes on to where that branch leads.
std::vector<std::int32_t> find_predicated(const ptx::Function& function, const FlowGraph& graph) {
  std::vector<std::int32_t> by(graph.blocks(), -1);
  std::vector<std::uint32_t> entered(graph.blocks() + 1, 0);
  for (const auto& next : graph.next)
    for (const std::uint32_t n : next) ++entered[n];
  for (std::uint32_t b = 1; b < graph.blocks(); ++b) {
    const std::uint32_t before = b - 1, begin = graph.starts[b], end = graph.end(b);
    const auto& branch = function.body[begin - 1];
    if (branch.opcode != "bra" || !branch.guard || entered[b] != 1 || end - begin > kPredicatedLength) continue;
    const auto& around = graph.next[before];
    // Around the rest of the kernel: the lanes exit instead (k_reduce_seq's last branch).
    const auto ends = [&](std::uint32_t block) {
      return block == graph.exit() || function.body[graph.starts[block]].opcode == "ret";
    };
    if (graph.next[b].size() == 1 && ends(graph.next[b][0])) continue;
    if (graph.next[b].size() != 1 || std::find(around.begin(), around.end(), graph.next[b][0]) == around.end())
      continue;
    const bool simple =
        std::all_of(function.body.begin() + begin, function.body.begin() + end, [](const ptx::Instruction& i) {
          return i.opcode != "bra" && i.opcode != "call" && i.opcode != "atom" && i.opcode != "red" &&
                 i.opcode != "bar" && i.opcode != "barrier" && i.opcode != "ret" && i.opcode != "exit";
        });
    if (simple) by[b] = static_cast<std::int32_t>(before);
  }
  return by;
}

}  // namespace

AssemblerRules find_assembler_rules(const ptx::Function& function, const FlowGraph& graph, const SharedOffset& shared) {
  AssemblerRules rules;
  rules.predicated_by = find_predicated(function, graph);
  rules.merged.assign(function.body.size(), Merged::no);
  rules.one_address.assign(function.body.size(), false);
  const Analysis known(function, shared);
  Merger loads(known, rules.merged), stores(known, rules.merged);
  std::vector<std::uint32_t> version(function.registers.size(), 0);
  for (std::uint32_t b = 0; b < graph.blocks(); ++b) {
    for (std::uint32_t k = graph.starts[b]; k < graph.end(b); ++k) {
      const auto& i = function.body[k];
      const bool is_load = i.opcode == "ld" && i.has_modifier("shared");
      const bool is_store = i.opcode == "st" && i.has_modifier("shared");
      if (is_load) stores.flush();
      if (is_store) loads.flush();
      if (!is_load && !is_store && !leaves_shared_memory_alone(i)) {
        loads.flush();
        stores.flush();
      }
      if ((is_load || is_store) && plain(i) && i.operands.size() == 2) {
        const auto& at = i.operands[is_load ? 1 : 0];
        auto& merger = is_load ? loads : stores;
        if (at.kind == Kind::address && at.base_is_reg)
          merger.add(at.reg, version[at.reg], at.offset, element_width(i), k);
        else if (const auto place = at.base_is_symbol ? shared(at.name) : std::nullopt)
          merger.add(std::nullopt, 0, *place + at.offset, element_width(i), k);
      }
      if ((i.opcode == "atom" || i.opcode == "red") && i.operands.size() >= 2) {
        const auto& at = i.operands[i.opcode == "atom" ? 1 : 0];
        rules.one_address[k] = at.base_is_symbol || (at.base_is_reg && known.of(at.reg).uniform);
      }
      if (!i.operands.empty() && i.operands[0].kind == Kind::reg && i.opcode != "st") ++version[i.operands[0].reg];
      for (const auto& e : i.operands.empty() ? std::vector<ptx::Operand>{} : i.operands[0].elements)
        if (e.kind == Kind::reg) ++version[e.reg];
      for (const auto& r : i.call_results)
        if (r.kind == Kind::reg) ++version[r.reg];
    }
    loads.flush();
    stores.flush();
  }
  return rules;
}

}  // namespace judge::emulator::lower
