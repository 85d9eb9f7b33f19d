// expect: requirement_not_met
// Right, with the tree of exercise 69: a kilobyte of shared memory, and every value goes through it.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ float partial[kThreads];
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
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, maxima, n);
}
