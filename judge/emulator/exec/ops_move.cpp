// mov: copies, packing and unpacking (PTX ISA, "mov"; the second form builds and takes apart vectors of scalars).

#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

JUDGE_UNARY(mov_b32, u32, u32, a)
JUDGE_UNARY(mov_b64, u64, u64, a)

JUDGE_OP(mov_pred) {
  store_predicate<Full>(w, i->d, *predicate(w, i->a));
  return i + 1;
}

// a is the least significant part.
JUDGE_BINARY(pack_b16, u32, u32, u32, (a & 0xffu) | (b & 0xffu) << 8)
JUDGE_BINARY(pack_b32, u32, u32, u32, (a & 0xffffu) | b << 16)
JUDGE_BINARY(pack_b64, u64, u32, u32, u64{a} | u64{b} << 32)
JUDGE_UNARY(low_b16, u32, u32, a & 0xffu)
JUDGE_UNARY(high_b16, u32, u32, a >> 8 & 0xffu)
JUDGE_UNARY(low_b32, u32, u32, a & 0xffffu)
JUDGE_UNARY(high_b32, u32, u32, a >> 16)
JUDGE_UNARY(low_b64, u32, u64, static_cast<u32>(a))
JUDGE_UNARY(high_b64, u32, u64, static_cast<u32>(a >> 32))

}  // namespace judge::emulator::JUDGE_ISA
