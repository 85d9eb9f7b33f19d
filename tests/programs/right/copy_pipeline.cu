// expect: nothing
// Two buffers of a tile filled by turns with __pipeline_memcpy_async: one is copied while the other is read.
#include <cuda_pipeline.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64, kTiles = 9;

__global__ void sums_of_tiles(const float* x, float* y) {
  __shared__ float tile[2][kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &x[t], sizeof(float));
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < kTiles; ++k) {
    if (k + 1 < kTiles) __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &x[(k + 1) * kThreads + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[k % 2][kThreads - 1 - t];
    __syncthreads();
  }
  y[t] = sum;
}

int main() {
  constexpr int n = kThreads * kTiles;
  std::vector<float> x(n), y(kThreads);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  float *a, *b;
  cudaMalloc(&a, n * sizeof *a);
  cudaMalloc(&b, kThreads * sizeof *b);
  cudaMemcpy(a, x.data(), n * sizeof *a, cudaMemcpyHostToDevice);
  sums_of_tiles<<<1, kThreads>>>(a, b);
  cudaMemcpy(y.data(), b, kThreads * sizeof *b, cudaMemcpyDeviceToHost);
  for (int t = 0; t < kThreads; ++t) {
    const float expected = kTiles * (kThreads - 1 - t) + kThreads * (kTiles * (kTiles - 1) / 2);
    if (y[t] != expected) return std::printf("y[%d] is %g, expected %g\n", t, y[t], expected), 1;
  }
  cudaFree(a);
  cudaFree(b);
}
