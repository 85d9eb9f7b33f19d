// Cooperative groups, atomics, scoped inline assembly.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ unsigned lane_below(unsigned mask) {
  unsigned result;
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  .reg .b32 t, u;\n"
      "  mov.u32 t, %%lanemask_lt;\n"
      "  and.b32 u, t, %1;\n"
      "  setp.ne.u32 p, u, 0;\n"
      "  selp.u32 %0, 1, 0, p;\n"
      "  @!p bra DONE;\n"
      "  popc.b32 %0, u;\n"
      "DONE:\n"
      "}\n"
      : "=r"(result)
      : "r"(mask));
  return result;
}

__global__ void histogram(const int* x, int* bins, unsigned long long* total, float* largest, int n) {
  __shared__ int local[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  for (int i = block.thread_rank(); i < 64; i += block.size()) local[i] = 0;
  block.sync();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = i < n ? x[i] : 0;
  atomicAdd(&local[value & 63], 1);
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(total, static_cast<unsigned long long>(sum));
  atomicCAS(&bins[64], 0, static_cast<int>(lane_below(__activemask())));
  atomicAdd(largest, value * lane_below(7u) * 0.5f);
  block.sync();
  for (int j = block.thread_rank(); j < 64; j += block.size()) atomicAdd(&bins[j], local[j]);
}
