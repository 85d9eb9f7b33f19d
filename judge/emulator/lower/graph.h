#pragma once
// Basic blocks of a PTX function and where control goes from each.

#include <cstdint>
#include <vector>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

struct FlowGraph {
  std::vector<std::uint32_t> starts;             // index into the body of each block's first instruction, ascending
  std::vector<std::vector<std::uint32_t>> next;  // successors; exit() among them where the function ends
  std::uint32_t body_size = 0;

  std::uint32_t blocks() const { return static_cast<std::uint32_t>(starts.size()); }
  std::uint32_t exit() const { return blocks(); }
  std::uint32_t end(std::uint32_t block) const { return block + 1 < blocks() ? starts[block + 1] : body_size; }
  std::uint32_t block_of(std::uint32_t instruction) const;
};

FlowGraph make_flow_graph(const ptx::Function& function);

bool is_block_barrier(const ptx::Instruction& i);  // bar, barrier that waits; not .arrive, not bar.warp

}  // namespace judge::emulator::lower
