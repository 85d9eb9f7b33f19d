// expect: nothing
// CUB's block primitives, one after the other in the same shared memory.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <cstdio>

constexpr int kThreads = 128;

__global__ void primitives(const int* x, int* sorted, int* scanned, int* total) {
  using Sort = cub::BlockRadixSort<int, kThreads, 1>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;
  int key[1] = {x[threadIdx.x]};
  Sort(shared.sort).Sort(key);
  sorted[threadIdx.x] = key[0];
  __syncthreads();
  int before = 0;
  Scan(shared.scan).ExclusiveSum(key[0], before);
  scanned[threadIdx.x] = before;
  __syncthreads();
  const int sum = Reduce(shared.reduce).Sum(key[0]);
  if (threadIdx.x == 0) *total = sum;
}

int main() {
  int host[kThreads], sorted[kThreads], scanned[kThreads], sum = 0, *x, *a, *b, *total;
  for (int i = 0; i < kThreads; ++i) host[i] = i * 37 % kThreads;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&total, sizeof sum);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  primitives<<<1, kThreads>>>(x, a, b, total);
  cudaMemcpy(sorted, a, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(scanned, b, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i)
    if (sorted[i] != i || scanned[i] != i * (i - 1) / 2) return std::printf("%d: %d, %d\n", i, sorted[i], scanned[i]), 1;
  if (sum != kThreads * (kThreads - 1) / 2) return std::printf("the sum is %d\n", sum), 1;
  for (int* p : {x, a, b, total}) cudaFree(p);
}
