// expect: runtime_error
// The threads past the end work too.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, x, y, n);
}
