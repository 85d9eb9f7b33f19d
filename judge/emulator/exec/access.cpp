#include "judge/emulator/exec/access.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/emulator/exec/async.h"
#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/observe/race.h"
#include "judge/emulator/observe/transactions.h"

namespace judge::emulator {

namespace {

using race::GlobalLayout;
using race::SharedLayout;

const char* verb(AccessKind k) {
  return k == AccessKind::read ? "reads" : k == AccessKind::write ? "writes" : "updates";
}

MemorySpace public_space(memop::Space s) {
  switch (s) {
    case memop::global:
      return MemorySpace::global;
    case memop::shared:
      return MemorySpace::shared;
    case memop::local:
      return MemorySpace::local;
    case memop::constant:
      return MemorySpace::constant;
    case memop::param:
      return MemorySpace::param;
    default:
      return MemorySpace::generic;
  }
}

Fault fault_at(FaultKind kind, const LaneAccess& a, int lane) {
  Fault f;
  f.kind = kind;
  f.space = public_space(a.space);
  f.access = a.kind;
  f.address = a.address[lane];
  f.bytes = a.bytes;
  return f;
}

// Offsets are 32 bits wide: an index below 0 makes one that is nearly as large as they get.
std::int64_t shared_offset(std::uint64_t address) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(address));
}

std::int64_t index_of(std::int64_t offset, std::int64_t unit) {
  return offset >= 0 ? offset / unit : -((-offset + unit - 1) / unit);
}

// Names the __shared__ variable at an offset: the one that contains it, or the last that begins before it; before all
// of them the first.
void describe_shared(const LaunchContext& launch, Fault& f) {
  const std::int64_t at = shared_offset(f.address);
  const SharedVariable* best = nullptr;
  std::uint32_t best_bytes = 0;
  for (const SharedVariable& v : launch.program->shared_variables) {
    const std::uint32_t bytes = v.bytes != 0 ? v.bytes : launch.shared_bytes - std::min(launch.shared_bytes, v.offset);
    if (at >= 0 ? v.offset > at : v.offset != 0) continue;
    if (best != nullptr && v.offset <= best->offset) continue;
    best = &v;
    best_bytes = bytes;
  }
  if (best == nullptr) return;
  f.owner = std::string("__shared__ ") + best->name + " (" + std::to_string(best_bytes) + " bytes)";
  f.element = index_of(at - best->offset, std::max(1u, f.bytes));
}

void describe_global(const LaunchContext& launch, Fault& f) {
  AddressDescription d = launch.memory->describe(f.address, f.bytes);
  f.owner = std::move(d.owner);
  f.element = d.element;
}

std::string bytes_text(std::uint64_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

void report_shared_bounds(WarpState& w, const Instr* i, const LaneAccess& a, int lane) {
  const LaunchContext& launch = *w.worker->launch;
  Fault f = fault_at(FaultKind::out_of_bounds, a, lane);
  describe_shared(launch, f);
  f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) + " at offset " +
              std::to_string(shared_offset(a.address[lane])) + " of shared memory, but the block has " +
              bytes_text(launch.shared_bytes);
  report(w, i, std::move(f), lane, true);
}

// An access that is inside the block's shared memory, or the thread's local memory, but outside the variable it was meant
// for.
bool inside_variable(WarpState& w, const Instr* i, const LaneAccess& a, std::uint32_t base) {
  const LaunchContext& launch = *w.worker->launch;
  const AddressBounds& b = launch.program->info[i->index].bounds;
  if (b.space != a.space) return true;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const auto at = static_cast<std::int64_t>(a.address[l]) - base;
    if (at >= b.low && at + a.bytes <= b.high) continue;
    Fault f = fault_at(FaultKind::out_of_bounds, a, l);
    const std::int64_t from_start = at - b.low, unit = std::max(1u, a.bytes);
    const std::string size = bytes_text(b.high - b.low);
    f.element = index_of(from_start, unit);
    std::string name = "a local variable", neighbour;
    if (a.space == memop::shared) {
      for (const SharedVariable& v : launch.program->shared_variables) {
        if (v.offset == b.low) name = "__shared__ " + v.name;
        if (at >= v.offset && at < std::int64_t{v.offset} + v.bytes && v.offset != b.low) neighbour = v.name;
      }
    }
    f.owner = b.high == UINT32_MAX ? name : name + " (" + size + ")";
    const std::int64_t past = at + a.bytes - b.high;
    f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) +
                (from_start < 0 ? ", starting " + bytes_text(static_cast<std::uint64_t>(-from_start)) + " before the start"
                                : ", ending " + bytes_text(static_cast<std::uint64_t>(past)) + " past the end") +
                (neighbour.empty() ? "" : ": that is in " + neighbour);
    report(w, i, std::move(f), l, true);
    return false;
  }
  return true;
}

void report_global_bounds(WarpState& w, const Instr* i, const LaneAccess& a, int lane) {
  const LaunchContext& launch = *w.worker->launch;
  const Address at = a.address[lane];
  Fault f = fault_at(FaultKind::out_of_bounds, a, lane);
  const AddressDescription d = launch.memory->describe(at, a.bytes);
  f.owner = d.owner;
  f.element = d.element;
  if (at < kFirstPage) {
    f.kind = FaultKind::null_pointer;
    f.owner.clear();
    f.element.reset();
    f.message = std::string(verb(a.kind)) + " through a null pointer";
  } else if (d.allocation != nullptr && d.allocation->freed && d.allocation->contains(at, 1)) {
    f.kind = FaultKind::use_after_free;
    f.message = std::string(verb(a.kind)) + " memory that was freed";
  } else if (in_window(at, kSharedWindow) || in_window(at, kLocalWindow) || in_window(at, kParamWindow)) {
    f.kind = FaultKind::wrong_space;
    f.owner.clear();
    f.element.reset();
    f.message = std::string(verb(a.kind)) + " global memory at an address of another space";
  } else if (at >= kHostLow) {
    f.kind = FaultKind::host_pointer;
    f.owner.clear();
    f.element.reset();
    f.message = std::string(verb(a.kind)) + " through a pointer to host memory: a kernel sees device memory only";
  } else if (d.bytes_past_end > 0) {
    f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) + ", ending " +
                bytes_text(static_cast<std::uint64_t>(d.bytes_past_end)) + " past the end";
  } else if (d.bytes_past_end < 0) {
    f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) + ", starting " +
                bytes_text(static_cast<std::uint64_t>(-d.bytes_past_end)) + " before the start";
  } else {
    f.message = std::string(verb(a.kind)) + " at an address that belongs to no allocation";
  }
  report(w, i, std::move(f), lane, true);
}

// The other thread of a race, from its shadow entry.
FaultParty party(const WarpState& w, std::uint64_t entry, AccessKind kind, bool shared) {
  const LaunchContext& launch = *w.worker->launch;
  FaultParty p;
  p.access = kind;
  p.where = location_of(launch, race::instr_of(entry));
  const std::uint32_t t = race::thread_of(entry);
  p.who.thread = {t % launch.block[0], t / launch.block[0] % launch.block[1], t / launch.block[0] / launch.block[1]};
  std::uint64_t block = w.block->linear;
  if (!shared) block = race::block_of(entry, launch.launch_epoch);
  p.who.block = {static_cast<std::uint32_t>(block % launch.grid[0]),
                 static_cast<std::uint32_t>(block / launch.grid[0] % launch.grid[1]),
                 static_cast<std::uint32_t>(block / launch.grid[0] / launch.grid[1])};
  return p;
}

void report_race(WarpState& w, const Instr* i, const LaneAccess& a, int lane, std::uint64_t entry, AccessKind other,
                 std::uint64_t at) {
  Fault f = fault_at(FaultKind::race, a, lane);
  f.address = at;
  const bool shared = a.space == memop::shared;
  if (shared)
    describe_shared(*w.worker->launch, f);
  else
    describe_global(*w.worker->launch, f);
  f.other = party(w, entry, other, shared);
  const bool own =
      race::thread_of(entry) == static_cast<std::uint32_t>(32 * w.index) + static_cast<std::uint32_t>(lane) &&
      f.other->who.block == thread_id(w, lane).block;
  f.message = own ? std::string(verb(a.kind)) + " what other threads read, with nothing between that orders them"
                  : std::string(verb(a.kind)) + " what another thread " + verb(other) +
                        ", with nothing between that orders them";
  report(w, i, std::move(f), lane, false, race::instr_of(entry));
}

void report_uninitialized(WarpState& w, const Instr* i, const LaneAccess& a, int lane, std::uint64_t at) {
  if (const PendingWriter copy = a.space == memop::shared ? pending_writer(*w.block, at) : PendingWriter{};
      copy.instr != nullptr) {
    Fault f = fault_at(FaultKind::race, a, lane);
    f.address = at;
    describe_shared(*w.worker->launch, f);
    f.other = FaultParty{location_of(*w.worker->launch, copy.instr->index), copy.who, AccessKind::write};
    f.message = std::string(verb(a.kind)) +
                " what an asynchronous copy is still writing: nobody has waited for the copy to complete";
    report(w, i, std::move(f), lane, false, copy.instr->index);
    return;
  }
  Fault f = fault_at(FaultKind::uninitialized_read, a, lane);
  f.address = at;
  if (a.space == memop::shared)
    describe_shared(*w.worker->launch, f);
  else if (a.space == memop::global || a.space == memop::constant)
    describe_global(*w.worker->launch, f);
  else
    f.owner = "a local variable";
  f.message = std::string(verb(a.kind)) + " memory that nothing has written";
  if (a.space == memop::shared) {
    std::uint32_t live = 0;
    for (const WarpState& other : w.block->storage->warps)
      live += static_cast<std::uint32_t>(std::popcount(other.live));
    f.threads_gone = w.worker->launch->block_threads - std::min(live, w.worker->launch->block_threads);
  }
  report(w, i, std::move(f), lane, false);
}

bool aligned(WarpState& w, const Instr* i, const LaneAccess& a) {
  const std::uint32_t align = a.bytes & (~a.bytes + 1);
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if ((a.address[l] & (align - 1)) == 0) continue;
    Fault f = fault_at(FaultKind::misaligned, a, l);
    if (a.space == memop::shared)
      describe_shared(*w.worker->launch, f);
    else if (a.space == memop::global)
      describe_global(*w.worker->launch, f);
    f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) + " at an address that is not a multiple of " +
                std::to_string(align);
    report(w, i, std::move(f), l, true);
    return false;
  }
  return true;
}

// Kernels with fences: whether the read or write that the entry names, in this epoch, is not ordered before the access
// stamped `mine`.
template <class L>
bool unordered(const WarpState& w, std::uint64_t entry, std::uint64_t mine, bool read) {
  const Ordering::Block* order = w.block->order;
  const std::uint64_t x = entry ^ mine;
  if ((x & race::who_mask<L>()) == 0 || order == nullptr) return false;
  const std::uint32_t thread = race::thread_of(entry);
  if constexpr (L::kBlocks == 0) {
    const std::uint64_t since_barrier = (entry & L::kWarpEpochMask) >> L::kWarpEpochShift;
    if (since_barrier == L::kWarpEpochMax) return false;
    const std::uint32_t tick = order->first_tick(thread / 32) + static_cast<std::uint32_t>(since_barrier);
    return !order->is_ordered(w.index, w.block->linear, thread, tick, read);
  } else {
    const std::uint64_t tick = entry >> L::kWarpEpochShift & L::kTickMax;
    if (tick == L::kTickMax) return false;
    const LaunchContext& launch = *w.worker->launch;
    // Without fences beyond the block, blocks hand over nothing, and other workers' blocks have an account of their own.
    if ((x & L::kBlockMask) != 0 && !launch.program->orders_across_blocks) return true;
    // Of all blocks that the entry can mean (one, except in the last epoch), none may be ordered.
    const std::uint64_t first = race::block_of(entry, launch.launch_epoch), step = 1u << L::kBlockBits;
    const std::uint64_t end = entry < launch.last_epoch << L::kEpochShift ? first + 1 : launch.blocks;
    bool known = false;
    for (std::uint64_t b = first; b < end; b += step) {
      if (!w.worker->ordering.has_begun(b)) continue;
      if (order->is_ordered(w.index, b, thread, static_cast<std::uint32_t>(tick), read)) return false;
      known = true;
    }
    return known;
  }
}

// Whether others than the reader that an entry names have read too and nothing can have ordered them. Which other threads
// they were is not kept: where a hand-over happened they may have been ordered, and no race is claimed.
template <class L>
bool other_readers(const WarpState& w, std::uint64_t entry, std::uint64_t mine) {
  if (w.block->order == nullptr || w.block->order->has_learned(w.index)) return false;
  if constexpr (L::kBlocks != 0) return (entry & L::kBlocks) != 0;
  if ((entry & L::kWarps) != 0) return true;
  return (entry & L::kLanes) != 0 && ((entry ^ mine) & (L::kWarpEpochMask | race::kWarpMask)) == 0;
}

template <class L>
bool write_races(const WarpState& w, std::uint64_t entry, std::uint64_t mine, std::uint64_t epoch) {
  if (!w.worker->launch->program->has_fences) return race::races_with_write<L>(entry, mine, epoch, true);
  return entry >= epoch && (entry & mine & L::kAtomic) == 0 && unordered<L>(w, entry, mine, false);
}

template <class L>
bool read_races(const WarpState& w, std::uint64_t entry, std::uint64_t mine, std::uint64_t epoch) {
  if (!w.worker->launch->program->has_fences) return race::races_with_read<L>(entry, mine, epoch, true);
  return entry >= epoch && (unordered<L>(w, entry, mine, true) || other_readers<L>(w, entry, mine));
}

// Shadow entries of one lane's units: races first, then the new state.
template <class L>
void shadow_access(WarpState& w, const Instr* i, const LaneAccess& a, int lane, std::uint64_t* writes,
                   std::uint64_t* reads, std::uint32_t units, unsigned shift, std::uint64_t mine, std::uint64_t epoch,
                   bool same_value) {
  const bool atomic = a.kind == AccessKind::atomic || a.strong;
  if (atomic) mine |= L::kAtomic;
  for (std::uint32_t u = 0; u < units; ++u) {
    const std::uint64_t at = a.address[lane] + (std::uint64_t{u} << shift);
    const std::uint64_t write = writes[u];
    if (!same_value && write_races<L>(w, write, mine, epoch)) {
      report_race(w, i, a, lane, write, (write & L::kAtomic) != 0 ? AccessKind::atomic : AccessKind::write, at);
      same_value = true;  // one report for this lane
    }
    if (a.kind == AccessKind::read) {
      if (!atomic) reads[u] = race::merge_read<L>(reads[u], mine, epoch);
      continue;
    }
    if (!same_value && read_races<L>(w, reads[u], mine, epoch)) {
      report_race(w, i, a, lane, reads[u], AccessKind::read, at);
      same_value = true;
    }
    writes[u] = mine;
  }
}

// What a strong access hands over: a read learns what was published at its address, a write publishes.
void hand_over(WarpState& w, const LaneAccess& a, int lane) {
  Ordering::Block* order = w.block->order;
  if (order == nullptr || (a.kind != AccessKind::atomic && !a.strong)) return;
  std::uint64_t address = a.address[lane];
  if (a.space == memop::shared) address |= 1ull << 63 | w.block->linear << 20;
  const std::uint32_t thread = 32 * w.index + static_cast<std::uint32_t>(lane);
  if (a.kind != AccessKind::write && !a.unread) order->learn(thread, address);
  if (a.kind != AccessKind::read) order->publish(thread, address);
}

void end_hand_over(WarpState& w, const LaneAccess& a) {
  if (w.block->order == nullptr || a.kind == AccessKind::read || (a.kind == AccessKind::write && !a.strong)) return;
  w.block->order->end_publishing(w.index);
  stamp_warp(w);
}

std::uint32_t units_of(std::uint32_t bytes, unsigned shift) {
  return std::max(1u, bytes >> shift);
}

std::uint64_t instr_bits(const Instr* i) {
  return std::min<std::uint64_t>(i->index, race::kInstrMax) << race::kInstrShift;
}

bool check_shared(WarpState& w, const Instr* i, LaneAccess& a, const std::byte* value) {
  BlockState& b = *w.block;
  const LaunchContext& launch = *w.worker->launch;
  const unsigned shift = launch.program->shared_unit_shift;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (a.address[l] + a.bytes > launch.shared_bytes || a.address[l] > launch.shared_bytes) {
      report_shared_bounds(w, i, a, l);
      return false;
    }
  }
  if (!inside_variable(w, i, a, 0)) return false;
  AccessCounts& c = w.worker->accesses[i->index];
  c.bytes += a.bytes * static_cast<std::uint64_t>(std::popcount(a.mask));
  constexpr std::uint32_t kUnread = memop::kOneLane | memop::kNoResult;
  SharedCost cost;
  if (a.kind == AccessKind::atomic) {
    ++c.executions;
    cost = shared_atomic_cost(a.address, a.mask, (i->aux & kUnread) == kUnread, (i->aux & memop::kCountsOne) != 0);
  } else if (memop::merged(i->aux) != memop::Merged::with_another) {
    ++c.executions;
    cost = shared_cost(a.address, a.mask, memop::bytes_seen(i->aux));
  }
  c.wavefronts += cost.wavefronts;
  c.conflicts += cost.conflicts;
  const std::uint32_t units = units_of(a.bytes, shift);
  bool reported = false;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const std::uint64_t unit = a.address[l] >> shift;
    a.host[l] = b.shared + a.address[l];
    const std::uint64_t mine = w.shared_stamp + instr_bits(i) + static_cast<std::uint64_t>(l);
    if (a.kind != AccessKind::write && !reported) {
      for (std::uint32_t u = 0; u < units; ++u) {
        if (b.shared_writes[unit + u] >= b.shared_born) continue;
        report_uninitialized(w, i, a, l, a.address[l] + (std::uint64_t{u} << shift));
        reported = true;
        break;
      }
    }
    const bool same = a.kind == AccessKind::write && std::memcmp(a.host[l], value + 32 * l, a.bytes) == 0;
    if ((i->aux & memop::kQuiet) != 0 && a.kind == AccessKind::read) continue;
    shadow_access<SharedLayout>(w, i, a, l, b.shared_writes + unit, b.shared_reads + unit, units, shift, mine,
                                b.shared_epoch, same);
    hand_over(w, a, l);
    // A store takes effect at once, so that a later lane's equal store to the same place is seen as harmless.
    if (a.kind == AccessKind::write) std::memcpy(a.host[l], value + 32 * l, a.bytes);
  }
  end_hand_over(w, a);
  return true;
}

// Marks some bytes of a word as written by this kernel.
void write_part(std::uint8_t& marks, std::uint8_t bits) {
  std::atomic_ref<std::uint8_t> word(marks);
  word.fetch_or(bits, std::memory_order_relaxed);
  const auto by_host = static_cast<std::uint8_t>(bits << kHostDataShift);
  if ((word.load(std::memory_order_relaxed) & by_host) != 0)
    word.fetch_and(static_cast<std::uint8_t>(~by_host), std::memory_order_relaxed);
}

bool check_global(WarpState& w, const Instr* i, LaneAccess& a, const std::byte* value) {
  LaunchContext& launch = *w.worker->launch;
  GlobalMemory& memory = *launch.memory;
  Worker& k = *w.worker;
  const unsigned shift = launch.program->global_unit_shift;
  Allocation* cached = k.caches[i->index].allocation;
  Allocation* of_lane[kLanes];
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (cached == nullptr || !cached->contains(a.address[l], a.bytes)) {
      Allocation* found = memory.find_live(a.address[l], a.bytes);
      if (found == nullptr) {
        report_global_bounds(w, i, a, l);
        return false;
      }
      if (found->kind == AllocationKind::constant && a.kind != AccessKind::read) {
        Fault f = fault_at(FaultKind::read_only, a, l);
        describe_global(launch, f);
        f.message = std::string(verb(a.kind)) + " constant memory, which a kernel can only read";
        report(w, i, std::move(f), l, true);
        return false;
      }
      cached = k.caches[i->index].allocation = found;
    }
    of_lane[l] = cached;
  }
  AccessCounts& c = k.accesses[i->index];
  ++c.executions;
  c.bytes += a.bytes * static_cast<std::uint64_t>(std::popcount(a.mask));
  c.sectors += a.kind == AccessKind::atomic
                   ? count_atomic_sectors(a.address, a.mask, a.bytes, (i->aux & memop::kOneLane) != 0)
                   : count_sectors(a.address, a.mask, a.bytes);
  if (a.space == memop::constant) c.wavefronts += count_words(a.address, a.mask);
  const std::uint32_t units = units_of(a.bytes, shift);
  const std::uint64_t epoch = launch.launch_epoch << GlobalLayout::kEpochShift;
  bool reported = false;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    Allocation& in = *of_lane[l];
    const std::uint64_t offset = a.address[l] - in.base;
    a.host[l] = in.data + offset;
    if (!in.fully_initialized) {
      if (a.kind != AccessKind::write) {
        if (!reported && !memory.is_written(in, offset, a.bytes)) {
          std::uint64_t first = offset;
          while (memory.is_written(in, first, 1)) ++first;
          report_uninitialized(w, i, a, l, in.base + first);
          reported = true;
        }
      }
      if (a.kind != AccessKind::read) {
        // Bytes of one word may be written by threads on two cores.
        for (std::uint64_t x = offset; x < offset + a.bytes;) {
          const std::uint32_t in_word = x & 3, n = std::min<std::uint32_t>(
                                                   4 - in_word, static_cast<std::uint32_t>(offset + a.bytes - x));
          const auto bits = static_cast<std::uint8_t>(((1u << n) - 1) << in_word);
          if (bits == kWordWritten)
            in.init[x / 4] = bits;
          else
            write_part(in.init[x / 4], bits);
          x += n;
        }
      }
    }
    const bool same = a.kind == AccessKind::write && std::memcmp(a.host[l], value + 32 * l, a.bytes) == 0;
    if (in.tracked) {
      const std::uint64_t unit = offset >> shift;
      const Pages& changed = a.kind == AccessKind::read ? in.read_pages : in.write_pages;
      changed.will_write(unit * sizeof(std::uint64_t), units * sizeof(std::uint64_t));
      const std::uint64_t mine = w.global_stamp + instr_bits(i) + static_cast<std::uint64_t>(l);
      shadow_access<GlobalLayout>(w, i, a, l, in.write_shadow + unit, in.read_shadow + unit, units, shift, mine, epoch,
                                  same);
    }
    hand_over(w, a, l);
    if (a.kind == AccessKind::write) std::memcpy(a.host[l], value + 32 * l, a.bytes);
  }
  end_hand_over(w, a);
  return true;
}

bool check_local(WarpState& w, const Instr* i, LaneAccess& a, const std::byte* value) {
  if (!inside_variable(w, i, a, w.groups[w.current].local)) return false;
  AccessCounts& c = w.worker->accesses[i->index];
  ++c.executions;
  c.bytes += a.bytes * static_cast<std::uint64_t>(std::popcount(a.mask));
  // Local memory is interleaved: word n of the 32 threads of a warp lies side by side (CUDA C++ Programming Guide,
  // "Local Memory"), so that equal offsets coalesce.
  alignas(64) std::uint64_t interleaved[kLanes];
  const std::uint32_t per_word = std::min(a.bytes, 4u);
  bool reported = false;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (a.address[l] > w.local_stride || a.address[l] + a.bytes > w.local_stride) {
      Fault f = fault_at(FaultKind::out_of_bounds, a, l);
      f.owner = "the thread's local memory (" + std::to_string(w.local_stride) + " bytes)";
      f.message = std::string(verb(a.kind)) + " " + bytes_text(a.bytes) + " outside the thread's local variables";
      report(w, i, std::move(f), l, true);
      return false;
    }
    const std::size_t at = static_cast<std::size_t>(l) * w.local_stride + a.address[l];
    a.host[l] = w.local + at;
    if (a.kind == AccessKind::read) {
      if (!reported && std::memchr(w.local_init + at, 0, a.bytes) != nullptr) {
        report_uninitialized(w, i, a, l, a.address[l]);
        reported = true;
      }
    } else {
      std::memset(w.local_init + at, 1, a.bytes);
      if (a.kind == AccessKind::write) std::memcpy(a.host[l], value + 32 * l, a.bytes);
    }
  }
  for (std::uint32_t word = 0; word < std::max(1u, a.bytes / 4); ++word) {
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      const std::uint64_t at = a.address[l] + 4 * word;
      interleaved[l] = (at / 4 * kLanes + static_cast<std::uint64_t>(l)) * 4 + at % 4;
    }
    c.sectors += count_sectors(interleaved, a.mask, per_word);
  }
  return true;
}

bool check_param(WarpState& w, const Instr* i, LaneAccess& a) {
  LaunchContext& launch = *w.worker->launch;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const bool inside =
        a.address[l] <= launch.program->parameter_bytes && a.address[l] + a.bytes <= launch.program->parameter_bytes;
    if (inside && a.kind == AccessKind::read) {
      a.host[l] = const_cast<std::byte*>(launch.parameters) + a.address[l];
      continue;
    }
    Fault f = fault_at(inside ? FaultKind::read_only : FaultKind::out_of_bounds, a, l);
    f.owner = "the kernel's parameters (" + std::to_string(launch.program->parameter_bytes) + " bytes)";
    f.message = inside ? "writes to a kernel parameter, which a kernel can only read"
                       : std::string(verb(a.kind)) + " outside the kernel's parameters";
    report(w, i, std::move(f), l, true);
    return false;
  }
  return true;
}

}  // namespace

bool shared_write_races(const WarpState& w, const Instr* i, int lane, std::uint64_t address, std::uint32_t bytes) {
  const BlockState& b = *w.block;
  const unsigned shift = w.worker->launch->program->shared_unit_shift;
  const std::uint64_t mine = w.shared_stamp + instr_bits(i) + static_cast<std::uint64_t>(lane);
  const std::uint64_t unit = address >> shift;
  for (std::uint32_t u = 0; u < units_of(bytes, shift); ++u)
    if (write_races<SharedLayout>(w, b.shared_writes[unit + u], mine, b.shared_epoch) ||
        read_races<SharedLayout>(w, b.shared_reads[unit + u], mine, b.shared_epoch))
      return true;
  return false;
}

void gather_addresses(WarpState& w, const Instr* i, std::uint64_t* addresses) {
  if (i->a == kNoSlot) {
    for (int l = 0; l < kLanes; ++l) addresses[l] = i->imm;
  } else if ((i->aux & memop::kAddress64) != 0) {
    const auto* base = slot<std::uint64_t>(w, i->a);
    for (int l = 0; l < kLanes; ++l) addresses[l] = base[l] + i->imm;
  } else {
    const auto* base = slot<std::uint32_t>(w, i->a);
    for (int l = 0; l < kLanes; ++l) addresses[l] = base[l] + static_cast<std::uint32_t>(i->imm);
    // 32-bit addresses wrap at 32 bits.
    for (int l = 0; l < kLanes; ++l) addresses[l] &= 0xffff'ffffu;
  }
}

bool next_space(WarpState& w, const Instr* i, const std::uint64_t* generic, std::uint32_t& todo, LaneAccess& access) {
  (void)w;
  const memop::Space declared = memop::space_of(i->aux);
  if (declared != memop::generic) {
    access.space = declared;
    access.mask = todo;
    todo = 0;
    std::copy_n(generic, kLanes, access.address);
    // Constant variables lie in the device range like global ones.
    return true;
  }
  const auto space_of = [](std::uint64_t a) {
    if (in_window(a, kSharedWindow)) return memop::shared;
    if (in_window(a, kLocalWindow)) return memop::local;
    if (in_window(a, kParamWindow)) return memop::param;
    return memop::global;
  };
  const std::uint64_t windows[] = {0, 0, kSharedWindow, kLocalWindow, 0, kParamWindow};
  access.space = space_of(generic[std::countr_zero(todo)]);
  access.mask = 0;
  for (std::uint32_t m = todo; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (space_of(generic[l]) != access.space) continue;
    access.mask |= 1u << l;
    access.address[l] = generic[l] - windows[access.space];
  }
  todo &= ~access.mask;
  return true;
}

bool check_access(WarpState& w, const Instr* i, LaneAccess& a, const std::byte* value) {
  switch (a.space) {
    case memop::shared:
      return aligned(w, i, a) && check_shared(w, i, a, value);
    case memop::local:
      return aligned(w, i, a) && check_local(w, i, a, value);
    case memop::param:
      return aligned(w, i, a) && check_param(w, i, a);
    default: {
      // Whether the address is anybody's comes first: a wild pointer is rarely aligned.
      for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
        const int l = std::countr_zero(m);
        if (a.address[l] >= kFirstPage && a.address[l] < kHostLow) continue;
        // The lowest lane with such an address is named, wherever it points.
        const GlobalMemory& memory = *w.worker->launch->memory;
        for (std::uint32_t lower = a.mask & ((1u << l) - 1); lower != 0; lower &= lower - 1) {
          const int first = std::countr_zero(lower);
          if (memory.find_live(a.address[first], a.bytes) != nullptr) continue;
          report_global_bounds(w, i, a, first);
          return false;
        }
        report_global_bounds(w, i, a, l);
        return false;
      }
      return aligned(w, i, a) && check_global(w, i, a, value);
    }
  }
}

// One element between memory and a register's lane.
void put_register(WarpState& w, Slot d, int lane, const std::byte* from, unsigned width, std::uint32_t aux) {
  std::uint64_t v = 0;
  std::memcpy(&v, from, width);
  if ((aux & memop::kSigned) != 0 && width < 8) {
    const unsigned shift = 64 - 8 * width;
    v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << shift) >> shift);
  }
  if ((aux & memop::kRegister64) != 0)
    slot<std::uint64_t>(w, d)[lane] = v;
  else
    slot<std::uint32_t>(w, d)[lane] = static_cast<std::uint32_t>((aux & memop::kRegister16) != 0 ? v & 0xffff : v);
}

static void get_register(WarpState& w, Slot s, int lane, std::byte* to, unsigned width, std::uint32_t aux) {
  if ((aux & memop::kRegister64) != 0)
    std::memcpy(to, slot<std::uint64_t>(w, s) + lane, width);
  else
    std::memcpy(to, slot<std::uint32_t>(w, s) + lane, width);
}

const Instr* load(WarpState& w, const Instr* i) {
  const unsigned width = memop::width_of(i->aux), vector = memop::vector_of(i->aux);
  const Slot* list = vector > 1 ? w.worker->launch->program->operand_lists.data() + i->d : &i->d;
  alignas(64) std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  LaneAccess a;
  a.bytes = width * vector;
  a.kind = AccessKind::read;
  a.strong = (i->aux & memop::kStrong) != 0;
  for (std::uint32_t todo = w.mask; todo != 0;) {
    if (!next_space(w, i, generic, todo, a) || !check_access(w, i, a, nullptr)) return nullptr;
    for (unsigned v = 0; v < vector; ++v)
      for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
        const int l = std::countr_zero(m);
        put_register(w, list[v], l, a.host[l] + v * width, width, i->aux);
      }
  }
  return i + 1;
}

const Instr* store(WarpState& w, const Instr* i) {
  const unsigned width = memop::width_of(i->aux), vector = memop::vector_of(i->aux);
  const Slot* list = vector > 1 ? w.worker->launch->program->operand_lists.data() + i->d : &i->d;
  alignas(64) std::uint64_t generic[kLanes];
  alignas(64) std::byte value[32 * kLanes];
  gather_addresses(w, i, generic);
  release(w, i);
  for (unsigned v = 0; v < vector; ++v)
    for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      get_register(w, list[v], l, value + 32 * l + v * width, width, i->aux);
    }
  LaneAccess a;
  a.bytes = width * vector;
  a.kind = AccessKind::write;
  a.strong = (i->aux & memop::kStrong) != 0;
  for (std::uint32_t todo = w.mask; todo != 0;) {
    if (!next_space(w, i, generic, todo, a) || !check_access(w, i, a, value)) return nullptr;
  }
  return i + 1;
}

}  // namespace judge::emulator
