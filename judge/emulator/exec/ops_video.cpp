// SIMD video instructions: two halves or four bytes of a register at once (PTX ISA, "SIMD Video Instructions").

#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/video_operand.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

using video::Comparison;
using video::Operation;

[[gnu::always_inline]] inline s32 part_of(u32 x, u32 at, u32 bits, bool is_signed) {
  const u32 high = x << (32 - bits - at);
  return is_signed ? static_cast<s32>(high) >> (32 - bits) : static_cast<s32>(high >> (32 - bits));
}

[[gnu::always_inline]] inline bool holds(Comparison c, s32 a, s32 b) {
  switch (c) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a != b;
    case Comparison::lt:
      return a < b;
    case Comparison::le:
      return a <= b;
    case Comparison::gt:
      return a > b;
    default:
      return a >= b;
  }
}

[[gnu::always_inline]] inline s32 combine(u32 aux, s32 a, s32 b) {
  switch (static_cast<Operation>(aux & video::kOperationMask)) {
    case Operation::add:
      return a + b;
    case Operation::sub:
      return a - b;
    case Operation::avrg:  // rounded away from zero upwards only
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Operation::absdiff:
      return a > b ? a - b : b - a;
    case Operation::min:
      return a < b ? a : b;
    case Operation::max:
      return a > b ? a : b;
    default:
      return holds(static_cast<Comparison>(aux >> video::kComparisonShift & 7), a, b) ? 1 : 0;
  }
}

}  // namespace

JUDGE_OP(video_simd) {
  const u32 aux = i->aux, bits = (aux & video::kBytes) != 0 ? 8 : 16;
  const bool accumulates = (aux & video::kAccumulate) != 0;
  const s32 low = (aux & video::kSignedD) != 0 ? -(1 << (bits - 1)) : 0;
  const s32 high = low + static_cast<s32>((1u << bits) - 1);
  return map<Full, u32, u32, u32, u32>(w, i, [=](u32 a, u32 b, u32 c) {
    u32 d = accumulates ? c : 0;
    for (u32 at = 0; at < 32; at += bits) {
      s32 t = combine(aux, part_of(a, at, bits, (aux & video::kSignedA) != 0),
                      part_of(b, at, bits, (aux & video::kSignedB) != 0));
      if ((aux & video::kSaturate) != 0) t = t < low ? low : t > high ? high : t;
      d = accumulates ? d + static_cast<u32>(t) : d | (static_cast<u32>(t) & ((1u << bits) - 1)) << at;
    }
    return d;
  });
}

}  // namespace judge::emulator::JUDGE_ISA
