// One kernel with both kinds of shared memory: the first blocks take a, the others b; cooperative groups for the
// barrier.

#include <cooperative_groups.h>

__global__ void reverse_both(float* a, float* b, int n, int width, int blocks_of_a) {
  __shared__ float fixed[256];
  extern __shared__ float flexible[];
  const bool is_a = blockIdx.x < blocks_of_a;
  float* const x = is_a ? a : b;
  float* const group = is_a ? fixed : flexible;
  const int size = is_a ? 256 : width;
  const int first = (is_a ? blockIdx.x : blockIdx.x - blocks_of_a) * size;
  const int count = min(size, n - first);
  for (int t = threadIdx.x; t < count; t += blockDim.x) group[t] = x[first + t];
  cooperative_groups::this_thread_block().sync();
  for (int t = threadIdx.x; t < count; t += blockDim.x) x[first + t] = group[count - 1 - t];
}

void block_reverse(float* a, float* b, int n, int width) {
  const int blocks_of_a = (n + 255) / 256, blocks_of_b = (n + width - 1) / width;
  reverse_both<<<blocks_of_a + blocks_of_b, 256, 4 * width>>>(a, b, n, width, blocks_of_a);
}
