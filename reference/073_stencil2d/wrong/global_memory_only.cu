// expect: requirement_not_met
// Right, but every thread reads its nine elements from global memory.

constexpr int R = 2;
constexpr int kColumns = 32;
constexpr int kRows = 16;
constexpr int kTileColumns = kColumns + 2 * R;
constexpr int kTileRows = kRows + 2 * R;

__device__ float at(const float* u, int row, int column, int rows, int columns) {
  return row >= 0 && row < rows && column >= 0 && column < columns ? u[row * columns + column] : 0.0f;
}

__global__ void stencil2d_kernel(const float* u, float* out, int rows, int columns) {
  const int row = blockIdx.y * kRows + threadIdx.y;
  const int column = blockIdx.x * kColumns + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = -60.0f * u[row * columns + column];
  for (int d = 1; d <= R; ++d) {
    const float weight = d == 1 ? 16.0f : -1.0f;
    sum += weight * (at(u, row - d, column, rows, columns) + at(u, row + d, column, rows, columns) +
                     at(u, row, column - d, rows, columns) + at(u, row, column + d, rows, columns));
  }
  out[row * columns + column] = sum / 12.0f;
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 blocks((columns + kColumns - 1) / kColumns, (rows + kRows - 1) / kRows);
  stencil2d_kernel<<<blocks, dim3(kColumns, kRows)>>>(u, out, rows, columns);
}
