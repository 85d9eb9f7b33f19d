// expect: wrong_answer
// b is cut into groups of 256 as well.

constexpr int kFixed = 256;

// Reverses the block's group of `width` elements, or what the array has of it. `group` is shared memory for all of it.
__device__ void reverse_group(float* x, int n, int width, float* group) {
  const int first = blockIdx.x * width;
  const int count = min(width, n - first);
  const int t = threadIdx.x;
  if (t < count) group[t] = x[first + t];
  __syncthreads();
  if (t < count) x[first + t] = group[count - 1 - t];
}

__global__ void reverse_fixed(float* a, int n) {
  __shared__ float group[kFixed];
  reverse_group(a, n, kFixed, group);
}

__global__ void reverse_any(float* b, int n) {
  extern __shared__ float group[];  // blockDim.x floats
  reverse_group(b, n, blockDim.x, group);
}

void block_reverse(float* a, float* b, int n, int width) {
  reverse_fixed<<<(n + kFixed - 1) / kFixed, kFixed>>>(a, n);
  reverse_any<<<(n + kFixed - 1) / kFixed, kFixed, kFixed * sizeof(float)>>>(b, n);
}
