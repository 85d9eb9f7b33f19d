#pragma once
// What the assembler (ptxas) is known to change between PTX and the hardware, as far as it changes counters, and there
// is a rule.
//
// Measured on an H200 with tests/counters/more.cu, whose rows check the rules below:
//   - loads or stores of shared memory at neighbouring words become one of 8 or 16 bytes, when the address is known to
//   be
//     aligned and nothing between them touches shared memory otherwise (w_row4, w_fixed, k_tiled);
//   - atomics on global memory with an address that is the same for the whole warp by construction are done by one
//   lane:
//     integer ones whose result nobody reads, and additions of a constant (a_or_same, r_counter); not floating-point
//     ones (a_f32_same);
//   - a branch around a few plain instructions becomes predicates: a warp whose lanes are all off executes them too,
//   without
//     an access (k_scan, k_bins).

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/lower/graph.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

// The offset of a __shared__ variable; nothing for any other name.
using SharedOffset = std::function<std::optional<std::uint32_t>(std::string_view)>;

// By index into the function's body, predicated_by by block.
struct AssemblerRules {
  std::vector<std::int32_t>
      predicated_by;  // the block whose branch goes around this one, when predicates replace it; -1
  std::vector<memop::Merged> merged;
  std::vector<bool> one_address;  // atomics whose address is the same for the whole warp by construction
};

AssemblerRules find_assembler_rules(const ptx::Function& function, const FlowGraph& graph, const SharedOffset& shared);

}  // namespace judge::emulator::lower
