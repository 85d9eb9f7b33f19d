// expect: barrier_error
// Half of the block goes around the barrier.

#include <cstdio>

__global__ void half(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 128) {
    __syncthreads();  // fault
    out[threadIdx.x] = tile[127 - threadIdx.x];
  }
  out[threadIdx.x] += 1;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  half<<<1, 256>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
