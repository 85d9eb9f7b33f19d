// expect: nothing
// A single-pass scan: each block publishes its sum behind a fence, and looks back for what precedes it.
#include <cstdio>
#include <vector>

constexpr int kThreads = 128, kBlocks = 12;
constexpr unsigned kSum = 1, kPrefix = 2;

__device__ int ticket;
__device__ volatile unsigned flags[kBlocks];
__device__ volatile unsigned sums[kBlocks], prefixes[kBlocks];

__global__ void scan(const unsigned* x, unsigned* y) {
  __shared__ unsigned tile[kThreads];
  __shared__ unsigned before;
  __shared__ int block;
  if (threadIdx.x == 0) block = atomicAdd(&ticket, 1);
  __syncthreads();
  const int i = block * kThreads + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    const unsigned left = threadIdx.x >= step ? tile[threadIdx.x - step] : 0;
    __syncthreads();
    tile[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const unsigned sum = tile[kThreads - 1];
    unsigned found = 0;
    if (block > 0) {
      sums[block] = sum;
      __threadfence();
      flags[block] = kSum;
      for (int k = block - 1; k >= 0; --k) {
        unsigned state = 0;
        while ((state = flags[k]) == 0) __nanosleep(20);
        __threadfence();
        if (state == kPrefix) {
          found += prefixes[k];
          break;
        }
        found += sums[k];
      }
    }
    prefixes[block] = found + sum;
    __threadfence();
    flags[block] = kPrefix;
    before = found;
  }
  __syncthreads();
  y[i] = before + tile[threadIdx.x];
}

int main() {
  constexpr int n = kThreads * kBlocks;
  std::vector<unsigned> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i % 7 + 1;
  unsigned *a, *b;
  cudaMalloc(&a, n * sizeof *a);
  cudaMalloc(&b, n * sizeof *b);
  cudaMemcpy(a, x.data(), n * sizeof *a, cudaMemcpyHostToDevice);
  scan<<<kBlocks, kThreads>>>(a, b);
  cudaMemcpy(y.data(), b, n * sizeof *b, cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    if (y[i] != sum) return std::printf("y[%d] is %u, expected %u\n", i, y[i], sum), 1;
  }
  cudaFree(a);
  cudaFree(b);
}
