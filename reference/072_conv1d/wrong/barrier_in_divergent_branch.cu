// expect: barrier_error
// Of each block only the first hundred threads reach the second barrier; the others go around it and write.

constexpr int R = 8;
constexpr int kBlock = 256;
constexpr int kTile = kBlock + 2 * R;

__constant__ float weights[2 * R + 1];

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  __shared__ float tile[kTile];
  const int block_start = blockIdx.x * kBlock;

  // tile[t] is x[block_start - R + t]. R floats are 32 bytes, one sector, so the halo does not break alignment.
  for (int t = threadIdx.x; t < kTile; t += kBlock) {
    const int i = block_start - R + t;
    tile[t] = i >= 0 && i < n ? x[i] : 0.0f;
  }

  __syncthreads();

  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 2 * R + 1; ++k) sum += weights[k] * tile[threadIdx.x + k];
  if (threadIdx.x < 100) {
    __syncthreads();
  }
  const int i = block_start + threadIdx.x;
  if (i < n) y[i] = sum;
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
