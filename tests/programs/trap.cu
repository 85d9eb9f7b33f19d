// expect: exit 11
// stdout: the program sees: 719
// stderr: trap\.cu:8
#include <cstdio>

__global__ void give_up(const int* x) {
  if (x[threadIdx.x] == 7)
    __trap();
}

int main() {
  int host[32], *x;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  give_up<<<1, 32>>>(x);
  std::printf("the program sees: %d\n", static_cast<int>(cudaDeviceSynchronize()));
}
