// expect: requirement_not_met
// Right, but thread 0 adds up the 256 partial sums while the others wait.

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

  if (t == 0) {
    for (int i = 1; i < kThreads; ++i) sum += partial[i];
    sums[blockIdx.x] = sum;
  }
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
