// expect: exit 11
// stdout: assert_failure.cu:12: void check(const int *): block: [0,0,0], thread: [20,0,0] Assertion `x[i] < 100` failed.
// stdout: the program sees: 710
// stderr: assert_failure\.cu:12
// stderr: x\[i\] < 100
// A device assert that fails: the kernel ends, and every later call returns cudaErrorAssert.
#include <cassert>
#include <cstdio>

__global__ void check(const int* x) {
  const int i = threadIdx.x;
  assert(x[i] < 100);
}

int main() {
  int host[32], *x;
  for (int i = 0; i < 32; ++i) host[i] = i == 20 ? 100 : i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  check<<<1, 32>>>(x);
  std::printf("the program sees: %d\n", static_cast<int>(cudaDeviceSynchronize()));
}
