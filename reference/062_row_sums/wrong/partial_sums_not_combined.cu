// expect: wrong_answer
// Lane 0 stores its own part, columns 0, 32, 64, …, as if it were the sum.

constexpr int kLanes = 32;
constexpr int kRowsPerBlock = 8;

// One warp for each row. Its lanes read side by side, so that a request is 128 bytes in a piece.
__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  const int lane = threadIdx.x;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
  if (row >= rows) return;  // the same for all lanes of the warp

  const float* const elements = a + static_cast<size_t>(row) * columns;
  float sum = 0.0f;
  for (int column = lane; column < columns; column += kLanes) sum += elements[column];

  if (lane == 0) sums[row] = sum;
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  const dim3 block(kLanes, kRowsPerBlock);
  row_sums_kernel<<<(rows + kRowsPerBlock - 1) / kRowsPerBlock, block>>>(a, sums, rows, columns);
}
