// Eight by eight blocks at most, each of which takes several tiles of c; barriers through cooperative groups.

#include <cooperative_groups.h>

constexpr int kTile = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  const auto block = cooperative_groups::this_thread_block();
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int tiles = (n + kTile - 1) / kTile;
  for (int tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
    const int row = tile / tiles * kTile + threadIdx.y, column = tile % tiles * kTile + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
      const int ka = t * kTile + threadIdx.x, kb = t * kTile + threadIdx.y;
      ta[threadIdx.y][threadIdx.x] = row < n && ka < n ? a[row * n + ka] : 0;
      tb[threadIdx.y][threadIdx.x] = kb < n && column < n ? b[kb * n + column] : 0;
      block.sync();
      for (int k = 0; k < kTile; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
      block.sync();
    }
    if (row < n && column < n) c[row * n + column] = sum;
  }
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
  matmul_kernel<<<64, dim3(kTile, kTile)>>>(a, b, c, n);
}
