// 32 x 8 threads and a tile of 32 x 32: the tile is loaded as one run of numbers, and each thread computes four
// elements.

struct Array {
  const float* data;
  int rows, columns;
  __device__ float operator()(int row, int column) const {
    const bool inside = unsigned(row) < unsigned(rows) && unsigned(column) < unsigned(columns);
    return inside ? data[size_t(row) * columns + column] : 0.0f;
  }
};

constexpr int kSide = 32, kReach = 2, kTile = kSide + 2 * kReach;

__global__ void stencil(Array u, float* out) {
  __shared__ float tile[kTile * kTile];
  const int row0 = blockIdx.y * kSide, column0 = blockIdx.x * kSide;
  for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < kTile * kTile; t += blockDim.x * blockDim.y)
    tile[t] = u(row0 + t / kTile - kReach, column0 + t % kTile - kReach);
  __syncthreads();
  const int column = column0 + threadIdx.x;
  for (int r = threadIdx.y; r < kSide; r += blockDim.y) {
    if (row0 + r >= u.rows || column >= u.columns) break;
    const float* me = &tile[(r + kReach) * kTile + threadIdx.x + kReach];
    float sum = -5.0f * me[0];
    sum += 4.0f / 3.0f * (me[-1] + me[1] + me[-kTile] + me[kTile]);
    sum -= 1.0f / 12.0f * (me[-2] + me[2] + me[-2 * kTile] + me[2 * kTile]);
    out[(row0 + r) * u.columns + column] = sum;
  }
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 grid((columns + kSide - 1) / kSide, (rows + kSide - 1) / kSide);
  stencil<<<grid, dim3(32, 8)>>>(Array{u, rows, columns}, out);
}
