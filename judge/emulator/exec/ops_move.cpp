// mov between registers of one width.

#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

JUDGE_OP(mov_b32) {
  store32<Full>(w, slot<std::uint32_t>(w, i->d), slot<std::uint32_t>(w, i->a));
  return i + 1;
}

JUDGE_OP(mov_b64) {
  store64<Full>(w, slot<std::uint64_t>(w, i->d), slot<std::uint64_t>(w, i->a));
  return i + 1;
}

}  // namespace judge::emulator::JUDGE_ISA
