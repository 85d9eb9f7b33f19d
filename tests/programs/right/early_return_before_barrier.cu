// expect: nothing
// Threads that have exited do not count at a barrier.

#include <cstdio>

__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();
  out[t] = s[n - 1 - t];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  reverse<<<1, 256>>>(in, out, 100);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
