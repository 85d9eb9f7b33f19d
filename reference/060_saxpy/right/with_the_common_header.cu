// The course's own header, by the name that works with plain nvcc in practice/060_saxpy/ too.

#include "../common.cuh"

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  GpuTimer timer;
  timer.start();
  saxpy_kernel<<<4 * multiprocessors(), 256>>>(a, x, y, n);
  CUDA_CHECK_LAUNCH();
  std::printf("%.1f GB/s\n", gigabytes_per_second(12.0 * n, timer.stop_ms()));
}
