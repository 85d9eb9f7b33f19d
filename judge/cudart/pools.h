#pragma once
// The books of memory pools. Memory itself comes from and goes back to the device at each call; a pool only says what a
// program may ask it: how much is in use, how much is held back.

#include "judge/cudart/api_call.h"

namespace judge::cudart {

void forget_pool_memory(const void* address);  // it was freed
void trim_pools();                             // the program waited: what exceeds the release threshold goes back
void clear_pools();                            // cudaDeviceReset

}  // namespace judge::cudart
