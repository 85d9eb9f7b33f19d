// expect: nothing
// Blocks write over what blocks before them have read. Each says by a relaxed store that it has read, and waits for the
// one before it: the values order reads before later writes, and no fence is needed.
#include <cuda/atomic>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128, kBlocks = 16, kBy = 300;

__device__ int states[kBlocks];

__global__ void shift(int* x) {
  const int block = blockIdx.x, i = block * kThreads + threadIdx.x;
  const int v = x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    if (block > 0)
      while (cuda::atomic_ref<int, cuda::thread_scope_device>(states[block - 1]).load(cuda::memory_order_relaxed) == 0) {
      }
    cuda::atomic_ref<int, cuda::thread_scope_device>(states[block]).store(1, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (i >= kBy) x[i - kBy] = v;
}

int main() {
  constexpr int n = kThreads * kBlocks;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * i;
  int* a;
  cudaMalloc(&a, n * sizeof *a);
  cudaMemcpy(a, x.data(), n * sizeof *a, cudaMemcpyHostToDevice);
  shift<<<kBlocks, kThreads>>>(a);
  cudaMemcpy(x.data(), a, n * sizeof *a, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n - kBy; ++i)
    if (x[i] != (i + kBy) * (i + kBy)) return std::printf("x[%d] is %d\n", i, x[i]), 1;
  cudaFree(a);
}
