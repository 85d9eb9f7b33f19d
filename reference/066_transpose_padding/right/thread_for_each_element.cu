// Blocks of 32 x 32 threads, one element each; two-dimensional indices everywhere.

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[static_cast<size_t>(row) * columns + column];
  __syncthreads();
  const int out_row = blockIdx.x * kTile + threadIdx.y;
  const int out_column = blockIdx.y * kTile + threadIdx.x;
  if (out_row < columns && out_column < rows)
    out[static_cast<size_t>(out_row) * rows + out_column] = tile[threadIdx.x][threadIdx.y];
}

void transpose_padding(const float* in, float* out, int rows, int columns) {
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kTile)>>>(in, out, rows, columns);
}
