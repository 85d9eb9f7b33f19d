#include "judge/emulator/exec/trace.h"

#include <algorithm>
#include <bit>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

namespace {

constexpr Op kAccesses[] = {Op::ld_shared_32,
                            Op::ld_shared_32_first,
                            Op::ld_shared_32_next,
                            Op::st_shared_32,
                            Op::ld_global_32,
                            Op::st_global_32,
                            Op::ld,
                            Op::st,
                            Op::atom};

bool is_any(const Instr& i, std::initializer_list<Op> ops) {
  return std::find(ops.begin(), ops.end(), static_cast<Op>(i.op)) != ops.end();
}

const Instr* record_and_run(Warp& w, const Instr* i) {
  state(w).worker->launch->trace->record(w, i);
  const OpHandlers& own = op_table()[i->op];
  return (w.partial == 0 ? own.full : own.masked)(w, i);
}

MemorySpace space_of(memop::Space space) {
  switch (space) {
    case memop::shared:
      return MemorySpace::shared;
    case memop::local:
      return MemorySpace::local;
    case memop::constant:
      return MemorySpace::constant;
    case memop::param:
      return MemorySpace::param;
    default:
      return MemorySpace::global;
  }
}

}  // namespace

AccessTrace::AccessTrace(const Program& program, std::vector<int> lines) : program_(program), lines_(std::move(lines)) {
  handlers_.assign(op_table(), op_table() + static_cast<std::size_t>(Op::count_));
  for (const Op op : kAccesses) {
    OpHandlers& handler = handlers_[static_cast<std::size_t>(op)];
    handler.full = handler.masked = record_and_run;
  }
  for (Instr& i : program_.code) {
    if (i.guard == kNoSlot) {
      i.run[0] = handlers_[i.op].full;
      i.run[1] = handlers_[i.op].masked;
    }
    // A branch knows its target by address: the same place in this copy.
    if (!is_any(i, {Op::bra, Op::bra_if, Op::bra_if_strict, Op::brx})) continue;
    const auto at = reinterpret_cast<const Instr*>(i.imm) - program.code.data();
    i.imm = reinterpret_cast<std::uint64_t>(program_.code.data() + at);
  }
}

void AccessTrace::record(Warp& warp, const Instr* i) {
  WarpState& w = state(warp);
  const int at = program_.info[i->index].location;
  if (at < 0) return;
  const SourceLocation& where = program_.locations[static_cast<std::size_t>(at)];
  if (std::find(lines_.begin(), lines_.end(), where.line) == lines_.end()) return;
  alignas(64) std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  LaneAccess a;
  for (std::uint32_t todo = w.mask; todo != 0;) {
    if (!next_space(w, i, generic, todo, a)) return;
    TracedAccess t;
    t.where = where;
    t.space = space_of(a.space);
    const auto op = static_cast<Op>(i->op);
    const bool stores = op == Op::st || op == Op::st_shared_32 || op == Op::st_global_32;
    t.kind = op == Op::atom ? AccessKind::atomic : stores ? AccessKind::write : AccessKind::read;
    t.block = w.block->linear;
    t.warp = w.index;
    t.bytes = memop::width_of(i->aux) * memop::vector_of(i->aux);
    t.mask = a.mask;
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(m));
      t.address[l] = a.address[l];
    }
    const std::lock_guard lock(mutex_);
    if (accesses_.size() < kMaxTracedAccesses) accesses_.push_back(std::move(t));
  }
}

}  // namespace judge::emulator
