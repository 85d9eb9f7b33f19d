// Nodes and heads in one allocation with one prefetch, in a stream of its own; grid-stride.

struct Item {
  Item* next;
  float value;
};

__global__ void walk(Item** first, float* sums, int groups) {
  for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += gridDim.x * blockDim.x) {
    float sum = 0;
    Item* item = first[g];
    while (item) {
      sum += item->value;
      item = item->next;
    }
    sums[g] = sum;
  }
}

void managed_list(const float* value, const int* group, float* sums, int n, int groups) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  char* memory;
  const size_t bytes = n * sizeof(Item) + groups * sizeof(Item*);
  cudaMallocManaged(&memory, bytes);
  Item* items = reinterpret_cast<Item*>(memory);
  Item** first = reinterpret_cast<Item**>(items + n);
  for (int g = 0; g < groups; ++g) first[g] = nullptr;
  for (int i = n - 1; i >= 0; --i) {
    items[i].value = value[i];
    items[i].next = first[group[i]];
    first[group[i]] = items + i;
  }
  cudaMemLocation where{};
  where.type = cudaMemLocationTypeDevice;
  cudaMemPrefetchAsync(memory, bytes, where, 0, stream);
  walk<<<20, 64, 0, stream>>>(first, sums, groups);
  cudaStreamSynchronize(stream);
  cudaFree(memory);
  cudaStreamDestroy(stream);
}
