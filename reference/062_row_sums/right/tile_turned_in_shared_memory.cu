// A thread for each row after all: a tile of 32 columns is loaded along the rows, and summed along them by its threads.

constexpr int kTile = 32;

__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int first_row = blockIdx.x * kTile;
  float sum = 0.0f;
  for (int first_column = 0; first_column < columns; first_column += kTile) {
    const int column = first_column + threadIdx.x;
    for (int r = threadIdx.y; r < kTile; r += blockDim.y) {
      const bool inside = first_row + r < rows && column < columns;
      tile[r][threadIdx.x] = inside ? a[static_cast<size_t>(first_row + r) * columns + column] : 0.0f;
    }
    __syncthreads();
    if (threadIdx.y == 0) {
      for (int c = 0; c < kTile; ++c) sum += tile[threadIdx.x][c];
    }
    __syncthreads();
  }
  if (threadIdx.y == 0 && first_row + threadIdx.x < rows) sums[first_row + threadIdx.x] = sum;
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  row_sums_kernel<<<(rows + kTile - 1) / kTile, dim3(kTile, 8)>>>(a, sums, rows, columns);
}
