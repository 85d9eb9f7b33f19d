// expect: requirement_not_met
// Right: the solution of exercise 75, two shared loads for each multiplication.

constexpr int kTile = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int column = blockIdx.x * kTile + x;

  float sum = 0.0f;
  for (int start = 0; start < n; start += kTile) {
    tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0.0f;
    tile_b[y][x] = start + y < n && column < n ? b[(start + y) * n + column] : 0.0f;
    __syncthreads();
    // A warp is two rows of the block: tile_a[y][k] is two words that are broadcast, tile_b[k][x] sixteen neighbours.
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

void matmul_registers(const float* a, const float* b, float* c, int n) {
  const int blocks = (n + kTile - 1) / kTile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(a, b, c, n);
}
