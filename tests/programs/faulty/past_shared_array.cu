// expect: runtime_error
// The index leaves one array for the next, inside the shared memory of the block.

#include <cstdio>

__global__ void both(const int* in, int* out, int shift) {
  __shared__ int first[256];
  __shared__ int second[256];
  const int t = threadIdx.x;
  first[t] = in[t];
  second[t] = in[t + 256];
  __syncthreads();
  out[t] = first[t + shift] + second[255 - t];  // fault
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * sizeof(int));
  cudaMalloc(&out, 1024 * sizeof(int));
  cudaMemset(in, 1, 1024 * sizeof(int));
  cudaMemset(out, 0, 1024 * sizeof(int));
  both<<<1, 256>>>(in, out, 1);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
