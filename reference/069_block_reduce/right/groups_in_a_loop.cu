// A fixed grid of blocks of 128 threads, dynamic shared memory, loads of four floats where four fit.

constexpr int kGroup = 1024;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  extern __shared__ float partial[];
  const int t = threadIdx.x;
  for (int group = blockIdx.x; group * kGroup < n; group += gridDim.x) {
    const float* const from = x + group * kGroup;
    const int count = min(kGroup, n - group * kGroup);
    float sum = 0.0f;
    for (int v = t; v < count / 4; v += blockDim.x) {
      const float4 four = reinterpret_cast<const float4*>(from)[v];
      sum += four.x + four.y + (four.z + four.w);
    }
    const int rest = count / 4 * 4 + t;
    if (rest < count) sum += from[rest];
    partial[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half >= 32; half /= 2) {
      if (t < half) partial[t] += partial[t + half];
      __syncthreads();
    }
    if (t < 32) {
      for (int half = 16; half > 0; half /= 2) {
        const float both = partial[t] + partial[t + half];
        __syncwarp();
        partial[t] = both;
        __syncwarp();
      }
      if (t == 0) sums[group] = partial[0];
    }
    __syncthreads();  // nobody may overwrite the partial sums that others still read
  }
}

void block_reduce(const float* x, float* sums, int n) {
  const int groups = (n + kGroup - 1) / kGroup;
  block_reduce_kernel<<<min(groups, 160), 128, 128 * sizeof(float)>>>(x, sums, n);
}
