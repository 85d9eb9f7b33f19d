// expect: runtime_error
// 254 outputs per block: from the second block on, the float4 loads start at no multiple of 16 bytes.

constexpr int R = 8;
constexpr int kThreads = 256;
constexpr int kOutputs = 254;
constexpr int kVectors = (kOutputs + 2 * R + 3) / 4;

__constant__ float weights[2 * R + 1];

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  __shared__ float tile[4 * kVectors];
  const int block_start = blockIdx.x * kOutputs;

  for (int v = threadIdx.x; v < kVectors; v += kThreads) {
    const int i = block_start - R + 4 * v;
    if (i >= 0 && i + 3 < n) {
      *reinterpret_cast<float4*>(tile + 4 * v) = *reinterpret_cast<const float4*>(x + i);
    } else {
      for (int e = 0; e < 4; ++e) tile[4 * v + e] = i + e >= 0 && i + e < n ? x[i + e] : 0.0f;
    }
  }
  __syncthreads();

  const int i = block_start + threadIdx.x;
  if (threadIdx.x < kOutputs && i < n) {
    float sum = 0.0f;
    for (int k = 0; k < 2 * R + 1; ++k) sum += weights[k] * tile[threadIdx.x + k];
    y[i] = sum;
  }
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kOutputs - 1) / kOutputs, kThreads>>>(x, y, n);
}
