// expect: uninitialized_read
// Memory from cudaMalloc is not zero.

#include <cstdio>

__global__ void add(const int* in, int* out) {
  out[threadIdx.x] += in[threadIdx.x];  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  add<<<1, 256>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
