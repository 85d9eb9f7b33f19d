// Each thread loads its own element; threads near an edge of the block also load what lies beyond it. The corners stay
// unset.

#define REACH 2

constexpr int kColumns = 32;
constexpr int kRows = 32;

__device__ float element(const float* u, int row, int column, int rows, int columns) {
  if (row < 0 || row >= rows || column < 0 || column >= columns) return 0.0f;
  return u[row * columns + column];
}

__global__ void stencil(const float* __restrict__ u, float* __restrict__ out, int rows, int columns) {
  __shared__ float tile[kRows + 2 * REACH][kColumns + 2 * REACH];
  const int row = blockIdx.y * kRows + threadIdx.y;
  const int column = blockIdx.x * kColumns + threadIdx.x;
  const int r = threadIdx.y + REACH;
  const int c = threadIdx.x + REACH;

  tile[r][c] = element(u, row, column, rows, columns);
  if (threadIdx.y < REACH) {
    tile[r - REACH][c] = element(u, row - REACH, column, rows, columns);
    tile[r + kRows][c] = element(u, row + kRows, column, rows, columns);
  }
  if (threadIdx.x < REACH) {
    tile[r][c - REACH] = element(u, row, column - REACH, rows, columns);
    tile[r][c + kColumns] = element(u, row, column + kColumns, rows, columns);
  }
  __syncthreads();
  if (row >= rows || column >= columns) return;

  float sum = -60.0f * tile[r][c];
#pragma unroll
  for (int d = 1; d <= REACH; ++d)
    sum += (d == 1 ? 16.0f : -1.0f) * (tile[r - d][c] + tile[r + d][c] + tile[r][c - d] + tile[r][c + d]);
  out[row * columns + column] = sum * (1.0f / 12.0f);
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  stencil<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(u, out, rows, columns);
}
