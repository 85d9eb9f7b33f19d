// 512 threads; a tree in shared memory down to 64 sums, shuffles for the rest.

constexpr int kGroup = 1024;

template <int kThreads>
__global__ void block_reduce_kernel(const float* __restrict__ x, float* __restrict__ sums, int n) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kGroup / kThreads; ++k) {
    const int i = blockIdx.x * kGroup + k * kThreads + t;
    sum += i < n ? x[i] : 0.0f;
  }
  partial[t] = sum;
  __syncthreads();
#pragma unroll
  for (int half = kThreads / 2; half >= 64; half /= 2) {
    if (t < half) partial[t] = sum = sum + partial[t + half];
    __syncthreads();
  }
  if (t >= 32) return;
  sum += partial[t + 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (t == 0) sums[blockIdx.x] = sum;
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<512><<<(n + kGroup - 1) / kGroup, 512>>>(x, sums, n);
}
