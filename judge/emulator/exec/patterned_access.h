#pragma once
// Loads and stores whose shape is known (exec/pattern.h), with every check. Included only by ops_memory.cpp, which is
// built once per instruction set.
//
// Each returns false when anything deserves a closer look: nothing has been decided then, and the general path
// (access.cpp) does the access from the start. Race entries that were updated before such a return are this warp's own,
// which that path updates the same way.

#include <cstring>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/pattern.h"
#include "judge/emulator/observe/race.h"
#include "judge/emulator/observe/transactions.h"

namespace judge::emulator::JUDGE_ISA {
namespace {

template <memop::Space S>
using LayoutOf = std::conditional_t<S == memop::shared, race::SharedLayout, race::GlobalLayout>;

[[gnu::always_inline]] inline u64 instr_bits(const Instr* i) {
  return (i->index < race::kInstrMax ? static_cast<u64>(i->index) : race::kInstrMax) << race::kInstrShift;
}

// Where an access with a known shape goes: everything relative to the address of its first active lane.
struct Target {
  std::byte* data = nullptr;
  u64* writes = nullptr;  // race entries; shared memory's also say what was written
  u64* reads = nullptr;
  const Allocation* in = nullptr;  // global
  std::uint8_t* init = nullptr;    // global: of word 0 of the allocation; null: everything was written
  u64 offset = 0;                  // of the first active lane in the allocation
  unsigned shift = 2;              // log2 of a race entry's bytes
  u64 mine = 0, epoch = 0, born = 0;
  bool tracked = false;
};

// Base addresses without the immediate: a register's, or zeros for an absolute address.
template <class A>
[[gnu::always_inline]] inline const A* bases(WarpState& s, const Instr* i) {
  alignas(64) static constexpr A zeros[kLanes] = {};
  return i->a == kNoSlot ? zeros : slot<A>(s, i->a);
}

template <bool Full, class A>
[[gnu::always_inline]] inline bool same_shape(const AccessPattern& p, const A* a, u32 mask) {
  if (p.mask != mask) return false;
  const A first = a[p.first];
#if defined(__AVX512F__)
  if constexpr (sizeof(A) == 4) {
    const __m512i base = _mm512_set1_epi32(static_cast<int>(first));
    const unsigned low = _mm512_mask_cmpneq_epu32_mask(
        static_cast<__mmask16>(mask), _mm512_sub_epi32(_mm512_load_si512(a), base), _mm512_load_si512(p.distance));
    const unsigned high = _mm512_mask_cmpneq_epu32_mask(static_cast<__mmask16>(mask >> 16),
                                                        _mm512_sub_epi32(_mm512_load_si512(a + 16), base),
                                                        _mm512_load_si512(p.distance + 16));
    return (low | high) == 0;
  } else {
    const __m512i base = _mm512_set1_epi64(static_cast<long long>(first));
    unsigned off = 0;
    for (int v = 0; v < 4; ++v)
      off |= _mm512_mask_cmpneq_epu64_mask(
          static_cast<__mmask8>(mask >> (8 * v)), _mm512_sub_epi64(_mm512_load_si512(a + 8 * v), base),
          _mm512_cvtepi32_epi64(_mm256_load_si256(reinterpret_cast<const __m256i*>(p.distance + 8 * v))));
    return off == 0;
  }
#endif
  A off = 0;
  for (int l = 0; l < kLanes; ++l) {
    const A d = a[l] - first - static_cast<A>(static_cast<std::int64_t>(p.distance[l]));
    off |= Full ? d : d & (A{0} - static_cast<A>(mask >> l & 1));
  }
  return off == 0;
}

// Distinct sectors, of aligned accesses whose addresses are at most kFarthest from each other: each lies in one sector.
[[gnu::always_inline]] inline u32 aligned_sectors(const u64* addresses, u32 mask, u32 first) {
#if defined(__AVX512CD__)
  alignas(64) u32 ids[kLanes];
  const __m512i base = _mm512_set1_epi64(static_cast<long long>(addresses[first] / kSectorBytes));
  for (int v = 0; v < 4; ++v) {
    // An inactive lane counts as the first active one: nothing new.
    const __m512i sector =
        _mm512_mask_srli_epi64(base, static_cast<__mmask8>(mask >> (8 * v)), _mm512_load_si512(addresses + 8 * v), 5);
    _mm256_store_si256(reinterpret_cast<__m256i*>(ids + 8 * v), _mm512_cvtepi64_epi32(_mm512_sub_epi64(sector, base)));
  }
  const __m512i low = _mm512_load_si512(ids), high = _mm512_load_si512(ids + 16), none = _mm512_setzero_si512();
  u32 in_low = 0;  // lanes of the upper half whose sector the lower half has
  for (int l = 0; l < 16; ++l) in_low |= _mm512_cmpeq_epi32_mask(high, _mm512_set1_epi32(static_cast<int>(ids[l])));
  const u32 new_low = _mm512_cmpeq_epi32_mask(_mm512_conflict_epi32(low), none);
  const u32 new_high = _mm512_cmpeq_epi32_mask(_mm512_conflict_epi32(high), none) & ~in_low;
  return static_cast<u32>(std::popcount(new_low) + std::popcount(new_high));
#else
  (void)first;
  return count_sectors(addresses, mask, 1);
#endif
}

constexpr std::int64_t kFarthest = 1 << 30;

// From now on `p`, with this id, is the shape of these addresses (32 device addresses or offsets in shared memory;
// `bytes` of one lane), after its hits have been added to the counts. False, with p.mask 0: misaligned, or the lanes
// are too far apart.
template <memop::Space S>
[[gnu::noinline]] bool learn(AccessPattern& p, u64 id, AccessCounts& counts, const u64* addresses, u32 mask, u32 bytes,
                             u32 aux) {
  settle(p, counts, bytes);
  p.mask = 0;
  p.runs = 0;
  p.form = AccessPattern::Form::scattered;
  p.same = 0;
  p.id = id;
  const int first = std::countr_zero(mask);
  const u64 from = addresses[first];
  std::int64_t low = 0, high = 0;
  u64 together = from;
  for (int l = 0; l < kLanes; ++l) {
    const auto d = static_cast<std::int64_t>((addresses[l] - from) & (u64{0} - static_cast<u64>(mask >> l & 1)));
    low = d < low ? d : low;
    high = d > high ? d : high;
    together |= static_cast<u64>(d);
    p.distance[l] = static_cast<std::int32_t>(d);
  }
  if (low < -kFarthest || high > kFarthest || (together & (bytes - 1)) != 0) return false;
  p.mask = mask;
  p.first = static_cast<u32>(first);
  p.low = static_cast<std::int32_t>(low);
  p.high = static_cast<std::int32_t>(high + bytes);
  if constexpr (S == memop::shared) {
    // Where the bytes begin that ptxas has merged it with changes no bank conflict: all lanes' begin as much earlier.
    p.counted = memop::merged(aux) != memop::Merged::with_another;
    const SharedCost cost = p.counted ? shared_cost(addresses, mask, memop::bytes_seen(aux)) : SharedCost{};
    p.wavefronts = cost.wavefronts;
    p.conflicts = cost.conflicts;
  } else {
    p.phase = static_cast<u32>(from % kSectorBytes);
    p.sectors = aligned_sectors(addresses, mask, p.first);
  }
  if (bytes == 4) split(p);
  return true;
}

// The shape of this execution and where it goes. False: unknown shape that cannot be learnt, or out of bounds.
template <bool Full, memop::Space S>
[[gnu::always_inline]] inline bool reach(WarpState& s, const Instr* i, AccessPattern*& pattern, Target& t) {
  using A = std::conditional_t<S == memop::shared, u32, u64>;
  if ((i->aux & memop::kStrong) != 0) return false;
  if ((i->aux & memop::kAddress64) != 0) {
    if (sizeof(A) == 4) return false;
  } else if (sizeof(A) == 8 && i->a != kNoSlot) {
    return false;
  }
  Worker& k = *s.worker;
  const u32 mask = Full ? ~0u : s.mask;
  const u32 bytes = memop::width_of(i->aux) * memop::vector_of(i->aux);
  const A* a = bases<A>(s, i);
  AccessPattern*& p = k.caches[i->index].pattern;
  if (p == nullptr) p = k.new_pattern();
  pattern = p;
  const A first = static_cast<A>(a[mask == ~0u ? 0 : std::countr_zero(mask)] + static_cast<A>(i->imm));
  if (!same_shape<Full>(*p, a, mask) || (S == memop::global && p->phase != first % 32)) {
    alignas(64) u64 addresses[kLanes];
    for (int l = 0; l < kLanes; ++l) addresses[l] = static_cast<A>(a[l] + static_cast<A>(i->imm));
    if (!learn<S>(*p, ++k.shapes_learnt, k.accesses[i->index], addresses, mask, bytes, i->aux)) return false;
  }
  if ((first & (bytes - 1)) != 0) return false;
  const LaunchContext& launch = *k.launch;
  if constexpr (S == memop::shared) {
    const BlockState& b = *s.block;
    const auto begin = static_cast<std::int64_t>(first) + p->low, end = static_cast<std::int64_t>(first) + p->high;
    if (begin < 0 || end > static_cast<std::int64_t>(launch.shared_bytes)) return false;
    if (begin < static_cast<std::int64_t>(i->b) || end > static_cast<std::int64_t>(i->c)) return false;
    t.shift = launch.program->shared_unit_shift;
    t.data = b.shared + first;
    t.writes = b.shared_writes + (first >> t.shift);
    t.reads = b.shared_reads + (first >> t.shift);
    t.mine = s.shared_stamp + instr_bits(i);
    t.epoch = b.shared_epoch;
    t.born = b.shared_born;
    t.tracked = (i->aux & memop::kQuiet) == 0;
  } else {
    const Allocation* in = k.caches[i->index].allocation;
    if (in == nullptr ||
        !in->contains(first + static_cast<u64>(static_cast<std::int64_t>(p->low)), static_cast<u64>(p->high - p->low)))
      return false;
    t.shift = launch.program->global_unit_shift;
    t.offset = first - in->base;
    t.data = in->data + t.offset;
    t.init = in->fully_initialized ? nullptr : in->init;
    t.tracked = in->tracked;
    t.in = in;
    if (t.tracked) {
      t.writes = in->write_shadow + (t.offset >> t.shift);
      t.reads = in->read_shadow + (t.offset >> t.shift);
    }
    t.mine = s.global_stamp + instr_bits(i);
    t.epoch = launch.launch_epoch << race::GlobalLayout::kEpochShift;
  }
  return true;
}

// Whether one of n neighbouring entries, for lanes with the stamps mine, mine + 1, … is of this epoch and somebody
// else's.
template <class L>
[[gnu::always_inline]] inline bool foreign(const u64* entries, u64 mine, u64 epoch, u64 flags, int n) {
  u64 found = 0;
  for (int l = 0; l < n; ++l) {
    const u64 differs = ((entries[l] ^ (mine + static_cast<u64>(l))) & race::who_mask<L>()) | (entries[l] & flags);
    found |= entries[l] >= epoch ? differs : 0;
  }
  return found != 0;
}

// To be said of the pages with the race entries that this access will change.
[[gnu::always_inline]] inline void will_write(const Pages& pages, const AccessPattern& p, const Target& t) {
  const u64 begin = t.offset + static_cast<u64>(static_cast<std::int64_t>(p.low));
  pages.will_write((begin >> t.shift) * sizeof(u64), (static_cast<u64>(p.high - p.low) >> t.shift) * sizeof(u64));
}

template <memop::Space S>
[[gnu::always_inline]] inline bool written_words(const Target& t, std::int64_t distance, int n) {
  if constexpr (S == memop::shared) {
    const u64* entries = t.writes + distance / 4;
    if (n == 1) return entries[0] >= t.born;
#if defined(__AVX512F__)
    const __m512i born = _mm512_set1_epi64(static_cast<long long>(t.born));
    unsigned before = 0;
    for (int l = 0; l < n; l += 8) {
      const auto some = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(n - l)));
      before |= _mm512_mask_cmplt_epu64_mask(some, _mm512_maskz_loadu_epi64(some, entries + l), born);
    }
    return before == 0;
#else
    u64 older = 0;
    for (int l = 0; l < n; ++l) older |= entries[l] < t.born ? 1 : 0;
    return older == 0;
#endif
  } else {
    if (t.init == nullptr) return true;
    const std::uint8_t* init = t.init + static_cast<std::int64_t>(t.offset + static_cast<u64>(distance)) / 4;
    std::uint8_t all = kWordWritten;
    for (int l = 0; l < n; ++l) all &= init[l];
    return (all & kWordWritten) == kWordWritten;
  }
}

// One lane's units, one after the other. bytes may be less than a word.
template <memop::Space S>
[[gnu::always_inline]] inline bool written_bytes(const Target& t, std::int64_t distance, u32 bytes) {
  if constexpr (S == memop::shared) {
    const u64* entries = t.writes + (distance >> t.shift);
    bool all = true;
    for (u32 u = 0; u < bytes >> t.shift; ++u) all &= entries[u] >= t.born;
    return all;
  } else {
    if (t.init == nullptr) return true;
    const u64 at = t.offset + static_cast<u64>(distance);
    if (bytes >= 4 && (at & 3) == 0) return written_words<S>(t, distance, static_cast<int>(bytes / 4));
    const u32 wanted = ((1u << bytes) - 1) << (at & 3);
    return bytes < 4 && (t.init[at / 4] & wanted) == wanted;
  }
}

// One word of memory for each lane, and a register of as many bits.
[[gnu::always_inline]] inline bool word_for_word(u32 aux) {
  return memop::width_of(aux) == 4 && memop::vector_of(aux) == 1 && (aux & memop::kRegister64) == 0;
}

[[gnu::always_inline]] inline void put_lane(WarpState& s, const Slot* list, int lane, const std::byte* from, u32 aux) {
  const unsigned width = memop::width_of(aux), vector = memop::vector_of(aux);
  if (width == 4 && (aux & (memop::kRegister64 | memop::kRegister16)) == 0) {
    for (unsigned v = 0; v < vector; ++v) __builtin_memcpy(slot<u32>(s, list[v]) + lane, from + 4 * v, 4);
    return;
  }
  for (unsigned v = 0; v < vector; ++v) {
    u64 x = 0;
    std::memcpy(&x, from + v * width, width);
    if ((aux & memop::kSigned) != 0 && width < 8) {
      const unsigned shift = 64 - 8 * width;
      x = static_cast<u64>(static_cast<std::int64_t>(x << shift) >> shift);
    }
    if ((aux & memop::kRegister64) != 0)
      slot<u64>(s, list[v])[lane] = x;
    else
      slot<u32>(s, list[v])[lane] = static_cast<u32>((aux & memop::kRegister16) != 0 ? x & 0xffff : x);
  }
}

[[gnu::always_inline]] inline void get_lane(WarpState& s, const Slot* list, int lane, std::byte* to, u32 aux) {
  const unsigned width = memop::width_of(aux), vector = memop::vector_of(aux);
  for (unsigned v = 0; v < vector; ++v) {
    if ((aux & memop::kRegister64) != 0)
      std::memcpy(to + v * width, slot<u64>(s, list[v]) + lane, width);
    else
      std::memcpy(to + v * width, slot<u32>(s, list[v]) + lane, width);
  }
}

// n <= 32 words.
[[gnu::always_inline]] inline void copy_words(u32* to, const std::byte* from, int n) {
#if defined(__AVX512F__)
  const u32 lanes = _bzhi_u32(~0u, static_cast<unsigned>(n));
  const auto low = static_cast<__mmask16>(lanes), high = static_cast<__mmask16>(lanes >> 16);
  _mm512_mask_storeu_epi32(to, low, _mm512_maskz_loadu_epi32(low, from));
  if (high != 0) _mm512_mask_storeu_epi32(to + 16, high, _mm512_maskz_loadu_epi32(high, from + 64));
#else
  std::memcpy(to, from, 4 * static_cast<std::size_t>(n));
#endif
}

[[gnu::always_inline]] inline void fill_words(u32* to, u32 v, int n) {
#if defined(__AVX512F__)
  const u32 lanes = _bzhi_u32(~0u, static_cast<unsigned>(n));
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), _mm512_set1_epi32(static_cast<int>(v)));
  if (n > 16)
    _mm512_mask_storeu_epi32(to + 16, static_cast<__mmask16>(lanes >> 16), _mm512_set1_epi32(static_cast<int>(v)));
#else
  for (int l = 0; l < n; ++l) to[l] = v;
#endif
}

template <memop::Space S>
[[gnu::always_inline]] inline bool load_runs(const AccessPattern& p, const Target& t, u32* to) {
  using L = LayoutOf<S>;
  for (int r = 0; r < p.runs; ++r) {
    const AccessPattern::Run run = p.run[r];
    const std::int64_t distance = p.distance[run.lane];
    const int n = run.one_word ? 1 : run.lanes;
    if (!written_words<S>(t, distance, n)) return false;
    if (t.tracked) {
      const u64* writes = t.writes + distance / 4;
      u64* reads = t.reads + distance / 4;
      const u64 mine = t.mine + run.lane;
      if (run.one_word) {
        if (writes[0] >= t.epoch) return false;
        // The lanes in their order: the first, and then the last, which finds another lane's entry.
        reads[0] = race::merge_read<L>(race::merge_read<L>(reads[0], mine, t.epoch), mine + run.lanes - 1u, t.epoch);
      } else {
        if (foreign<L>(writes, mine, t.epoch, 0, n)) return false;
        for (int l = 0; l < n; ++l) reads[l] = race::merge_read<L>(reads[l], mine + static_cast<u64>(l), t.epoch);
      }
    }
    if (run.one_word) {
      u32 v;
      __builtin_memcpy(&v, t.data + distance, 4);
      fill_words(to + run.lane, v, run.lanes);
    } else {
      copy_words(to + run.lane, t.data + distance, n);
    }
  }
  return true;
}

// One word for each active lane, from wherever it lies.
template <bool Full>
[[gnu::always_inline]] inline void gather_words(u32* to, const std::byte* from, const AccessPattern& p) {
#if defined(__AVX512F__)
  for (int half = 0; half < 2; ++half) {
    const auto active = static_cast<__mmask16>(p.mask >> (16 * half));
    if (!Full && active == 0) continue;
    const __m512i words = _mm512_mask_i32gather_epi32(_mm512_load_si512(to + 16 * half), active,
                                                      _mm512_load_si512(p.distance + 16 * half), from, 1);
    _mm512_store_si512(to + 16 * half, words);
  }
#else
  for (u32 m = p.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    __builtin_memcpy(to + l, from + p.distance[l], 4);
  }
#endif
}

// Whether 32 neighbouring words are worth trying first: the instruction has not been seen doing anything else.
[[gnu::always_inline]] inline bool may_be_contiguous(const WarpState& s, const Instr* i) {
  const AccessPattern* p = s.worker->caches[i->index].pattern;
  return (p == nullptr || p->runs == 1) && memop::merged(i->aux) == memop::Merged::no;
}

template <bool Full, memop::Space S>
[[gnu::noinline]] bool load_patterned(WarpState& s, const Instr* i) {
  using L = LayoutOf<S>;
  AccessPattern* p = nullptr;
  Target t;
  if (!reach<Full, S>(s, i, p, t)) return false;
  if (S == memop::global && t.tracked) will_write(t.in->read_pages, *p, t);
  const u32 bytes = memop::width_of(i->aux) * memop::vector_of(i->aux);
  if (p->runs != 0 && t.shift == 2 && word_for_word(i->aux)) {
    if (!load_runs<S>(*p, t, slot<u32>(s, i->d))) return false;
    ++p->hits;
    return true;
  }
  if (t.tracked) {
    for (u32 m = p->mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      const std::int64_t unit = p->distance[l] >> t.shift;
      const u64 mine = t.mine + static_cast<u64>(l);
      for (u32 u = 0; u < bytes >> t.shift; ++u) {
        if (foreign<L>(t.writes + unit + u, mine, t.epoch, 0, 1)) return false;
        u64& read = t.reads[unit + u];
        read = race::merge_read<L>(read, mine, t.epoch);
      }
    }
  }
  if (S == memop::shared || t.init != nullptr)
    for (u32 m = p->mask; m != 0; m &= m - 1)
      if (!written_bytes<S>(t, p->distance[std::countr_zero(m)], bytes)) return false;
  if (word_for_word(i->aux)) {
    gather_words<Full>(slot<u32>(s, i->d), t.data, *p);
    ++p->hits;
    return true;
  }
  const Slot* list = memop::vector_of(i->aux) > 1 ? s.worker->launch->program->operand_lists.data() + i->d : &i->d;
  for (u32 m = p->mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    put_lane(s, list, l, t.data + p->distance[l], i->aux);
  }
  ++p->hits;
  return true;
}

// Loads of words by 32 lanes in a phase without stores to shared memory, many in a row from one base register: the
// inner loops of tiled kernels. The first compares the register's 32 values with the shape it had before and leaves
// word of it in the warp (SharedBase); those that follow in the same basic block only add their offset
// (lower/shared_bases.h).

// Whether all of the block's units in [begin, end), bytes of shared memory, were written.
[[gnu::always_inline]] inline bool all_written(const BlockState& b, std::int64_t begin, std::int64_t end,
                                               unsigned shift) {
  const u64* entries = b.shared_writes + (begin >> shift);
  const std::int64_t n = (end - begin) >> shift;
  u64 older = 0;
  for (std::int64_t u = 0; u < n; ++u) older |= entries[u] < b.shared_born ? 1 : 0;
  return older == 0;
}

// Makes [begin, end), which lies in shared memory, part of what is known to be written, and as much after it as is.
[[gnu::noinline]] bool extend_written(BlockState& b, std::int64_t begin, std::int64_t end,
                                      const LaunchContext& launch) {
  const unsigned shift = launch.program->shared_unit_shift;
  if (b.written_tries == 0 || !all_written(b, begin, end, shift)) return false;
  --b.written_tries;
  const bool apart = end < b.written_begin || begin > b.written_end;
  b.written_begin = apart || begin < b.written_begin ? begin : b.written_begin;
  b.written_end = apart || end > b.written_end ? end : b.written_end;
  const std::int64_t unit = std::int64_t{1} << shift;
  while (b.written_end + unit <= launch.shared_bytes && b.shared_writes[b.written_end >> shift] >= b.shared_born)
    b.written_end += unit;
  return true;
}

// `base`: lane 0's value of the base register. False: look closer; nothing has happened.
[[gnu::always_inline]] inline bool load_from_base(WarpState& s, const Instr* i, AccessPattern& p, u32 base) {
  using Form = AccessPattern::Form;
  BlockState& b = *s.block;
  const std::int64_t at = static_cast<u32>(base + static_cast<u32>(i->imm));
  const std::int64_t begin = at + p.low, end = at + p.high;
  if (begin < static_cast<std::int64_t>(i->b) || end > static_cast<std::int64_t>(i->c)) return false;
  if (begin < b.written_begin || end > b.written_end) {
    const LaunchContext& launch = *s.worker->launch;
    if (begin < 0 || end > static_cast<std::int64_t>(launch.shared_bytes)) return false;
    if (!extend_written(b, begin, end, launch) &&
        (p.form != Form::row || !all_written(b, begin, end, launch.program->shared_unit_shift)))
      return false;
  }
  u32* to = slot<u32>(s, i->d);
  const std::byte* from = b.shared + at;
  if (p.form == Form::row) {
    __builtin_memcpy(to, from, 4 * kLanes);
  } else if (p.form == Form::one_word) {
    u32 v;
    __builtin_memcpy(&v, from, 4);
    for (int l = 0; l < kLanes; ++l) to[l] = v;
  } else if (p.form == Form::halves) {
    for (int half = 0; half < 2; ++half) {
      const std::byte* here = from + p.distance[16 * half];
      if (p.half_is_one_word[half]) {
        u32 v;
        __builtin_memcpy(&v, here, 4);
        for (int l = 0; l < 16; ++l) to[16 * half + l] = v;
      } else {
        __builtin_memcpy(to + 16 * half, here, 64);
      }
    }
  } else {
    gather_words<true>(to, from, p);
  }
  ++p.hits;
  return true;
}

[[gnu::always_inline]] inline SharedBase& shared_base(WarpState& s, const Instr* i) {
  return s.shared_bases[i->flags >> kSharedBaseShift];
}

// By 32 lanes. False: look closer; nothing has happened.
[[gnu::always_inline]] inline bool load_first_of_base(WarpState& s, const Instr* i) {
  AccessPattern* p = s.worker->caches[i->index].pattern;
  const u32* a = slot<u32>(s, i->a);
  const u32 first = a[0];
  SharedBase& base = shared_base(s, i);
  base.shape = 0;
  if (p == nullptr || (first & 3) != 0 || !same_shape<true>(*p, a, ~0u)) return false;
  base.shape = p->id;
  base.first = first;
  return load_from_base(s, i, *p, first);
}

[[gnu::always_inline]] inline bool load_next_of_base(WarpState& s, const Instr* i) {
  AccessPattern* p = s.worker->caches[i->index].pattern;
  const SharedBase& base = shared_base(s, i);
  return p != nullptr && p->same == base.shape && base.shape != 0 && load_from_base(s, i, *p, base.first);
}

// After this load of 32 lanes went another way and its shape was learnt: it is that of the first load from its base.
[[gnu::always_inline]] inline void note_same_shape(WarpState& s, const Instr* i) {
  AccessPattern* p = s.worker->caches[i->index].pattern;
  if (p != nullptr && p->mask == ~0u) p->same = shared_base(s, i).shape;
}

template <bool Full, memop::Space S>
[[gnu::noinline]] bool store_patterned(WarpState& s, const Instr* i) {
  using L = LayoutOf<S>;
  constexpr u64 kOthers = L::kLanes | L::kWarps | L::kBlocks;
  AccessPattern* p = nullptr;
  Target t;
  if (!reach<Full, S>(s, i, p, t)) return false;
  // Global memory that this launch was not thought to write is constant memory, or a wild pointer's.
  if (!t.tracked && S == memop::global) return false;
  if (S == memop::global) will_write(t.in->write_pages, *p, t);
  const u32 bytes = memop::width_of(i->aux) * memop::vector_of(i->aux);
  if (t.init != nullptr && (bytes < 4 || (t.offset & 3) != 0)) return false;
  const Slot* list = memop::vector_of(i->aux) > 1 ? s.worker->launch->program->operand_lists.data() + i->d : &i->d;
  const bool by_runs = p->runs != 0 && t.shift == 2 && word_for_word(i->aux);
  if (by_runs) {
    for (int r = 0; r < p->runs; ++r) {
      const AccessPattern::Run run = p->run[r];
      if (run.one_word) return false;
      const std::int64_t distance = p->distance[run.lane];
      u64* writes = t.writes + distance / 4;
      const u64 mine = t.mine + run.lane;
      if (foreign<L>(writes, mine, t.epoch, 0, run.lanes) ||
          foreign<L>(t.reads + distance / 4, mine, t.epoch, kOthers, run.lanes))
        return false;
      for (int l = 0; l < run.lanes; ++l) writes[l] = mine + static_cast<u64>(l);
      if (t.init != nullptr)
        std::memset(t.init + static_cast<std::int64_t>(t.offset + static_cast<u64>(distance)) / 4, kWordWritten,
                    run.lanes);
      __builtin_memcpy(t.data + distance, slot<u32>(s, i->d) + run.lane, 4u * run.lanes);
    }
  } else {
    for (u32 m = p->mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      const std::int64_t unit = p->distance[l] >> t.shift;
      const u64 mine = t.mine + static_cast<u64>(l);
      for (u32 u = 0; u < bytes >> t.shift; ++u) {
        if (foreign<L>(t.writes + unit + u, mine, t.epoch, 0, 1) ||
            foreign<L>(t.reads + unit + u, mine, t.epoch, kOthers, 1))
          return false;
        t.writes[unit + u] = mine;
      }
      if (t.init != nullptr)
        std::memset(t.init + static_cast<std::int64_t>(t.offset + static_cast<u64>(p->distance[l])) / 4, kWordWritten,
                    bytes / 4);
      get_lane(s, list, l, t.data + p->distance[l], i->aux);
    }
  }
  ++p->hits;
  return true;
}

}  // namespace
}  // namespace judge::emulator::JUDGE_ISA
