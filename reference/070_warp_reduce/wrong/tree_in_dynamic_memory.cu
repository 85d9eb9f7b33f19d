// expect: requirement_not_met
// Right, and the tree is hidden from the static budget in dynamic shared memory.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  extern __shared__ float partial[];
  const int t = threadIdx.x;
  const int end = min(static_cast<int>((blockIdx.x + 1) * kGroup), n);
  float largest = -INFINITY;
  for (int i = blockIdx.x * kGroup + t; i < end; i += kThreads) largest = fmaxf(largest, x[i]);
  partial[t] = largest;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) partial[t] = fmaxf(partial[t], partial[t + half]);
    __syncthreads();
  }
  if (t == 0) maxima[blockIdx.x] = partial[0];
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads, kThreads * sizeof(float)>>>(x, maxima, n);
}
