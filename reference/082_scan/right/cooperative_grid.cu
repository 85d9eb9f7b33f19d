// One cooperative launch: every block sums a stretch of its own, the grid waits, every block adds up the sums before
// its stretch and then scans it tile by tile.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kBlocks = 40, kBlock = 512;

__device__ int scan_block(int value, int* parts) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int d = 1; d < 32; d <<= 1) {
    const int left = __shfl_up_sync(0xffffffffu, value, d);
    value += lane >= d ? left : 0;
  }
  if (lane == 31) parts[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w) value += parts[w];
  __syncthreads();
  return value;
}

__global__ void scan_all(const int* x, int* y, int n, int* sums) {
  __shared__ int parts[kBlock / 32], last;
  const int tiles = (n + kBlock - 1) / kBlock;
  const int tiles_each = (tiles + gridDim.x - 1) / gridDim.x;
  const long long begin = static_cast<long long>(blockIdx.x) * tiles_each * kBlock;
  const long long end = min(static_cast<long long>(n), begin + static_cast<long long>(tiles_each) * kBlock);
  int sum = 0;
  for (long long i = begin + threadIdx.x; i < end; i += kBlock) sum += x[i];
  sum = scan_block(sum, parts);
  if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = sum;
  cg::this_grid().sync();
  int carry = 0;
  for (int b = 0; b < blockIdx.x; ++b) carry += sums[b];
  for (long long start = begin; start < end; start += kBlock) {
    const long long i = start + threadIdx.x;
    const int value = scan_block(i < end ? x[i] : 0, parts) + carry;
    if (i < end) y[i] = value;
    if (threadIdx.x == kBlock - 1) last = value;
    __syncthreads();
    carry = last;
    __syncthreads();
  }
}

void scan(const int* x, int* y, int n) {
  int* sums;
  cudaMalloc(&sums, kBlocks * sizeof(int));
  void* arguments[] = {&x, &y, &n, &sums};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(scan_all), kBlocks, kBlock, arguments);
  cudaFree(sums);
}
