// A warp for each group and no shared memory at all; butterfly shuffles, after which every lane knows the result.

constexpr int kGroup = 1024;

__global__ void warp_reduce_kernel(const float* __restrict__ x, float* __restrict__ maxima, int n) {
  const int group = blockIdx.x * blockDim.y + threadIdx.y;
  if (group * kGroup >= n) return;  // the whole warp
  float largest = -INFINITY;
  for (int e = threadIdx.x; e < kGroup; e += 32) {
    const int i = group * kGroup + e;
    if (i < n) largest = max(largest, x[i]);
  }
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2) largest = max(largest, __shfl_xor_sync(0xffffffff, largest, mask));
  if (threadIdx.x == 0) maxima[group] = largest;
}

void warp_reduce(const float* x, float* maxima, int n) {
  const int groups = (n + kGroup - 1) / kGroup;
  warp_reduce_kernel<<<(groups + 3) / 4, dim3(32, 4)>>>(x, maxima, n);
}
