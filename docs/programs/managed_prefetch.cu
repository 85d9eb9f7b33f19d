// Managed memory that the host fills and a kernel uses: left where it is, and prefetched to the device before the
// launch.
//
//   python3 practice/judge.py run docs/programs/managed_prefetch.cu --report -- on_demand
//   python3 practice/judge.py run docs/programs/managed_prefetch.cu --report -- prefetch
//
// The report says how many bytes were prefetched in time; what was not, a GPU moves page by page when the kernel
// touches it. On a GPU: nvcc -I practice, and a second argument, "time", takes larger arrays and adds the kernel's time.

#include <cstring>
#include <vector>

#include "common.cuh"

constexpr int kThreads = 256;

__global__ void axpy(float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += a * x[i];
}

void prefetch(const void* memory, std::size_t bytes, int device) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device < 0 ? 0 : device;
  CUDA_CHECK(cudaMemPrefetchAsync(memory, bytes, location, 0));
}

int main(int argc, char** argv) {
  const bool ahead = argc > 1 && std::strcmp(argv[1], "prefetch") == 0;
  const bool timed = argc > 2 && std::strcmp(argv[2], "time") == 0;
  if (!ahead && (argc < 2 || std::strcmp(argv[1], "on_demand") != 0)) {
    std::fprintf(stderr, "say how the memory should get to the device: on_demand or prefetch\n");
    return 2;
  }
  const int n = timed ? 1 << 24 : 1 << 16;
  const std::size_t bytes = n * sizeof(float);
  float *x, *y;
  CUDA_CHECK(cudaMallocManaged(&x, bytes));
  CUDA_CHECK(cudaMallocManaged(&y, bytes));
  fill_random(x, n, -1, 1, 1);
  fill_random(y, n, -1, 1, 2);
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = 3.0f * x[i] + y[i];

  if (ahead) {
    prefetch(x, bytes, 0);
    prefetch(y, bytes, 0);
  }
  GpuTimer timer;
  timer.start();
  axpy<<<n / kThreads, kThreads>>>(3.0f, x, y);
  const float ms = timer.stop_ms();
  CUDA_CHECK_LAUNCH();
  if (ahead) {
    prefetch(y, bytes, -1);  // the host reads it next
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  std::printf("way        managed bytes  result\n");
  const bool right = check_close(y, expected.data(), n);
  std::printf("%-9s  %13zu  %s\n", argv[1], 2 * bytes, right ? "right" : "wrong");
  if (timed) std::printf("%.4f ms\n", ms);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
