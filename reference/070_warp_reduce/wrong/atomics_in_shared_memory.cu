// expect: requirement_not_met
// Right: floats turned into integers of the same order, and atomicMax on one word of shared memory. (The compiler
// combines a warp's atomics on one word first, so that there are not even conflicts; what it does there is what one is
// to learn here.)

constexpr int kGroup = 1024;
constexpr int kThreads = 256;

// Integers that compare as the floats do.
__device__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = ordered(-INFINITY);
  __syncthreads();
  const int end = min(static_cast<int>((blockIdx.x + 1) * kGroup), n);
  for (int i = blockIdx.x * kGroup + threadIdx.x; i < end; i += kThreads) atomicMax(&best, ordered(x[i]));
  __syncthreads();
  if (threadIdx.x == 0) maxima[blockIdx.x] = __int_as_float(ordered(__int_as_float(best)));
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, maxima, n);
}
