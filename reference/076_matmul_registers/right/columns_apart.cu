// Without vectors: a thread's four rows and columns lie 16 apart, so that lanes always read neighbouring words.

constexpr int kSide = 4, kThreads = 16, kTile = kSide * kThreads, kDepth = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kDepth + 1];
  __shared__ float tile_b[kDepth][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row0 = blockIdx.y * kTile + y, column0 = blockIdx.x * kTile + x;
  float sum[kSide][kSide] = {};
  for (int start = 0; start < n; start += kDepth) {
    for (int i = 0; i < kSide; ++i) {
      const int row = row0 + i * kThreads, column = column0 + i * kThreads;
      tile_a[y + i * kThreads][x] = row < n && start + x < n ? a[row * n + start + x] : 0;
      tile_b[y][x + i * kThreads] = start + y < n && column < n ? b[(start + y) * n + column] : 0;
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      float fa[kSide], fb[kSide];
      for (int i = 0; i < kSide; ++i) {
        fa[i] = tile_a[y + i * kThreads][k];
        fb[i] = tile_b[k][x + i * kThreads];
      }
      for (int i = 0; i < kSide; ++i)
        for (int j = 0; j < kSide; ++j) sum[i][j] += fa[i] * fb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int row = row0 + i * kThreads, column = column0 + j * kThreads;
      if (row < n && column < n) c[row * n + column] = sum[i][j];
    }
}

void matmul_registers(const float* a, const float* b, float* c, int n) {
  const dim3 blocks((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  matmul_kernel<<<blocks, dim3(kThreads, kThreads)>>>(a, b, c, n);
}
