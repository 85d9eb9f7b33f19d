// expect: wrong_answer
// A single block: only the first 256 elements change.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<1, kBlock>>>(a, x, y, n);
}
