#pragma once
// Texture fetches and surface accesses of one warp. texture.cpp.

#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

// All return the next instruction, nullptr after a fault that ends the kernel.
const Instr* texture_fetch(WarpState& w, const Instr* i);
const Instr* surface_load(WarpState& w, const Instr* i);
const Instr* surface_store(WarpState& w, const Instr* i);
const Instr* texture_query(WarpState& w, const Instr* i);

}  // namespace judge::emulator
