#pragma once
// PTX module -> decoded program: register slots, constant pool, basic blocks, branch targets.

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/observe/fault.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

// Thrown for an instruction, modifier or feature that is not implemented: becomes judge_error, never a wrong result.
class Unsupported : public std::runtime_error {
 public:
  // source: where nvcc says the instruction comes from; it leads the message.
  Unsupported(ptx::Position at, std::string instruction, const std::string& why, const SourceLocation& source = {});
  ptx::Position at;
  std::string instruction;  // as spelled: "wgmma.mma_async.sync…"
};

// What a family's decoder needs from the function being lowered.
class FunctionLowering {
 public:
  virtual ~FunctionLowering() = default;
  // Slot of a register, immediate or special register operand read as `type`. An immediate is converted to `type` as
  // the ISA says for literals (a 0f literal for f32, …) and placed in the pool. A symbol gives its address.
  virtual Slot source(const ptx::Operand& operand, ptx::Type type) = 0;
  virtual Slot predicate_source(const ptx::Operand& operand) = 0;             // handles !p through a scratch predicate
  virtual Slot destination(const ptx::Operand& operand, ptx::Type type) = 0;  // `_` gives a scratch slot
  virtual Slot predicate_destination(const ptx::Operand& operand) = 0;
  virtual std::array<Slot, 2> wide_register(const ptx::Operand& operand, bool is_destination) = 0;
  virtual Slot scratch(unsigned bits) = 0;       // a fresh slot: 1, 32 or 64 bits
  virtual Slot pool32(std::uint32_t value) = 0;  // broadcast constants
  virtual Slot pool64(std::uint64_t value) = 0;
  virtual Slot carry_flag() = 0;   // predicate slot of CC.CF, one per function
  virtual Instr& emit(Op op) = 0;  // appends; fill in the slots through the reference at once
  [[noreturn]] virtual void unsupported(const ptx::Instruction& instruction, const std::string& why) = 0;
  virtual const ptx::Module& module() const = 0;
  virtual const ptx::Function& function() const = 0;
};

// Decodes one arithmetic, logic, comparison, selection, conversion or data-movement instruction between registers (the
// families in lower/arithmetic.cpp). False when the opcode is not of those families. May emit several operations. The
// guard is added by the caller around everything emitted.
bool lower_arithmetic(const ptx::Instruction& instruction, FunctionLowering& out);

}  // namespace judge::emulator::lower
