// Blocks of 256 threads in one dimension, a flat tile with a pitch of 33, dynamic shared memory.

constexpr int kSide = 32;
constexpr int kPitch = kSide + 1;

__global__ void transpose_kernel(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  extern __shared__ float tile[];
  const int tiles_per_row = (columns + kSide - 1) / kSide;
  const int row0 = blockIdx.x / tiles_per_row * kSide;
  const int column0 = blockIdx.x % tiles_per_row * kSide;
  for (int e = threadIdx.x; e < kSide * kSide; e += blockDim.x) {
    const int r = e / kSide, c = e % kSide;
    if (row0 + r < rows && column0 + c < columns)
      tile[r * kPitch + c] = in[static_cast<size_t>(row0 + r) * columns + column0 + c];
  }
  __syncthreads();
  for (int e = threadIdx.x; e < kSide * kSide; e += blockDim.x) {
    const int c = e / kSide, r = e % kSide;
    if (row0 + r < rows && column0 + c < columns)
      out[static_cast<size_t>(column0 + c) * rows + row0 + r] = tile[r * kPitch + c];
  }
}

void transpose_padding(const float* in, float* out, int rows, int columns) {
  const int tiles = (columns + kSide - 1) / kSide * ((rows + kSide - 1) / kSide);
  transpose_kernel<<<tiles, 256, kSide * kPitch * sizeof(float)>>>(in, out, rows, columns);
}
