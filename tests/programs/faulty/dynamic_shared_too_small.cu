// expect: runtime_error
// The launch gives half of what the kernel uses.

#include <cstdio>

__global__ void copy(const int* in, int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = in[threadIdx.x];  // fault
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  copy<<<1, 256, 128 * sizeof(int)>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
