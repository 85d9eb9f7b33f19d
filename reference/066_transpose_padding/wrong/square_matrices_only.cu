// expect: runtime_error
// Takes `rows` for the length of a row of in as well: right for square matrices only.

constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of threads in a block: each thread handles kTile / kRows elements

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  // Rows of 33 words: an element of the tile's column lies one bank further on than the one above it.
  __shared__ float tile[kTile][kTile + 1];
  const int first_row = blockIdx.y * kTile;
  const int first_column = blockIdx.x * kTile;

  const int column = first_column + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int row = first_row + r;
    if (row < rows && column < columns) tile[r][threadIdx.x] = in[static_cast<size_t>(row) * rows + column];
  }
  __syncthreads();

  // Along a row of out, which is a column of in: neighbouring lanes take what lies below each other in the tile.
  const int row = first_row + threadIdx.x;
  for (int c = threadIdx.y; c < kTile; c += kRows) {
    const int column = first_column + c;
    if (row < rows && column < columns) out[static_cast<size_t>(column) * rows + row] = tile[threadIdx.x][c];
  }
}

void transpose_padding(const float* in, float* out, int rows, int columns) {
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kRows)>>>(in, out, rows, columns);
}
