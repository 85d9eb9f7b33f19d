// Every block counts in shared memory and adds its 256 counters to global memory once. Sixteen bytes are loaded at a
// time, and the grid is just large enough to keep the GPU busy: each block more costs 256 additions more.

#include <algorithm>
#include <cstdint>

constexpr int kBins = 256;
constexpr int kBlock = 256;
constexpr int kMostBlocks = 64;

__device__ void count_word(unsigned int* bins, std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&bins[(word >> shift) & 0xff], 1u);
}

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int bins[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) bins[b] = 0;
  __syncthreads();

  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const uint4* wide = reinterpret_cast<const uint4*>(x);
  const int words = n / 16;
  for (int i = thread; i < words; i += threads) {
    const uint4 bytes = wide[i];
    count_word(bins, bytes.x);
    count_word(bins, bytes.y);
    count_word(bins, bytes.z);
    count_word(bins, bytes.w);
  }
  for (int i = 16 * words + thread; i < n; i += threads) atomicAdd(&bins[x[i]], 1u);
  __syncthreads();

  for (int b = threadIdx.x; b < kBins; b += blockDim.x)
    if (bins[b] != 0) atomicAdd(&counts[b], bins[b]);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, kBins * sizeof(unsigned int));
  const int blocks = std::min(kMostBlocks, (n + 16 * kBlock - 1) / (16 * kBlock));
  histogram_kernel<<<blocks, kBlock>>>(x, counts, n);
}
