// expect: requirement_not_met
// Right, but each thread adds up four elements in a row: the lanes read elements that lie 16 bytes apart.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;
constexpr int kWarp = 32;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * kGroup;
  const int end = min(first + kGroup, n);

  float sum = 0.0f;
  for (int i = first + 4 * t; i < min(first + 4 * t + 4, end); ++i) sum += x[i];
  partial[t] = sum;
  __syncthreads();

  // The first half of the threads adds what the second half has: whole warps drop out, and lanes use neighbouring
  // words.
  for (int half = kThreads / 2; half >= kWarp; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }

  // 32 sums are left, for one warp. All its lanes take part in every step; beyond lane `half` the result is never used.
  if (t < kWarp) {
    for (int half = kWarp / 2; half > 0; half /= 2) {
      const float other = partial[t + half];
      __syncwarp();
      partial[t] += other;
      __syncwarp();
    }
    if (t == 0) sums[blockIdx.x] = partial[0];
  }
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
