// expect: race
// A fence orders writes; it waits for nobody.

#include <cstdio>

__global__ void total(const int* in, int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[64 * blockIdx.x];  // other
  __threadfence();
  __syncthreads();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += out[b];  // fault
  if (threadIdx.x == 0) out[512 + blockIdx.x] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  total<<<8, 64>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
