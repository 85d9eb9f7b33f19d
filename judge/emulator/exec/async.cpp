#include "judge/emulator/exec/async.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/async_operand.h"
#include "judge/emulator/exec/blocks.h"

namespace judge::emulator {

namespace {

using asyncop::Action;
using asyncop::BarrierWord;

// What a block may have on its way; beyond it the oldest completes, as it may at any time.
constexpr std::size_t kMostCopies = 1024;  // of a warp
constexpr std::size_t kMostBulk = 256, kMostArrivals = 1u << 16;

// So many tests in vain, with no arrival anywhere in the block, are a block that is stuck. A warp that computes meanwhile gets
// its share of 2^18 instructions (kStepShare) between two tests of each of the others.
constexpr std::uint32_t kMostIdleTests = 1u << 21;

constexpr std::uint32_t kChunk = 16;  // cp.async.bulk: sizes and addresses are multiples of it

AsyncState& async_of(WarpState& w) {
  BlockState& b = *w.block;
  if (b.async == nullptr) {
    b.async = std::make_shared<AsyncState>();
    b.async->warps.resize(w.worker->launch->block_warps);
  }
  return *b.async;
}

CopyQueue& queue_of(WarpState& w) {
  return async_of(w).warps[w.index];
}

void fail(WarpState& w, const Instr* i, int lane, std::string message) {
  Fault f;
  f.kind = FaultKind::illegal_instruction;
  f.space = MemorySpace::shared;
  f.message = std::move(message);
  report(w, i, std::move(f), lane, true);
}

bool fits(const WarpState& w, std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t have = w.worker->launch->shared_bytes;
  return address <= have && bytes <= have - address && address % (bytes & (~bytes + 1)) == 0;
}

void mark_unwritten(const WarpState& w, std::uint64_t address, std::uint32_t bytes) {
  const unsigned shift = w.worker->launch->program->shared_unit_shift;
  std::fill_n(w.block->shared_writes + (address >> shift), std::max(1u, bytes >> shift), 0);
}

bool write_shared(WarpState& w, const Instr* i, std::uint32_t mask, const std::uint64_t* address, std::uint32_t bytes,
                  const std::byte* value) {
  LaneAccess a;
  a.space = memop::shared;
  a.kind = AccessKind::write;
  a.mask = mask;
  a.bytes = bytes;
  std::copy_n(address, kLanes, a.address);
  return check_access(w, i, a, value);
}

bool complete(WarpState& w, PendingCopy& c, std::uint32_t mask) {
  c.mask &= ~mask;
  return write_shared(w, c.instr, mask, c.address, c.bytes, c.data);
}

void drop_completed(CopyQueue& q) {
  std::erase_if(q.copies, [](const PendingCopy& c) { return c.mask == 0; });
}

// Completes the lane's copies up to a place in the order of issue.
bool complete_until(WarpState& w, int lane, std::uint64_t sequence) {
  CopyQueue& q = queue_of(w);
  for (PendingCopy& c : q.copies)
    if (c.sequence <= sequence && (c.mask >> lane & 1) != 0 && !complete(w, c, 1u << lane)) return false;
  drop_completed(q);
  return true;
}

bool write_bulk(WarpState& w, const Instr* i, int lane, std::uint64_t to, const std::vector<std::byte>& data) {
  std::uint64_t address[kLanes] = {};
  std::byte value[32 * kLanes];
  for (std::size_t at = 0; at < data.size(); at += kChunk) {
    address[lane] = to + at;
    std::memcpy(value + 32 * lane, data.data() + at, kChunk);
    if (!write_shared(w, i, 1u << lane, address, kChunk, value)) return false;
  }
  return true;
}

// The barrier's word at an address that has been checked.
class Barrier {
 public:
  Barrier(WarpState& w, std::uint64_t address) : warp_(w), at_(w.block->shared + address) {
    std::uint64_t bits;
    std::memcpy(&bits, at_, 8);
    word_ = BarrierWord::unpack(bits);
  }
  BarrierWord& word() { return word_; }

  // Ends the phase when nothing is pending. What was done before it is then ordered before what comes after: one epoch
  // of the block ends, as at __syncthreads. Orders that nobody asked for hide a race at worst.
  void settle() {
    if (word_.pending == 0 && word_.bytes == 0) {
      word_.pending = word_.expected;
      word_.phase = (word_.phase + 1) & 7;
      begin_block_epoch(*warp_.block, *warp_.worker);
    }
    const std::uint64_t bits = word_.pack();
    std::memcpy(at_, &bits, 8);
    if (warp_.block->async != nullptr) warp_.block->async->idle_tests = 0;
  }

  bool arrive(std::uint32_t count) {
    if (count == 0 || count > word_.pending) return false;
    word_.pending -= count;
    return true;
  }

 private:
  WarpState& warp_;
  std::byte* at_;
  BarrierWord word_;
};

constexpr const char* kTooManyArrivals =
    "more threads arrive at an mbarrier in one phase than it was initialised to expect";

// What is on its way to this barrier arrives.
bool deliver(WarpState& w, std::uint64_t barrier) {
  if (w.block->async == nullptr) return true;
  AsyncState& state = *w.block->async;
  for (std::size_t k = 0; k < state.bulk.size();) {
    if (state.bulk[k].barrier != barrier) {
      ++k;
      continue;
    }
    const PendingBulk b = std::move(state.bulk[k]);
    state.bulk.erase(state.bulk.begin() + static_cast<std::ptrdiff_t>(k));
    if (!write_bulk(*b.warp, b.instr, b.lane, b.destination, b.data)) return false;
    Barrier at(w, barrier);
    at.word().bytes -= static_cast<std::int32_t>(b.data.size());
    at.settle();
  }
  for (std::size_t k = 0; k < state.arrivals.size();) {
    if (state.arrivals[k].barrier != barrier) {
      ++k;
      continue;
    }
    const PendingArrival a = state.arrivals[k];
    state.arrivals.erase(state.arrivals.begin() + static_cast<std::ptrdiff_t>(k));
    if (!complete_until(*a.warp, a.lane, a.sequence)) return false;
    Barrier at(w, barrier);
    if (!at.arrive(1)) {
      fail(*a.warp, a.instr, a.lane, kTooManyArrivals);
      return false;
    }
    at.settle();
  }
  return true;
}

// Shared addresses of the lanes' barriers, checked as atomic accesses of 8 bytes (a test only reads).
bool check_barriers(WarpState& w, const Instr* i, AccessKind kind, const std::byte* value, std::uint64_t* address) {
  std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  LaneAccess a;
  a.bytes = 8;
  a.kind = kind;
  a.strong = kind == AccessKind::read;
  for (std::uint32_t todo = w.mask; todo != 0;) {
    if (!next_space(w, i, generic, todo, a)) return false;
    if (a.space != memop::shared) {
      const int lane = std::countr_zero(a.mask);
      Fault f;
      f.kind = FaultKind::wrong_space;
      f.address = generic[lane];
      f.bytes = 8;
      f.message = "an mbarrier must lie in shared memory";
      report(w, i, std::move(f), lane, true);
      return false;
    }
    if (!check_access(w, i, a, value)) return false;
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      address[l] = a.address[l];
    }
  }
  return true;
}

}  // namespace

PendingWriter pending_writer(const BlockState& block, std::uint64_t address) {
  if (block.async == nullptr) return {};
  const auto covers = [&](std::uint64_t from, std::uint64_t bytes) { return address - from < bytes; };
  for (std::size_t n = 0; n < block.async->warps.size(); ++n)
    for (const PendingCopy& c : block.async->warps[n].copies)
      for (std::uint32_t m = c.mask; m != 0; m &= m - 1) {
        const int l = std::countr_zero(m);
        if (covers(c.address[l], c.bytes)) return {c.instr, thread_id(block.storage->warps[n], l)};
      }
  for (const PendingBulk& b : block.async->bulk)
    if (covers(b.destination, b.data.size())) return {b.instr, thread_id(*b.warp, b.lane)};
  return {};
}

const Instr* read_copy_source(WarpState& w, const Instr* i) {
  PendingCopy& next = queue_of(w).next;
  next.bytes = memop::width_of(i->aux);
  std::memset(next.data, 0, sizeof next.data);
  std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  const std::uint32_t ignored = i->c != kNoSlot ? *slot<std::uint32_t>(w, i->c) : 0;
  const auto* sizes = i->b != kNoSlot ? slot<std::uint32_t>(w, i->b) : nullptr;
  for (std::uint32_t todo = w.mask & ~ignored; todo != 0;) {
    const int first = std::countr_zero(todo);
    const std::uint32_t size = sizes != nullptr ? sizes[first] : next.bytes;
    std::uint32_t same = 0;
    for (std::uint32_t m = todo; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if ((sizes != nullptr ? sizes[l] : next.bytes) == size) same |= 1u << l;
    }
    todo &= ~same;
    if (size > next.bytes) {
      fail(w, i, first,
           "cp.async of " + std::to_string(next.bytes) + " bytes is asked to read " + std::to_string(size));
      return nullptr;
    }
    if (size == 0) continue;
    LaneAccess a;
    a.bytes = size;
    a.kind = AccessKind::read;
    while (same != 0) {
      if (!next_space(w, i, generic, same, a) || !check_access(w, i, a, nullptr)) return nullptr;
      for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
        const int l = std::countr_zero(m);
        std::memcpy(next.data + 32 * l, a.host[l], size);
      }
    }
  }
  return i + 1;
}

const Instr* issue_copy(WarpState& w, const Instr* i) {
  AsyncState& state = async_of(w);
  CopyQueue& q = state.warps[w.index];
  PendingCopy& c = q.next;
  c.instr = i;
  gather_addresses(w, i, c.address);
  std::uint32_t at_once = 0;  // check_access has something to say about these
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    c.group[l] = q.committed[l];
    if (!fits(w, c.address[l], c.bytes) || shared_write_races(w, i, l, c.address[l], c.bytes)) at_once |= 1u << l;
  }
  if (at_once != 0 && !write_shared(w, i, at_once, c.address, c.bytes, c.data)) return nullptr;
  c.mask = w.mask & ~at_once;
  if (c.mask == 0) return i + 1;
  c.sequence = ++state.sequence;
  for (std::uint32_t m = c.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    mark_unwritten(w, c.address[l], c.bytes);
  }
  if (q.copies.size() >= kMostCopies) {
    PendingCopy& oldest = q.copies.front();
    if (!complete(w, oldest, oldest.mask)) return nullptr;
    q.copies.erase(q.copies.begin());
  }
  q.copies.push_back(c);
  return i + 1;
}

const Instr* commit_copies(WarpState& w, const Instr* i) {
  CopyQueue& q = queue_of(w);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) ++q.committed[std::countr_zero(m)];
  return i + 1;
}

const Instr* wait_for_copies(WarpState& w, const Instr* i) {
  CopyQueue& q = queue_of(w);
  for (PendingCopy& c : q.copies) {
    std::uint32_t done = 0;
    for (std::uint32_t m = c.mask & w.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if (i->imm == asyncop::kEverything || c.group[l] + i->imm < q.committed[l]) done |= 1u << l;
    }
    if (done != 0 && !complete(w, c, done)) return nullptr;
  }
  drop_completed(q);
  return i + 1;
}

const Instr* arrive_after_copies(WarpState& w, const Instr* i) {
  std::uint64_t address[kLanes];
  if (!check_barriers(w, i, AccessKind::atomic, nullptr, address)) return nullptr;
  AsyncState& state = async_of(w);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if ((i->aux & asyncop::kNoIncrement) == 0) {
      Barrier b(w, address[l]);
      if (b.word().pending >= asyncop::kMostArrivals) {
        fail(w, i, l, "the pending count of an mbarrier grows beyond 2^20 - 1");
        return nullptr;
      }
      ++b.word().pending;
      b.settle();
    }
    if (state.arrivals.size() >= kMostArrivals && !deliver(w, state.arrivals.front().barrier)) return nullptr;
    state.arrivals.push_back({&w, i, l, address[l], state.sequence});
  }
  return i + 1;
}

const Instr* read_bulk_source(WarpState& w, const Instr* i) {
  CopyQueue& q = queue_of(w);
  std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  const auto* sizes = slot<std::uint32_t>(w, i->b);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (sizes[l] % kChunk != 0) {
      fail(w, i, l, "cp.async.bulk of " + std::to_string(sizes[l]) + " bytes: the size must be a multiple of 16");
      return nullptr;
    }
    const std::uint32_t shared_bytes = w.worker->launch->shared_bytes;
    if (sizes[l] > shared_bytes) {
      fail(w, i, l,
           "cp.async.bulk of " + std::to_string(sizes[l]) + " bytes, but the block has " +
               std::to_string(shared_bytes) + " bytes of shared memory");
      return nullptr;
    }
    std::vector<std::byte>& data = q.bulk[l];
    data.clear();
    for (std::uint32_t at = 0; at < sizes[l]; at += kChunk) {
      LaneAccess a;
      a.bytes = kChunk;
      a.kind = AccessKind::read;
      std::uint32_t todo = 1u << l;
      if (!next_space(w, i, generic, todo, a) || !check_access(w, i, a, nullptr)) return nullptr;
      data.insert(data.end(), a.host[l], a.host[l] + kChunk);
      generic[l] += kChunk;
    }
  }
  return i + 1;
}

const Instr* issue_bulk(WarpState& w, const Instr* i) {
  AsyncState& state = async_of(w);
  CopyQueue& q = state.warps[w.index];
  std::uint64_t to[kLanes];
  gather_addresses(w, i, to);
  const bool to_shared = memop::space_of(i->aux) == memop::shared;
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::vector<std::byte>& data = q.bulk[l];
    if (!to_shared) {
      // A copy to global memory is complete at once: only the thread itself could wait for it.
      for (std::size_t at = 0; at < data.size(); at += kChunk) {
        LaneAccess a;
        a.space = memop::global;
        a.kind = AccessKind::write;
        a.bytes = kChunk;
        a.mask = 1u << l;
        a.address[l] = to[l] + at;
        std::byte value[32 * kLanes];
        std::memcpy(value + 32 * l, data.data() + at, kChunk);
        if (!check_access(w, i, a, value)) return nullptr;
      }
      continue;
    }
    if (in_window(to[l], kSharedWindow)) to[l] -= kSharedWindow;
    std::uint64_t barrier =
        (i->aux & asyncop::kBarrier64) != 0 ? slot<std::uint64_t>(w, i->c)[l] : slot<std::uint32_t>(w, i->c)[l];
    if (in_window(barrier, kSharedWindow)) barrier -= kSharedWindow;
    std::uint64_t barriers[kLanes] = {};
    barriers[l] = barrier;
    LaneAccess b;
    b.space = memop::shared;
    b.kind = AccessKind::atomic;
    b.bytes = 8;
    b.mask = 1u << l;
    std::copy_n(barriers, kLanes, b.address);
    if (!check_access(w, i, b, nullptr)) return nullptr;
    bool now = false;
    for (std::size_t at = 0; at < data.size() && !now; at += kChunk)
      now = !fits(w, to[l] + at, kChunk) || shared_write_races(w, i, l, to[l] + at, kChunk);
    if (now && !write_bulk(w, i, l, to[l], data)) return nullptr;
    if (!now)
      for (std::size_t at = 0; at < data.size(); at += kChunk) mark_unwritten(w, to[l] + at, kChunk);
    if (state.bulk.size() >= kMostBulk && !deliver(w, state.bulk.front().barrier)) return nullptr;
    state.bulk.push_back({&w, i, l, to[l], barrier, std::move(data)});
    data = {};
  }
  return i + 1;
}

const Instr* update_barrier(WarpState& w, const Instr* i) {
  const auto action = static_cast<Action>(i->aux >> asyncop::kActionShift & 7);
  const auto* counts = i->b != kNoSlot ? slot<std::uint32_t>(w, i->b) : nullptr;
  const auto* expects = i->c != kNoSlot ? slot<std::uint32_t>(w, i->c) : nullptr;
  std::uint64_t address[kLanes];
  if (action == Action::init || action == Action::invalidate) {
    std::byte value[32 * kLanes] = {};
    for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      BarrierWord b;
      if (action == Action::init) {
        b.pending = b.expected = counts[l];
        if (counts[l] == 0 || counts[l] > asyncop::kMostArrivals) {
          fail(w, i, l,
               "mbarrier.init with a count of " + std::to_string(counts[l]) + ": it must be between 1 and 2^20 - 1");
          return nullptr;
        }
      }
      const std::uint64_t bits = b.pack();
      std::memcpy(value + 32 * l, &bits, 8);
    }
    return check_barriers(w, i, AccessKind::write, value, address) ? i + 1 : nullptr;
  }
  if (!check_barriers(w, i, AccessKind::atomic, nullptr, address)) return nullptr;
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    Barrier b(w, address[l]);
    const std::uint64_t before = b.word().pack();
    const std::uint32_t count = counts != nullptr ? counts[l] : 1;
    if (expects != nullptr) {
      const std::int64_t bytes = std::int64_t{b.word().bytes} +
                                 (action == Action::complete ? -std::int64_t{expects[l]} : std::int64_t{expects[l]});
      if (std::abs(bytes) > std::int64_t{asyncop::kMostArrivals}) {
        fail(w, i, l, "the bytes an mbarrier waits for grow beyond 2^20 - 1");
        return nullptr;
      }
      b.word().bytes = static_cast<std::int32_t>(bytes);
    }
    bool ok = true;
    if (action == Action::arrive || action == Action::arrive_drop) ok = b.arrive(count);
    if ((i->aux & asyncop::kNoComplete) != 0) ok = ok && b.word().pending != 0;
    if (ok && action == Action::arrive_drop) {
      ok = count <= b.word().expected;
      b.word().expected -= count;
    }
    if (!ok) {
      fail(w, i, l, kTooManyArrivals);
      return nullptr;
    }
    if (action == Action::expect) {
      // Nothing can end here: bytes were added.
      const std::uint64_t bits = b.word().pack();
      std::memcpy(w.block->shared + address[l], &bits, 8);
    } else {
      b.settle();
    }
    if (i->d != kNoSlot) slot<std::uint64_t>(w, i->d)[l] = before;
  }
  return i + 1;
}

const Instr* test_barrier(WarpState& w, const Instr* i, std::uint32_t* complete) {
  std::uint64_t address[kLanes];
  if (!check_barriers(w, i, AccessKind::read, nullptr, address)) return nullptr;
  *complete = 0;
  std::uint64_t delivered = ~std::uint64_t{0};
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (address[l] != delivered && !deliver(w, address[l])) return nullptr;
    delivered = address[l];
    const std::uint32_t phase = Barrier(w, address[l]).word().phase;
    const bool done = (i->aux & asyncop::kParity) != 0
                          ? (phase & 1) != (slot<std::uint32_t>(w, i->b)[l] & 1)
                          : phase != BarrierWord::unpack(slot<std::uint64_t>(w, i->b)[l]).phase;
    *complete |= static_cast<std::uint32_t>(done) << l;
  }
  if ((w.mask & ~*complete) == 0) return i + 1;
  if (++async_of(w).idle_tests > kMostIdleTests) {
    const int lane = std::countr_zero(w.mask & ~*complete);
    const std::uint32_t missing = Barrier(w, address[lane]).word().pending;
    const std::int32_t bytes = Barrier(w, address[lane]).word().bytes;
    Fault f;
    f.kind = FaultKind::barrier_divergence;
    f.message = "the block is stuck: this mbarrier still waits for " + std::to_string(missing) +
                (missing == 1 ? " arrival" : " arrivals") +
                (bytes != 0 ? " and " + std::to_string(bytes) + " bytes" : "") + ", and none comes";
    report(w, i, std::move(f), lane, true);
    return nullptr;
  }
  // The thread will ask again. Those that it waits for get their turn first: other lanes of the warp, or other warps.
  for (std::uint32_t k = 0; k < w.groups.size(); ++k) {
    if (k == w.current || w.groups[k].state != GroupState::ready) continue;
    w.turns = UINT32_MAX - 1;
    return i + 1;
  }
  w.groups[w.current].pc = i + 1;
  return nullptr;
}

}  // namespace judge::emulator
