// expect: exit 0
// A table of functions in constant memory; neighbouring threads call different ones.
#include <cstdio>

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ Operation operations[4] = {add, subtract, multiply, larger};

__global__ void apply(const int* which, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[which[i]](i, 7);
}

int main() {
  const int n = 500;
  int host[n], *which, *out;
  for (int i = 0; i < n; ++i) host[i] = (i * i + i / 3) % 4;
  cudaMalloc(&which, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(which, host, sizeof host, cudaMemcpyHostToDevice);
  apply<<<2, 256>>>(which, out, n);
  int got[n];
  if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < n; ++i) {
    const int expected[] = {i + 7, i - 7, i * 7, i > 7 ? i : 7};
    if (got[i] == expected[host[i]]) continue;
    std::printf("element %d: %d, expected %d\n", i, got[i], expected[host[i]]);
    return 1;
  }
  cudaFree(which);
  cudaFree(out);
}
