// expect: exit 11
// stderr: what the device found
// stderr: out_of_bounds_by_one\.cu:14
// stderr: block \(3, 0, 0\), thread \(232, 0, 0\)
// stderr: the exit status is 11
// stdout: the program sees the error: 700 700
// One element too many, and a main() that returns 0 all the same.
#include <cstdio>

__global__ void fill(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // n threads too many would be many faults; <= is the classic one.
  if (i <= n)
    x[i] = i;
}

int main() {
  const int n = 1000;
  int* x;
  cudaMalloc(&x, n * sizeof(int));
  fill<<<4, 256>>>(x, n);
  const cudaError_t at_once = cudaDeviceSynchronize();
  const cudaError_t later = cudaMemset(x, 0, 4);
  std::printf("the program sees the error: %d %d\n", static_cast<int>(at_once), static_cast<int>(later));
}
