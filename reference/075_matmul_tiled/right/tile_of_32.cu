// Tiles of 32 x 32 with 1,024 threads, the width as a template parameter: half the loads again.

template <int Tile>
__global__ void matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float from_a[Tile][Tile], from_b[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (n + Tile - 1) / Tile; ++t) {
    const int k_a = t * Tile + threadIdx.x;
    const int k_b = t * Tile + threadIdx.y;
    from_a[threadIdx.y][threadIdx.x] = (row < n && k_a < n) ? a[row * n + k_a] : 0;
    from_b[threadIdx.y][threadIdx.x] = (k_b < n && column < n) ? b[k_b * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum = fmaf(from_a[threadIdx.y][k], from_b[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
  const dim3 threads(32, 32);
  const dim3 blocks((n + 31) / 32, (n + 31) / 32);
  matmul_kernel<32><<<blocks, threads>>>(a, b, c, n);
}
