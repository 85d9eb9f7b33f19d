// expect: exit 0
// options: --gpu a100
// A barrier and a pipeline of libcu++: half of the block copies tiles, the other half works on them, two stages apart.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
constexpr int kTile = 64, kStages = 2;

__global__ void sums(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int stage[kStages][kTile];
  __shared__ int total;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ cuda::barrier<cuda::thread_scope_block> finished;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) {
    init(&finished, blockDim.x);
    total = 0;
  }
  block.sync();
  const bool copies = threadIdx.x < kTile;
  const auto role = copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  const int t = threadIdx.x % kTile;
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    if (copies) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[k % kStages][t], in + (blockIdx.x * tiles + k) * kTile + t, cuda::aligned_size_t<4>(4),
                         pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += (k + 1) * stage[k % kStages][kTile - 1 - t];
      pipe.consumer_release();
    }
  }
  if (!copies) atomicAdd(&total, sum);
  finished.arrive_and_wait();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

int main() {
  constexpr int blocks = 3, tiles = 7, n = blocks * tiles * kTile;
  std::vector<int> in(n), out(blocks);
  for (int i = 0; i < n; ++i) in[i] = i % 101 - 50;
  int *din, *dout;
  cudaMalloc(&din, sizeof(int) * n);
  cudaMalloc(&dout, sizeof(int) * blocks);
  cudaMemcpy(din, in.data(), sizeof(int) * n, cudaMemcpyHostToDevice);
  sums<<<blocks, 2 * kTile>>>(din, dout, tiles);
  if (cudaGetLastError() != cudaSuccess) return 1;
  if (cudaMemcpy(out.data(), dout, sizeof(int) * blocks, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(din);
  cudaFree(dout);
  for (int b = 0; b < blocks; ++b) {
    int sum = 0;
    for (int i = 0; i < tiles * kTile; ++i) sum += (i / kTile + 1) * in[b * tiles * kTile + i];
    if (out[b] != sum) return std::printf("block %d: %d and not %d\n", b, out[b], sum), 1;
  }
  return 0;
}
