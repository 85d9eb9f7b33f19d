// expect: race
// The count can arrive before the sums do.

#include <cstdio>

__device__ unsigned done;
__global__ void total(const int* in, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = in[64 * blockIdx.x];  // other
    __threadfence_block();
    last = atomicAdd(&done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += out[1 + b];  // fault
  out[0] = sum;
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
