// expect: requirement_not_met
// Right, but a thread for each value: every point is read by 16 threads.

constexpr int kCurves = 16;
constexpr int kCoefficients = 8;
constexpr int kBlock = 256;

__constant__ float coefficients[kCurves][kCoefficients];

__global__ void polynomial_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int c = blockIdx.y;
  if (i >= n) return;
  float value = 0.0f;
  for (int k = kCoefficients - 1; k >= 0; --k) value = value * x[i] + coefficients[c][k];
  y[c * n + i] = value;
}

void polynomial(const float* x, const float* a, float* y, int n) {
  cudaMemcpyToSymbol(coefficients, a, sizeof(coefficients));
  polynomial_kernel<<<dim3((n + kBlock - 1) / kBlock, kCurves), kBlock>>>(x, y, n);
}
