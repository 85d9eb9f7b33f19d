// The same bytes in 4, 8 and 16 bytes a lane: the sectors stay, the instructions become fewer.
//
//   python3 practice/judge.py run docs/programs/vector_loads.cu --report
//
// The table says what the sizes amount to; the report says what was counted. On a GPU: nvcc -I practice, and the
// argument "time" takes larger arrays and adds times.

#include <cstring>
#include <vector>

#include "common.cuh"

constexpr int kThreads = 256;

template <typename Vector>
__global__ void copy(const Vector* in, Vector* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

template <typename Vector>
bool row(const char* name, const std::vector<float>& host, const float* in, float* out, int n, bool timed) {
  const int count = n * sizeof(float) / sizeof(Vector), blocks = (count + kThreads - 1) / kThreads;
  const auto launch = [&] {
    copy<<<blocks, kThreads>>>(reinterpret_cast<const Vector*>(in), reinterpret_cast<Vector*>(out), count);
  };
  CUDA_CHECK(cudaMemset(out, 0, n * sizeof(float)));
  launch();
  CUDA_CHECK_LAUNCH();
  std::vector<float> got(n);
  CUDA_CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  const int requests = count / 32, sectors = n * sizeof(float) / 32;
  std::printf("%-12s %9d %8d %12d", name, requests, sectors, sectors / requests);
  if (timed) {
    GpuTimer timer;
    timer.start();
    for (int k = 0; k < 100; ++k) launch();
    const double ms = timer.stop_ms() / 100;
    std::printf(" %9.4f ms %8.1f GB/s", ms, gigabytes_per_second(2.0 * n * sizeof(float), ms));
  }
  std::printf("\n");
  return check_close(got.data(), host.data(), n, 0, 0, name);
}

int main(int argc, char** argv) {
  const bool timed = argc > 1 && std::strcmp(argv[1], "time") == 0;
  const int n = timed ? 1 << 26 : 1 << 16;  // floats
  std::vector<float> host(n);
  fill_random(host.data(), n, -1, 1);
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  std::printf("kernel        requests  sectors  per request\n");
  bool right = row<float>("copy<float>", host, in, out, n, timed);
  right &= row<float2>("copy<float2>", host, in, out, n, timed);
  right &= row<float4>("copy<float4>", host, in, out, n, timed);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
