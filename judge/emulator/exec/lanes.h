#pragma once
// Lane-wise loops and masks for one instruction set (JUDGE_ISA). Included only by exec/ops_*.cpp, which are compiled
// once per instruction set; everything here is local to the translation unit, so that no AVX-512 code leaks into
// another build.

#include <bit>
#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "judge/emulator/exec/state.h"

// JUDGE_OP(name) { …; return i + 1; } defines the two handlers of Op::name, `name_full` and `name_masked`, in namespace
// judge::emulator::JUDGE_ISA, where op_table_isa.cpp finds them. The body is a template over `bool Full`; it sees the
// warp as `w` and the instruction as `i`. Use it inside `namespace judge::emulator::JUDGE_ISA { … }`.
#define JUDGE_OP(name)                                                                     \
  template <bool Full>                                                                     \
  [[gnu::always_inline]] static inline const Instr* name##_lanes(Warp& w, const Instr* i); \
  const Instr* name##_full(Warp& w, const Instr* i) {                                      \
    return name##_lanes<true>(w, i);                                                       \
  }                                                                                        \
  const Instr* name##_masked(Warp& w, const Instr* i) {                                    \
    return name##_lanes<false>(w, i);                                                      \
  }                                                                                        \
  template <bool Full>                                                                     \
  [[gnu::always_inline]] static inline const Instr* name##_lanes([[maybe_unused]] Warp& w, \
                                                                 [[maybe_unused]] const Instr* i)

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
  if constexpr (Full)
    *p = bits;
  else
    *p = (*p & ~w.mask) | (bits & w.mask);
}

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

// The 32 lanes of a register slot; not for predicates, which are 4 bytes anywhere.
template <class T>
[[gnu::always_inline]] inline T* lanes(LaneState& w, Slot s) {
  return static_cast<T*>(__builtin_assume_aligned(w.base[s & kPoolBit] + (s & ~kPoolBit), 64));
}

[[gnu::always_inline]] inline u32* predicate(LaneState& w, Slot s) {
  return reinterpret_cast<u32*>(w.base[s & kPoolBit] + (s & ~kPoolBit));
}

// d[l] = f(l) in the active lanes. Operands are whole slots: a source is `d` itself or disjoint from it, hence ivdep.
template <bool Full, class D, class F>
[[gnu::always_inline]] inline void for_lanes(LaneState& w, D* d, F f) {
  if constexpr (Full) {
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) d[l] = f(l);
  } else {
    const u32* m = w.lanes.lane;
#pragma GCC ivdep
    for (int l = 0; l < kLanes; ++l) {
      const D value = f(l);
      d[l] = m[l] ? value : d[l];
    }
  }
}

template <bool Full, class D, class A, class F>
[[gnu::always_inline]] inline const Instr* map(LaneState& w, const Instr* i, F f) {
  const A* a = lanes<A>(w, i->a);
  for_lanes<Full>(w, lanes<D>(w, i->d), [=](int l) { return static_cast<D>(f(a[l])); });
  return i + 1;
}

template <bool Full, class D, class A, class B, class F>
[[gnu::always_inline]] inline const Instr* map(LaneState& w, const Instr* i, F f) {
  const A* a = lanes<A>(w, i->a);
  const B* b = lanes<B>(w, i->b);
  for_lanes<Full>(w, lanes<D>(w, i->d), [=](int l) { return static_cast<D>(f(a[l], b[l])); });
  return i + 1;
}

template <bool Full, class D, class A, class B, class C, class F>
[[gnu::always_inline]] inline const Instr* map(LaneState& w, const Instr* i, F f) {
  const A* a = lanes<A>(w, i->a);
  const B* b = lanes<B>(w, i->b);
  const C* c = lanes<C>(w, i->c);
  for_lanes<Full>(w, lanes<D>(w, i->d), [=](int l) { return static_cast<D>(f(a[l], b[l], c[l])); });
  return i + 1;
}

// One operation per line: the element types of d, a, b, c as read from their slots, then d's value for one lane.
#define JUDGE_UNARY(name, D, A, ...)                               \
  JUDGE_OP(name) {                                                 \
    return map<Full, D, A>(w, i, [](A a) { return __VA_ARGS__; }); \
  }
#define JUDGE_BINARY(name, D, A, B, ...)                                   \
  JUDGE_OP(name) {                                                         \
    return map<Full, D, A, B>(w, i, [](A a, B b) { return __VA_ARGS__; }); \
  }
#define JUDGE_TERNARY(name, D, A, B, C, ...)                                       \
  JUDGE_OP(name) {                                                                 \
    return map<Full, D, A, B, C>(w, i, [](A a, B b, C c) { return __VA_ARGS__; }); \
  }

// A 16-bit value as a signed one.
[[gnu::always_inline]] inline s32 sx16(u32 x) {
  return static_cast<s16>(x);
}

[[gnu::always_inline]] inline u32 bits_of(f32 x) {
  return __builtin_bit_cast(u32, x);
}
[[gnu::always_inline]] inline u64 bits_of(f64 x) {
  return __builtin_bit_cast(u64, x);
}
[[gnu::always_inline]] inline f32 f32_of(u32 bits) {
  return __builtin_bit_cast(f32, bits);
}
[[gnu::always_inline]] inline f64 f64_of(u64 bits) {
  return __builtin_bit_cast(f64, bits);
}

// condition ? a : b without a branch, where GCC would otherwise make one and not vectorise.
template <class T>
[[gnu::always_inline]] inline T choose(bool condition, T a, T b) {
  const T mask = T{0} - static_cast<T>(condition);
  return (a & mask) | (b & ~mask);
}

// PTX ISA, "Floating-Point Instructions": a single-precision NaN result is 0x7fffffff; payloads are not kept.
[[gnu::always_inline]] inline f32 canonical(f32 x) {
  return x == x ? x : f32_of(0x7fffffffu);
}

// .ftz: a subnormal becomes zero of the same sign.
[[gnu::always_inline]] inline f32 flush(f32 x) {
  const u32 bits = bits_of(x);
  return f32_of((bits & 0x7f800000u) ? bits : bits & 0x80000000u);
}

}  // namespace
}  // namespace judge::emulator
