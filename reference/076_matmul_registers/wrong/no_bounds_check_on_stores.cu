// expect: runtime_error
// Threads at the border store sums of elements that c does not have.

constexpr int kSide = 4;
constexpr int kThreads = 16;
constexpr int kTile = kSide * kThreads;
constexpr int kDepth = 16;
constexpr int kPitch = kTile + kSide;

__device__ float element(const float* matrix, int row, int column, int n) {
  return row < n && column < n ? matrix[row * n + column] : 0.0f;
}

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float tile_a[kDepth][kPitch];
  __shared__ __align__(16) float tile_b[kDepth][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_row = blockIdx.y * kTile;
  const int first_column = blockIdx.x * kTile;

  float sum[kSide][kSide] = {};
  for (int start = 0; start < n; start += kDepth) {
#pragma unroll
    for (int part = 0; part < kSide; ++part) {
      const int row = part * kThreads + y;  // of a's tile: 16 lanes load 16 neighbours of a row
      tile_a[x][row] = element(a, first_row + row, start + x, n);
      const int column = part * kThreads + x;
      tile_b[y][column] = element(b, start + y, first_column + column, n);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 from_a = *reinterpret_cast<const float4*>(&tile_a[k][kSide * y]);
      const float4 from_b = *reinterpret_cast<const float4*>(&tile_b[k][kSide * x]);
      const float factor_a[kSide] = {from_a.x, from_a.y, from_a.z, from_a.w};
      const float factor_b[kSide] = {from_b.x, from_b.y, from_b.z, from_b.w};
#pragma unroll
      for (int i = 0; i < kSide; ++i)
#pragma unroll
        for (int j = 0; j < kSide; ++j) sum[i][j] += factor_a[i] * factor_b[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kSide; ++i)
#pragma unroll
    for (int j = 0; j < kSide; ++j) {
      const int row = first_row + kSide * y + i;
      const int column = first_column + kSide * x + j;
      if (first_row < n && first_column < n) c[row * n + column] = sum[i][j];
    }
}

void matmul_registers(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + kTile - 1) / kTile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(kThreads, kThreads)>>>(a, b, c, n);
}
