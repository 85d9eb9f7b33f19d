// Blocks of 32 x 32 threads, one element each, and a flat tile.

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[1024];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned row = 32 * blockIdx.y + y, column = 32 * blockIdx.x + x;
  if (row < rows && column < columns) tile[32 * y + (x ^ y)] = in[static_cast<size_t>(row) * columns + column];
  __syncthreads();
  row = 32 * blockIdx.y + x;
  column = 32 * blockIdx.x + y;
  if (row < rows && column < columns) out[static_cast<size_t>(column) * rows + row] = tile[32 * x + (x ^ y)];
}

void transpose_swizzle(const float* in, float* out, int rows, int columns) {
  transpose_kernel<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, columns);
}
