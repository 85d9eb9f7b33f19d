// Operations across the lanes of a warp: shuffles, votes, matches, reductions, __syncwarp.
//
// All wait until the lanes that the membermask names are here (PTX ISA 9.7.13 and "shfl.sync", "vote.sync", …).

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/exec/warp_operand.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

[[gnu::always_inline]] inline std::uint32_t same_members(const std::uint32_t* members, std::uint32_t mask, int lane) {
  std::uint32_t same = 0;
  for (int l = 0; l < kLanes; ++l) same |= static_cast<std::uint32_t>(members[l] == members[lane]) << l;
  return same & mask;
}

}  // namespace

namespace {

// value[l] = a[from[l]], from[l] < 32.
[[gnu::always_inline]] inline void permute(const std::uint32_t* a, const std::uint32_t* from, std::uint32_t* value) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
  _mm512_store_si512(value, _mm512_permutex2var_epi32(low, _mm512_load_si512(from), high));
  _mm512_store_si512(value + 16, _mm512_permutex2var_epi32(low, _mm512_load_si512(from + 16), high));
#else
  for (int l = 0; l < kLanes; ++l) value[l] = a[from[l]];
#endif
}

}  // namespace

JUDGE_OP(shfl) {
  WarpState& s = state(w);
  const Slot* extra = s.worker->launch->program->operand_lists.data() + i->imm;
  const auto* members = slot<std::uint32_t>(w, extra[1]);
  const Instr* next = nullptr;
  if (!gather_lanes(s, i, members, &next)) return next;

  const auto* a = slot<std::uint32_t>(w, i->a);
  const auto* b = slot<std::uint32_t>(w, i->b);
  const auto* c = slot<std::uint32_t>(w, i->c);
  auto* d = slot<std::uint32_t>(w, i->d);
  const auto mode = static_cast<warpop::Shuffle>(i->aux);
  // PTX ISA, "shfl.sync": c holds the clamp in bits 4:0 and the segment mask in bits 12:8.
  alignas(64) std::uint32_t from[kLanes], value[kLanes];
  alignas(64) std::int32_t in_range[kLanes];
  // source(lane, offset, high, low): the lane asked for, and whether it is in range.
  const auto find = [&](auto&& source) {
    for (int l = 0; l < kLanes; ++l) {
      const std::uint32_t lane = static_cast<std::uint32_t>(l);
      const std::uint32_t offset = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
      const std::uint32_t high = (lane & segment) | (clamp & ~segment), low = lane & segment;
      const std::uint32_t j = source(lane, offset, segment, low);
      const bool ok =
          mode == warpop::Shuffle::up ? static_cast<std::int32_t>(j) >= static_cast<std::int32_t>(high) : j <= high;
      from[l] = ok ? j & 31 : lane;
      in_range[l] = ok ? -1 : 0;
    }
  };
  using u32 = std::uint32_t;
  switch (mode) {
    case warpop::Shuffle::up:
      find([](u32 lane, u32 offset, u32, u32) { return lane - offset; });
      break;
    case warpop::Shuffle::down:
      find([](u32 lane, u32 offset, u32, u32) { return lane + offset; });
      break;
    case warpop::Shuffle::bfly:
      find([](u32 lane, u32 offset, u32, u32) { return lane ^ offset; });
      break;
    case warpop::Shuffle::idx:
      find([](u32, u32 offset, u32 segment, u32 low) { return low | (offset & ~segment); });
      break;
  }
  permute(a, from, value);
  // A source must be here, and named by the mask of who reads it.
  const std::uint32_t here = w.mask;
  std::uint32_t absent = 0;
  for (int l = 0; l < kLanes; ++l) absent |= (here >> l & 1) & ~((members[l] & here) >> from[l]);
  if (__builtin_expect(absent & 1, 0)) {
    for (int l = 0; l < kLanes; ++l)
      if ((here >> l & 1) != 0 && (here & members[l] & (1u << from[l])) == 0)
        report_absent_source(s, i, l, static_cast<int>(from[l]));
  }
  const std::uint32_t ok_bits = sign_bits(in_range);
  store32<Full>(w, d, value);
  store_predicate<Full>(w, extra[0], ok_bits);
  return i + 1;
}

JUDGE_OP(vote) {
  WarpState& s = state(w);
  const auto* members = slot<std::uint32_t>(w, i->b);
  const Instr* next = nullptr;
  if (!gather_lanes(s, i, members, &next)) return next;
  const std::uint32_t value = *slot<std::uint32_t>(w, i->a) & w.mask;
  alignas(64) std::uint32_t result[kLanes];
  std::uint32_t bits = 0;
  const auto mode = static_cast<warpop::Vote>(i->aux);
  for (int l = 0; l < kLanes; ++l) {
    const std::uint32_t group = members[l] & w.mask, ballot = value & group;
    result[l] = ballot;
    bool yes = false;
    if (mode == warpop::Vote::all)
      yes = ballot == group;
    else if (mode == warpop::Vote::any)
      yes = ballot != 0;
    else
      yes = ballot == group || ballot == 0;
    bits |= static_cast<std::uint32_t>(yes) << l;
  }
  if (mode == warpop::Vote::ballot)
    store32<Full>(w, slot<std::uint32_t>(w, i->d), result);
  else
    store_predicate<Full>(w, i->d, bits);
  return i + 1;
}

namespace {

// equal[l]: the lanes named by l's mask whose value equals l's.
inline void matches(Warp& w, const Instr* i, const std::uint32_t* members, std::uint32_t* equal) {
  for (int l = 0; l < kLanes; ++l) {
    std::uint32_t bits = 0;
    for (int o = 0; o < kLanes; ++o) {
      const bool same = i->aux != 0 ? slot<std::uint64_t>(w, i->a)[l] == slot<std::uint64_t>(w, i->a)[o]
                                    : slot<std::uint32_t>(w, i->a)[l] == slot<std::uint32_t>(w, i->a)[o];
      bits |= static_cast<std::uint32_t>(same) << o;
    }
    equal[l] = bits & members[l] & w.mask;
  }
}

}  // namespace

JUDGE_OP(match_any) {
  const auto* members = slot<std::uint32_t>(w, i->b);
  const Instr* next = nullptr;
  if (!gather_lanes(state(w), i, members, &next)) return next;
  alignas(64) std::uint32_t equal[kLanes];
  matches(w, i, members, equal);
  store32<Full>(w, slot<std::uint32_t>(w, i->d), equal);
  return i + 1;
}

JUDGE_OP(match_all) {
  const auto* members = slot<std::uint32_t>(w, i->b);
  const Instr* next = nullptr;
  if (!gather_lanes(state(w), i, members, &next)) return next;
  alignas(64) std::uint32_t equal[kLanes];
  matches(w, i, members, equal);
  std::uint32_t bits = 0;
  for (int l = 0; l < kLanes; ++l) {
    const bool all = equal[l] == (members[l] & w.mask);
    bits |= static_cast<std::uint32_t>(all) << l;
    if (!all) equal[l] = 0;
  }
  store32<Full>(w, slot<std::uint32_t>(w, i->d), equal);
  store_predicate<Full>(w, i->c, bits);
  return i + 1;
}

JUDGE_OP(redux) {
  const auto* members = slot<std::uint32_t>(w, i->b);
  const Instr* next = nullptr;
  if (!gather_lanes(state(w), i, members, &next)) return next;
  const auto* a = slot<std::uint32_t>(w, i->a);
  alignas(64) std::uint32_t result[kLanes] = {};
  for (int l = 0; l < kLanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    const std::uint32_t group = same_members(members, w.mask, l);
    bool first = true;
    std::uint32_t x = 0;
    for (int o = 0; o < kLanes; ++o) {
      if ((group >> o & 1) == 0) continue;
      const std::uint32_t y = a[o];
      if (first) {
        x = y;
        first = false;
        continue;
      }
      switch (static_cast<warpop::Redux>(i->aux)) {
        case warpop::Redux::add:
          x += y;
          break;
        case warpop::Redux::min_u:
          x = y < x ? y : x;
          break;
        case warpop::Redux::max_u:
          x = y > x ? y : x;
          break;
        case warpop::Redux::min_s:
          x = static_cast<std::int32_t>(y) < static_cast<std::int32_t>(x) ? y : x;
          break;
        case warpop::Redux::max_s:
          x = static_cast<std::int32_t>(y) > static_cast<std::int32_t>(x) ? y : x;
          break;
        case warpop::Redux::and_:
          x &= y;
          break;
        case warpop::Redux::or_:
          x |= y;
          break;
        case warpop::Redux::xor_:
          x ^= y;
          break;
      }
    }
    result[l] = x;
  }
  store32<Full>(w, slot<std::uint32_t>(w, i->d), result);
  return i + 1;
}

JUDGE_OP(activemask) {
  const std::uint32_t mask = w.mask;
  for_lanes<Full>(w, slot<std::uint32_t>(w, i->d), [=](int) { return mask; });
  return i + 1;
}

JUDGE_OP(bar_warp_sync) {
  WarpState& s = state(w);
  const Instr* next = nullptr;
  if (!gather_lanes(s, i, slot<std::uint32_t>(w, i->b), &next)) return next;
  begin_warp_epoch(s);
  return i + 1;
}

JUDGE_OP(elect) {
  WarpState& s = state(w);
  const auto* members = slot<std::uint32_t>(w, i->b);
  const Instr* next = nullptr;
  if (!gather_lanes(s, i, members, &next)) return next;
  alignas(64) std::uint32_t leader[kLanes];
  std::uint32_t bits = 0;
  for (int l = 0; l < kLanes; ++l) {
    const std::uint32_t group = members[l] & w.mask;
    leader[l] = group != 0 ? static_cast<std::uint32_t>(__builtin_ctz(group)) : 0;
    bits |= static_cast<std::uint32_t>(leader[l] == static_cast<std::uint32_t>(l)) << l;
  }
  store32<Full>(w, slot<std::uint32_t>(w, i->d), leader);
  store_predicate<Full>(w, i->c, bits);
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
