// Barriers and the last warp as cooperative groups.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  __shared__ float partial[256];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int t = block.thread_rank();
  float sum = 0.0f;
  for (int e = 0; e < 4; ++e) {
    const int i = blockIdx.x * 1024 + e * 256 + t;
    if (i < n) sum += x[i];
  }
  partial[t] = sum;
  block.sync();
  for (int half = 128; half >= 32; half >>= 1) {
    if (t < half) partial[t] += partial[t + half];
    block.sync();
  }
  if (warp.meta_group_rank() == 0) {
    const float total = cg::reduce(warp, partial[t], cg::plus<float>());
    if (warp.thread_rank() == 0) sums[blockIdx.x] = total;
  }
}

void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + 1023) / 1024, 256>>>(x, sums, n);
}
