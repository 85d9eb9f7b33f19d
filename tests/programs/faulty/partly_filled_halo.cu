// expect: uninitialized_read
// The right halo is never loaded.

#include <cstdio>

__global__ void blur(const int* in, int* out) {
  __shared__ int tile[258];
  const int t = threadIdx.x;
  tile[t + 1] = in[t + 1];
  if (t == 0) tile[0] = in[0];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + tile[t + 2];  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  blur<<<1, 256>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
