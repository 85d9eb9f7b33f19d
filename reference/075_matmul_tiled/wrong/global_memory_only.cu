// expect: requirement_not_met
// Right, but without tiles: every element of a and b is read n times.

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + 15) / 16;
  matmul_kernel<<<dim3(blocks, blocks), dim3(16, 16)>>>(a, b, c, n);
}
