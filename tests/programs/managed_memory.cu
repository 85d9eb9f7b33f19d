// expect: exit 0
// cudaMallocManaged and a __managed__ variable: host and device see each other's writes after a synchronisation.
#include <cstdio>

__managed__ int total = 5;

struct Node {
  int value;
  Node* next;
};

__global__ void add_up(const Node* first) {
  for (const Node* n = first; n != nullptr; n = n->next) total += n->value;
}

__global__ void square(long long* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

int main() {
  Node* nodes;
  if (cudaMallocManaged(&nodes, 10 * sizeof(Node)) != cudaSuccess) return 1;
  for (int i = 0; i < 10; ++i) nodes[i] = {i + 1, i < 9 ? &nodes[i + 1] : nullptr};
  add_up<<<1, 1>>>(nodes);
  if (cudaDeviceSynchronize() != cudaSuccess || total != 5 + 55) return std::printf("total = %d\n", total), 1;
  total = 100;
  add_up<<<1, 1>>>(nodes);
  if (cudaDeviceSynchronize() != cudaSuccess || total != 155) return std::printf("total = %d\n", total), 1;

  const int n = 1000;
  long long* x;
  if (cudaMallocManaged(&x, n * sizeof *x) != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) x[i] = i;
  square<<<4, 256>>>(x, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i)
    if (x[i] != 1LL * i * i) return std::printf("x[%d] = %lld\n", i, x[i]), 1;
  return cudaFree(x) || cudaFree(nodes);
}
