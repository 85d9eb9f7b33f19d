// expect: exit 0
// stderr: cudaErrorCooperativeLaunchTooLarge
// A cooperative launch: the whole grid meets at grid.sync(), as many blocks as the device holds; one more is an error.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

// Each round, every block adds up what all blocks left in the round before.
__global__ void rounds(int* values, int* sums, int count) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  for (int round = 0; round < count; ++round) {
    int mine = 0;
    for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size()) mine += values[i];
    mine = cg::reduce(warp, mine, cg::plus<int>());
    __shared__ int parts[4];
    if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = mine;
    block.sync();
    if (block.thread_rank() == 0) sums[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
    grid.sync();
    if (block.thread_rank() == 0) values[blockIdx.x] = sums[(blockIdx.x + 1) % gridDim.x] % 7 + blockIdx.x % 2;
    grid.sync();
  }
}

int main() {
  int cooperative = 0, multiprocessors = 0, each = 0;
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, rounds, 128, 0);
  const int blocks = multiprocessors * each;
  int *values, *sums;
  cudaMallocManaged(&values, blocks * sizeof(int));
  cudaMallocManaged(&sums, blocks * sizeof(int));
  for (int i = 0; i < blocks; ++i) values[i] = i % 3;
  int count = 3;
  void* arguments[] = {&values, &sums, &count};
  const auto function = reinterpret_cast<void*>(rounds);
  cudaError_t status = cudaLaunchCooperativeKernel(function, blocks, 128, arguments, 0, nullptr);
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  std::printf("%d: %d blocks, %s\n", cooperative, blocks, cudaGetErrorName(status));
  if (status != cudaSuccess || cooperative != 1) return 1;

  int* expected = new int[blocks];
  for (int i = 0; i < blocks; ++i) expected[i] = i % 3;
  for (int round = 0; round < count; ++round) {
    int sum = 0;
    for (int i = 0; i < blocks; ++i) sum += expected[i];
    for (int i = 0; i < blocks; ++i) expected[i] = sum % 7 + i % 2;
  }
  for (int i = 0; i < blocks; ++i)
    if (values[i] != expected[i]) return 2;

  if (cudaLaunchCooperativeKernel(function, blocks + 1, 128, arguments, 0, nullptr) !=
      cudaErrorCooperativeLaunchTooLarge)
    return 3;
  if (cudaGetLastError() != cudaErrorCooperativeLaunchTooLarge) return 4;

  // The same by a launch attribute.
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = 128;
  config.attrs = &attribute;
  config.numAttrs = 1;
  count = 1;
  if (cudaLaunchKernelExC(&config, function, arguments) != cudaSuccess) return 5;
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 6;
}
