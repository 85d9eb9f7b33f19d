// expect: runtime_error
// The tile has a halo of one element: the outermost reads miss it.

constexpr int R = 2;
constexpr int kColumns = 32;
constexpr int kRows = 16;
constexpr int kTileColumns = kColumns + 2 * R;
constexpr int kTileRows = kRows + 2;

__global__ void stencil2d_kernel(const float* u, float* out, int rows, int columns) {
  __shared__ float tile[kTileRows][kTileColumns];
  const int first_row = blockIdx.y * kRows - 1;
  const int first_column = blockIdx.x * kColumns - R;
  for (int r = threadIdx.y; r < kTileRows; r += kRows) {
    for (int c = threadIdx.x; c < kTileColumns; c += kColumns) {
      const int row = first_row + r;
      const int column = first_column + c;
      const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
      tile[r][c] = inside ? u[row * columns + column] : 0.0f;
    }
  }
  __syncthreads();

  const int row = blockIdx.y * kRows + threadIdx.y;
  const int column = blockIdx.x * kColumns + threadIdx.x;
  if (row >= rows || column >= columns) return;
  const int r = threadIdx.y + 1;
  const int c = threadIdx.x + R;
  const float near = tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1];
  const float far = tile[r - 2][c] + tile[r + 2][c] + tile[r][c - 2] + tile[r][c + 2];
  out[row * columns + column] = (16.0f * near - far - 60.0f * tile[r][c]) / 12.0f;
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 blocks((columns + kColumns - 1) / kColumns, (rows + kRows - 1) / kRows);
  stencil2d_kernel<<<blocks, dim3(kColumns, kRows)>>>(u, out, rows, columns);
}
