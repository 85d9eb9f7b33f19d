// Groups of lanes: divergence, reconvergence, calls, exits, and waiting for each other. Blocks and barriers:
// blocks.cpp.

#include <algorithm>
#include <bit>
#include <chrono>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/memory/schedule.h"

namespace judge::emulator {

namespace {

// While other groups of the warp could run, one group may take this many block starts before the one that has waited
// longest gets kSlice of them. Large enough for loops of unequal length to stay apart cheaply.
constexpr std::uint32_t kPatience = 2048;
constexpr std::uint32_t kSlice = 64;
constexpr std::size_t kMaxCallDepth = 4096;
constexpr std::uint32_t kPollsBeforeOthers = 16;

bool same_place(const Group& a, const Group& b) {
  return a.pc == b.pc && a.frame == b.frame && a.function == b.function && a.calls == b.calls;
}

// Deepest call first, then lowest program counter.
bool before(const Group& a, const Group& b) {
  if (a.calls.size() != b.calls.size()) return a.calls.size() > b.calls.size();
  return a.pc < b.pc;
}

const Instr* switch_to(WarpState& w, std::uint32_t index) {
  Group& g = w.groups[index];
  w.current = index;
  g.last_run = ++w.clock;
  w.base[0] = w.frames + g.frame;
  if (g.mask != w.mask) set_mask(w, g.mask);
  return g.pc;
}

void remove_group(WarpState& w, std::uint32_t index) {
  w.groups.erase(w.groups.begin() + index);
  if (w.current > index) --w.current;
}

// Joins group `from` into `to`; both stand at the same place.
void merge(WarpState& w, std::uint32_t to, std::uint32_t from) {
  w.groups[to].mask |= w.groups[from].mask;
  w.groups[to].taken = std::max(w.groups[to].taken, w.groups[from].taken);
  for (std::size_t k = 0; k < w.groups[to].calls.size(); ++k)
    w.groups[to].calls[k].taken = std::max(w.groups[to].calls[k].taken, w.groups[from].calls[k].taken);
  w.groups[to].last_run = std::max(w.groups[to].last_run, w.groups[from].last_run);
  remove_group(w, from);
}

bool waits(const Group& g) {
  return g.state == GroupState::lanes;
}

void merge_equal(WarpState& w) {
  for (std::uint32_t a = 0; a < w.groups.size(); ++a) {
    for (std::uint32_t b = a + 1; b < w.groups.size();) {
      Group& x = w.groups[a];
      Group& y = w.groups[b];
      if (x.state == GroupState::barrier || y.state == GroupState::barrier || !same_place(x, y)) {
        ++b;
        continue;
      }
      x.state = GroupState::ready;  // more lanes are here now: one that waited for lanes tries again
      merge(w, a, b);
    }
  }
}

// Lanes may come to a __syncwarp from different places, and lanes that have exited are waited for by nobody.
void wake_gathered(WarpState& w) {
  for (Group& g : w.groups) {
    if (!waits(g)) continue;
    const std::uint32_t needed = g.members & w.live;
    if ((needed & ~g.mask) == 0) {
      g.state = GroupState::ready;
      continue;
    }
    if (g.pc->op != static_cast<std::uint16_t>(Op::bar_warp_sync)) continue;
    std::uint32_t here = 0;
    for (const Group& o : w.groups)
      if (waits(o) && o.pc->op == g.pc->op && o.members == g.members) here |= o.mask;
    if ((needed & ~here) != 0) continue;
    const std::uint32_t members = g.members;
    for (Group& o : w.groups) {
      if (!waits(o) || o.members != members || o.pc->op != static_cast<std::uint16_t>(Op::bar_warp_sync)) continue;
      o.state = GroupState::ready;
      o.pc += 1;
    }
    begin_warp_epoch(w);
  }
}

}  // namespace

void set_mask(WarpState& w, std::uint32_t mask) {
  w.mask = mask;
  w.partial = mask != 0xffff'ffffu;
  for (int l = 0; l < kLanes; ++l) w.lanes.lane[l] = 0u - (mask >> l & 1);
}

// With a schedule seed any group that can run may be next. It keeps its turn for a while, or lanes would hardly ever
// meet.
static std::uint32_t any_ready(WarpState& w, std::uint32_t ready) {
  const LaunchContext& launch = *w.worker->launch;
  const std::uint64_t r = mix(launch.schedule_seed, w.block->linear << 10 | w.index, w.clock);
  std::uint32_t n = static_cast<std::uint32_t>(r % ready);
  w.slice = static_cast<std::uint32_t>(r >> 32) % kSlice;
  for (std::uint32_t k = 0;; ++k)
    if (w.groups[k].state == GroupState::ready && n-- == 0) return k;
}

// The lanes that waiting groups of the warp name are blocked elsewhere, for good.
bool report_missing_lanes(WarpState& w) {
  for (const Group& g : w.groups) {
    if (!waits(g)) continue;
    const std::uint32_t missing = g.members & w.live & ~g.mask;
    if (missing == 0) continue;
    const int lane = std::countr_zero(missing);
    Fault f;
    f.kind = FaultKind::sync_mask;
    f.message = "the mask names lane " + std::to_string(lane) +
                " of the warp, which waits at another place and never comes here";
    for (const Group& o : w.groups) {
      if ((o.mask >> lane & 1) == 0 || o.pc == nullptr) continue;
      FaultParty party;
      party.where = location_of(*w.worker->launch, o.pc->index);
      party.who = thread_id(w, lane);
      f.other = party;
    }
    report(w, g.pc, std::move(f), std::countr_zero(g.mask), true);
    return true;
  }
  return false;
}

const Instr* pick_group(WarpState& w) {
  if (w.worker->dead) return nullptr;
  if (w.groups.size() > 1) merge_equal(w);
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::uint32_t best = UINT32_MAX, ready = 0;
    for (std::uint32_t k = 0; k < w.groups.size(); ++k) {
      if (w.groups[k].state != GroupState::ready) continue;
      ++ready;
      if (best == UINT32_MAX || before(w.groups[k], w.groups[best])) best = k;
    }
    if (ready > 1 && w.worker->launch->schedule_seed != 0) best = any_ready(w, ready);
    if (best != UINT32_MAX) return switch_to(w, best);
    wake_gathered(w);
  }
  // Lanes at a barrier may yet come, when it ends without those that wait for them: it may count other threads, or
  // these may have arrived at it before. If the block is stuck, it says so (blocks.cpp).
  const auto at_barrier = [](const Group& g) { return g.state == GroupState::barrier; };
  if (std::none_of(w.groups.begin(), w.groups.end(), at_barrier)) report_missing_lanes(w);
  return nullptr;
}

const Instr* reconverge(WarpState& w, const Instr* at) {
  w.groups[w.current].pc = at;
  for (std::uint32_t k = 0; k < w.groups.size();) {
    if (k == w.current || w.groups[k].state == GroupState::barrier || !same_place(w.groups[k], w.groups[w.current])) {
      ++k;
      continue;
    }
    merge(w, w.current, k);
    if (k > 0) k = 0;
  }
  if (w.groups[w.current].mask != w.mask) set_mask(w, w.groups[w.current].mask);
  if (w.slice > 0) {
    --w.slice;
    return at;
  }
  std::uint32_t best = w.current, oldest = w.current;
  for (std::uint32_t k = 0; k < w.groups.size(); ++k) {
    if (w.groups[k].state != GroupState::ready) continue;
    if (before(w.groups[k], w.groups[best])) best = k;
    if (w.groups[k].last_run < w.groups[oldest].last_run) oldest = k;
  }
  if (oldest != w.current && ++w.turns > kPatience) {
    w.turns = 0;
    w.slice = kSlice;
    best = oldest;
  }
  return best == w.current ? at : switch_to(w, best);
}

const Instr* diverge(WarpState& w, std::uint32_t taken, const Instr* target, const Instr* fall_through) {
  Group& g = w.groups[w.current];
  Group other;
  other.mask = taken;
  other.pc = target;
  other.function = g.function;
  other.frame = g.frame;
  other.local = g.local;
  other.taken = g.taken;
  other.calls = g.calls;
  other.last_run = g.last_run;
  g.mask = w.mask & ~taken;
  g.pc = fall_through;
  w.groups.push_back(std::move(other));
  return pick_group(w);
}

const Instr* exit_lanes(WarpState& w) {
  const std::uint32_t mask = w.groups[w.current].mask;
  w.live &= ~mask;
  if ((w.skipped_barrier & mask) != 0 && !w.block->skipped_barrier) {
    w.block->skipped_barrier = true;
    w.block->skipper = thread_id(w, std::countr_zero(w.skipped_barrier & mask));
  }
  w.groups.erase(w.groups.begin() + w.current);
  w.current = 0;
  if (w.groups.empty()) {
    --w.block->live_warps;
    return nullptr;
  }
  return pick_group(w);
}

const Instr* call_function(WarpState& w, const Instr* i) {
  const Program& p = *w.worker->launch->program;
  const CallSite& site = p.calls[i->aux];
  Group& g = w.groups[w.current];
  int callee = site.callee;
  const int lane = std::countr_zero(w.mask);
  if (callee < 0) {
    const auto* target = slot<std::uint64_t>(w, site.target);
    const std::uint64_t address = target[lane];
    std::uint32_t same = 0;
    for (int l = 0; l < kLanes; ++l)
      if ((w.mask >> l & 1) != 0 && target[l] == address) same |= 1u << l;
    const std::uint64_t index = (address - kFunctionAddressBase) / 16;
    const bool known = address >= kFunctionAddressBase && address % 16 == 0 && index < p.function_of_address.size();
    const std::int32_t number = known ? p.function_of_address[index] : -1;
    if (number < 0) {
      Fault f;
      f.kind = FaultKind::illegal_instruction;
      f.address = address;
      f.message = "a call through a pointer that is not the address of a device function";
      report(w, i, std::move(f), lane, true);
      return nullptr;
    }
    if (same != w.mask) {
      // Lanes that call another function come after: they stay at this instruction as a group of their own.
      Group rest = g;
      rest.mask = w.mask & ~same;
      rest.pc = i;
      g.mask = same;
      set_mask(w, same);
      w.groups.push_back(std::move(rest));
      return call_known(w, i, static_cast<std::uint32_t>(number));
    }
    callee = number;
  }
  return call_known(w, i, static_cast<std::uint32_t>(callee));
}

const Instr* call_known(WarpState& w, const Instr* i, std::uint32_t callee) {
  const Program& p = *w.worker->launch->program;
  const CallSite& site = p.calls[i->aux];
  Group& g = w.groups[w.current];
  const FunctionCode& from = p.functions[g.function];
  const FunctionCode& to = p.functions[callee];
  const std::uint32_t frame = g.frame + from.frame_bytes;
  const std::uint32_t local = g.local + from.local_bytes + g.taken;
  Fault f;
  f.kind = FaultKind::stack_overflow;
  if (g.calls.size() >= kMaxCallDepth || frame + to.frame_bytes > w.frames_bytes ||
      local + to.local_bytes > w.local_stride) {
    f.message = "the device call stack is exhausted after " + std::to_string(g.calls.size()) + " nested calls";
    report(w, i, std::move(f), std::countr_zero(w.mask), true);
    return nullptr;
  }
  if (site.arguments.size() != to.parameters.size() || site.results.size() != to.results.size()) {
    f.kind = FaultKind::illegal_instruction;
    f.message = "a call through a pointer to a function with other parameters";
    report(w, i, std::move(f), std::countr_zero(w.mask), true);
    return nullptr;
  }
  std::byte* caller_frame = w.frames + g.frame;
  std::byte* callee_frame = w.frames + frame;
  for (std::size_t k = 0; k < site.arguments.size(); ++k) {
    const ParamRegion& a = site.arguments[k];
    const ParamRegion& b = to.parameters[k];
    for (int l = 0; l < kLanes; ++l)
      if ((w.mask >> l & 1) != 0)
        std::copy_n(caller_frame + a.frame_offset + static_cast<std::uint32_t>(l) * a.stride,
                    std::min(a.bytes, b.bytes),
                    callee_frame + b.frame_offset + static_cast<std::uint32_t>(l) * b.stride);
  }
  g.calls.push_back({i->aux, g.function, g.frame, g.local, g.taken, i + 1});
  g.taken = 0;
  g.function = callee;
  g.frame = frame;
  g.local = local;
  g.pc = p.code.data() + to.entry;
  if (w.groups.size() > 1) return pick_group(w);
  w.base[0] = callee_frame;
  return g.pc;
}

const Instr* return_from(WarpState& w, const Instr* i) {
  const Program& p = *w.worker->launch->program;
  Group& g = w.groups[w.current];
  if (g.calls.empty()) return exit_lanes(w);
  const ReturnFrame back = g.calls.back();
  g.calls.pop_back();
  const CallSite& site = p.calls[back.site];
  const FunctionCode& from = p.functions[g.function];
  for (std::size_t k = 0; k < site.results.size(); ++k) {
    const ParamRegion& a = from.results[k];
    const ParamRegion& b = site.results[k];
    for (int l = 0; l < kLanes; ++l)
      if ((w.mask >> l & 1) != 0)
        std::copy_n(w.frames + g.frame + a.frame_offset + static_cast<std::uint32_t>(l) * a.stride,
                    std::min(a.bytes, b.bytes),
                    w.frames + back.frame + b.frame_offset + static_cast<std::uint32_t>(l) * b.stride);
  }
  (void)i;
  g.function = back.function;
  g.frame = back.frame;
  g.local = back.local;
  g.taken = back.taken;
  g.pc = back.next;
  if (w.groups.size() > 1) return pick_group(w);
  w.base[0] = w.frames + g.frame;
  return g.pc;
}

const Instr* arrive_at_barrier(WarpState& w, const Instr* i) {
  Group& g = w.groups[w.current];
  g.state = GroupState::barrier;
  g.pc = i;
  w.skipped_barrier &= ~w.mask;
  return pick_group(w);
}

bool gather_lanes(WarpState& w, const Instr* i, const std::uint32_t* members, const Instr** next) {
  if (w.mask == ~0u) {
    std::uint32_t everyone = ~0u;
    for (int l = 0; l < kLanes; ++l) everyone &= members[l];
    if (everyone == ~0u) return true;
  }
  std::uint32_t named = 0, outside = 0;
  for (int l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    named |= members[l];
    if ((members[l] >> l & 1) == 0) outside |= 1u << l;
  }
  if (outside != 0) {
    Fault f;
    f.kind = FaultKind::sync_mask;
    f.message = "lane " + std::to_string(std::countr_zero(outside)) +
                " executes a *_sync operation whose mask does not name it";
    report(w, i, std::move(f), std::countr_zero(outside), true);
    *next = nullptr;
    return false;
  }
  if ((named & w.live & ~w.mask) == 0) return true;
  Group& g = w.groups[w.current];
  g.state = GroupState::lanes;
  g.pc = i;
  g.members = named;
  *next = pick_group(w);
  return false;
}

const Instr* gather_apart(WarpState& w, const Instr* i, std::uint32_t lanes) {
  Group past = w.groups[w.current];
  past.mask &= ~lanes;
  past.pc = i + 1;
  w.groups[w.current].mask = lanes;
  set_mask(w, lanes);
  w.groups.push_back(std::move(past));
  const Instr* next = w.worker->launch->ops[i->op].masked(w, i);
  if (next != i + 1 || w.mask != lanes) return next;
  // Nobody was missing: all stand behind the instruction, and go on together.
  w.groups[w.current].pc = next;
  return pick_group(w);
}

// The group gives way: to another of its warp that has waited longest, or to the other warps and blocks.
const Instr* sleep_lanes(WarpState& w, const Instr* i, std::uint32_t ns) {
  constexpr std::uint32_t kMaxSleep = 1'000'000;  // PTX ISA, "nanosleep": at most 1 ms
  Worker& k = *w.worker;
  k.slept_ticks += std::min(ns, kMaxSleep);
  Group& g = w.groups[w.current];
  g.pc = i + 1;
  std::uint32_t oldest = UINT32_MAX;
  for (std::uint32_t n = 0; n < w.groups.size(); ++n) {
    if (n == w.current || w.groups[n].state != GroupState::ready) continue;
    if (oldest == UINT32_MAX || w.groups[n].last_run < w.groups[oldest].last_run) oldest = n;
  }
  if (oldest != UINT32_MAX) {
    w.slice = kSlice;
    return switch_to(w, oldest);
  }
  k.preempted = k.polled = true;
  return nullptr;
}

const Instr* stop_warp(WarpState& w) {
  w.worker->dead = true;
  return nullptr;
}

const Instr* take_steps(WarpState& w, const Instr* at) {
  Worker& k = *w.worker;
  LaunchContext& launch = *k.launch;
  w.groups[w.current].pc = at;
  if (launch.out_of_steps.load(std::memory_order_relaxed) ||
      w.block->linear > launch.stop_at.load(std::memory_order_relaxed)) {
    k.dead = true;
    return nullptr;
  }
  // With a schedule seed shares are short and uneven, so that warps and blocks run in each other's middle.
  const std::uint64_t seed = launch.schedule_seed;
  const std::int64_t share =
      seed == 0 ? kStepShare
                : 16 + static_cast<std::int64_t>(mix(seed, static_cast<std::uint64_t>(k.steps_taken)) % kSeededShare);
  const bool steps_over = launch.steps_left.fetch_sub(share, std::memory_order_relaxed) < share;
  if (steps_over || (launch.deadline && std::chrono::steady_clock::now() >= *launch.deadline)) {
    launch.out_of_steps = true;
    Fault f;
    f.kind = FaultKind::step_limit;
    f.message = steps_over ? "the kernel did not end within its limit of instructions; this is where it was then"
                           : "the case's time was over while the kernel ran; this is where it was then";
    report(w, at, std::move(f), std::countr_zero(w.mask), true);
    return nullptr;
  }
  k.steps += share;
  k.steps_taken += share;
  k.preempted = true;
  return nullptr;
}

// A warp that reads the same value at the same place over and over waits for somebody else: the rest of its share of
// steps is better spent there. (A grid barrier of 640 blocks would otherwise cost 640 shares.)
void note_poll(WarpState& w, const Instr* i) {
  const int lane = std::countr_zero(w.mask);
  const bool wide = (i->aux & memop::kRegister64) != 0;
  const std::uint64_t value = wide ? slot<std::uint64_t>(w, i->d)[lane] : slot<std::uint32_t>(w, i->d)[lane];
  if (w.poll != i || w.poll_value != value) {
    w.poll = i;
    w.poll_value = value;
    w.polls = 0;
    return;
  }
  if (++w.polls < kPollsBeforeOthers) return;
  w.polls = 0;
  Worker& k = *w.worker;
  k.polled = true;
  if (k.steps <= 0) return;
  k.launch->steps_left.fetch_add(k.steps, std::memory_order_relaxed);
  k.steps_taken -= k.steps;
  k.steps = 0;  // the next block start gives way
}

}  // namespace judge::emulator
