// expect: requirement_not_met
// Right, but each thread walks along its own row: the lanes of a warp read a column, 32 sectors at a time.

__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column];
  sums[row] = sum;
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  const int threads = 256;
  row_sums_kernel<<<(rows + threads - 1) / threads, threads>>>(a, sums, rows, columns);
}
