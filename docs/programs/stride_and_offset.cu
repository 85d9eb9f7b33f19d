// What a stride or an offset costs a copy: how many 32-byte sectors a warp's load touches.
//
//   python3 practice/judge.py run docs/programs/stride_and_offset.cu --report
//
// The table says what the addresses amount to; the report says what was counted. On a GPU: nvcc -I practice, and the
// argument "time" takes larger arrays and adds times.

#include <cstring>
#include <set>
#include <vector>

#include "common.cuh"

constexpr int kThreads = 256;

template <int Stride, int Offset>
__global__ void copy_from(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[Stride * i + Offset];
}

int sectors_of_a_warp(int stride, int offset) {
  std::set<int> sectors;
  for (int lane = 0; lane < 32; ++lane) sectors.insert((stride * lane + offset) * 4 / 32);
  return static_cast<int>(sectors.size());
}

template <int Stride, int Offset>
bool row(const std::vector<float>& host, const float* in, float* out, int n, bool timed) {
  copy_from<Stride, Offset><<<n / kThreads, kThreads>>>(in, out);
  CUDA_CHECK_LAUNCH();
  std::vector<float> got(n), expected(n);
  CUDA_CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) expected[i] = host[Stride * i + Offset];
  const int sectors = sectors_of_a_warp(Stride, Offset);
  std::printf("copy_from<%d, %d>%*s %7d %16d %14.1f %%", Stride, Offset, Stride < 10 ? 3 : 2, "", sectors, 32 * sectors,
              100 * 4.0 / sectors);
  if (timed) {
    GpuTimer timer;
    timer.start();
    for (int k = 0; k < 100; ++k) copy_from<Stride, Offset><<<n / kThreads, kThreads>>>(in, out);
    std::printf(" %9.4f ms", timer.stop_ms() / 100);
  }
  std::printf("\n");
  return check_close(got.data(), expected.data(), n, 0, 0, "copy_from");
}

int main(int argc, char** argv) {
  const bool timed = argc > 1 && std::strcmp(argv[1], "time") == 0;
  const int n = timed ? 1 << 21 : 1 << 13;
  const std::size_t elements = 32 * n + 8;
  std::vector<float> host(elements);
  fill_random(host.data(), elements, -1, 1);
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, elements * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), elements * sizeof(float), cudaMemcpyHostToDevice));

  std::printf("stride, offset    sectors   bytes moved    of them wanted\n");
  bool right = row<1, 0>(host, in, out, n, timed);
  right &= row<1, 1>(host, in, out, n, timed);
  right &= row<1, 8>(host, in, out, n, timed);
  right &= row<2, 0>(host, in, out, n, timed);
  right &= row<4, 0>(host, in, out, n, timed);
  right &= row<8, 0>(host, in, out, n, timed);
  right &= row<32, 0>(host, in, out, n, timed);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
