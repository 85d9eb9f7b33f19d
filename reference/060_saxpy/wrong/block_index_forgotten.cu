// expect: race
// Without blockIdx every block updates the same elements.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, x, y, n);
}
