// expect: exit 1
// stdout: 32 multiprocessors or more
// stderr: third: 1 of 3 elements are wrong; the first is \[2\]: got 3\.5, expected 3\n
// stderr: exact: 1 of 1 elements are wrong; the first is \[0\]
// stderr: common_header\.cu:72: cudaMalloc\(&p, std::size_t\(1\) << 60\): out of memory \(cudaErrorMemoryAllocation\)\n
// no-stderr: huge
// practice/common.cuh, found without a word of where it is. In the end a call fails, and CUDA_CHECK ends the program.

#include "common.cuh"

#include <cuda_fp16.h>

#include <limits>
#include <set>

#define REQUIRE(condition)                              \
  do {                                                  \
    if (!(condition)) {                                 \
      std::fprintf(stderr, "failed: %s\n", #condition); \
      std::exit(3);                                     \
    }                                                   \
  } while (0)

__global__ void twice(float* x) {
  x[threadIdx.x] *= 2;
}

int main() {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double expected[] = {1, 2, 3}, near[] = {1, 2 + 1e-5, 3 - 2e-5}, third[] = {1, 2, 3.5};
  REQUIRE(check_close(near, expected, 3));
  REQUIRE(!check_close(third, expected, 3, 1e-5, 1e-6, "third"));
  const double odd[] = {inf, -inf, nan}, other[] = {-inf, inf, 1};
  REQUIRE(check_close(odd, odd, 3, 0, 0, "huge"));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(!check_close(other + i, odd + i, 1, 1e-5, 1e-6, "odd"));
    REQUIRE(!check_close(odd + i, other + i, 1, 1e-5, 1e-6, "odd"));
    REQUIRE(!check_close(expected + i, odd + i, 1, 1e-5, 1e-6, "odd"));
  }
  const long long big[] = {(1ll << 53) + 1}, bigger[] = {(1ll << 53)};
  REQUIRE(!check_close(big, bigger, 1, 0, 0, "exact"));  // as doubles they are equal
  const __half half[] = {__float2half(0.5f)};
  REQUIRE(check_close(half, half, 1));

  float x[1000], again[1000];
  fill_random(x, 1000, -1, 3, 7);
  fill_random(again, 1000, -1, 3, 7);
  REQUIRE(check_close(x, again, 1000, 0, 0));
  double sum = 0;
  for (const float value : x) {
    REQUIRE(value >= -1 && value <= 3);
    sum += value;
  }
  REQUIRE(std::fabs(sum / 1000 - 1) < 0.15);  // the mean's deviation is 4 / sqrt(12 * 1000), a quarter of this
  int dice[1000];
  fill_random(dice, 1000, -1, 4);
  REQUIRE(std::set<int>(dice, dice + 1000) == (std::set<int>{-1, 0, 1, 2, 3, 4}));

  float* p;
  CUDA_CHECK(cudaMalloc(&p, 32 * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(p, x, 32 * sizeof(float), cudaMemcpyHostToDevice));
  GpuTimer timer;
  timer.start();
  twice<<<1, 32>>>(p);
  REQUIRE(timer.stop_ms() >= 0);
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(again, p, 32 * sizeof(float), cudaMemcpyDeviceToHost));
  for (float& value : x) value *= 2;
  REQUIRE(check_close(again, x, 32, 0, 0));
  REQUIRE(gigabytes_per_second(3e9, 1000) == 3);
  std::printf("%s\n", multiprocessors() >= 32 ? "32 multiprocessors or more" : "few");
  CUDA_CHECK(cudaMalloc(&p, std::size_t(1) << 60));
  return 0;
}
