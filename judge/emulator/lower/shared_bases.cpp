#include "judge/emulator/lower/shared_bases.h"

#include <algorithm>

namespace judge::emulator::lower {

void SharedBases::add_load(std::vector<Instr>& code, std::uint32_t reg) {
  Instr& i = code.back();
  const auto base = std::find_if(known_.begin(), known_.end(), [&](const Base& b) { return b.reg == reg; });
  if (base != known_.end()) {
    Instr& first = code[base->first];
    first.op = static_cast<std::uint16_t>(Op::ld_shared_32_first);
    i.op = static_cast<std::uint16_t>(Op::ld_shared_32_next);
    first.flags = i.flags = static_cast<std::uint16_t>(base->number << kSharedBaseShift);
    return;
  }
  // The number of the oldest is free for another: all loads from that base lie behind.
  if (known_.size() == kSharedBases) known_.erase(known_.begin());
  std::uint16_t number = 0;
  while (std::any_of(known_.begin(), known_.end(), [&](const Base& b) { return b.number == number; })) ++number;
  known_.push_back({reg, i.index, number});
}

// Destinations come first, and what else stands there is not the base of a load: taking it for written does no harm.
void SharedBases::forget_written(const ptx::Instruction& i) {
  if (i.opcode == "call") known_.clear();  // the function called uses the same numbers
  const auto forget = [&](const auto& self, const ptx::Operand& o) -> void {
    if (o.kind == ptx::Operand::Kind::address) return;
    if (o.kind == ptx::Operand::Kind::reg) std::erase_if(known_, [&](const Base& b) { return b.reg == o.reg; });
    for (const auto& e : o.elements) self(self, e);
  };
  if (!i.operands.empty()) forget(forget, i.operands[0]);
  for (const auto& result : i.call_results) forget(forget, result);
}

}  // namespace judge::emulator::lower
