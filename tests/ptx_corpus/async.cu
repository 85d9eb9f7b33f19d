// What compute_80 and compute_90 add: asynchronous copies, barriers in memory, warp reductions, clusters.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

__global__ void staged(const float4* x, float4* y, unsigned* sums) {
#if __CUDA_ARCH__ >= 800
  __shared__ float4 buffer[128];
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at));
  __pipeline_memcpy_async(&buffer[threadIdx.x], &x[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at));
  y[threadIdx.x] = buffer[threadIdx.x ^ 1];
  sums[threadIdx.x] = __reduce_add_sync(0xffffffffu, threadIdx.x);
  sums[0] += __bfloat162float(__float2bfloat16(y[0].x));
#endif
#if __CUDA_ARCH__ >= 900
  auto cluster = cooperative_groups::this_cluster();
  sums[1] = cluster.block_rank();
  cluster.sync();
#endif
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
__global__ void __cluster_dims__(2, 1, 1) paired(int* x) { *cooperative_groups::this_cluster().map_shared_rank(x, 1) = 1; }
#endif
