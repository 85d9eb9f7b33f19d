// Exercise 75: matrix product with tiles.  c = a * b for square matrices of n rows and columns, stored row by row.
// The task is explained in statement.md (or: python3 practice/judge.py show 75).

constexpr int kTile = 16;  // a block computes a tile of kTile x kTile elements of c, one for each thread

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  // TODO 1: which row and which column of c are this thread's? Let threadIdx.x run along a row: neighbouring threads
  // then read and write neighbouring elements.

  // TODO 2: declare two tiles in shared memory, one for a and one for b.

  // TODO 3: for each tile along the row of a and the column of b:
  //   - load one element of a and one of b; what lies outside the matrices is 0
  //   - wait until both tiles are loaded
  //   - add the kTile products of this thread's row and column of the tiles
  //   - wait before the next round overwrites the tiles

  // TODO 4: store the sum, if the element exists.
}

// The judge calls this function. a, b and c are device pointers to n * n floats.
void matmul_tiled(const float* a, const float* b, float* c, int n) {
  // TODO 5: launch blocks of kTile x kTile threads (dim3), as many in x and in y as cover n.
}
