// expect: exit 0
// CUB: device-wide reduction, scan, radix sort, histogram; block-wide reduction and scan; warp-wide reduction.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      return 1;                                           \
    }                                                     \
  } while (0)

__global__ void blocks(const int* in, int* sums, int* prefix) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int sum = Reduce(storage.reduce).Sum(in[i]);
  __syncthreads();
  int before = 0;
  Scan(storage.scan).ExclusiveSum(in[i], before);
  prefix[i] = before;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
  constexpr int n = 128 * 150;
  std::vector<int> h(n);
  unsigned state = 99;
  for (int& v : h) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<int>(state >> 12) % 1000;
  }
  int *in, *out, *sums;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&sums, n * sizeof(int));
  cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  void* temporary = nullptr;
  size_t bytes = 0;
  std::vector<int> got(n);

  blocks<<<150, 128>>>(in, sums, out);
  cudaMemcpy(got.data(), sums, 150 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < 150; ++b) CHECK(got[b] == std::accumulate(&h[b * 128], &h[b * 128] + 128, 0));
  cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) CHECK(got[i] == std::accumulate(&h[i / 128 * 128], &h[i], 0));

  CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMalloc(&temporary, bytes);
  CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMemcpy(got.data(), out, sizeof(int), cudaMemcpyDeviceToHost);
  CHECK(got[0] == std::accumulate(h.begin(), h.end(), 0));
  cudaFree(temporary);

  temporary = nullptr;
  CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMalloc(&temporary, bytes);
  CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < n; ++i) CHECK(got[i] == (sum += h[i]));
  cudaFree(temporary);

  temporary = nullptr;
  CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMalloc(&temporary, bytes);
  CHECK(cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n) == cudaSuccess);
  cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::vector<int> sorted = h;
  std::sort(sorted.begin(), sorted.end());
  CHECK(got == sorted);
  cudaFree(temporary);

  temporary = nullptr;
  CHECK(cub::DeviceHistogram::HistogramEven(temporary, bytes, in, sums, 11, 0, 1000, n) == cudaSuccess);
  cudaMalloc(&temporary, bytes);
  CHECK(cub::DeviceHistogram::HistogramEven(temporary, bytes, in, sums, 11, 0, 1000, n) == cudaSuccess);
  cudaMemcpy(got.data(), sums, 10 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < 10; ++b) CHECK(got[b] == std::count_if(h.begin(), h.end(), [&](int v) { return v / 100 == b; }));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  std::printf("ok\n");
  return 0;
}
