// expect: nothing
// Nodes are pushed by compare-and-swap.

#include <cstdio>

__device__ int head = -1;
__global__ void push(int* next) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  int old = head;
  for (;;) {
    next[mine] = old;
    __threadfence();
    const int seen = atomicCAS(&head, old, mine);
    if (seen == old) break;
    old = seen;
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  push<<<4, 128>>>(out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
