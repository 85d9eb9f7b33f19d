// expect: requirement_not_met
// Right, but without a tile: lanes read along a row of in, and write elements of out that lie a row apart.

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[static_cast<size_t>(column) * rows + row] = in[static_cast<size_t>(row) * columns + column];
}

void transpose_padding(const float* in, float* out, int rows, int columns) {
  const dim3 block(32, 8);
  const dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  transpose_kernel<<<grid, block>>>(in, out, rows, columns);
}
