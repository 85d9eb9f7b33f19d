// expect: compile_error
// a and n have changed places.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(int n, const float* x, float* y, float a) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, x, y, n);
}
