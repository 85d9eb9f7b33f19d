// expect: requirement_not_met
// Right, but only the lowest three bits of the row take part: four rows meet in each bank.

constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of threads in a block: each thread handles kTile / kRows elements

// Element (row, column) of the tile.
__device__ int swizzled(int row, int column) {
  return column ^ row % 8;
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
