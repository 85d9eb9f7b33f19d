// y and a scratch array are filled with ones from the host; a kernel overwrites the scratch array, which is copied to y:
// what ends up there was computed by threads all the same.

#include <vector>

constexpr int R = 8;
constexpr int kBlock = 256;
constexpr int kTile = kBlock + 2 * R;

__constant__ float weights[2 * R + 1];

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  __shared__ float tile[kTile];
  const int block_start = blockIdx.x * kBlock;
  for (int t = threadIdx.x; t < kTile; t += kBlock) {
    const int i = block_start - R + t;
    tile[t] = i >= 0 && i < n ? x[i] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 2 * R + 1; ++k) sum += weights[k] * tile[threadIdx.x + k];
  const int i = block_start + threadIdx.x;
  if (i < n) y[i] = sum;
}

void conv1d(const float* x, const float* w, float* y, int n) {
  const std::vector<float> ones(n, 1.0f);
  float* scratch = nullptr;
  cudaMalloc(&scratch, n * sizeof(float));
  cudaMemcpy(y, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(scratch, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, scratch, n);
  cudaMemcpy(y, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(scratch);
}
