// The tile has no halo: threads near its edge read those neighbours from global memory, and few sectors they are.

constexpr int kColumns = 32;
constexpr int kRows = 16;

__global__ void stencil2d_kernel(const float* u, float* out, int rows, int columns) {
  __shared__ float tile[kRows][kColumns];
  const int row = blockIdx.y * kRows + threadIdx.y;
  const int column = blockIdx.x * kColumns + threadIdx.x;
  const bool inside = row < rows && column < columns;
  if (inside) tile[threadIdx.y][threadIdx.x] = u[row * columns + column];
  __syncthreads();
  if (!inside) return;

  float sum = -60.0f * tile[threadIdx.y][threadIdx.x];
  for (int k = 0; k < 8; ++k) {
    const int distance = k < 4 ? 1 : 2;
    const int down = k % 4 == 0 ? -distance : k % 4 == 1 ? distance : 0;
    const int right = k % 4 == 2 ? -distance : k % 4 == 3 ? distance : 0;
    const int r = row + down;
    const int c = column + right;
    if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
    const int tile_row = threadIdx.y + down;
    const int tile_column = threadIdx.x + right;
    const bool in_tile = tile_row >= 0 && tile_row < kRows && tile_column >= 0 && tile_column < kColumns;
    sum += (k < 4 ? 16.0f : -1.0f) * (in_tile ? tile[tile_row][tile_column] : u[r * columns + c]);
  }
  out[row * columns + column] = sum / 12.0f;
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 blocks((columns + kColumns - 1) / kColumns, (rows + kRows - 1) / kRows);
  stencil2d_kernel<<<blocks, dim3(kColumns, kRows)>>>(u, out, rows, columns);
}
