// expect: wrong_answer
// The walk gives up after sixteen nodes: long lists are not summed to their end.

#include <cuda_runtime.h>

#include <algorithm>

struct Node {
  float value;
  Node* next;
};

__global__ void sum_lists(Node* const* heads, float* sums, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  float sum = 0.0f;
  int steps = 0;
  for (const Node* node = heads[g]; node != nullptr && steps++ < 16; node = node->next) sum += node->value;
  sums[g] = sum;
}

void managed_list(const float* value, const int* group, float* sums, int n, int groups) {
  Node* nodes = nullptr;
  Node** heads = nullptr;
  cudaMallocManaged(&nodes, n * sizeof(Node));
  cudaMallocManaged(&heads, groups * sizeof(Node*));

  std::fill_n(heads, groups, nullptr);
  for (int i = 0; i < n; ++i) {
    nodes[i] = {value[i], heads[group[i]]};
    heads[group[i]] = &nodes[i];
  }

  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  cudaMemPrefetchAsync(nodes, n * sizeof(Node), device, 0, nullptr);
  cudaMemPrefetchAsync(heads, groups * sizeof(Node*), device, 0, nullptr);

  constexpr int kBlock = 128;
  sum_lists<<<(groups + kBlock - 1) / kBlock, kBlock>>>(heads, sums, groups);
  cudaFree(nodes);  // waits for the kernel
  cudaFree(heads);
}
