// Thread (x, y) goes along the diagonals of the tile: the place in the tile is plain, the order of the lanes is not.
// Each warp still reads the 32 neighbouring elements of a row, and writes those of another.

constexpr int kSide = 32;

__global__ void transpose_kernel(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  __shared__ float tile[kSide * kSide];
  const int row0 = blockIdx.y * kSide, column0 = blockIdx.x * kSide;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < kSide; y += blockDim.y) {
    const int c = (x + y) % kSide;  // of row y
    if (row0 + y < rows && column0 + c < columns)
      tile[y * kSide + x] = in[static_cast<size_t>(row0 + y) * columns + column0 + c];
  }
  __syncthreads();
  for (int c = threadIdx.y; c < kSide; c += blockDim.y) {
    if (row0 + x < rows && column0 + c < columns)
      out[static_cast<size_t>(column0 + c) * rows + row0 + x] = tile[x * kSide + (c - x + kSide) % kSide];
  }
}

void transpose_swizzle(const float* in, float* out, int rows, int columns) {
  const dim3 grid((columns + kSide - 1) / kSide, (rows + kSide - 1) / kSide);
  transpose_kernel<<<grid, dim3(kSide, 16)>>>(in, out, rows, columns);
}
