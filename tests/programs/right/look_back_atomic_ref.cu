// expect: nothing
// Each block hands the sum so far to the next one through cuda::atomic_ref: release by the one, acquire by the other.
#include <cuda/atomic>

#include <cstdio>

constexpr int kBlocks = 16, kThreads = 64;

__global__ void chain(unsigned* totals, unsigned* ready, unsigned* y) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> previous(ready[blockIdx.x - 1]);
      while (previous.load(cuda::memory_order_acquire) == 0) {}
      before = totals[blockIdx.x - 1];
    }
    totals[blockIdx.x] = before + blockIdx.x + 1;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> own(ready[blockIdx.x]);
    own.store(1, cuda::memory_order_release);
  }
  __syncthreads();
  y[blockIdx.x * kThreads + threadIdx.x] = before;
}

int main() {
  unsigned *totals, *ready, *y, host[kBlocks * kThreads];
  cudaMalloc(&totals, kBlocks * sizeof *totals);
  cudaMalloc(&ready, kBlocks * sizeof *ready);
  cudaMalloc(&y, sizeof host);
  cudaMemset(ready, 0, kBlocks * sizeof *ready);
  chain<<<kBlocks, kThreads>>>(totals, ready, y);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kBlocks * kThreads; ++i) {
    const unsigned b = i / kThreads;
    if (host[i] != b * (b + 1) / 2) return std::printf("y[%d] is %u, expected %u\n", i, host[i], b * (b + 1) / 2), 1;
  }
  cudaFree(totals);
  cudaFree(ready);
  cudaFree(y);
}
