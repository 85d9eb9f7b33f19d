// expect: requirement_not_met
// Right, and in 128 bytes, because the block is a single warp: but its lanes still talk through shared memory.

constexpr int kGroup = 1024;

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ float partial[32];
  const int lane = threadIdx.x;
  const int end = min(static_cast<int>((blockIdx.x + 1) * kGroup), n);
  float largest = -INFINITY;
  for (int i = blockIdx.x * kGroup + lane; i < end; i += 32) largest = fmaxf(largest, x[i]);
  partial[lane] = largest;
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    if (lane < half) partial[lane] = fmaxf(partial[lane], partial[lane + half]);
    __syncwarp();
  }
  if (lane == 0) maxima[blockIdx.x] = partial[0];
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, 32>>>(x, maxima, n);
}
