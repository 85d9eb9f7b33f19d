// expect: exit 0
// Each thread builds a list on the device's heap in one kernel; another walks and frees it; malloc says when there is no more.
#include <cstdio>

struct Node {
  int value;
  Node* next;
};

__global__ void build(Node** heads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k <= i % 7; ++k) {
    Node* n = static_cast<Node*>(malloc(sizeof(Node)));
    if (n == nullptr) break;
    n->value = i + k;
    n->next = head;
    head = n;
  }
  heads[i] = head;
}
__global__ void consume(Node** heads, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (Node* n = heads[i]; n != nullptr;) {
    Node* next = n->next;
    sum = 2 * sum + n->value;
    free(n);
    n = next;
  }
  sums[i] = sum;
}
__global__ void greedy(int* got) {
  int blocks = 0;
  void* all[64];
  while (blocks < 64 && (all[blocks] = malloc(1 << 20)) != nullptr) ++blocks;
  *got = blocks;
  for (int k = 0; k < blocks; ++k) free(all[k]);
}

int main() {
  const int n = 256;
  Node** heads;
  int *sums, host[n], most = 0;
  cudaMalloc(&heads, n * sizeof(Node*));
  cudaMalloc(&sums, sizeof host);
  build<<<2, n / 2>>>(heads);
  consume<<<2, n / 2>>>(heads, sums);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int k = i % 7; k >= 0; --k) expected = 2 * expected + i + k;
    if (host[i] == expected) continue;
    std::printf("list %d: %d, expected %d\n", i, host[i], expected);
    return 1;
  }
  greedy<<<1, 1>>>(sums);
  if (cudaMemcpy(&most, sums, sizeof most, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  if (most < 4 || most > 8) {  // of the default heap of 8 MB, which has its own overhead
    std::printf("%d blocks of 1 MB\n", most);
    return 1;
  }
  cudaFree(heads);
  cudaFree(sums);
}
