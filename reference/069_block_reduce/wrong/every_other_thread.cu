// expect: requirement_not_met
// Right, but in step s the threads with t % 2s == 0 work: in every warp a few lanes, and all warps to the end.

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

  for (int s = 1; s < kThreads; s *= 2) {
    if (t % (2 * s) == 0) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
