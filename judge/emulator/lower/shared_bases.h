#pragma once
// Loads of shared memory that take their address from one register, with different offsets, in one basic block:
// unrolled loops over a tile. The first finds out what the register's 32 values look like, the others need not look
// again (ld_shared_32_first and ld_shared_32_next in exec/patterned_access.h).

#include <cstdint>
#include <vector>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

class SharedBases {
 public:
  void begin_block() { known_.clear(); }
  // `i`, the last of `code`, is such a load, without a guard: makes it and the first from this register what they are
  // to each other.
  void add_load(std::vector<Instr>& code, std::uint32_t reg);
  // After an instruction: registers that it wrote are no known bases any more, and after a call none is.
  void forget_written(const ptx::Instruction& i);

 private:
  struct Base {
    std::uint32_t reg;
    std::uint32_t first;  // its first load, in code
    std::uint16_t number;
  };
  std::vector<Base> known_;  // at most kSharedBases, the oldest first
};

}  // namespace judge::emulator::lower
