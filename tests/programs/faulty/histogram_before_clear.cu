// expect: race
// Threads count before others have cleared the bins.

#include <cstdio>

__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;  // other
  atomicAdd(&bins[(in[threadIdx.x] + 7 * threadIdx.x) & 255], 1);  // fault
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  histogram<<<1, 256>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
