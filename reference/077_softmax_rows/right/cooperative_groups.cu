// Cooperative groups: cg::reduce within a warp, the opt-in to all that the device offers, 512 threads.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <int Threads>
__global__ void __launch_bounds__(Threads) softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int columns) {
  extern __shared__ float row[];
  __shared__ float maxima[32], sums[32];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  x += size_t(blockIdx.x) * columns;
  y += size_t(blockIdx.x) * columns;
  float m = -3.4e38f;
  for (int i = block.thread_rank(); i < columns; i += Threads) m = fmaxf(m, row[i] = x[i]);
  m = cg::reduce(warp, m, cg::greater<float>());
  if (warp.thread_rank() == 0) maxima[warp.meta_group_rank()] = m;
  block.sync();
  m = maxima[0];
  for (int w = 1; w < Threads / 32; ++w) m = fmaxf(m, maxima[w]);
  float s = 0;
  for (int i = block.thread_rank(); i < columns; i += Threads) s += row[i] = __expf(row[i] - m);
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = s;
  block.sync();
  s = 0;
  for (int w = 0; w < Threads / 32; ++w) s += sums[w];
  for (int i = block.thread_rank(); i < columns; i += Threads) y[i] = row[i] / s;
}

void softmax_rows(const float* x, float* y, int rows, int columns) {
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, softmax_kernel<512>);
  cudaFuncSetAttribute(softmax_kernel<512>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       most - static_cast<int>(attributes.sharedSizeBytes));
  softmax_kernel<512><<<rows, 512, columns * sizeof(float)>>>(x, y, columns);
}
