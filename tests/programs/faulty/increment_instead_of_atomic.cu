// expect: race
// Blocks count with a plain increment.

#include <cstdio>

__global__ void count(const int* in, int* out) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] != 0) out[0] = out[0] + 1;  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  count<<<8, 128>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
