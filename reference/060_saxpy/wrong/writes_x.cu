// expect: wrong_answer
// Stores the result in x instead of y.

__global__ void saxpy_kernel(float a, float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(a, const_cast<float*>(x), y, n);
}
