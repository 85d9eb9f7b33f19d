// Asynchronous copies and barriers in memory, as CUDA C++ offers them: pipelines, cuda::barrier, memcpy_async, and the
// instructions themselves. Right programs, and the same with one step missing.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Each tile is turned round: thread t needs what thread 127 - t copied.
extern "C" __global__ void double_buffered(const int* in, int* out, int tiles, int wait, int sync) {
  __shared__ int tile[2][128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&tile[(k + 1) & 1][t], &in[(k + 1) * 128 + t], 4);
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(1);
    if (sync) __syncthreads();
    out[k * 128 + t] = tile[k & 1][127 - t];  // double_buffered reads
    __syncthreads();
  }
}

// The next tile is copied into the buffer that others still read.
extern "C" __global__ void overwritten_too_early(const int* in, int* out, int sync) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int x = tile[127 - t];
  if (sync) __syncthreads();
  __pipeline_memcpy_async(&tile[t], &in[128 + t], 4);  // overwritten_too_early copies
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = x + tile[127 - t];
}

extern "C" __global__ void zero_filled(const int4* in, int4* out, int n) {
  __shared__ int4 tile[64];
  const int t = threadIdx.x;
  const int have = 4 * t < n ? min(4, n - 4 * t) : 0;
  __pipeline_memcpy_async(&tile[t], have != 0 ? &in[t] : in, 16, 16 - 4 * have);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[t];
}

extern "C" __global__ void out_of_tile(const int* in, int* out, int n) {
  __shared__ int tile[64];
  for (int k = threadIdx.x; k < n; k += blockDim.x) __pipeline_memcpy_async(&tile[k], &in[k], 4);  // out_of_tile copies
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// cuda::barrier as a block barrier, many phases.
extern "C" __global__ void barrier_phases(int* out, int phases, int wait) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[256];
  const int t = threadIdx.x, n = blockDim.x;
  if (t == 0) init(&bar, n);
  __syncthreads();
  int x = t;
  for (int k = 0; k < phases; ++k) {
    s[t] = x;
    auto token = bar.arrive();
    if (wait) bar.wait(std::move(token));
    x = s[(t + 1) % n];  // barrier_phases reads
    bar.arrive_and_wait();
  }
  out[t] = x;
}

extern "C" __global__ void barrier_memcpy(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int s[256];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[255 - threadIdx.x];
}

extern "C" __global__ void group_memcpy(const int* in, int* out) {
  __shared__ alignas(16) int s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[threadIdx.x] = s[255 - threadIdx.x];
}

// Two warps produce, the others consume, through a pipeline of two stages.
extern "C" __global__ void producer_consumer(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int stage[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 64;
  auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int k = 0; k < tiles; ++k) {
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[k & 1][threadIdx.x], &in[k * 64 + threadIdx.x], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      out[k * 64 + threadIdx.x - 64] = stage[k & 1][127 - threadIdx.x];
      pipe.consumer_release();
    }
  }
}

extern "C" __global__ void unified_pipeline(const int* in, int* out, int tiles) {
  constexpr int kStages = 3;
  __shared__ alignas(16) int stage[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int fetch = 0, k = 0; k < tiles; ++k) {
    for (; fetch < tiles && fetch < k + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[fetch % kStages], in + fetch * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[k * 128 + threadIdx.x] = stage[k % kStages][127 - threadIdx.x];
    pipe.consumer_release();
  }
}

// One lane of a warp waits for the other lanes of its own warp.
extern "C" __global__ void lane_waits_for_lanes(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[32];
  if (threadIdx.x == 0) init(&bar, 32);
  __syncwarp();
  if (threadIdx.x == 0) {
    bar.arrive_and_wait();
    int sum = 0;
    for (int k = 1; k < 32; ++k) sum += s[k];
    *out = sum;
  } else {
    s[threadIdx.x] = threadIdx.x;
    (void)bar.arrive();
  }
}

extern "C" __global__ void too_many_arrivals(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  (void)bar.arrive(3);  // too_many_arrivals arrives
  out[threadIdx.x] = 1;
}

extern "C" __global__ void arrival_missing(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 3);
  __syncthreads();
  bar.arrive_and_wait();  // arrival_missing waits
  out[threadIdx.x] = 1;
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
#include <cstdint>
#include <cuda/ptx>
extern "C" __global__ void bulk_copy(const int* in, int* out, int bytes, int wait) {
  __shared__ alignas(128) int s[512];
  __shared__ alignas(8) std::uint64_t bar;
  namespace ptx = cuda::ptx;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, blockDim.x);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, bytes, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
  } else {
    ptx::mbarrier_arrive(&bar);
  }
  if (wait)
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
  for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) s[k] += 1;  // bulk_copy adds
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, bytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
}
#endif
