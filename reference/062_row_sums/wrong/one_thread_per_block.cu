// expect: requirement_not_met
// Right, and one sector per request, since each comes from a single lane: of its 32 bytes 4 are used.

__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column];
  sums[row] = sum;
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  const int threads = 1;
  row_sums_kernel<<<(rows + threads - 1) / threads, threads>>>(a, sums, rows, columns);
}
