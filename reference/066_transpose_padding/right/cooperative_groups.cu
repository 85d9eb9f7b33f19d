// A grid-stride loop over the tiles; the block as a cooperative group.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int kTile, int kRows>
__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const auto block = cg::this_thread_block();
  const int across = (columns + kTile - 1) / kTile, down = (rows + kTile - 1) / kTile;
  for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
    const int row = t / across * kTile, column = t % across * kTile;
    for (int r = threadIdx.y; r < kTile; r += kRows)
      if (row + r < rows && column + threadIdx.x < columns)
        tile[r][threadIdx.x] = in[static_cast<size_t>(row + r) * columns + column + threadIdx.x];
    block.sync();
    for (int c = threadIdx.y; c < kTile; c += kRows)
      if (column + c < columns && row + threadIdx.x < rows)
        out[static_cast<size_t>(column + c) * rows + row + threadIdx.x] = tile[threadIdx.x][c];
    block.sync();  // nobody may overwrite the tile that others still read
  }
}

void transpose_padding(const float* in, float* out, int rows, int columns) {
  transpose_kernel<32, 4><<<120, dim3(32, 4)>>>(in, out, rows, columns);
}
