#pragma once
// Matrices between memory and the registers of a warp. matrix_access.cpp.

#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

// Whether the whole warp is at this `.aligned` instruction; otherwise its group is made to wait for the rest, or the
// kernel dies because the rest can never come, and *next says how to go on.
bool gather_warp(WarpState& w, const Instr* i, const Instr** next);

const Instr* load_matrices(WarpState& w, const Instr* i);   // ldmatrix
const Instr* store_matrices(WarpState& w, const Instr* i);  // stmatrix
const Instr* load_fragment(WarpState& w, const Instr* i);   // wmma.load
const Instr* store_fragment(WarpState& w, const Instr* i);  // wmma.store

}  // namespace judge::emulator
