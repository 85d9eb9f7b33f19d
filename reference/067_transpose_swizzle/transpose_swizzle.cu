constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of threads in a block: each thread handles kTile / kRows elements

// Where element (row, column) lies within its row of the tile. For a fixed row this is a permutation of the columns;
// for a fixed column it differs from row to row. So rows and columns both spread over all 32 banks.
__device__ int swizzled(int row, int column) {
  return column ^ row;
}

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile];
  const int first_row = blockIdx.y * kTile;
  const int first_column = blockIdx.x * kTile;
  const int lane = threadIdx.x;

  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = first_row + r, column = first_column + lane;
    if (row < rows && column < columns) tile[r][swizzled(r, lane)] = in[static_cast<size_t>(row) * columns + column];
  }
  __syncthreads();

  for (int c = threadIdx.y; c < kTile; c += kRows) {
    const int row = first_row + lane, column = first_column + c;
    if (row < rows && column < columns) out[static_cast<size_t>(column) * rows + row] = tile[lane][swizzled(lane, c)];
  }
}

void transpose_swizzle(const float* in, float* out, int rows, int columns) {
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kRows)>>>(in, out, rows, columns);
}
