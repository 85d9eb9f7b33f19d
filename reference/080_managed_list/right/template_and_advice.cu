// The list is a template, a __managed__ variable says where everything is, and the memory is advised to stay put.

template <class T>
struct List {
  struct Node {
    T value;
    Node* next;
  };
  Node* head = nullptr;
  void push(Node* node, T value) {
    *node = {value, head};
    head = node;
  }
  __device__ T sum() const {
    T result{};
    for (const Node* node = head; node; node = node->next) result += node->value;
    return result;
  }
};

struct World {
  List<float>* lists;
  int count;
};
__managed__ World world;

__global__ void sum_lists(float* sums) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < world.count) sums[g] = world.lists[g].sum();
}

void managed_list(const float* value, const int* group, float* sums, int n, int groups) {
  using Node = List<float>::Node;
  Node* nodes;
  cudaMallocManaged(&nodes, n * sizeof(Node));
  cudaMallocManaged(&world.lists, groups * sizeof(List<float>));
  world.count = groups;
  for (int g = 0; g < groups; ++g) world.lists[g] = List<float>();
  for (int i = 0; i < n; ++i) world.lists[group[i]].push(nodes + i, value[i]);
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  cudaMemAdvise(nodes, n * sizeof(Node), cudaMemAdviseSetPreferredLocation, here);
  cudaMemPrefetchAsync(nodes, n * sizeof(Node), here, 0, 0);
  cudaMemPrefetchAsync(world.lists, groups * sizeof(List<float>), here, 0, 0);
  sum_lists<<<(groups + 255) / 256, 256>>>(sums);
  cudaDeviceSynchronize();
  cudaFree(world.lists);
  cudaFree(nodes);
}
