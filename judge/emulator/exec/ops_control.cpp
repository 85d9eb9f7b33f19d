// Control flow: block starts, branches, guards, calls, barriers, special registers. The slow parts are in
// scheduler.cpp.

#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/lower/special.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

[[gnu::always_inline]] inline std::uint32_t guard_bits(Warp& w, const Instr* i, Slot predicate) {
  const std::uint32_t p = *slot<std::uint32_t>(w, predicate);
  return ((i->flags & kGuardNegated) != 0 ? ~p : p) & w.mask;
}

[[gnu::always_inline]] inline const Instr* target_of(const Instr* i) {
  return reinterpret_cast<const Instr*>(i->imm);
}

const Instr* branch(Warp& w, const Instr* i, std::uint32_t taken) {
  if (taken == w.mask) return target_of(i);
  if (taken == 0) return i + 1;
  WarpState& s = state(w);
  ++s.worker->divergences[i->index];
  return diverge(s, taken, target_of(i), i + 1);
}

// One tick is one warp instruction of the worker (the only one then), and a nanosecond of %globaltimer: monotonic, and
// the same in every run. Reading it costs what it costs on hardware, so that loops which wait for it end.
std::uint64_t read_clock(WarpState& s) {
  constexpr std::uint64_t kReadTicks = 20;
  Worker& k = *s.worker;
  k.slept_ticks += kReadTicks;
  return k.launch->clock_base + k.slept_ticks + static_cast<std::uint64_t>(k.steps_taken - k.steps);
}

constexpr std::uint64_t kTimerBase = 1'700'000'000'000'000'000;  // an ordinary moment, in ns since 1970

std::uint64_t special_uniform(WarpState& s, Special which) {
  const LaunchContext& l = *s.worker->launch;
  switch (which) {
    case Special::ntid_x:
      return l.block[0];
    case Special::ntid_y:
      return l.block[1];
    case Special::ntid_z:
      return l.block[2];
    case Special::ctaid_x:
      return s.block->index[0];
    case Special::ctaid_y:
      return s.block->index[1];
    case Special::ctaid_z:
      return s.block->index[2];
    case Special::nctaid_x:
      return l.grid[0];
    case Special::nctaid_y:
      return l.grid[1];
    case Special::nctaid_z:
      return l.grid[2];
    case Special::warpid:
      return s.index;
    case Special::nwarpid:
      return l.block_warps;
    case Special::smid:
      return 0;
    case Special::nsmid:
      return 1;
    case Special::gridid:
      return l.launch_epoch;
    case Special::clock:
    case Special::clock64:
      return read_clock(s);
    case Special::clock_hi:
      return read_clock(s) >> 32;
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return kTimerBase + read_clock(s);
    case Special::globaltimer_hi:
      return (kTimerBase + read_clock(s)) >> 32;
    case Special::total_smem_size:
    case Special::aggr_smem_size:
      return l.shared_bytes;
    case Special::dynamic_smem_size:
      return l.shared_bytes - l.program->static_shared_bytes;
    // Where cooperative groups look for the grid's barrier: the high and the low half of its address.
    case Special::envreg1:
      return l.grid_workspace >> 32;
    case Special::envreg2:
      return l.grid_workspace & 0xffff'ffffu;
    default:
      return 0;
  }
}

}  // namespace

JUDGE_OP(enter) {
  WarpState& s = state(w);
  if (__builtin_expect(s.groups.size() > 1, 0)) {
    const Instr* next = reconverge(s, i);
    if (next != i) return next;
  }
  Worker& k = *s.worker;
  BlockCounts& c = k.block_counts[i->aux];
  c.warps += 1;
  // Reconvergence may have changed the mask, so it is read again whatever `Full` says.
  c.threads += static_cast<std::uint64_t>(__builtin_popcount(w.mask));
  k.steps -= static_cast<std::int64_t>(i->imm) + 1;
  if (__builtin_expect(k.steps < 0, 0)) return take_steps(s, i + 1);
  return i + 1;
}

JUDGE_OP(guarded) {
  const std::uint32_t bits = guard_bits(w, i, i->guard);
  if (bits == 0) return i + 1;
  const OpHandlers& inner = state(w).worker->launch->ops[i->op];
  if (bits == w.mask) return (Full ? inner.full : inner.masked)(w, i);
  // Lanes that do not execute a *_sync operation are not at it: they go on while it waits for whom its mask names.
  if ((i->flags & kGathers) != 0) return gather_apart(state(w), i, bits);
  const std::uint32_t before = w.mask;
  w.mask = bits;
  w.partial = 1;
  expand_mask(bits, w.lanes.lane);
  const Instr* next = inner.masked(w, i);
  // A group switch inside (of a thread that sleeps) has set a mask of its own.
  if (next == i + 1 && w.mask == bits) {
    w.mask = before;
    w.partial = before != 0xffff'ffffu;
    expand_mask(before, w.lanes.lane);
  }
  return next;
}

JUDGE_OP(bra) {
  return target_of(i);
}

JUDGE_OP(bra_if) {
  return branch(w, i, guard_bits(w, i, i->a));
}

JUDGE_OP(bra_if_strict) {
  state(w).skipped_barrier |= w.mask;
  return branch(w, i, guard_bits(w, i, i->a));
}

JUDGE_OP(brx) {
  const auto* index = slot<std::uint32_t>(w, i->a);
  const std::uint32_t entry = slot<std::uint32_t>(w, i->b)[0];
  std::uint32_t taken = 0;
  for (int l = 0; l < kLanes; ++l) taken |= static_cast<std::uint32_t>(index[l] == entry) << l;
  return branch(w, i, taken & w.mask);
}

JUDGE_OP(call) {
  return call_function(state(w), i);
}
JUDGE_OP(ret) {
  return return_from(state(w), i);
}
JUDGE_OP(exit) {
  return exit_lanes(state(w));
}

JUDGE_OP(trap) {
  return report_trap(state(w), i);
}

JUDGE_OP(bar_sync) {
  return arrive_at_barrier(state(w), i);
}
JUDGE_OP(bar_red) {
  return arrive_at_barrier(state(w), i);
}

JUDGE_OP(bar_arrive) {
  const std::uint32_t id = slot<std::uint32_t>(w, i->a)[__builtin_ctz(w.mask)];
  if (id < 16) state(w).block->arrived[id] += static_cast<std::uint32_t>(__builtin_popcount(w.mask));
  return i + 1;
}

JUDGE_OP(mov_special) {
  WarpState& s = state(w);
  const auto which = static_cast<Special>(i->imm);
  if (i->aux != 0) {
    const std::uint64_t v = special_uniform(s, which);
    for_lanes<Full>(w, slot<std::uint64_t>(w, i->d), [=](int) { return v; });
    return i + 1;
  }
  auto* d = slot<std::uint32_t>(w, i->d);
  switch (which) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z: {
      const std::uint32_t* t = s.thread[static_cast<std::uint32_t>(which)];
      for_lanes<Full>(w, d, [=](int l) { return t[l]; });
      break;
    }
    case Special::laneid:
      for_lanes<Full>(w, d, [](int l) { return static_cast<std::uint32_t>(l); });
      break;
    case Special::lanemask_eq:
      for_lanes<Full>(w, d, [](int l) { return 1u << l; });
      break;
    case Special::lanemask_lt:
      for_lanes<Full>(w, d, [](int l) { return (1u << l) - 1; });
      break;
    case Special::lanemask_le:
      for_lanes<Full>(w, d, [](int l) { return (2u << l) - 1; });
      break;
    case Special::lanemask_ge:
      for_lanes<Full>(w, d, [](int l) { return ~((1u << l) - 1); });
      break;
    case Special::lanemask_gt:
      for_lanes<Full>(w, d, [](int l) { return ~((2u << l) - 1); });
      break;
    default: {
      const auto v = static_cast<std::uint32_t>(special_uniform(s, which));
      for_lanes<Full>(w, d, [=](int) { return v; });
    }
  }
  return i + 1;
}

JUDGE_OP(not_predicate) {
  store_predicate<Full>(w, i->d, ~*slot<std::uint32_t>(w, i->a));
  return i + 1;
}

JUDGE_OP(vprintf) {
  return print(state(w), i);
}
JUDGE_OP(assert_fail) {
  return fail_assertion(state(w), i);
}
JUDGE_OP(heap_malloc) {
  return allocate_on_heap(state(w), i);
}
JUDGE_OP(heap_free) {
  return free_on_heap(state(w), i);
}
JUDGE_OP(nanosleep) {
  const std::uint32_t* ns = slot<std::uint32_t>(w, i->a);
  std::uint32_t longest = 0;
  for (int l = 0; l < kLanes; ++l) {
    const std::uint32_t asked = ns[l] & (0u - (w.mask >> l & 1));
    longest = asked > longest ? asked : longest;
  }
  return sleep_lanes(state(w), i, longest);
}
JUDGE_OP(alloca_local) {
  return allocate_on_stack(state(w), i);
}
JUDGE_OP(stack_save) {
  const std::uint64_t top = stack_top(state(w));
  for_lanes<Full>(w, slot<std::uint64_t>(w, i->d), [=](int) { return top; });
  return i + 1;
}
JUDGE_OP(stack_restore) {
  return restore_stack(state(w), i);
}
JUDGE_OP(nop) {
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
