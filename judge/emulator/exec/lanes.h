#pragma once
// Lane-wise loops and masks for one instruction set (JUDGE_ISA). Included only by exec/ops_*.cpp, which are compiled once
// per instruction set; everything here is local to the translation unit, so that no AVX-512 code leaks into another build.

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "judge/emulator/exec/state.h"

// JUDGE_OP(name) { …; return i + 1; } defines the two handlers of Op::name, `name_full` and `name_masked`, in namespace
// judge::emulator::JUDGE_ISA, where op_table_isa.cpp finds them. The body is a template over `bool Full`; it sees the
// warp as `w` and the instruction as `i`. Use it inside `namespace judge::emulator::JUDGE_ISA { … }`.
#define JUDGE_OP(name)                                                                           \
  template <bool Full>                                                                           \
  [[gnu::always_inline]] static inline const Instr* name##_lanes(Warp& w, const Instr* i);       \
  const Instr* name##_full(Warp& w, const Instr* i) { return name##_lanes<true>(w, i); }         \
  const Instr* name##_masked(Warp& w, const Instr* i) { return name##_lanes<false>(w, i); }      \
  template <bool Full>                                                                           \
  [[gnu::always_inline]] static inline const Instr* name##_lanes([[maybe_unused]] Warp& w, const Instr* i)

namespace judge::emulator {
namespace {

// Bit l is the sign bit of x[l]. x: 64-byte aligned.
[[maybe_unused]] inline std::uint32_t sign_bits(const std::int32_t* x) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const std::uint32_t low = _mm512_movepi32_mask(_mm512_load_si512(x));
  const std::uint32_t high = _mm512_movepi32_mask(_mm512_load_si512(x + 16));
  return low | high << 16;
#elif defined(__AVX2__)
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i)
    bits |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(x) + 8 * i)))
            << (8 * i);
  return bits;
#elif defined(__SSE2__)
  std::uint32_t bits = 0;
  for (int i = 0; i < 8; ++i)
    bits |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(x) + 4 * i)))
            << (4 * i);
  return bits;
#else
  std::uint32_t bits = 0;
  for (int l = 0; l < kLanes; ++l) bits |= static_cast<std::uint32_t>(x[l] < 0) << l;
  return bits;
#endif
}

// out[l] = all ones where bit l is set. out: 64-byte aligned.
[[maybe_unused]] inline void expand_mask(std::uint32_t mask, std::uint32_t* out) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  _mm512_store_si512(out, _mm512_movm_epi32(static_cast<__mmask16>(mask)));
  _mm512_store_si512(out + 16, _mm512_movm_epi32(static_cast<__mmask16>(mask >> 16)));
#else
  for (int l = 0; l < kLanes; ++l) out[l] = (mask & (1u << l)) ? 0xffffffffu : 0u;
#endif
}

// d[l] = value where the lane is active. The masked form blends, so that the loop stays branch-free.
template <bool Full>
inline void store32(LaneState& w, std::uint32_t* d, const std::uint32_t* value) {
  if constexpr (Full) {
    for (int l = 0; l < kLanes; ++l) d[l] = value[l];
  } else {
    const std::uint32_t* m = w.lanes.lane;
    for (int l = 0; l < kLanes; ++l) d[l] = (value[l] & m[l]) | (d[l] & ~m[l]);
  }
}

template <bool Full>
inline void store64(LaneState& w, std::uint64_t* d, const std::uint64_t* value) {
  if constexpr (Full) {
    for (int l = 0; l < kLanes; ++l) d[l] = value[l];
  } else {
    const std::uint32_t* m = w.lanes.lane;
    for (int l = 0; l < kLanes; ++l) {
      const auto keep = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(m[l])));
      d[l] = (value[l] & keep) | (d[l] & ~keep);
    }
  }
}

template <bool Full>
inline void store_predicate(LaneState& w, Slot d, std::uint32_t bits) {
  auto* p = slot<std::uint32_t>(w, d);
  if constexpr (Full) *p = bits;
  else *p = (*p & ~w.mask) | (bits & w.mask);
}

}  // namespace
}  // namespace judge::emulator
