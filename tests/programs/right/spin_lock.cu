// expect: nothing
// Every thread adds to one counter under a lock.

#include <cstdio>

__device__ int lock;
__global__ void count(int* out) {
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      out[0] += 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  count<<<4, 64>>>(out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
