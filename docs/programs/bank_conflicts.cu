// What a stride costs in shared memory: how many wavefronts a warp's load takes when several lanes want different words
// of the same bank.
//
//   python3 practice/judge.py run docs/programs/bank_conflicts.cu --report
//
// The table says what the addresses amount to; the report says what was counted. On a GPU: nvcc -I practice, and the
// argument "time" adds those of a longer sum in many blocks.

#include <algorithm>
#include <cstring>
#include <vector>

#include "common.cuh"

constexpr int kWarp = 32, kSteps = 16, kWords = 33 * kWarp + kSteps;
constexpr int kTimedBlocks = 2048, kTimedSteps = 1 << 14;

// Lane l adds up kSteps neighbouring words from word Stride * l on, and the same again until it has taken all steps.
template <int Stride>
__global__ void sums_of(const float* in, float* out, int steps) {
  __shared__ float words[kWords];
  for (int i = threadIdx.x; i < kWords; i += kWarp) words[i] = in[i];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1  // or the compiler makes one wide load of several
  for (int step = 0; step < steps; ++step) sum += words[Stride * threadIdx.x + step % kSteps];
  out[blockIdx.x * kWarp + threadIdx.x] = sum;
}

int wavefronts_of_a_warp(int stride) {
  int words_of_bank[32] = {};
  for (int lane = 0; lane < kWarp; ++lane)
    if (stride != 0 || lane == 0) ++words_of_bank[stride * lane % 32];  // of one word all lanes get a copy at once
  return *std::max_element(words_of_bank, words_of_bank + 32);
}

template <int Stride>
bool row(const std::vector<float>& host, const float* in, float* out, bool timed) {
  sums_of<Stride><<<1, kWarp>>>(in, out, kSteps);
  CUDA_CHECK_LAUNCH();
  std::vector<float> got(kWarp), expected(kWarp);
  CUDA_CHECK(cudaMemcpy(got.data(), out, kWarp * sizeof(float), cudaMemcpyDeviceToHost));
  for (int lane = 0; lane < kWarp; ++lane)
    for (int step = 0; step < kSteps; ++step) expected[lane] += host[Stride * lane + step];
  const int wavefronts = wavefronts_of_a_warp(Stride);
  std::printf("sums_of<%d>%*s %11d %11d", Stride, Stride < 10 ? 2 : 1, "", wavefronts, wavefronts - 1);
  if (timed) {
    GpuTimer timer;
    timer.start();
    sums_of<Stride><<<kTimedBlocks, kWarp>>>(in, out, kTimedSteps);
    std::printf(" %9.4f ms", timer.stop_ms());
  }
  std::printf("\n");
  return check_close(got.data(), expected.data(), kWarp, 1e-5, 1e-5, "sums_of");
}

int main(int argc, char** argv) {
  const bool timed = argc > 1 && std::strcmp(argv[1], "time") == 0;
  std::vector<float> host(kWords);
  fill_random(host.data(), kWords, -1, 1);
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, kWords * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, kTimedBlocks * kWarp * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), kWords * sizeof(float), cudaMemcpyHostToDevice));

  std::printf("stride       wavefronts   conflicts\n");
  bool right = row<0>(host, in, out, timed);
  right &= row<1>(host, in, out, timed);
  right &= row<2>(host, in, out, timed);
  right &= row<3>(host, in, out, timed);
  right &= row<4>(host, in, out, timed);
  right &= row<8>(host, in, out, timed);
  right &= row<16>(host, in, out, timed);
  right &= row<32>(host, in, out, timed);
  right &= row<33>(host, in, out, timed);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
