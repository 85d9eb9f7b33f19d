// Two pairs of tiles: while a block computes with one, the elements of the next are on their way. One barrier a round.

namespace {

constexpr int kTile = 16;

__device__ float element(const float* m, int row, int column, int n) {
  return row < n && column < n ? m[static_cast<size_t>(row) * n + column] : 0.0f;
}

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tiles[2][2][kTile * kTile];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float next_a = element(a, row, x, n), next_b = element(b, y, column, n);
  float sum = 0.0f;
  for (int start = 0, which = 0; start < n; start += kTile, which ^= 1) {
    tiles[which][0][threadIdx.x] = next_a;
    tiles[which][1][threadIdx.x] = next_b;
    __syncthreads();
    if (start + kTile < n) {
      next_a = element(a, row, start + kTile + x, n);
      next_b = element(b, start + kTile + y, column, n);
    }
    for (int k = 0; k < kTile; ++k) sum += tiles[which][0][y * kTile + k] * tiles[which][1][k * kTile + x];
  }
  if (row < n && column < n) c[static_cast<size_t>(row) * n + column] = sum;
}

}  // namespace

void matmul_tiled(const float* a, const float* b, float* c, int n) {
  const unsigned blocks = (n + kTile - 1) / kTile;
  multiply<<<dim3(blocks, blocks), kTile * kTile>>>(a, b, c, n);
}
