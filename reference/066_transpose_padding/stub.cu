// Exercise 66: transpose.  out[c][r] = in[r][c] for the rows x columns matrix in.
// The task is explained in statement.md (or: python3 practice/judge.py show 66).

constexpr int kTile = 32;  // a block moves a tile of kTile x kTile elements
constexpr int kRows = 8;   // rows of threads in a block: each thread handles kTile / kRows elements

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  // TODO 1: declare the tile in shared memory. (At first 32 x 32 will do; judge it, and look at the bank conflicts.)

  // TODO 2: load the tile. Lanes of a warp have neighbouring threadIdx.x: let them read neighbouring columns of in. The
  // tiles at the right and lower edges may reach beyond the matrix.

  // TODO 3: wait until the whole tile is loaded.

  // TODO 4: store the tile. Now neighbouring threadIdx.x should write neighbouring columns of out. Which tile of out is
  // this, and which element of the shared tile belongs in which place of it?
}

// The judge calls this function. in and out are device pointers to rows * columns floats, row after row.
void transpose_padding(const float* in, float* out, int rows, int columns) {
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kRows)>>>(in, out, rows, columns);
}
