// Fixed grids of 128 threads: each block works through several groups, each thread through several elements.

__device__ void reverse_groups(float* x, int n, int width, float* group) {
  const int groups = (n + width - 1) / width;
  for (int g = blockIdx.x; g < groups; g += gridDim.x) {
    float* const first = x + static_cast<size_t>(g) * width;
    const int count = min(width, n - g * width);
    for (int t = threadIdx.x; t < count; t += blockDim.x) group[t] = first[t];
    __syncthreads();
    for (int t = threadIdx.x; t < count; t += blockDim.x) first[t] = group[count - 1 - t];
    __syncthreads();  // nobody may overwrite the group that others still read
  }
}

__global__ void reverse_fixed(float* a, int n) {
  __shared__ float group[256];
  reverse_groups(a, n, 256, group);
}

__global__ void reverse_any(float* b, int n, int width) {
  extern __shared__ float dynamic_group[];
  reverse_groups(b, n, width, dynamic_group);
}

void block_reverse(float* a, float* b, int n, int width) {
  const size_t bytes = sizeof(float) * width;
  reverse_any<<<64, 128, bytes>>>(b, n, width);
  reverse_fixed<<<64, 128>>>(a, n);
}
