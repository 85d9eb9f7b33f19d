// expect: requirement_not_met
// Right, but each thread takes four elements in a row: the lanes of a warp read elements that lie 16 bytes apart.

constexpr int kFixed = 256;

// Reverses the block's group of `width` elements, or what the array has of it. `group` is shared memory for all of it.
__device__ void reverse_group(float* x, int n, int width, float* group) {
  const int first = blockIdx.x * width;
  const int count = min(width, n - first);
  const int t = threadIdx.x;
  for (int e = 4 * t; e < min(4 * t + 4, count); ++e) group[e] = x[first + e];
  __syncthreads();
  for (int e = 4 * t; e < min(4 * t + 4, count); ++e) x[first + e] = group[count - 1 - e];
}

__global__ void reverse_fixed(float* a, int n) {
  __shared__ float group[kFixed];
  reverse_group(a, n, kFixed, group);
}

__global__ void reverse_any(float* b, int n, int width) {
  extern __shared__ float group[];
  reverse_group(b, n, width, group);
}

void block_reverse(float* a, float* b, int n, int width) {
  reverse_fixed<<<(n + kFixed - 1) / kFixed, kFixed / 4>>>(a, n);
  reverse_any<<<(n + width - 1) / width, (width + 3) / 4, width * sizeof(float)>>>(b, n, width);
}
