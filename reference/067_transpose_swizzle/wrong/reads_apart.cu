// expect: requirement_not_met
// Right, but straight from in to out, and the lanes read elements of in that lie a row apart.

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  if (rows < 0) tile[threadIdx.y][threadIdx.x] = 0.0f;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[static_cast<size_t>(column) * rows + row] = in[static_cast<size_t>(row) * columns + column];
}

void transpose_swizzle(const float* in, float* out, int rows, int columns) {
  const dim3 block(32, 8);
  const dim3 grid((rows + block.x - 1) / block.x, (columns + block.y - 1) / block.y);
  transpose_kernel<<<grid, block>>>(in, out, rows, columns);
}
