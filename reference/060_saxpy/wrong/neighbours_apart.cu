// expect: requirement_not_met
// Right, but each thread takes eight elements in a row, so that a warp's lanes never read neighbouring ones.

constexpr int kElements = 8;

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int first = kElements * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < first + kElements && i < n; ++i) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kBlock = 256;
  saxpy_kernel<<<(n + kElements * kBlock - 1) / (kElements * kBlock), kBlock>>>(a, x, y, n);
}
