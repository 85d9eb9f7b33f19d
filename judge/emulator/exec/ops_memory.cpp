// Loads, stores, atomics, address conversions.
//
// The handlers of 4-byte accesses take the pattern that well-written kernels have, 32 neighbouring words, with every
// check done on 32 lanes at once. Other shapes are learnt and then taken fast (patterned_access.h). Whatever is
// suspicious goes to access.cpp, which looks lane by lane and knows how to report.

#include <cstring>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/patterned_access.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/observe/race.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

using race::GlobalLayout;
using race::SharedLayout;

// Shadow of 32 neighbouring units, lane l's at index l. `mine` is lane 0's stamp; lane l's is mine + l. The AVX-512
// forms say the same as the loops, with comparisons that end in masks instead of sums over lanes.

// All 32 entries are of `born` or later: every unit was written.
[[gnu::always_inline]] inline bool all_since(const u64* entries, u64 born) {
#if defined(__AVX512F__)
  const __m512i limit = _mm512_set1_epi64(static_cast<long long>(born));
  unsigned older = 0;
  for (int v = 0; v < 4; ++v) older |= _mm512_cmplt_epu64_mask(_mm512_loadu_si512(entries + 8 * v), limit);
  return older == 0;
#else
  u64 older = 0;
  for (int l = 0; l < kLanes; ++l) older |= entries[l] < born ? 1 : 0;
  return older == 0;
#endif
}

// Some lane's entry is of this epoch and by another thread (of another block, where entries know the block), or carries
// one of `flags`.
template <class L>
[[gnu::always_inline]] inline bool any_foreign(const u64* entries, u64 mine, u64 epoch, u64 flags) {
#if defined(__AVX512F__)
  const __m512i start = _mm512_set1_epi64(static_cast<long long>(epoch));
  const __m512i thread = _mm512_set1_epi64(static_cast<long long>(race::who_mask<L>()));
  const __m512i flag = _mm512_set1_epi64(static_cast<long long>(flags));
  __m512i stamp =
      _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(mine)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  unsigned now = 0;
  for (int v = 0; v < 4; ++v) now |= _mm512_cmpge_epu64_mask(_mm512_loadu_si512(entries + 8 * v), start);
  if (__builtin_expect(now == 0, 1)) return false;
  unsigned foreign = 0;
  for (int v = 0; v < 4; ++v) {
    const __m512i e = _mm512_loadu_si512(entries + 8 * v);
    const __m512i differs =
        _mm512_or_si512(_mm512_and_si512(_mm512_xor_si512(e, stamp), thread), _mm512_and_si512(e, flag));
    foreign |= _mm512_mask_test_epi64_mask(_mm512_cmpge_epu64_mask(e, start), differs, differs);
    stamp = _mm512_add_epi64(stamp, _mm512_set1_epi64(8));
  }
  return foreign != 0;
#else
  u64 foreign = 0;
  for (int l = 0; l < kLanes; ++l) {
    const u64 differs = ((entries[l] ^ (mine + static_cast<u64>(l))) & race::who_mask<L>()) | (entries[l] & flags);
    foreign |= entries[l] >= epoch ? differs : 0;
  }
  return foreign != 0;
#endif
}

[[gnu::always_inline]] inline bool any_since(const u64* entries, u64 epoch) {
#if defined(__AVX512F__)
  const __m512i start = _mm512_set1_epi64(static_cast<long long>(epoch));
  unsigned now = 0;
  for (int v = 0; v < 4; ++v) now |= _mm512_cmpge_epu64_mask(_mm512_loadu_si512(entries + 8 * v), start);
  return now != 0;
#else
  u64 now = 0;
  for (int l = 0; l < kLanes; ++l) now |= entries[l] >= epoch ? 1 : 0;
  return now != 0;
#endif
}

// False, with nothing changed, when a lane needs a closer look.
template <class L>
[[gnu::always_inline]] inline bool shadow_read(const u64* writes, u64* reads, u64 mine, u64 epoch) {
  if (__builtin_expect(any_foreign<L>(writes, mine, epoch, 0), 0)) return false;
  if (!any_since(reads, epoch)) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) reads[l] = mine + static_cast<u64>(l);
    return true;
  }
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) reads[l] = race::merge_read<L>(reads[l], mine + static_cast<u64>(l), epoch);
  return true;
}

// Nobody else may have touched the units in this epoch.
template <class L>
[[gnu::always_inline]] inline bool shadow_write(u64* writes, const u64* reads, u64 mine, u64 epoch, u64 flags) {
  if (__builtin_expect(any_foreign<L>(writes, mine, epoch, 0) || any_foreign<L>(reads, mine, epoch, flags), 0))
    return false;
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) writes[l] = mine + static_cast<u64>(l);
  return true;
}

// Whether the 32 addresses are neighbouring words.
[[gnu::always_inline]] inline bool ascending32(const u32* a) {
#if defined(__AVX512F__)
  const __m512i step = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
  const __m512i low = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(a[0])), step);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(64));
  return (_mm512_cmpneq_epu32_mask(_mm512_load_si512(a), low) |
          _mm512_cmpneq_epu32_mask(_mm512_load_si512(a + 16), high)) == 0;
#else
  u32 off = 0;
  const u32 first = a[0];
  for (int l = 0; l < kLanes; ++l) off |= (a[l] - first) ^ (4u * static_cast<u32>(l));
  return off == 0;
#endif
}

[[gnu::always_inline]] inline bool ascending64(const u64* a) {
#if defined(__AVX512F__)
  __m512i expected =
      _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(a[0])), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
  unsigned off = 0;
  for (int v = 0; v < 4; ++v) {
    off |= _mm512_cmpneq_epu64_mask(_mm512_load_si512(a + 8 * v), expected);
    expected = _mm512_add_epi64(expected, _mm512_set1_epi64(32));
  }
  return off == 0;
#else
  u64 off = 0;
  const u64 first = a[0];
  for (int l = 0; l < kLanes; ++l) off |= (a[l] - first) ^ (4u * static_cast<u64>(l));
  return off == 0;
#endif
}

constexpr u32 kRun = 4 * kLanes;  // bytes of 32 neighbouring words

// Whether an access stays inside the __shared__ variable that its address belongs to.
[[gnu::always_inline]] inline bool inside_variable(const Instr* i, u64 first, u32 bytes) {
  return (static_cast<int>(first >= i->b) & static_cast<int>(first + bytes <= i->c)) != 0;
}

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

JUDGE_OP(ld_param_32) {
  u32 v;
  __builtin_memcpy(&v, state(w).worker->launch->parameters + i->imm, 4);
  for_lanes<Full>(w, slot<u32>(w, i->d), [=](int) { return v; });
  return i + 1;
}

JUDGE_OP(ld_param_64) {
  u64 v;
  __builtin_memcpy(&v, state(w).worker->launch->parameters + i->imm, 8);
  for_lanes<Full>(w, slot<u64>(w, i->d), [=](int) { return v; });
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
    if ((aux & memop::kRegister64) != 0)
      slot<u64>(w, i->d)[l] = v;
    else
      slot<u32>(w, i->d)[l] = static_cast<u32>((aux & memop::kRegister16) != 0 ? v & 0xffff : v);
  }
  return i + 1;
}

JUDGE_OP(st_frame) {
  const unsigned width = memop::width_of(i->aux);
  std::byte* to = w.base[0] + i->imm;
  for (int l = 0; l < kLanes; ++l) {
    if (!Full && (w.mask >> l & 1) == 0) continue;
    if ((i->aux & memop::kRegister64) != 0)
      __builtin_memcpy(to + static_cast<u32>(l) * i->b, slot<u64>(w, i->d) + l, width);
    else
      __builtin_memcpy(to + static_cast<u32>(l) * i->b, slot<u32>(w, i->d) + l, width);
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
  if (Full && may_be_contiguous(s, i)) {
    const LaunchContext& launch = *s.worker->launch;
    const BlockState& b = *s.block;
    const u32* a = slot<u32>(w, i->a);
    const u32 first = a[0] + static_cast<u32>(i->imm);
    if (ascending32(a) && (first & 3) == 0 && u64{first} + kRun <= launch.shared_bytes && inside_variable(i, first, kRun) &&
        launch.program->shared_unit_shift == 2) {
      const u64* writes = b.shared_writes + first / 4;
      u64* reads = b.shared_reads + first / 4;
      if (all_since(writes, b.shared_born) &&
          ((i->aux & memop::kQuiet) != 0 ||
           shadow_read<SharedLayout>(writes, reads, s.shared_stamp + instr_bits(i), b.shared_epoch))) {
        ++s.worker->accesses[i->index].contiguous;
        __builtin_memcpy(slot<u32>(w, i->d), b.shared + first, kRun);
        return i + 1;
      }
    }
  }
  if (load_patterned<Full, memop::shared>(s, i)) return i + 1;
  return load(s, i);
}

// The first of several loads from one base register (lower/shared_bases.h), and those that follow.
JUDGE_OP(ld_shared_32_first) {
  WarpState& s = state(w);
  if (Full && load_first_of_base(s, i)) return i + 1;
  shared_base(s, i).shape = 0;
  if (load_patterned<Full, memop::shared>(s, i)) return i + 1;
  return load(s, i);
}

JUDGE_OP(ld_shared_32_next) {
  WarpState& s = state(w);
  if (Full && load_next_of_base(s, i)) return i + 1;
  if (load_patterned<Full, memop::shared>(s, i)) {
    if (Full) note_same_shape(s, i);
    return i + 1;
  }
  return load(s, i);
}

JUDGE_OP(st_shared_32) {
  WarpState& s = state(w);
  if (Full && may_be_contiguous(s, i)) {
    const LaunchContext& launch = *s.worker->launch;
    const BlockState& b = *s.block;
    const u32* a = slot<u32>(w, i->a);
    const u32 first = a[0] + static_cast<u32>(i->imm);
    if (ascending32(a) && (first & 3) == 0 && u64{first} + kRun <= launch.shared_bytes && inside_variable(i, first, kRun) &&
        launch.program->shared_unit_shift == 2 &&
        shadow_write<SharedLayout>(b.shared_writes + first / 4, b.shared_reads + first / 4,
                                   s.shared_stamp + instr_bits(i), b.shared_epoch,
                                   SharedLayout::kLanes | SharedLayout::kWarps)) {
      ++s.worker->accesses[i->index].contiguous;
      __builtin_memcpy(b.shared + first, slot<u32>(w, i->d), kRun);
      return i + 1;
    }
  }
  if (store_patterned<Full, memop::shared>(s, i)) return i + 1;
  return store(s, i);
}

JUDGE_OP(ld_global_32) {
  WarpState& s = state(w);
  if (Full && may_be_contiguous(s, i)) {
    const LaunchContext& launch = *s.worker->launch;
    const u64* a = slot<u64>(w, i->a);
    const u64 first = a[0] + i->imm;
    const Allocation* in = s.worker->caches[i->index].allocation;
    if (in != nullptr && ascending64(a) && (first & 3) == 0 && in->contains(first, kRun) &&
        launch.program->global_unit_shift == 2) {
      const u64 word = (first - in->base) / 4;
      bool written = in->fully_initialized;
      if (!written) {
        std::uint8_t all = kWordWritten;
        for (int l = 0; l < kLanes; ++l) all &= in->init[word + static_cast<u64>(l)];
        written = (all & kWordWritten) == kWordWritten;
      }
      if (in->tracked) in->read_pages.will_write(word * sizeof(u64), kLanes * sizeof(u64));
      if (written && (!in->tracked || shadow_read<GlobalLayout>(in->write_shadow + word, in->read_shadow + word,
                                                                s.global_stamp + instr_bits(i),
                                                                launch.launch_epoch << GlobalLayout::kEpochShift))) {
        AccessCounts& c = s.worker->accesses[i->index];
        ++((first & 31) == 0 ? c.contiguous : c.straddling);
        __builtin_memcpy(slot<u32>(w, i->d), in->data + (first - in->base), kRun);
        return i + 1;
      }
    }
  }
  if (load_patterned<Full, memop::global>(s, i)) return i + 1;
  return load(s, i);
}

JUDGE_OP(st_global_32) {
  WarpState& s = state(w);
  if (Full && may_be_contiguous(s, i)) {
    const LaunchContext& launch = *s.worker->launch;
    const u64* a = slot<u64>(w, i->a);
    const u64 first = a[0] + i->imm;
    const Allocation* in = s.worker->caches[i->index].allocation;
    if (in != nullptr && ascending64(a) && (first & 3) == 0 && in->contains(first, kRun) && in->tracked &&
        in->kind != AllocationKind::constant && launch.program->global_unit_shift == 2) {
      const u64 word = (first - in->base) / 4;
      in->write_pages.will_write(word * sizeof(u64), kLanes * sizeof(u64));
      if (shadow_write<GlobalLayout>(in->write_shadow + word, in->read_shadow + word, s.global_stamp + instr_bits(i),
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
  if (store_patterned<Full, memop::global>(s, i)) return i + 1;
  return store(s, i);
}

JUDGE_OP(ld) {
  WarpState& s = state(w);
  const memop::Space space = memop::space_of(i->aux);
  if (space == memop::shared && load_patterned<Full, memop::shared>(s, i)) return i + 1;
  if (space == memop::global && load_patterned<Full, memop::global>(s, i)) return i + 1;
  const Instr* next = load(s, i);
  if ((i->aux & memop::kStrong) != 0 && next == i + 1 && memop::vector_of(i->aux) == 1) note_poll(s, i);
  return next;
}
JUDGE_OP(st) {
  WarpState& s = state(w);
  const memop::Space space = memop::space_of(i->aux);
  if (space == memop::shared && store_patterned<Full, memop::shared>(s, i)) return i + 1;
  if (space == memop::global && store_patterned<Full, memop::global>(s, i)) return i + 1;
  return store(s, i);
}
JUDGE_OP(atom) {
  return atomic(state(w), i);
}

// Blocks run one at a time or on separate cores with sequentially consistent slow paths; what a fence orders is already
// ordered. What it means for races is kept in observe/ordering.h.
JUDGE_OP(fence) {
  return pass_fence(state(w), i);
}
JUDGE_OP(prefetch) {
  return i + 1;
}

namespace {

[[gnu::always_inline]] inline u64 window_of(u32 space) {
  return space == memop::shared  ? kSharedWindow
         : space == memop::local ? kLocalWindow
         : space == memop::param ? kParamWindow
                                 : 0;
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
      case memop::shared:
        in = in_window(a[l], kSharedWindow);
        break;
      case memop::local:
        in = in_window(a[l], kLocalWindow);
        break;
      case memop::param:
        in = in_window(a[l], kParamWindow);
        break;
      default:
        in = a[l] >= kDeviceBase && a[l] < kMappedBase + kMappedSpan;
        break;
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
