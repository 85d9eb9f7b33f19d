// expect: runtime_error
// The warps past the last row work too.

constexpr int kLanes = 32;
constexpr int kRowsPerBlock = 8;

// One warp for each row. Its lanes read side by side, so that a request is 128 bytes in a piece.
__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  const int lane = threadIdx.x;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;

  const float* const elements = a + static_cast<size_t>(row) * columns;
  float sum = 0.0f;
  for (int column = lane; column < columns; column += kLanes) sum += elements[column];

  for (int offset = kLanes / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[row] = sum;
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  const dim3 block(kLanes, kRowsPerBlock);
  row_sums_kernel<<<(rows + kRowsPerBlock - 1) / kRowsPerBlock, block>>>(a, sums, rows, columns);
}
