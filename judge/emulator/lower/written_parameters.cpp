// Which buffers a kernel can write: a pointer's value is followed from the parameter it came in by, through every
// register, without regard to the order of instructions, to the addresses of stores.

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

using Origins = std::uint64_t;  // bit k: parameter k
constexpr Origins kUnknown = 1ull << 63;
constexpr std::size_t kMaxParameters = 63;

}  // namespace

void find_written_parameters(const ptx::Function& entry, Program& program) {
  std::uint32_t total = 0;
  const auto layout = parameter_layout(entry, total);
  if (layout.size() > kMaxParameters) return;
  std::vector<Origins> of(entry.registers.size(), 0);
  std::unordered_set<std::string_view> local_names;
  for (const auto& v : entry.variables)
    if (v.space == ptx::Space::local || v.space == ptx::Space::shared) local_names.insert(v.name);
  const auto is_local_name = [&](std::string_view name) { return local_names.count(name) != 0; };
  const auto parameter = [&](std::string_view name) -> Origins {
    for (std::size_t k = 0; k < entry.parameters.size(); ++k)
      if (entry.parameters[k].name == name) return 1ull << k;
    return kUnknown;
  };
  // What a value read through this operand may have come from.
  const auto origins = [&](const auto& self, const ptx::Operand& o) -> Origins {
    using Kind = ptx::Operand::Kind;
    Origins sum = 0;
    if (o.kind == Kind::reg || (o.kind == Kind::address && o.base_is_reg)) sum |= of[o.reg];
    if (o.kind == Kind::symbol || (o.kind == Kind::address && o.base_is_symbol))
      sum |= is_local_name(o.name) ? 0 : kUnknown;
    for (const auto& e : o.elements) sum |= self(self, e);
    return sum;
  };
  // Each round goes through the whole body; real code needs three or four.
  int rounds_left = 64;
  bool changed = true;
  const auto give = [&](const auto& self, const ptx::Operand& to, Origins from) -> void {
    if (to.kind == ptx::Operand::Kind::reg && (of[to.reg] | from) != of[to.reg]) {
      of[to.reg] |= from;
      changed = true;
    }
    for (const auto& e : to.elements) self(self, e, from);
  };
  while (changed) {
    if (--rounds_left == 0) return;
    changed = false;
    for (const auto& i : entry.body) {
      if (i.opcode == "st" || i.opcode == "red" || i.opcode == "bra" || i.operands.empty()) continue;
      Origins from = 0;
      if (i.opcode == "ld" && i.has_modifier("param") && i.operands.size() > 1 && i.operands[1].base_is_symbol) {
        from = parameter(i.operands[1].name);
      } else if (i.opcode == "ld" || i.opcode == "atom" || i.opcode == "tex" || i.opcode == "tld4" ||
                 i.opcode == "suld" || i.opcode == "ldmatrix" || i.opcode == "wmma" || i.opcode == "mbarrier") {
        from = kUnknown;  // memory may hold pointers
      } else {
        for (std::size_t k = 1; k < i.operands.size(); ++k) from |= origins(origins, i.operands[k]);
      }
      give(give, i.operands[0], from);
      for (const auto& r : i.call_results) give(give, r, kUnknown);
    }
  }
  Origins written = 0;
  for (const auto& i : entry.body) {
    if (i.opcode == "sust" || i.opcode == "sured") written |= kUnknown;  // what a handle stands for is not known here
    const bool stores = i.opcode == "st" || i.opcode == "atom" || i.opcode == "red" ||
                        (i.opcode == "wmma" && i.has_modifier("store")) || (i.opcode == "cp" && !i.operands.empty());
    const bool to_shared = i.opcode == "cp" ? !i.has_modifier("bulk_group") : i.has_modifier("shared");
    if (!stores || to_shared || i.has_modifier("local") || i.has_modifier("param")) continue;
    const std::size_t at = i.opcode == "atom" ? 1 : 0;
    if (i.operands.size() > at) written |= origins(origins, i.operands[at]);
  }
  if ((written & kUnknown) != 0) return;
  program.written_parameters_known = true;
  for (std::size_t k = 0; k < layout.size(); ++k)
    if ((written >> k & 1) != 0) program.written_parameters.push_back({layout[k].offset, layout[k].bytes});
}

}  // namespace judge::emulator::lower
