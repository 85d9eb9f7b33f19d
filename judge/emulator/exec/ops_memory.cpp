// Loads, stores, atomics, address conversions.
//
// The handlers of 4-byte accesses take the patterns that well-written kernels have, 32 neighbouring words or one word for
// all lanes, with every check done on 32 lanes at once; whatever is irregular or suspicious goes to access.cpp, which looks
// lane by lane and knows how to report.

#include <cstring>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/observe/race.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

using race::GlobalLayout;
using race::SharedLayout;

[[gnu::always_inline]] inline u64 instr_bits(const Instr* i) {
  return (i->index < race::kInstrMax ? static_cast<u64>(i->index) : race::kInstrMax) << race::kInstrShift;
}

// Shadow of a read of 32 neighbouring units. False, with nothing changed, when a lane needs a closer look.
template <class L>
[[gnu::always_inline]] inline bool shadow_read(const u64* writes, u64* reads, u64 mine, u64 epoch) {
  u64 suspicious = 0, seen = 0;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) {
    const u64 other = (writes[l] ^ (mine + static_cast<u64>(l))) & race::kThreadMask;
    suspicious |= writes[l] >= epoch ? other : 0;
    seen |= reads[l] >= epoch ? 1 : 0;
  }
  if (__builtin_expect(suspicious != 0, 0)) return false;
  if (seen == 0) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) reads[l] = mine + static_cast<u64>(l);
  } else {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) {
      const u64 m = mine + static_cast<u64>(l), entry = reads[l], x = entry ^ m;
      const u64 same_warp_epoch = (x & L::kWarpEpochMask) == 0 ? ~u64{0} : 0;
      const u64 lanes = same_warp_epoch & ((entry & L::kLanes) | ((x & 31) != 0 ? L::kLanes : 0));
      const u64 warps = (x & race::kWarpMask) != 0 ? L::kWarps : (entry & L::kWarps) | lanes;
      u64 flags = warps;
      if constexpr (L::kBlocks != 0) {
        const u64 in_block = (x & GlobalLayout::kBarrierMask) != 0 ? 0 : warps;
        flags = (entry & L::kBlocks) | ((x & GlobalLayout::kBlockMask) != 0 ? L::kBlocks : in_block);
      }
      reads[l] = m | (entry >= epoch ? flags : 0);
    }
  }
  return true;
}

// Shadow of a write of 32 neighbouring units: nobody else may have touched them in this epoch.
[[gnu::always_inline]] inline bool shadow_write(u64* writes, const u64* reads, u64 mine, u64 epoch, u64 flags) {
  u64 suspicious = 0;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) {
    const u64 m = mine + static_cast<u64>(l);
    suspicious |= writes[l] >= epoch ? (writes[l] ^ m) & race::kThreadMask : 0;
    suspicious |= reads[l] >= epoch ? ((reads[l] ^ m) & race::kThreadMask) | (reads[l] & flags) : 0;
  }
  if (__builtin_expect(suspicious != 0, 0)) return false;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) writes[l] = mine + static_cast<u64>(l);
  return true;
}

[[gnu::always_inline]] inline bool ascending32(const u32* a) {
  u32 off = 0;
  const u32 first = a[0];
  for (int l = 0; l < kLanes; ++l) off |= (a[l] - first) ^ (4u * static_cast<u32>(l));
  return off == 0;
}

[[gnu::always_inline]] inline bool ascending64(const u64* a) {
  u64 off = 0;
  const u64 first = a[0];
  for (int l = 0; l < kLanes; ++l) off |= (a[l] - first) ^ (4u * static_cast<u64>(l));
  return off == 0;
}

constexpr u32 kRun = 4 * kLanes;  // bytes of 32 neighbouring words

}  // namespace

JUDGE_OP(ld_param) {
  const std::byte* from = state(w).worker->launch->parameters + i->imm;
  const u32 aux = i->aux;
  const unsigned width = memop::width_of(aux);
  u64 v = 0;
  __builtin_memcpy(&v, from, width);
  if ((aux & memop::kSigned) != 0 && width < 8) {
    const unsigned shift = 64 - 8 * width;
    v = static_cast<u64>(static_cast<std::int64_t>(v << shift) >> shift);
  }
  if ((aux & memop::kRegister64) != 0) {
    for_lanes<Full>(w, slot<u64>(w, i->d), [=](int) { return v; });
  } else {
    const u32 v32 = static_cast<u32>((aux & memop::kRegister16) != 0 ? v & 0xffff : v);
    for_lanes<Full>(w, slot<u32>(w, i->d), [=](int) { return v32; });
  }
  return i + 1;
}

JUDGE_OP(ld_frame) {
  const u32 aux = i->aux;
  const unsigned width = memop::width_of(aux);
  const std::byte* from = w.base[0] + i->imm;
  for (int l = 0; l < kLanes; ++l) {
    if (!Full && (w.mask >> l & 1) == 0) continue;
    u64 v = 0;
    __builtin_memcpy(&v, from + static_cast<u32>(l) * i->b, width);
    if ((aux & memop::kSigned) != 0 && width < 8) {
      const unsigned shift = 64 - 8 * width;
      v = static_cast<u64>(static_cast<std::int64_t>(v << shift) >> shift);
    }
    if ((aux & memop::kRegister64) != 0) slot<u64>(w, i->d)[l] = v;
    else slot<u32>(w, i->d)[l] = static_cast<u32>((aux & memop::kRegister16) != 0 ? v & 0xffff : v);
  }
  return i + 1;
}

JUDGE_OP(st_frame) {
  const unsigned width = memop::width_of(i->aux);
  std::byte* to = w.base[0] + i->imm;
  for (int l = 0; l < kLanes; ++l) {
    if (!Full && (w.mask >> l & 1) == 0) continue;
    if ((i->aux & memop::kRegister64) != 0) __builtin_memcpy(to + static_cast<u32>(l) * i->b, slot<u64>(w, i->d) + l, width);
    else __builtin_memcpy(to + static_cast<u32>(l) * i->b, slot<u32>(w, i->d) + l, width);
  }
  return i + 1;
}

JUDGE_OP(ld_const_32) {
  ++state(w).worker->accesses[i->index].executions;
  const u32 v = *reinterpret_cast<const u32*>(i->imm);
  for_lanes<Full>(w, slot<u32>(w, i->d), [=](int) { return v; });
  return i + 1;
}

JUDGE_OP(ld_const_64) {
  ++state(w).worker->accesses[i->index].executions;
  const u64 v = *reinterpret_cast<const u64*>(i->imm);
  for_lanes<Full>(w, slot<u64>(w, i->d), [=](int) { return v; });
  return i + 1;
}

JUDGE_OP(ld_shared_32) {
  WarpState& s = state(w);
  if constexpr (Full) {
    const LaunchContext& launch = *s.worker->launch;
    const BlockState& b = *s.block;
    const u32* a = slot<u32>(w, i->a);
    const u32 first = a[0] + static_cast<u32>(i->imm);
    if (ascending32(a) && (first & 3) == 0 && u64{first} + kRun <= launch.shared_bytes && launch.program->shared_unit_shift == 2) {
      const u64* writes = b.shared_writes + first / 4;
      u64* reads = b.shared_reads + first / 4;
      u64 unwritten = 0;
      for (int l = 0; l < kLanes; ++l) unwritten |= writes[l] < b.shared_born ? 1 : 0;
      if (unwritten == 0 && shadow_read<SharedLayout>(writes, reads, s.shared_stamp + instr_bits(i), b.shared_epoch)) {
        ++s.worker->accesses[i->index].contiguous;
        __builtin_memcpy(slot<u32>(w, i->d), b.shared + first, kRun);
        return i + 1;
      }
    }
  }
  return load(s, i);
}

JUDGE_OP(st_shared_32) {
  WarpState& s = state(w);
  if constexpr (Full) {
    const LaunchContext& launch = *s.worker->launch;
    const BlockState& b = *s.block;
    const u32* a = slot<u32>(w, i->a);
    const u32 first = a[0] + static_cast<u32>(i->imm);
    if (ascending32(a) && (first & 3) == 0 && u64{first} + kRun <= launch.shared_bytes && launch.program->shared_unit_shift == 2 &&
        shadow_write(b.shared_writes + first / 4, b.shared_reads + first / 4, s.shared_stamp + instr_bits(i), b.shared_epoch,
                     SharedLayout::kLanes | SharedLayout::kWarps)) {
      ++s.worker->accesses[i->index].contiguous;
      __builtin_memcpy(b.shared + first, slot<u32>(w, i->d), kRun);
      return i + 1;
    }
  }
  return store(s, i);
}

JUDGE_OP(ld_global_32) {
  WarpState& s = state(w);
  if constexpr (Full) {
    const LaunchContext& launch = *s.worker->launch;
    const u64* a = slot<u64>(w, i->a);
    const u64 first = a[0] + i->imm;
    const Allocation* in = s.worker->caches[i->index].allocation;
    if (in != nullptr && ascending64(a) && (first & 3) == 0 && in->contains(first, kRun) && in->write_shadow != nullptr &&
        launch.program->global_unit_shift == 2) {
      const u64 word = (first - in->base) / 4;
      bool written = in->fully_initialized;
      if (!written) {
        std::uint8_t all = kWordWritten;
        for (int l = 0; l < kLanes; ++l) all &= in->init[word + static_cast<u64>(l)];
        written = all == kWordWritten;
      }
      if (written && shadow_read<GlobalLayout>(in->write_shadow + word, in->read_shadow + word, s.global_stamp + instr_bits(i),
                                               launch.launch_epoch << GlobalLayout::kEpochShift)) {
        AccessCounts& c = s.worker->accesses[i->index];
        ++((first & 31) == 0 ? c.contiguous : c.straddling);
        __builtin_memcpy(slot<u32>(w, i->d), in->data + (first - in->base), kRun);
        return i + 1;
      }
    }
  }
  return load(s, i);
}

JUDGE_OP(st_global_32) {
  WarpState& s = state(w);
  if constexpr (Full) {
    const LaunchContext& launch = *s.worker->launch;
    const u64* a = slot<u64>(w, i->a);
    const u64 first = a[0] + i->imm;
    const Allocation* in = s.worker->caches[i->index].allocation;
    if (in != nullptr && ascending64(a) && (first & 3) == 0 && in->contains(first, kRun) && in->write_shadow != nullptr &&
        in->kind != AllocationKind::constant && launch.program->global_unit_shift == 2) {
      const u64 word = (first - in->base) / 4;
      if (shadow_write(in->write_shadow + word, in->read_shadow + word, s.global_stamp + instr_bits(i),
                       launch.launch_epoch << GlobalLayout::kEpochShift,
                       GlobalLayout::kLanes | GlobalLayout::kWarps | GlobalLayout::kBlocks)) {
        AccessCounts& c = s.worker->accesses[i->index];
        ++((first & 31) == 0 ? c.contiguous : c.straddling);
        if (!in->fully_initialized) __builtin_memset(in->init + word, kWordWritten, kLanes);
        __builtin_memcpy(in->data + (first - in->base), slot<u32>(w, i->d), kRun);
        return i + 1;
      }
    }
  }
  return store(s, i);
}

JUDGE_OP(ld) { return load(state(w), i); }
JUDGE_OP(st) { return store(state(w), i); }
JUDGE_OP(atom) { return atomic(state(w), i); }

// Blocks run one at a time or on separate cores with sequentially consistent slow paths; what a fence orders is already
// ordered. Its meaning for races is decided when the kernel is lowered (Program::orders_across_blocks).
JUDGE_OP(fence) { return i + 1; }
JUDGE_OP(prefetch) { return i + 1; }

namespace {

[[gnu::always_inline]] inline u64 window_of(u32 space) {
  return space == memop::shared ? kSharedWindow : space == memop::local ? kLocalWindow : space == memop::param ? kParamWindow : 0;
}

}  // namespace

JUDGE_OP(cvta_to) {
  const u64* a = slot<u64>(w, i->a);
  const u64 window = window_of(i->aux);
  for_lanes<Full>(w, slot<u64>(w, i->d), [=](int l) { return a[l] - window; });
  return i + 1;
}

JUDGE_OP(cvta_from) {
  const u64* a = slot<u64>(w, i->a);
  const u64 window = window_of(i->aux);
  for_lanes<Full>(w, slot<u64>(w, i->d), [=](int l) { return a[l] + window; });
  return i + 1;
}

JUDGE_OP(isspacep) {
  const u64* a = slot<u64>(w, i->a);
  u32 bits = 0;
  for (int l = 0; l < kLanes; ++l) {
    bool in = false;
    switch (i->aux) {
      case memop::shared: in = in_window(a[l], kSharedWindow); break;
      case memop::local: in = in_window(a[l], kLocalWindow); break;
      case memop::param: in = in_window(a[l], kParamWindow); break;
      default: in = a[l] >= kDeviceBase && a[l] < kMappedBase + kMappedSpan; break;
    }
    bits |= static_cast<u32>(in) << l;
  }
  store_predicate<Full>(w, i->d, bits);
  return i + 1;
}

JUDGE_OP(local_address) {
  const u64 v = state(w).groups[state(w).current].local + i->imm;
  if (i->aux != 0) {
    for_lanes<Full>(w, slot<u64>(w, i->d), [=](int) { return v; });
  } else {
    const u32 v32 = static_cast<u32>(v);
    for_lanes<Full>(w, slot<u32>(w, i->d), [=](int) { return v32; });
  }
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
