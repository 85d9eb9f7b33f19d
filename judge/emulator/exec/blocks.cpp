// Blocks of a launch: from start to end, with their barriers.

#include "judge/emulator/exec/blocks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/pattern.h"
#include "judge/emulator/memory/schedule.h"
#include "judge/emulator/observe/race.h"

namespace judge::emulator {

using race::GlobalLayout;
using race::SharedLayout;

// Kernels with fences have ticks where others have the epochs of barriers and of __syncwarp (observe/ordering.h).
void stamp_warp(WarpState& w) {
  const BlockState& b = *w.block;
  const std::uint64_t thread = 32ull * w.index;
  std::uint64_t in_block = 0, since_barrier = 0;
  if (w.worker->launch->program->has_fences) {
    in_block = GlobalLayout::kTickMax;
    since_barrier = SharedLayout::kWarpEpochMax;
    if (b.order != nullptr) {
      const std::uint64_t tick = b.order->tick(w.index);
      in_block = std::min(in_block, tick);
      since_barrier = std::min(since_barrier, tick - b.order->first_tick(w.index));
    }
  } else {
    const std::uint64_t we = std::min<std::uint64_t>(w.warp_epoch, GlobalLayout::kWarpEpochMax);
    in_block = std::min<std::uint64_t>(b.barrier_epoch, GlobalLayout::kBarrierMax) << GlobalLayout::kWarpEpochBits | we;
    since_barrier = std::min<std::uint64_t>(w.warp_epoch, SharedLayout::kWarpEpochMax);
  }
  w.shared_stamp = b.shared_epoch | since_barrier << SharedLayout::kWarpEpochShift | thread;
  const LaunchContext& launch = *w.worker->launch;
  const std::uint64_t block = b.linear & ((1u << GlobalLayout::kBlockBits) - 1);
  const std::uint64_t epoch = std::min(launch.launch_epoch + (b.linear >> GlobalLayout::kBlockBits), launch.last_epoch);
  w.global_stamp = epoch << GlobalLayout::kEpochShift | block << GlobalLayout::kBlockShift |
                   in_block << GlobalLayout::kWarpEpochShift | thread;
}

namespace {

constexpr std::uint32_t kRoundsBeforeOthers = 8;
constexpr std::uint32_t kWrittenTries = 64;  // where written and unwritten words alternate, more would not help
constexpr std::uint32_t kBarriers = 16;  // PTX ISA, "bar": 16 barriers a block

std::unique_ptr<BlockStorage> take_storage(Worker& k) {
  if (!k.free_storage.empty()) {
    auto s = std::move(k.free_storage.back());
    k.free_storage.pop_back();
    return s;
  }
  const LaunchContext& launch = *k.launch;
  auto s = std::make_unique<BlockStorage>();
  const std::size_t warps = launch.block_warps;
  s->frames = Pages(warps * launch.frames_bytes);
  if (launch.local_stride != 0) {
    s->local = Pages(warps * kLanes * launch.local_stride);
    s->local_init = Pages(warps * kLanes * launch.local_stride);
  }
  if (launch.shared_bytes != 0) {
    const std::size_t units = (launch.shared_bytes >> launch.program->shared_unit_shift) + 1 + kVectorSlack;
    s->shared = Pages(launch.shared_bytes + 4 * kLanes);
    s->writes = Pages(units * sizeof(std::uint64_t));
    s->reads = Pages(units * sizeof(std::uint64_t));
  }
  s->warps.resize(warps);
  // Blocks of a launch have one shape: who a lane is in its block is worked out once.
  const std::uint32_t* dims = launch.block;
  for (std::uint32_t n = 0; n < warps; ++n) {
    for (std::uint32_t l = 0; l < kLanes; ++l) {
      const std::uint32_t t = 32 * n + l;
      s->warps[n].thread[0][l] = t % dims[0];
      s->warps[n].thread[1][l] = t / dims[0] % dims[1];
      s->warps[n].thread[2][l] = t / dims[0] / dims[1];
    }
  }
  return s;
}

void start_block(BlockState& b, Worker& k, std::uint64_t linear) {
  const LaunchContext& launch = *k.launch;
  b.storage = take_storage(k);
  b.linear = linear;
  b.index[0] = static_cast<std::uint32_t>(linear % launch.grid[0]);
  b.index[1] = static_cast<std::uint32_t>(linear / launch.grid[0] % launch.grid[1]);
  b.index[2] = static_cast<std::uint32_t>(linear / launch.grid[0] / launch.grid[1]);
  b.threads = launch.block_threads;
  b.live_warps = launch.block_warps;
  b.shared = b.storage->shared.data();
  b.shared_writes = reinterpret_cast<std::uint64_t*>(b.storage->writes.data());
  b.shared_reads = reinterpret_cast<std::uint64_t*>(b.storage->reads.data());
  if (k.shared_epoch + 1 >= 1ull << SharedLayout::kEpochBits) {
    // The epoch's bits are used up: entries of this storage must not look newer than what follows.
    k.shared_epoch = 1;
    k.free_storage.clear();
    b.storage->writes.clear();
    b.storage->reads.clear();
  }
  b.shared_epoch = ++k.shared_epoch << SharedLayout::kEpochShift;
  b.shared_born = b.shared_epoch;
  b.written_begin = b.written_end = 0;
  b.written_tries = kWrittenTries;
  if (launch.schedule_seed != 0) {
    fill_dirty(b.storage->shared.data(), launch.shared_bytes, mix(launch.schedule_seed, linear, 1));
    fill_dirty(b.storage->local.data(), std::size_t{launch.block_warps} * kLanes * launch.local_stride,
               mix(launch.schedule_seed, linear, 2));
  }
  if (launch.program->has_fences) b.order = k.ordering.begin_block(linear, launch.block_warps);
  for (std::uint32_t n = 0; n < launch.block_warps; ++n) {
    WarpState& w = b.storage->warps[n];
    w.index = n;
    w.block = &b;
    w.worker = &k;
    w.frames_bytes = launch.frames_bytes;
    w.frames = b.storage->frames.data() + std::size_t{n} * launch.frames_bytes;
    w.local_stride = launch.local_stride;
    if (launch.local_stride != 0) {
      const std::size_t bytes = std::size_t{kLanes} * launch.local_stride;
      w.local = b.storage->local.data() + n * bytes;
      w.local_init = reinterpret_cast<std::uint8_t*>(b.storage->local_init.data() + n * bytes);
    }
    w.base[0] = w.frames;
    w.base[1] = const_cast<Program*>(launch.program)->pool.data();
    w.warp_epoch = 0;
    w.skipped_barrier = w.turns = w.slice = 0;
    w.clock = 0;
    w.poll = nullptr;
    w.polls = 0;
    const std::uint32_t first = 32 * n, lanes = std::min(32u, launch.block_threads - first);
    w.live = lanes == 32 ? 0xffff'ffffu : (1u << lanes) - 1;
    w.groups.resize(1);
    Group& g = w.groups[0];
    g = Group{};
    g.mask = w.live;
    g.pc = launch.program->code.data() + launch.program->functions[0].entry;
    w.current = 0;
    set_mask(w, w.live);
    stamp_warp(w);
  }
}

void clear_local_init(BlockState& b) {
  for (WarpState& w : b.storage->warps)
    if (w.local_init != nullptr) std::memset(w.local_init, 0, std::size_t{kLanes} * w.local_stride);
}

std::uint32_t barrier_id(WarpState& w, const Group& g) {
  w.base[0] = w.frames + g.frame;
  return slot<std::uint32_t>(w, g.pc->a)[std::countr_zero(g.mask)];
}

struct Waiting {
  WarpState* warp;
  std::uint32_t group;
};

void report_barrier(const Waiting& at, std::string message, const SourceLocation* other_where,
                    const ThreadId* other_who, bool ends, std::uint32_t other_instr) {
  WarpState& w = *at.warp;
  const Group& g = w.groups[at.group];
  Fault f;
  f.kind = FaultKind::barrier_divergence;
  f.message = std::move(message);
  if (other_who != nullptr) {
    FaultParty p;
    p.who = *other_who;
    if (other_where != nullptr) p.where = *other_where;
    f.other = p;
  }
  report(w, g.pc, std::move(f), std::countr_zero(g.mask), ends, other_instr);
}

void reduce(const std::vector<Waiting>& here) {
  std::uint32_t count = 0, threads = 0;
  for (const auto& [w, k] : here) {
    const Group& g = w->groups[k];
    w->base[0] = w->frames + g.frame;
    count += static_cast<std::uint32_t>(std::popcount(*slot<std::uint32_t>(*w, g.pc->c) & g.mask));
    threads += static_cast<std::uint32_t>(std::popcount(g.mask));
  }
  for (const auto& [w, k] : here) {
    const Group& g = w->groups[k];
    w->base[0] = w->frames + g.frame;
    if (g.pc->aux == 0) {
      auto* d = slot<std::uint32_t>(*w, g.pc->d);
      for (int l = 0; l < kLanes; ++l)
        if ((g.mask >> l & 1) != 0) d[l] = count;
    } else {
      auto* d = slot<std::uint32_t>(*w, g.pc->d);
      const bool value = g.pc->aux == 1 ? count == threads : count != 0;
      *d = value ? *d | g.mask : *d & ~g.mask;
    }
  }
}

// The usual case: every warp is whole and waits at the same __syncthreads.
bool release_together(BlockState& b, Worker& k) {
  const Instr* place = nullptr;
  for (WarpState& w : b.storage->warps) {
    if (w.groups.empty()) continue;
    const Group& g = w.groups[0];
    if (w.groups.size() != 1 || g.state != GroupState::barrier || (place != nullptr && g.pc != place)) return false;
    place = g.pc;
    // Only a number that is a literal is the same for all threads without looking.
    if (place->op != static_cast<std::uint16_t>(Op::bar_sync) || place->b != kNoSlot || (place->a & kPoolBit) == 0)
      return false;
  }
  if (place == nullptr || b.skipped_barrier) return false;
  WarpState& any = b.storage->warps[0];
  const std::uint32_t id = slot<std::uint32_t>(any, place->a)[0];
  if (id >= kBarriers || b.arrived[id] != 0) return false;
  for (WarpState& w : b.storage->warps) {
    if (w.groups.empty()) continue;
    w.groups[0].state = GroupState::ready;
    w.groups[0].pc += 1;
  }
  begin_block_epoch(b, k);
  return true;
}

// Releases every barrier whose threads are all there. False when none is.
bool release_barriers(BlockState& b, Worker& k) {
  if (release_together(b, k)) return true;
  std::vector<Waiting> waiting[kBarriers];
  std::uint32_t live = 0;
  for (WarpState& w : b.storage->warps) {
    live += static_cast<std::uint32_t>(std::popcount(w.live));
    for (std::uint32_t g = 0; g < w.groups.size(); ++g) {
      if (w.groups[g].state != GroupState::barrier) continue;
      const std::uint32_t id = barrier_id(w, w.groups[g]);
      if (id >= kBarriers) {
        report_barrier({&w, g}, "barrier " + std::to_string(id) + " does not exist: a block has barriers 0 to 15",
                       nullptr, nullptr, true, UINT32_MAX);
        return false;
      }
      waiting[id].push_back({&w, g});
    }
  }
  bool released = false;
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    auto& here = waiting[id];
    if (here.empty()) continue;
    std::uint32_t threads = b.arrived[id];
    for (const auto& [w, g] : here) threads += static_cast<std::uint32_t>(std::popcount(w->groups[g].mask));
    std::uint32_t expected = live;
    WarpState& first = *here[0].warp;
    const Group& first_group = first.groups[here[0].group];
    if (first_group.pc->b != kNoSlot) {
      first.base[0] = first.frames + first_group.frame;
      expected = slot<std::uint32_t>(first, first_group.pc->b)[std::countr_zero(first_group.mask)];
    }
    if (threads < expected) continue;
    const Instr* place = first_group.pc;
    if (first_group.pc->b == kNoSlot && first_group.pc->aux != 0) {
      for (const auto& one : here) {
        const Group& g = one.warp->groups[one.group];
        if (g.pc == place) continue;
        const SourceLocation where = location_of(*k.launch, place->index);
        const ThreadId who = thread_id(first, std::countr_zero(first_group.mask));
        report_barrier(one, "threads of one block wait at different barriers", &where, &who, false, place->index);
      }
      if (b.skipped_barrier) {
        b.skipped_barrier = false;
        report_barrier(here[0], "a thread of the block went around this barrier and ended without it", nullptr,
                       &b.skipper, false, UINT32_MAX);
      }
    }
    b.arrived[id] = 0;
    if (place->op == static_cast<std::uint16_t>(Op::bar_red)) reduce(here);
    for (const auto& [w, g] : here) {
      w->groups[g].state = GroupState::ready;
      w->groups[g].pc += 1;
    }
    released = true;
  }
  if (released) begin_block_epoch(b, k);
  return released;
}

void report_deadlock(BlockState& b, Worker& k) {
  const Waiting* at = nullptr;
  std::vector<Waiting> waiting;
  std::optional<ThreadId> other;
  std::optional<SourceLocation> other_where;
  std::uint32_t other_instr = UINT32_MAX;
  for (WarpState& w : b.storage->warps)
    for (std::uint32_t g = 0; g < w.groups.size(); ++g)
      if (w.groups[g].state == GroupState::barrier) waiting.push_back({&w, g});
  if (waiting.empty()) return;
  at = &waiting[0];
  const Instr* place = at->warp->groups[at->group].pc;
  for (WarpState& w : b.storage->warps) {
    for (const Group& g : w.groups) {
      if (g.pc == place || g.pc == nullptr) continue;
      other = thread_id(w, std::countr_zero(g.mask));
      other_where = location_of(*k.launch, g.pc->index);
      other_instr = g.pc->index;
      break;
    }
    if (other) break;
  }
  report_barrier(*at, "the block is stuck: not all of its threads can reach this barrier",
                 other_where ? &*other_where : nullptr, other ? &*other : nullptr, true, other_instr);
}

enum class BlockEnd : std::uint8_t { finished, suspended, dead };

BlockEnd run_block(BlockState& b, Worker& k, bool others_wait) {
  auto& warps = b.storage->warps;
  const auto count = static_cast<std::uint32_t>(warps.size());
  b.rounds = 0;
  for (;;) {
    bool ran = false;
    k.preempted = k.polled = false;
    const std::uint64_t seed = k.launch->schedule_seed;
    const std::uint64_t order = seed == 0 ? 0 : mix(seed, b.linear, ++b.passes);
    for (std::uint32_t n = 0; n < count; ++n) {
      WarpState& w = warps[seed == 0 ? n : permuted(n, count, order)];
      if (w.groups.empty()) continue;
      const Instr* i = pick_group(w);
      if (i != nullptr) {
        ran = true;
        do i = i->run[w.partial](w, i);
        while (i != nullptr);
      }
      if (k.dead) return BlockEnd::dead;
    }
    if (b.live_warps == 0) return BlockEnd::finished;
    if (k.preempted) {
      // Threads that spin or sleep may wait for others that stand at a barrier which is complete.
      release_barriers(b, k);
      if (k.dead) return BlockEnd::dead;
      if ((++b.rounds >= kRoundsBeforeOthers || k.polled) && others_wait) return BlockEnd::suspended;
      continue;
    }
    if (release_barriers(b, k)) continue;
    if (k.dead) return BlockEnd::dead;
    if (ran) continue;  // a warp may have made another runnable
    if (std::none_of(warps.begin(), warps.end(), report_missing_lanes)) report_deadlock(b, k);
    k.dead = true;
    return BlockEnd::dead;
  }
}

}  // namespace

Worker::Worker() = default;
Worker::~Worker() = default;

void begin_warp_epoch(WarpState& w) {
  ++w.warp_epoch;
  if (w.block->order != nullptr) w.block->order->warp_barrier(w.index);
  stamp_warp(w);
}

const Instr* pass_fence(WarpState& w, const Instr* i) {
  if (w.block->order == nullptr) return i + 1;
  w.block->order->fence(w.index, w.mask, (i->aux & memop::kBeyondBlock) != 0);
  stamp_warp(w);
  return i + 1;
}

void begin_block_epoch(BlockState& b, Worker& k) {
  if (k.shared_epoch + 1 >= 1ull << SharedLayout::kEpochBits) {
    k.shared_epoch = 1;
    k.free_storage.clear();
    // What this block has written must still count as written: its entries move to the first epoch of a new count.
    b.shared_born = 1ull << SharedLayout::kEpochShift;
    const std::size_t units = b.storage->writes.bytes() / sizeof(std::uint64_t);
    for (std::size_t u = 0; u < units; ++u) {
      if (b.shared_writes[u] != 0) b.shared_writes[u] = b.shared_born;
      b.shared_reads[u] = 0;
    }
  }
  b.shared_epoch = ++k.shared_epoch << SharedLayout::kEpochShift;
  ++b.barrier_epoch;
  if (b.order != nullptr) b.order->block_barrier();
  for (WarpState& w : b.storage->warps) {
    w.warp_epoch = 0;
    stamp_warp(w);
  }
}

// Order in which blocks are taken: ascending, or a permutation that the schedule seed decides.
static std::uint64_t block_number(const LaunchContext& launch, std::uint64_t n) {
  return launch.schedule_seed == 0 ? n : permuted(n, launch.blocks, launch.schedule_seed);
}

// The next block that nobody has taken, from the worker's own range first; launch.blocks when none is left.
static std::uint64_t take_block(LaunchContext& launch, Worker& k) {
  for (std::size_t tried = 0; tried < launch.ranges.size(); ++tried) {
    BlockRange& r = launch.ranges[k.range];
    if (r.next.load(std::memory_order_relaxed) < r.end) {
      const std::uint64_t n = r.next.fetch_add(1, std::memory_order_relaxed);
      if (n < r.end) return n;
    }
    k.range = (k.range + 1) % launch.ranges.size();
  }
  return launch.blocks;
}

void run_blocks(LaunchContext& launch, Worker& k) {
  std::vector<std::unique_ptr<BlockState>> suspended;
  std::size_t turn = 0;
  bool all_started = false;
  for (;;) {
    std::unique_ptr<BlockState> b;
    if (!all_started && suspended.size() < launch.max_running_blocks) {
      const std::uint64_t n = take_block(launch, k);
      if (n >= launch.blocks) {
        all_started = true;
      } else {
        const std::uint64_t linear = block_number(launch, n);
        if (linear > launch.stop_at.load(std::memory_order_relaxed)) continue;
        b = std::make_unique<BlockState>();
        start_block(*b, k, linear);
        clear_local_init(*b);
      }
    }
    if (b == nullptr) {
      if (suspended.empty()) {
        if (all_started) return;
        continue;
      }
      turn = turn % suspended.size();
      b = std::move(suspended[turn]);
      suspended.erase(suspended.begin() + static_cast<std::ptrdiff_t>(turn));
    }
    k.dead = false;
    const bool others = !all_started || !suspended.empty();
    switch (run_block(*b, k, others)) {
      case BlockEnd::finished:
        k.free_storage.push_back(std::move(b->storage));
        if (b->order != nullptr) k.ordering.end_block(b->linear);
        break;
      case BlockEnd::suspended:
        suspended.push_back(std::move(b));
        break;
      case BlockEnd::dead: {
        std::uint64_t now = launch.stop_at.load();
        while (b->linear < now && !launch.stop_at.compare_exchange_weak(now, b->linear)) {
        }
        if (launch.out_of_steps.load()) return;
        k.free_storage.push_back(std::move(b->storage));
        break;
      }
    }
  }
}

}  // namespace judge::emulator
