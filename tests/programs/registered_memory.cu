// expect: exit 0
// Host memory that the program allocated itself and registered: kernels reach it, and the program sees what they wrote
// at once.
#include <cstdio>
#include <cstdlib>

__global__ void twice(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  constexpr int n = 5000;
  int* const before = static_cast<int*>(std::malloc(sizeof(int)));
  int* const x = static_cast<int*>(std::malloc(n * sizeof(int)));
  int* const after = static_cast<int*>(std::malloc(sizeof(int)));
  *before = 11;  // neighbours on the same pages stay what they are
  *after = 13;
  for (int i = 0; i < n; ++i) x[i] = i;
  if (cudaHostRegister(x, n * sizeof(int), cudaHostRegisterMapped) != cudaSuccess) return 1;
  if (cudaHostRegister(x, 4, cudaHostRegisterMapped) != cudaErrorHostMemoryAlreadyRegistered) return 2;
  int* there = nullptr;
  if (cudaHostGetDevicePointer(&there, x + 1, 0) != cudaSuccess) return 3;
  twice<<<(n + 127) / 128, 128>>>(there, n - 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return 4;
  for (int i = 0; i < n; ++i)
    if (x[i] != (i == 0 ? 0 : 2 * i)) return 5;
  x[7] = 100;
  twice<<<1, 32>>>(there, 32);
  if (cudaDeviceSynchronize() != cudaSuccess || x[7] != 200) return 6;
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess || attributes.type != cudaMemoryTypeHost) return 7;
  if (cudaHostUnregister(x) != cudaSuccess || x[7] != 200 || x[n - 1] != 2 * (n - 1)) return 8;
  if (cudaHostUnregister(x) != cudaErrorHostMemoryNotRegistered) return 9;
  if (*before != 11 || *after != 13) return 10;
  x[7] = 1;
  std::free(x);
  std::free(before);
  std::free(after);
  std::printf("ok\n");
  return 0;
}
