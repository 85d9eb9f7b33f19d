// expect: race
// Nothing keeps the second tile from being loaded while the first is still read.

#include <cstdio>

__global__ void sums(const int* in, int* out) {
  __shared__ int tile[256];
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    tile[threadIdx.x] = in[256 * k + threadIdx.x];  // fault
    __syncthreads();
    sum += tile[255 - threadIdx.x];  // other
  }
  out[threadIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  sums<<<1, 256>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
