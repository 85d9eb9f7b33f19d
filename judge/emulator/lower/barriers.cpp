// What barriers mean for branches and for loads of shared memory, worked out on the flow graph.

#include <algorithm>
#include <numeric>
#include <set>

#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint64_t kMaxWork =
    1u << 24;  // blocks times barriers: past it the slow way is taken, which is right as well
constexpr std::uint64_t kMaxEdges = 1u << 17;
constexpr std::uint64_t kMaxSteps = 1u << 21;

// Immediate post-dominators: dominators of the reversed graph, by iteration in reverse postorder (Cooper, Harvey,
// Kennedy, "A Simple, Fast Dominance Algorithm"). kNone where no path leads to the exit; empty: too costly.
std::vector<std::uint32_t> post_dominators(const FlowGraph& g) {
  const std::uint32_t exit = g.exit();
  std::vector<std::vector<std::uint32_t>> previous(exit + 1);
  for (std::uint32_t b = 0; b < exit; ++b)
    for (const auto to : g.next[b]) previous[to].push_back(b);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> position(exit + 1, 0);
  std::vector<bool> seen(exit + 1, false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
  seen[exit] = true;
  while (!stack.empty()) {
    auto& [b, k] = stack.back();
    if (k < previous[b].size()) {
      const std::uint32_t to = previous[b][k++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      order.push_back(b);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<std::uint32_t>(k);

  std::vector<std::uint32_t> result(exit + 1, kNone);
  result[exit] = exit;
  std::uint64_t steps = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto b : order) {
      if (b == exit) continue;
      std::uint32_t best = kNone;
      for (const auto s : g.next[b]) {
        if (result[s] == kNone) continue;
        if (best == kNone) {
          best = s;
          continue;
        }
        std::uint32_t x = s, y = best;
        while (x != y) {
          if (++steps > kMaxSteps * 32) return {};
          while (position[x] > position[y]) x = result[x];
          while (position[y] > position[x]) y = result[y];
        }
        best = x;
      }
      if (best != kNone && result[b] != best) {
        result[b] = best;
        changed = true;
      }
    }
  }
  return result;
}

}  // namespace

bool KernelLowering::has_barrier(const ptx::Function& f) {
  const auto [it, fresh] = has_barrier_.try_emplace(&f, false);
  if (fresh) it->second = std::any_of(f.body.begin(), f.body.end(), is_block_barrier);
  return it->second;
}

// A branch is strict when, before its paths join again, one of them can reach a barrier: then the whole block has to
// take the same way. Paths that join only at the function's end (an early return) are not meant: threads that have
// exited do not count at a barrier.
void Lowering::mark_strict_branches() {
  const std::uint32_t blocks = graph_.blocks(), exit = graph_.exit();
  strict_.assign(blocks, false);
  std::vector<bool> barrier(blocks, false);
  bool any = false;
  for (std::uint32_t i = 0; i < graph_.body_size; ++i) {
    const auto& instruction = function_.body[i];
    bool has = is_block_barrier(instruction);
    if (instruction.opcode == "call" && !instruction.operands.empty())
      if (const ptx::Function* f = kernel_.find_function(instruction.operands[0].name); f != nullptr)
        has = kernel_.has_barrier(*f);
    if (has) barrier[graph_.block_of(i)] = any = true;
  }
  kernel_.program().functions[number_].has_barrier = any;
  if (!any) return;

  // Past this the analysis costs too much; a barrier that threads go around is then found when the block is stuck.
  const std::uint64_t edges = std::accumulate(graph_.next.begin(), graph_.next.end(), std::uint64_t{0},
                                              [](std::uint64_t n, const auto& to) { return n + to.size(); });
  if (edges > kMaxEdges) return;
  const auto joins_at = post_dominators(graph_);
  if (joins_at.empty()) return;
  std::uint64_t work_left = kMaxSteps;
  // A block that only returns is the function's end as well: nvcc sends early returns there.
  const auto only_returns = [&](std::uint32_t b) {
    const auto& first = function_.body[graph_.starts[b]];
    return (first.opcode == "ret" || first.opcode == "exit") && !first.guard;
  };
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t join = joins_at[b];
    if (graph_.next[b].size() < 2 || join == exit || join == kNone || only_returns(join)) continue;
    std::vector<std::uint32_t> work(graph_.next[b]);
    std::set<std::uint32_t> seen;
    while (!work.empty() && !strict_[b]) {
      if (--work_left == 0) return;
      const std::uint32_t x = work.back();
      work.pop_back();
      if (x == join || x == exit || !seen.insert(x).second) continue;
      if (barrier[x]) strict_[b] = true;
      work.insert(work.end(), graph_.next[x].begin(), graph_.next[x].end());
    }
  }
}

// Where a load of shared memory needs no bookkeeping. From the kernel's start, and from behind every block barrier,
// some blocks can be reached without another barrier: what threads do there is unordered. A block in which, and around
// which in that sense, nobody stores to shared memory can only read what earlier intervals wrote.
void Lowering::mark_quiet_blocks() {
  const std::uint32_t blocks = graph_.blocks();
  quiet_.assign(blocks, false);
  if (!function_.is_entry || graph_.body_size == 0) return;
  std::vector<bool> ends_in_barrier(blocks, false), stores(blocks, false);
  std::vector<std::uint32_t> origins{0};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::uint32_t i = graph_.starts[b]; i < graph_.end(b); ++i) {
      const auto& x = function_.body[i];
      const bool may_store = x.opcode == "st" || x.opcode == "atom" || x.opcode == "red" || x.opcode == "call" ||
                             x.opcode == "cp" || x.opcode == "wmma" || x.opcode == "stmatrix" || x.opcode == "mbarrier";
      const bool elsewhere =
          (x.has_modifier("global") && x.opcode != "cp") || x.has_modifier("local") || x.has_modifier("param");
      if (may_store && (!elsewhere || x.has_modifier("shared"))) stores[b] = true;
    }
    if (graph_.end(b) == graph_.starts[b]) continue;
    // Barriers for part of the block, or for part of the threads, order nothing here.
    const auto& last = function_.body[graph_.end(b) - 1];
    ends_in_barrier[b] =
        is_block_barrier(last) && !last.guard && last.operands.size() == (last.has_modifier("red") ? 3u : 1u);
    if (ends_in_barrier[b])
      for (const auto to : graph_.next[b])
        if (to != graph_.exit()) origins.push_back(to);
  }
  if (std::uint64_t{blocks} * origins.size() > kMaxWork) return;
  std::vector<bool> reached(blocks, false), noisy(blocks, false);
  for (const auto origin : origins) {
    std::vector<std::uint32_t> work{origin}, here;
    std::vector<bool> seen(blocks, false);
    seen[origin] = true;
    bool any_store = false;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      here.push_back(b);
      any_store |= stores[b];
      if (ends_in_barrier[b]) continue;
      for (const auto to : graph_.next[b]) {
        if (to == graph_.exit() || seen[to]) continue;
        seen[to] = true;
        work.push_back(to);
      }
    }
    for (const auto b : here) {
      reached[b] = true;
      if (any_store) noisy[b] = true;
    }
  }
  for (std::uint32_t b = 0; b < blocks; ++b) quiet_[b] = reached[b] && !noisy[b];
}

bool Lowering::is_quiet(const ptx::Instruction& i) const {
  return quiet_[graph_.block_of(static_cast<std::uint32_t>(&i - function_.body.data()))];
}

}  // namespace judge::emulator::lower
