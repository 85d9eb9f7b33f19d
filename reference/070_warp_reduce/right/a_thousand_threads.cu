// 1,024 threads with one element each: 32 warps, and all of the 128 bytes are used.

template <class T>
__device__ T all_lanes_maximum(T value) {
  for (int distance = 16; distance; distance >>= 1) {
    const T other = __shfl_xor_sync(~0u, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ float of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float of_mine = all_lanes_maximum(i < n ? x[i] : -INFINITY);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = of_mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const float of_block = all_lanes_maximum(of_warp[threadIdx.x]);
  if (threadIdx.x == 0) maxima[blockIdx.x] = of_block;
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + 1023) / 1024, 1024>>>(x, maxima, n);
}
