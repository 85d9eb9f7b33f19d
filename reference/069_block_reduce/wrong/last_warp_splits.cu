// expect: requirement_not_met
// Right, and in whole warps down to 32 sums; the last five steps split the first warp again and again.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * kGroup;
  const int end = min(first + kGroup, n);

  float sum = 0.0f;
  for (int i = first + t; i < end; i += kThreads) sum += x[i];
  partial[t] = sum;
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) {
      const float other = partial[t + half];
      partial[t] += other;
    }
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
