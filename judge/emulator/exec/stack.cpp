// alloca, stacksave and stackrestore (PTX ISA, "Stack Manipulation Instructions"): local memory above the variables of
// the running function. Lanes of a group share one top, which moves by the largest size that one of them asks for.

#include <algorithm>
#include <bit>

#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

std::uint64_t stack_top(const WarpState& w) {
  const Group& g = w.groups[w.current];
  return std::uint64_t{g.local} + w.worker->launch->program->functions[g.function].local_bytes + g.taken;
}

const Instr* allocate_on_stack(WarpState& w, const Instr* i) {
  Group& g = w.groups[w.current];
  const auto* bytes = slot<std::uint64_t>(w, i->a);
  const std::uint64_t top = stack_top(w), at = (top + i->imm - 1) / i->imm * i->imm;
  std::uint64_t largest = 0;
  int lane = std::countr_zero(w.mask);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (bytes[l] > largest) largest = bytes[l], lane = l;
  }
  if (at > w.local_stride || largest > w.local_stride - at) {
    Fault f;
    f.kind = FaultKind::stack_overflow;
    f.message = "alloca asks for " + std::to_string(largest) + " bytes, but the thread's stack has " +
                std::to_string(w.local_stride - std::min<std::uint64_t>(at, w.local_stride)) + " left";
    report(w, i, std::move(f), lane, true);
    return nullptr;
  }
  g.taken += static_cast<std::uint32_t>((at + largest + 15) / 16 * 16 - top);
  auto* d = slot<std::uint64_t>(w, i->d);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) d[std::countr_zero(m)] = at;
  return i + 1;
}

const Instr* restore_stack(WarpState& w, const Instr* i) {
  Group& g = w.groups[w.current];
  const auto* saved = slot<std::uint64_t>(w, i->a);
  std::uint64_t highest = 0;
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) highest = std::max(highest, saved[std::countr_zero(m)]);
  const std::uint64_t base = stack_top(w) - g.taken;
  if (highest >= base && highest <= base + g.taken) g.taken = static_cast<std::uint32_t>(highest - base);
  return i + 1;
}

}  // namespace judge::emulator
