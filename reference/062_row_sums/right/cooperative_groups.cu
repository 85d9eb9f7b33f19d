// The warp as a cooperative group: a grid-stride loop over the rows, and the library's reduction.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void row_sums_kernel(const float* __restrict__ a, float* __restrict__ sums, int rows, int columns) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int warps = gridDim.x * warp.meta_group_size();
  for (int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); row < rows; row += warps) {
    float sum = 0.0f;
    for (int column = warp.thread_rank(); column < columns; column += warp.size())
      sum += a[static_cast<size_t>(row) * columns + column];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) sums[row] = sum;
  }
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  row_sums_kernel<<<min(rows, 80), 128>>>(a, sums, rows, columns);
}
