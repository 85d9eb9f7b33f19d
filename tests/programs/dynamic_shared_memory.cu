// expect: exit 0
// A block reverses its piece through dynamic shared memory, also with more than 48 KiB after the opt-in, and not without.
#include <cstdio>
#include <vector>

__global__ void reverse(const int* in, int* out, int per_block) {
  extern __shared__ int piece[];
  const int base = blockIdx.x * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) piece[i] = in[base + i];
  __syncthreads();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) out[base + i] = piece[per_block - 1 - i];
}

static int check(int per_block, int blocks) {
  const int n = per_block * blocks;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 7 * i + 1;
  int *din, *dout;
  if (cudaMalloc(&din, n * sizeof(int)) || cudaMalloc(&dout, n * sizeof(int))) return 1;
  cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  reverse<<<blocks, 128, per_block * sizeof(int)>>>(din, dout, per_block);
  if (cudaGetLastError() != cudaSuccess) return 2;
  cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < per_block; ++i)
      if (out[b * per_block + i] != 7 * (b * per_block + per_block - 1 - i) + 1) return 3;
  cudaFree(din);
  cudaFree(dout);
  return 0;
}

int main() {
  if (const int r = check(1000, 5)) return std::printf("4,000 bytes: step %d\n", r), 1;
  const int large = 15000;  // 60,000 bytes
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, reverse) != cudaSuccess || attributes.sharedSizeBytes != 0) return 1;
  if (cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, large * 4) != cudaSuccess) return 1;
  if (const int r = check(large, 2)) return std::printf("60,000 bytes: step %d\n", r), 1;
  if (cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) == cudaSuccess)
    return std::printf("no GPU has 1 MiB of shared memory a block\n"), 1;
  return 0;
}
