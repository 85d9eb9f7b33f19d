// expect: runtime_error
// An index from memory leaves a local array.

#include <cstdio>

__global__ void pick(const int* in, int* out, int where) {
  int a[8];
  for (int k = 0; k < 8; ++k) a[k] = in[k];
  a[where] = 3;  // fault
  out[threadIdx.x] = a[in[0] & 7];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  pick<<<1, 32>>>(in, out, 8);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
