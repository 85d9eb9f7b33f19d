// Shuffles, votes, matches and reductions over a warp.
#include <cuda_fp16.h>

__global__ void warp_sum(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  const unsigned ballot = __ballot_sync(0xffffffffu, v > 1.0f);
  const unsigned same = __match_any_sync(0xffffffffu, i / 4);
  if (__any_sync(0xffffffffu, v < 0.0f) || __all_sync(0xffffffffu, v == 2.0f)) v = -v;
  if (threadIdx.x % warpSize == 0) y[i / warpSize] = v + __popc(ballot & same);
}

__global__ void half_axpy(__half a, const __half2* x, __half2* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}
