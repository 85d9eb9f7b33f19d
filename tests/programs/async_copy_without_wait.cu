// expect: exit 15
// options: --gpu a100
// stderr: async_copy_without_wait\.cu:20
// stderr: nobody has waited for the copy
// stdout: ran
// The copy is committed, and a barrier stands behind it: but no thread waits for its copy to arrive.
#include <cuda_pipeline.h>

#include <cstdio>
#include <vector>

__global__ void turn(const int* in, int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[128 * blockIdx.x + t], 4);
  __pipeline_commit();
  // __pipeline_wait_prior(0) is missing
  __syncthreads();

  out[128 * blockIdx.x + t] = tile[127 - t];
}

int main() {
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i;
  int *din, *dout;
  cudaMalloc(&din, 1024);
  cudaMalloc(&dout, 1024);
  cudaMemcpy(din, in.data(), 1024, cudaMemcpyHostToDevice);
  turn<<<2, 128>>>(din, dout);
  if (cudaDeviceSynchronize() == cudaSuccess) std::printf("ran\n");
  cudaFree(din);
  cudaFree(dout);
  return 0;
}
