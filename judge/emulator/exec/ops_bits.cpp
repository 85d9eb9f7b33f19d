// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions", and popc … szext of "Integer Arithmetic").

#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

JUDGE_BINARY(and_b32, u32, u32, u32, a& b)
JUDGE_BINARY(or_b32, u32, u32, u32, a | b)
JUDGE_BINARY(xor_b32, u32, u32, u32, a ^ b)
JUDGE_BINARY(and_b64, u64, u64, u64, a& b)
JUDGE_BINARY(or_b64, u64, u64, u64, a | b)
JUDGE_BINARY(xor_b64, u64, u64, u64, a ^ b)
JUDGE_UNARY(not_b16, u32, u32, ~a & 0xffffu)
JUDGE_UNARY(not_b32, u32, u32, ~a)
JUDGE_UNARY(not_b64, u64, u64, ~a)
JUDGE_UNARY(cnot_b32, u32, u32, a == 0 ? 1u : 0u)
JUDGE_UNARY(cnot_b64, u64, u64, a == 0 ? u64{1} : u64{0})

JUDGE_OP(and_pred) {
  store_predicate<Full>(w, i->d, *predicate(w, i->a) & *predicate(w, i->b));
  return i + 1;
}
JUDGE_OP(or_pred) {
  store_predicate<Full>(w, i->d, *predicate(w, i->a) | *predicate(w, i->b));
  return i + 1;
}
JUDGE_OP(xor_pred) {
  store_predicate<Full>(w, i->d, *predicate(w, i->a) ^ *predicate(w, i->b));
  return i + 1;
}
JUDGE_OP(not_pred) {
  store_predicate<Full>(w, i->d, ~*predicate(w, i->a));
  return i + 1;
}

// Shift amounts are unsigned 32-bit values, clamped to the width ("shl", "shr").
JUDGE_BINARY(shl_b16, u32, u32, u32, b > 15 ? 0u : (a << (b & 15)) & 0xffffu)
JUDGE_BINARY(shl_b32, u32, u32, u32, b > 31 ? 0u : a << (b & 31))
JUDGE_BINARY(shl_b64, u64, u64, u32, b > 63 ? u64{0} : a << (b & 63))
JUDGE_BINARY(shr_u16, u32, u32, u32, b > 15 ? 0u : (a & 0xffffu) >> (b & 15))
JUDGE_BINARY(shr_u32, u32, u32, u32, b > 31 ? 0u : a >> (b & 31))
JUDGE_BINARY(shr_u64, u64, u64, u32, b > 63 ? u64{0} : a >> (b & 63))
JUDGE_BINARY(shr_s16, u32, u32, u32, static_cast<u32>(sx16(a) >> (b > 15 ? 15u : b)) & 0xffffu)
JUDGE_BINARY(shr_s32, s32, s32, u32, a >> (b > 31 ? 31u : b))
JUDGE_BINARY(shr_s64, s64, s64, u32, a >> (b > 63 ? 63u : b))

// shf: a is the low word, b the high word of the pair.
[[gnu::always_inline]] static inline u32 funnel_left(u32 low, u32 high, u32 n) {
  return static_cast<u32>((u64{high} << 32 | low) << n >> 32);
}
[[gnu::always_inline]] static inline u32 funnel_right(u32 low, u32 high, u32 n) {
  return static_cast<u32>((u64{high} << 32 | low) >> n);
}
JUDGE_TERNARY(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
JUDGE_TERNARY(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))
JUDGE_TERNARY(shf_l_clamp, u32, u32, u32, u32, funnel_left(a, b, c > 32 ? 32 : c))
JUDGE_TERNARY(shf_r_clamp, u32, u32, u32, u32, funnel_right(a, b, c > 32 ? 32 : c))

// aux: the truth table, bit (a << 2 | b << 1 | c). The frequent tables are spelled out; the rest are sums of minterms.
[[gnu::always_inline]] static inline u32 minterm(u32 table, int k, u32 a, u32 b, u32 c) {
  return (table >> k & 1 ? ~0u : 0u) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
}
JUDGE_OP(lop3_b32) {
  const u32 table = i->aux;
  return map<Full, u32, u32, u32, u32>(w, i, [=](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (int k = 0; k < 8; ++k) r |= minterm(table, k, a, b, c);
    return r;
  });
}

[[gnu::always_inline]] static inline u32 popcount(u32 x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  // Not the usual multiplication: GCC would recognise the idiom and count one lane at a time.
  x += x >> 8;
  return (x + (x >> 16)) & 0x3fu;
}
// Ones from the highest set bit down.
[[gnu::always_inline]] static inline u32 smear(u32 x) {
  x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16;
  return x;
}
[[gnu::always_inline]] static inline u64 smear(u64 x) {
  x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16, x |= x >> 32;
  return x;
}
[[gnu::always_inline]] static inline u32 popcount(u64 x) {
  return popcount(static_cast<u32>(x)) + popcount(static_cast<u32>(x >> 32));
}
JUDGE_UNARY(popc_b32, u32, u32, popcount(a))
JUDGE_UNARY(popc_b64, u32, u64, popcount(a))
JUDGE_UNARY(clz_b32, u32, u32, 32u - popcount(smear(a)))
JUDGE_UNARY(clz_b64, u32, u64, 64u - popcount(smear(a)))

// bfind: position of the highest bit that is not a copy of the sign; all ones when there is none.
JUDGE_UNARY(bfind_u32, u32, u32, popcount(smear(a)) - 1u)
JUDGE_UNARY(bfind_u64, u32, u64, popcount(smear(a)) - 1u)
JUDGE_UNARY(bfind_s32, u32, u32, popcount(smear(a >> 31 ? ~a : a)) - 1u)
JUDGE_UNARY(bfind_s64, u32, u64, popcount(smear(a >> 63 ? ~a : a)) - 1u)
// .shiftamt: the left shift that brings that bit to the top.
JUDGE_UNARY(bfind_shift_u32, u32, u32, a ? 32u - popcount(smear(a)) : ~0u)
JUDGE_UNARY(bfind_shift_u64, u32, u64, a ? 64u - popcount(smear(a)) : ~0u)
JUDGE_UNARY(bfind_shift_s32, u32, u32, (a >> 31 ? ~a : a) ? 32u - popcount(smear(a >> 31 ? ~a : a)) : ~0u)
JUDGE_UNARY(bfind_shift_s64, u32, u64, (a >> 63 ? ~a : a) ? 64u - popcount(smear(a >> 63 ? ~a : a)) : ~0u)

[[gnu::always_inline]] static inline u32 reverse(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return x >> 24 | (x >> 8 & 0xff00u) | (x & 0xff00u) << 8 | x << 24;
}
JUDGE_UNARY(brev_b32, u32, u32, reverse(a))
JUDGE_UNARY(brev_b64, u64, u64, u64{reverse(static_cast<u32>(a))} << 32 | reverse(static_cast<u32>(a >> 32)))

// fns: the |n|-th set bit from `base` upwards (n > 0) or downwards (n < 0); n = 0: base itself when set.
[[gnu::always_inline]] static inline u32 nth_set(u32 mask, u32 base, s32 n) {
  if (base > 31) return ~0u;
  if (n == 0) return mask >> base & 1 ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  u32 left = n > 0 ? static_cast<u32>(n) : 0u - static_cast<u32>(n);
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) && --left == 0) return static_cast<u32>(at);
  }
  return ~0u;
}
JUDGE_TERNARY(fns_b32, u32, u32, u32, s32, nth_set(a, b, c))

// Bit fields: position and length are taken modulo 256. A field that reaches beyond the register is filled with zeros,
// or with the sign: its top bit, or the register's where the field is cut ("bfe").
template <class T>
[[gnu::always_inline]] static inline T field(T a, u32 position, u32 length, bool is_signed) {
  constexpr u32 kBits = sizeof(T) * 8;
  position &= 255u, length &= 255u;
  const u32 last = position + length - 1 > kBits - 1 ? kBits - 1 : position + length - 1;
  const bool sign = is_signed && length != 0 && (a >> last & 1);
  const T moved = position >= kBits ? T{0} : static_cast<T>(a >> (position & (kBits - 1)));
  // Bits of the result that come from the register: those below the length and within it.
  const u32 within = position >= kBits ? 0 : kBits - position;
  const u32 count = length < within ? length : within;
  const T keep = count >= kBits ? ~T{0} : static_cast<T>((T{1} << (count & (kBits - 1))) - 1);
  return (moved & keep) | (sign ? static_cast<T>(~keep) : T{0});
}
JUDGE_TERNARY(bfe_u32, u32, u32, u32, u32, field<u32>(a, b, c, false))
JUDGE_TERNARY(bfe_s32, u32, u32, u32, u32, field<u32>(a, b, c, true))
JUDGE_TERNARY(bfe_u64, u64, u64, u32, u32, field<u64>(a, b, c, false))
JUDGE_TERNARY(bfe_s64, u64, u64, u32, u32, field<u64>(a, b, c, true))

// Ones at [position, position + length), both below 256.
template <class T>
[[gnu::always_inline]] static inline T span(u32 position, u32 length) {
  constexpr u32 kBits = sizeof(T) * 8;
  const T ones = length >= kBits ? ~T{0} : static_cast<T>((T{1} << (length & (kBits - 1))) - 1);
  return position >= kBits ? T{0} : static_cast<T>(ones << (position & (kBits - 1)));
}
// bfi f, a, b, position, length: the length (imm holds its slot) is the fifth operand.
template <bool Full, class T>
[[gnu::always_inline]] static inline const Instr* insert(Warp& w, const Instr* i) {
  const T *a = lanes<T>(w, i->a), *b = lanes<T>(w, i->b);
  const u32 *position = lanes<u32>(w, i->c), *length = lanes<u32>(w, static_cast<Slot>(i->imm));
  for_lanes<Full>(w, lanes<T>(w, i->d), [=](int l) {
    const u32 at = position[l] & 255u;
    const T mask = span<T>(at, length[l] & 255u);
    return static_cast<T>((b[l] & ~mask) |
                          ((at >= sizeof(T) * 8 ? T{0} : static_cast<T>(a[l] << (at & (sizeof(T) * 8 - 1)))) & mask));
  });
  return i + 1;
}
JUDGE_OP(bfi_b32) {
  return insert<Full, u32>(w, i);
}
JUDGE_OP(bfi_b64) {
  return insert<Full, u64>(w, i);
}

JUDGE_BINARY(bmsk_clamp, u32, u32, u32, span<u32>(a, b))
JUDGE_BINARY(bmsk_wrap, u32, u32, u32, span<u32>(a & 31, b & 31))

// szext: extends from bit n - 1. Clamped: n > 31 keeps a; wrapped: n modulo 32. n = 0 gives 0.
[[gnu::always_inline]] static inline u32 extend_from(u32 a, u32 n, bool is_signed) {
  const u32 keep = span<u32>(0, n);
  const u32 sign = n ? a >> ((n - 1) & 31) & 1 : 0;
  return (a & keep) | (is_signed && sign ? ~keep : 0u);
}
JUDGE_BINARY(szext_clamp_u32, u32, u32, u32, extend_from(a, b > 32 ? 32 : b, false))
JUDGE_BINARY(szext_clamp_s32, u32, u32, u32, extend_from(a, b > 32 ? 32 : b, true))
JUDGE_BINARY(szext_wrap_u32, u32, u32, u32, extend_from(a, b & 31, false))
JUDGE_BINARY(szext_wrap_s32, u32, u32, u32, extend_from(a, b & 31, true))

// prmt: each nibble of the selector picks a byte of {b, a}; its top bit replicates that byte's sign instead.
[[gnu::always_inline]] static inline u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 r = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 pick = selector >> (4 * k) & 15;
    const u32 byte = static_cast<u32>(bytes >> ((pick & 7) * 8)) & 0xffu;
    r |= (pick & 8 ? (byte & 0x80u ? 0xffu : 0u) : byte) << (8 * k);
  }
  return r;
}
JUDGE_TERNARY(prmt_b32, u32, u32, u32, u32, permute(a, b, c))
// The named modes are selectors that depend on bits 1:0 of c; aux holds the table, 16 bits a row ("prmt", modes).
JUDGE_OP(prmt_mode) {
  const u64 table = i->imm;
  return map<Full, u32, u32, u32, u32>(
      w, i, [=](u32 a, u32 b, u32 c) { return permute(a, b, static_cast<u32>(table >> ((c & 3) * 16)) & 0xffffu); });
}

}  // namespace judge::emulator::JUDGE_ISA
