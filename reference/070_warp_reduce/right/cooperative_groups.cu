// Tiles of 32 threads with the library's reduction.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ float of_warp[4];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int first = blockIdx.x * 1024;
  float largest = -INFINITY;
  for (int e = block.thread_rank(); e < 1024; e += block.size())
    if (first + e < n) largest = fmaxf(largest, x[first + e]);
  largest = cg::reduce(warp, largest, cg::greater<float>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = largest;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    const float mine = warp.thread_rank() < 4 ? of_warp[warp.thread_rank()] : -INFINITY;
    const float best = cg::reduce(warp, mine, cg::greater<float>());
    if (warp.thread_rank() == 0) maxima[blockIdx.x] = best;
  }
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + 1023) / 1024, 128>>>(x, maxima, n);
}
