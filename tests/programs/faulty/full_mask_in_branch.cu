// expect: barrier_error
// The mask names lanes that wait at a barrier elsewhere.

#include <cstdio>

__global__ void ask(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 16)
    v = __shfl_down_sync(~0u, v, 4);  // fault
  else
    __syncthreads();
  out[t] = v;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  ask<<<1, 32>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
