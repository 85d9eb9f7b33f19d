#include "judge/emulator/lower/graph.h"

#include <algorithm>
#include <set>

namespace judge::emulator::lower {

namespace {

bool ends_block(const ptx::Instruction& i) {
  return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "call" || i.opcode == "ret" || i.opcode == "exit" ||
         i.opcode == "trap" || i.opcode == "brkpt" || i.opcode == "bar" || i.opcode == "barrier";
}

}  // namespace

bool is_block_barrier(const ptx::Instruction& i) {
  return (i.opcode == "bar" || i.opcode == "barrier") && !i.has_modifier("warp") && !i.has_modifier("arrive");
}

std::uint32_t FlowGraph::block_of(std::uint32_t instruction) const {
  return static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), instruction) - starts.begin()) - 1;
}

FlowGraph make_flow_graph(const ptx::Function& f) {
  FlowGraph g;
  const auto n = static_cast<std::uint32_t>(f.body.size());
  g.body_size = n;
  std::set<std::uint32_t> starts{0};
  for (const auto& [name, at] : f.labels)
    if (at < n) starts.insert(at);
  for (std::uint32_t i = 0; i + 1 < n; ++i)
    if (ends_block(f.body[i])) starts.insert(i + 1);
  g.starts.assign(starts.begin(), starts.end());

  g.next.resize(g.blocks());
  for (std::uint32_t b = 0; b < g.blocks(); ++b) {
    if (g.end(b) == g.starts[b]) {
      g.next[b].push_back(g.exit());
      continue;
    }
    const auto to_label = [&](std::string_view name) {
      if (const auto at = f.labels.find(name); at != f.labels.end())
        g.next[b].push_back(at->second < n ? g.block_of(at->second) : g.exit());
    };
    const ptx::Instruction& last = f.body[g.end(b) - 1];
    bool falls = true;
    if (last.opcode == "bra" && !last.operands.empty()) {
      to_label(last.operands[0].name);
      falls = last.guard.has_value();
    } else if (last.opcode == "brx") {
      if (last.operands.size() == 2)
        if (const auto table = f.branch_tables.find(last.operands[1].name); table != f.branch_tables.end())
          for (const auto label : table->second) to_label(label);
      std::sort(g.next[b].begin(), g.next[b].end());
      g.next[b].erase(std::unique(g.next[b].begin(), g.next[b].end()), g.next[b].end());
      falls = last.guard.has_value();
    } else if (last.opcode == "ret" || last.opcode == "exit" || last.opcode == "trap") {
      g.next[b].push_back(g.exit());
      falls = last.guard.has_value();
    }
    if (falls) g.next[b].push_back(b + 1 < g.blocks() ? b + 1 : g.exit());
  }
  return g;
}

}  // namespace judge::emulator::lower
