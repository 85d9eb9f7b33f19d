// Exercise 81: let copies overlap kernels.  out[i] = sqrt(in[i]) for i = 0..n-1, in and out in HOST memory.
// The task is explained in statement.md (or: python3 practice/judge.py show 81).

#include <cuda_runtime.h>

constexpr int kBlock = 256;
constexpr int kChunks = 8;   // copies and kernels of one chunk overlap those of others
constexpr int kStreams = 3;  // what is in one stream runs in order; different streams may run at the same time

__global__ void root_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(in[i]);
}

// The judge calls this function. in and out are host pointers to n floats, in ordinary pageable memory.
void overlap(const float* in, float* out, int n) {
  // TODO 1: pin the memory of in and out (cudaHostRegister), or copy by way of pinned buffers (cudaMallocHost). A copy
  // of pageable memory makes the host wait, whatever its name.

  // TODO 2: create kStreams streams, and allocate memory on the device.

  // TODO 3: for each chunk, in one of the streams: copy it to the device (cudaMemcpyAsync), launch the kernel in that
  // stream (the fourth value of <<<>>>), copy the result back. Nothing here may wait. The last chunk may be shorter.

  // TODO 4: wait for everything, and only then release what you created.
}
