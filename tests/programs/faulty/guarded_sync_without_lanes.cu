// expect: barrier_error
// A shuffle under a predicate of half the warp names all lanes; the other half waits at the block's barrier.

#include <cstdio>

__global__ void broadcast(const int* in, int* out) {
  const int t = threadIdx.x;
  int x = in[t];
  asm volatile(
      "{ .reg .pred p, q; setp.lt.u32 p, %1, 16; @p shfl.sync.idx.b32 %0|q, %0, 0, 31, 0xffffffff; }"
      : "+r"(x)
      : "r"(t));  // fault
  __syncthreads();
  out[t] = x;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 1, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  broadcast<<<1, 64>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
