// Two halves of an array, each copied to the device, squared and copied back in a stream of its own: once from pageable
// host memory, once from pinned memory. Only from pinned memory a copy can run while a kernel runs.
//
//   python3 practice/judge.py run docs/programs/pinned_transfers.cu --report -- pageable
//   python3 practice/judge.py run docs/programs/pinned_transfers.cu --report -- pinned
//
// The report says how many bytes could overlap a kernel. On a GPU: nvcc -I practice, and a second argument, "time",
// takes a larger array and adds times.

#include <cstring>
#include <vector>

#include "common.cuh"

constexpr int kThreads = 256, kParts = 2;

__global__ void square(float* x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] *= x[i];
}

int main(int argc, char** argv) {
  const bool pinned = argc > 1 && std::strcmp(argv[1], "pinned") == 0;
  const bool timed = argc > 2 && std::strcmp(argv[2], "time") == 0;
  if (!pinned && (argc < 2 || std::strcmp(argv[1], "pageable") != 0)) {
    std::fprintf(stderr, "say where the host memory comes from: pageable or pinned\n");
    return 2;
  }
  const int n = timed ? 1 << 24 : 1 << 16;
  const std::size_t bytes = n * sizeof(float);
  const int part = n / kParts;
  float *host, *device;
  if (pinned)
    CUDA_CHECK(cudaMallocHost(&host, bytes));
  else
    host = static_cast<float*>(std::malloc(bytes));
  CUDA_CHECK(cudaMalloc(&device, bytes));
  fill_random(host, n, -1, 1);
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = host[i] * host[i];
  cudaStream_t streams[kParts];
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));

  GpuTimer timer;
  timer.start();
  for (int p = 0; p < kParts; ++p) {
    float *from = host + p * part, *to = device + p * part;
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes / kParts, cudaMemcpyHostToDevice, streams[p]));
    square<<<part / kThreads, kThreads, 0, streams[p]>>>(to, part);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(from, to, bytes / kParts, cudaMemcpyDeviceToHost, streams[p]));
  }
  const float ms = timer.stop_ms();
  CUDA_CHECK(cudaDeviceSynchronize());

  std::printf("host memory  copied to the device  and back  result\n");
  const bool right = check_close(host, expected.data(), n);
  std::printf("%-11s  %20zu  %8zu  %s\n", argv[1], bytes, bytes, right ? "right" : "wrong");
  if (timed) std::printf("%.4f ms, %.1f GB/s\n", ms, gigabytes_per_second(2.0 * bytes, ms));
  for (cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(device));
  if (pinned)
    CUDA_CHECK(cudaFreeHost(host));
  else
    std::free(host);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
