// expect: requirement_not_met
// Right: every thread keeps its element in a register across the barrier. It needs no shared memory, which was the
// point.

constexpr int kFixed = 256;

// Reverses the block's group of `width` elements, or what the array has of it.
__device__ void reverse_group(float* x, int n, int width) {
  const int first = blockIdx.x * width;
  const int count = min(width, n - first);
  const int t = threadIdx.x;
  const float kept = t < count ? x[first + t] : 0.0f;
  __syncthreads();
  if (t < count) x[first + count - 1 - t] = kept;
}

__global__ void reverse_fixed(float* a, int n) {
  reverse_group(a, n, kFixed);
}

__global__ void reverse_any(float* b, int n) {
  reverse_group(b, n, blockDim.x);
}

void block_reverse(float* a, float* b, int n, int width) {
  reverse_fixed<<<(n + kFixed - 1) / kFixed, kFixed>>>(a, n);
  reverse_any<<<(n + width - 1) / width, width>>>(b, n);
}
