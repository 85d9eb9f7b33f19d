// Cooperative groups: sixteen lanes for a row, sixteen bytes a lane. A warp has two rows, so two indices.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int Width>
__global__ void gather_kernel(const float4* __restrict__ table, const int* __restrict__ index, float4* __restrict__ out,
                              int rows) {
  const auto lanes = cg::tiled_partition<Width / 4>(cg::this_thread_block());
  const int row = blockIdx.x * lanes.meta_group_size() + lanes.meta_group_rank();
  if (row >= rows) return;
  const int from = index[row];
  out[row * (Width / 4) + lanes.thread_rank()] = table[from * (Width / 4) + lanes.thread_rank()];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<64><<<(rows + 15) / 16, 256>>>(reinterpret_cast<const float4*>(table), index,
                                               reinterpret_cast<float4*>(out), rows);
}
