// Textures and surfaces: everything that matters happens lane by lane in texture.cpp, built once.

#include "judge/emulator/exec/lanes.h"
#include "judge/emulator/exec/texture.h"

namespace judge::emulator::JUDGE_ISA {

JUDGE_OP(tex) {
  return texture_fetch(state(w), i);
}
JUDGE_OP(suld) {
  return surface_load(state(w), i);
}
JUDGE_OP(sust) {
  return surface_store(state(w), i);
}
JUDGE_OP(txq) {
  return texture_query(state(w), i);
}

}  // namespace judge::emulator::JUDGE_ISA
