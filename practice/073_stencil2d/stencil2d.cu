// Exercise 73: a stencil in two dimensions.  Each element of out combines an element of u and its neighbours up to two
// rows and two columns away. Outside the array u is 0.
// The task is explained in statement.md (or: python3 practice/judge.py show 73).

constexpr int R = 2;          // the stencil reaches R elements up, down, left and right
constexpr int kColumns = 32;  // a block computes kRows x kColumns elements of out, one for each thread
constexpr int kRows = 16;

// TODO 1: how many rows and columns has a tile with R elements more on all four sides?

__global__ void stencil2d_kernel(const float* u, float* out, int rows, int columns) {
  // TODO 2: declare the tile in shared memory.

  // TODO 3: load it together. It has more elements than the block has threads: let each thread load several, tile rows
  // kRows apart and tile columns kColumns apart. Elements outside u are 0.

  // TODO 4: wait until the whole tile is loaded.

  // TODO 5: if this thread's row and column are inside, compute
  //   out = (16 * (the four at distance 1) - (the four at distance 2) - 60 * the element itself) / 12
}

// The judge calls this function. u and out are device pointers to rows * columns floats, row after row.
void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 threads(kColumns, kRows);
  const dim3 blocks((columns + kColumns - 1) / kColumns, (rows + kRows - 1) / kRows);
  stencil2d_kernel<<<blocks, threads>>>(u, out, rows, columns);
}
