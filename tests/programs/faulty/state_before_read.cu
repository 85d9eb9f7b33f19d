// expect: race
// A block says that it has read its elements before it reads them: the next one may have written over them by then.

#include <cstdio>

constexpr int kThreads = 64, kBlocks = 8;

__device__ volatile int states[kBlocks];

__global__ void shift(int* x) {
  const int block = blockIdx.x, i = block * kThreads + threadIdx.x;
  if (threadIdx.x == 0) {
    if (block > 0)
      while (states[block - 1] == 0) {
      }
    states[block] = 1;
  }
  __syncthreads();
  const int v = x[i];  // other
  __syncthreads();
  if (i >= 5) x[i - 5] = v;  // fault
}

int main() {
  constexpr int n = kThreads * kBlocks;
  int x[n];
  for (int i = 0; i < n; ++i) x[i] = i * i;
  int* a;
  cudaMalloc(&a, sizeof x);
  cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);
  shift<<<kBlocks, kThreads>>>(a);
  cudaMemcpy(x, a, sizeof x, cudaMemcpyDeviceToHost);
  cudaFree(a);
  std::printf("%d\n", x[0]);
}
