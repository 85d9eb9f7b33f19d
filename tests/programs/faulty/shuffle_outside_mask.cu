// expect: barrier_error
// Sixteen lanes take part, the value of lane 20 is asked for.

#include <cstdio>

__global__ void ask(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t < 16) out[t] = __shfl_sync(0xffffu, in[t], 20);  // fault
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
