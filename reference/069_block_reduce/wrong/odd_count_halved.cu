// expect: wrong_answer
// The tree begins with as many sums as there are elements; half of an odd number loses one.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;
constexpr int kWarp = 32;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * kGroup;
  const int end = min(first + kGroup, n);

  float sum = 0.0f;
  for (int i = first + t; i < end; i += kThreads) sum += x[i];
  partial[t] = sum;
  __syncthreads();

  // The first half of the threads adds what the second half has: whole warps drop out, and lanes use neighbouring
  // words.
  for (int half = min(kThreads, end - first) / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }

  if (t < kWarp) {
    if (t == 0) sums[blockIdx.x] = partial[0];
  }
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
