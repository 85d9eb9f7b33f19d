// expect: nothing
// The lanes of a warp wait for each other between steps.

#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 16; d > 0; d /= 2) {
    __syncwarp();
    const int other = t < d ? s[t + d] : 0;
    __syncwarp();
    if (t < d) s[t] += other;
  }
  if (t == 0) out[0] = s[0];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  sum<<<1, 32>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
