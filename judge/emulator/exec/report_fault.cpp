// Faults: from the state of a warp to the record.

#include <algorithm>
#include <bit>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

namespace {

constexpr std::size_t kMaxFaultsPerWorker = 256;  // different ones; repetitions are counted

}  // namespace

SourceLocation location_of(const LaunchContext& launch, std::uint32_t instr) {
  const Program& p = *launch.program;
  // Where the compiler gave an instruction no line, the nearest one before it in the block is close enough to look at.
  for (std::uint32_t k = std::min<std::uint32_t>(instr, static_cast<std::uint32_t>(p.info.size()) - 1);; --k) {
    const int at = p.info[k].location;
    if (at >= 0) {
      SourceLocation s = p.locations[static_cast<std::size_t>(at)];
      if (s.function.empty()) s.function = p.display_name;
      if (s.line > 0) return s;
    }
    if (k == 0) break;
  }
  SourceLocation none;
  none.function = p.display_name;
  return none;
}

ThreadId thread_id(const WarpState& w, int lane) {
  ThreadId t;
  for (std::size_t d = 0; d < 3; ++d) {
    t.block[d] = w.block->index[d];
    t.thread[d] = w.thread[d][lane];
  }
  return t;
}

void report(WarpState& w, const Instr* i, Fault fault, int lane, bool ends_kernel, std::uint32_t other_instr) {
  Worker& k = *w.worker;
  if (ends_kernel) k.dead = true;
  const FaultKey key{fault.kind, i->index, other_instr};
  for (RecordedFault& r : k.faults) {
    if (!(r.key == key)) continue;
    ++r.fault.occurrences;
    if (r.block <= w.block->linear) return;
    // An earlier block shows the same: that one is named, whatever the order of execution.
    fault.occurrences = r.fault.occurrences;
    r.block = w.block->linear;
    fault.kernel = r.fault.kernel;
    fault.where = r.fault.where;
    fault.who = thread_id(w, lane);
    r.fault = std::move(fault);
    return;
  }
  if (k.faults.size() >= kMaxFaultsPerWorker) return;
  fault.kernel = k.launch->program->display_name;
  fault.where = location_of(*k.launch, i->index);
  fault.who = thread_id(w, lane);
  k.faults.push_back({key, w.block->linear, k.fault_sequence++, std::move(fault)});
}

const Instr* report_trap(WarpState& w, const Instr* i) {
  Fault f;
  f.kind = FaultKind::trap;
  f.message = "the kernel executed trap";
  report(w, i, std::move(f), std::countr_zero(w.mask), true);
  return nullptr;
}

void report_absent_source(WarpState& w, const Instr* i, int lane, int from) {
  Fault f;
  f.kind = FaultKind::sync_mask;
  f.message = "a shuffle reads from lane " + std::to_string(from) + " of the warp, which does not take part in it";
  report(w, i, std::move(f), lane, false);
}

}  // namespace judge::emulator
