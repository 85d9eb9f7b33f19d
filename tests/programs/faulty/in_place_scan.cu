// expect: race
// Every step of the scan reads what its neighbours are overwriting.

#include <cstdio>

__global__ void scan(int* data) {
  const int t = threadIdx.x;
  for (int d = 1; d < 256; d *= 2) {
    if (t >= d) data[t] += data[t - d];  // fault
    __syncthreads();
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  scan<<<1, 256>>>(in);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
