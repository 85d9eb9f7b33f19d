// expect: runtime_error
// A vector of four ints is read one int past its boundary.

#include <cstdio>

__global__ void load(const int* in, int4* out) {
  out[threadIdx.x] = *reinterpret_cast<const int4*>(in + 1 + 4 * threadIdx.x);  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  load<<<1, 32>>>(in, reinterpret_cast<int4*>(out));
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
