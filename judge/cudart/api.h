#pragma once
// The CUDA runtime's prototypes from the toolkit's own header, visible to the program; everything else here is hidden.

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

static_assert(CUDART_VERSION >= 13000, "libcudart.so.13 has the CUDA 13 interface: its headers must be of CUDA 13");

// With --default-stream per-thread, nvcc's objects call these names instead. Launches run to completion in launch order
// here, so the two default streams behave alike and the names are aliases.
#define JUDGE_PER_THREAD(function, suffix) \
  extern "C"                               \
      __attribute__((alias(#function), visibility("default"), copy(function))) decltype(function) function##suffix
