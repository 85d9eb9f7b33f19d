// The dispatch table of one instruction set: built once per instruction set, like the handlers it lists.

#include "judge/emulator/exec/state.h"

namespace judge::emulator::JUDGE_ISA {

#define OP(name)                                     \
  const Instr* name##_full(Warp& w, const Instr* i); \
  const Instr* name##_masked(Warp& w, const Instr* i);
#include "judge/emulator/exec/opcodes.def"
#undef OP

extern const OpHandlers table[];
const OpHandlers table[] = {
#define OP(name) {#name, &name##_full, &name##_masked},
#include "judge/emulator/exec/opcodes.def"
#undef OP
};

}  // namespace judge::emulator::JUDGE_ISA
