// expect: requirement_not_met
// Right, but every thread adds its part to the result in global memory: the threads of a group queue for one word.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  const int t = threadIdx.x;
  const int first = blockIdx.x * kGroup;
  const int end = min(first + kGroup, n);

  float sum = 0.0f;
  for (int i = first + t; i < end; i += kThreads) sum += x[i];
  atomicAdd(&sums[blockIdx.x], sum);
}

void block_reduce(const float* x, float* sums, int n) {
  cudaMemset(sums, 0, (n + kGroup - 1) / kGroup * sizeof(float));
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
