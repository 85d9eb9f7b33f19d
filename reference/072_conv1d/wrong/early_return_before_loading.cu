// expect: uninitialized_read
// Threads without an output return at once, and with them goes the part of the tile that they were to load.

constexpr int R = 8;
constexpr int kBlock = 256;
constexpr int kTile = kBlock + 2 * R;

__constant__ float weights[2 * R + 1];

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  __shared__ float tile[kTile];
  const int block_start = blockIdx.x * kBlock;
  const int i = block_start + threadIdx.x;
  if (i >= n) return;
  for (int t = threadIdx.x; t < kTile; t += kBlock) {
    const int from = block_start - R + t;
    tile[t] = from >= 0 && from < n ? x[from] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 2 * R + 1; ++k) sum += weights[k] * tile[threadIdx.x + k];
  y[i] = sum;
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
