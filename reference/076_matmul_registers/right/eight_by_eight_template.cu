// 8 x 8 elements a thread, 128 x 128 a block, everything a template parameter.

template <int Side, int Threads, int Depth>
__global__ void __launch_bounds__(Threads* Threads)
    matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  constexpr int Tile = Side * Threads;
  __shared__ float tile_a[Depth][Tile + 1], tile_b[Depth][Tile];
  const int thread = threadIdx.x, x = thread % Threads, y = thread / Threads;
  const int row0 = blockIdx.y * Tile, column0 = blockIdx.x * Tile;
  float sum[Side][Side] = {};
  for (int start = 0; start < n; start += Depth) {
    for (int e = thread; e < Tile * Depth; e += Threads * Threads) {
      const int row = e / Depth, k = e % Depth;
      tile_a[k][row] = row0 + row < n && start + k < n ? a[size_t(row0 + row) * n + start + k] : 0;
    }
    for (int e = thread; e < Tile * Depth; e += Threads * Threads) {
      const int k = e / Tile, column = e % Tile;
      tile_b[k][column] = start + k < n && column0 + column < n ? b[size_t(start + k) * n + column0 + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      float fa[Side], fb[Side];
#pragma unroll
      for (int i = 0; i < Side; ++i) {
        fa[i] = tile_a[k][y + i * Threads];
        fb[i] = tile_b[k][x + i * Threads];
      }
#pragma unroll
      for (int i = 0; i < Side; ++i)
#pragma unroll
        for (int j = 0; j < Side; ++j) sum[i][j] = fmaf(fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Side; ++i)
#pragma unroll
    for (int j = 0; j < Side; ++j) {
      const int row = row0 + y + i * Threads, column = column0 + x + j * Threads;
      if (row < n && column < n) c[size_t(row) * n + column] = sum[i][j];
    }
}

void matmul_registers(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + 127) / 128;
  matmul_kernel<8, 16, 8><<<dim3(blocks, blocks), 256>>>(a, b, c, n);
}
