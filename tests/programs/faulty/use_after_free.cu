// expect: runtime_error
// The buffer was freed before the launch.

#include <cstdio>

__global__ void copy(const int* from, int* out) {
  out[threadIdx.x] = from[threadIdx.x];  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  int* freed;
  cudaMalloc(&freed, 1024);
  cudaMemset(freed, 0, 1024);
  cudaFree(freed);
  copy<<<1, 256>>>(freed, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
