// expect: exit 0
// libcu++: atomics with scopes and orders, a barrier in shared memory, a pipeline of asynchronous copies.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/tuple>

#include <cooperative_groups.h>
#include <cstdio>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      return 1;                                           \
    }                                                     \
  } while (0)

__global__ void count(cuda::atomic<int, cuda::thread_scope_device>* total, int* largest) {
  total->fetch_add(static_cast<int>(threadIdx.x), cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> most(*largest);
  most.fetch_max(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), cuda::memory_order_acq_rel);
}

// Each of several rounds writes what the next round reads; the barrier orders them.
__global__ void rounds(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int values[128];
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  Barrier* const barrier = reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) init(barrier, blockDim.x);
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int round = 0; round < 5; ++round) {
    const int next = values[(threadIdx.x + 1) % 128];
    barrier->arrive_and_wait();
    values[threadIdx.x] = next;
    barrier->arrive_and_wait();
  }
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void stream(const int* in, int* out, int tiles) {
  constexpr int kStages = 2;
  __shared__ int buffer[kStages][128];
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, kStages>;
  __shared__ alignas(State) char storage[sizeof(State)];
  State& state = *reinterpret_cast<State*>(storage);
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int fetch = 0, tile = 0; tile < tiles; ++tile) {
    for (; fetch < tiles && fetch < tile + kStages; ++fetch) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % kStages], in + fetch * 128, sizeof(int) * 128, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += buffer[tile % kStages][127 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

int main() {
  cuda::atomic<int, cuda::thread_scope_device>* total;
  int *largest, *in, *out;
  cudaMallocManaged(&total, sizeof *total);
  cudaMallocManaged(&largest, sizeof(int));
  cudaMallocManaged(&in, 128 * 6 * sizeof(int));
  cudaMallocManaged(&out, 128 * sizeof(int));
  new (total) cuda::atomic<int, cuda::thread_scope_device>(0);
  *largest = -1;
  count<<<7, 64>>>(total, largest);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(total->load() == 7 * 63 * 64 / 2);
  CHECK(*largest == 7 * 64 - 1);

  rounds<<<1, 128>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 128; ++i) CHECK(out[i] == (i + 5) % 128);

  for (int i = 0; i < 128 * 6; ++i) in[i] = i * i;
  stream<<<1, 128>>>(in, out, 6);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 128; ++i) {
    int sum = 0;
    for (int tile = 0; tile < 6; ++tile) sum += in[tile * 128 + 127 - i];
    CHECK(out[i] == sum);
  }
  std::printf("ok\n");
  return 0;
}
