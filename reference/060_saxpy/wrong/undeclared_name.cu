// expect: compile_error
// idx is not declared; the index is called i.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, x, y, n);
}
