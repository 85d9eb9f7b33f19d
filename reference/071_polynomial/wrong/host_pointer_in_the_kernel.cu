// expect: runtime_error
// Hands the host pointer to the kernel.

constexpr int kCurves = 16;
constexpr int kCoefficients = 8;
constexpr int kBlock = 256;

__global__ void polynomial_kernel(const float* x, const float* a, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float point = x[i];
  for (int c = 0; c < kCurves; ++c) {
    float value = 0.0f;
    for (int k = kCoefficients - 1; k >= 0; --k) value = value * point + a[c * kCoefficients + k];
    y[c * n + i] = value;
  }
}

void polynomial(const float* x, const float* a, float* y, int n) {
  polynomial_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, a, y, n);
}
