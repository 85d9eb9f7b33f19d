// expect: exit 0
// stdout: host: before
// stdout: device: thread 0 of block 0, 1.50
// stdout: device: thread 1 of block 0, 2.50
// stdout: host: between
// stdout: device: a text and 100 %
// stdout: host: after the copy
// stdout: device: 42
// stdout: host: end
// Kernels' printf comes out at synchronisation, in order with the host's own.
#include <cstdio>

__global__ void hello(float x) {
  printf("device: thread %d of block %d, %.2f\n", threadIdx.x, blockIdx.x, x + threadIdx.x);
}
__global__ void text(const char* s, int* out) {
  printf("device: %s and %d %%\n", s, 100);
  *out = 7;
}
__global__ void number(long long x) { printf("device: %lld\n", x); }

int main() {
  std::printf("host: before\n");
  hello<<<1, 2>>>(1.5f);
  cudaDeviceSynchronize();
  std::printf("host: between\n");
  char* s;
  int *out, result = 0;
  cudaMalloc(&s, 16);
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(s, "a text", 7, cudaMemcpyHostToDevice);
  text<<<1, 1>>>(s, out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("host: after the copy\n");
  number<<<1, 1>>>(42);
  cudaDeviceSynchronize();
  std::printf("host: end\n");
  return result == 7 ? 0 : 1;
}
