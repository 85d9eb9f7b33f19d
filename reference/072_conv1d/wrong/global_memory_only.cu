// expect: requirement_not_met
// Right, but every thread reads its 17 elements of x from global memory.

constexpr int R = 8;
constexpr int kBlock = 256;

__constant__ float weights[2 * R + 1];

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = -R; k <= R; ++k) {
    if (i + k >= 0 && i + k < n) sum += weights[k + R] * x[i + k];
  }
  y[i] = sum;
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
