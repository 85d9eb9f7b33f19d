#pragma once
// Helpers for exercises, and for programs of your own that judge.py run runs:
//
//   #include "common.cuh"
//
// The judge finds it wherever your file lies. Elsewhere: nvcc -I practice …, or #include "../common.cuh" in an
// exercise. Nothing here is needed: an exercise is judged alike with and without it.

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

// CUDA_CHECK(cudaMalloc(&p, bytes)): a call that fails ends the program, with the place, the call and CUDA's reason.
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

// CUDA_CHECK_LAUNCH(): after kernel<<<…>>>(…), for a launch has no result to look at. First it asks whether the launch
// was accepted, then it waits for the kernel and asks how it ended. Not where copies should overlap kernels: it waits.
#define CUDA_CHECK_LAUNCH()                                                            \
  do {                                                                                 \
    cuda_check(cudaGetLastError(), "the launch before this", __FILE__, __LINE__);      \
    cuda_check(cudaDeviceSynchronize(), "the kernel before this", __FILE__, __LINE__); \
  } while (0)

inline void cuda_check(cudaError_t status, const char* what, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, what, cudaGetErrorString(status), cudaGetErrorName(status));
  std::exit(EXIT_FAILURE);
}

// Whether |got - expected| <= atol + rtol * |expected| for all n elements, both in host memory. NaN equals only NaN.
// If not, it tells on stderr how many are wrong and shows the first. Tolerances of 0 ask for equality, of integers say.
template <typename T>
bool check_close(const T* got, const T* expected, std::size_t n, double rtol = 1e-5, double atol = 1e-6,
                 const char* name = "result") {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (got[i] == expected[i]) continue;
    const double g = static_cast<double>(got[i]), e = static_cast<double>(expected[i]);
    const bool near = (rtol > 0 || atol > 0) && std::isfinite(e) && std::fabs(g - e) <= atol + rtol * std::fabs(e);
    const bool close = near || (std::isnan(g) && std::isnan(e));
    if (!close && wrong++ == 0) first = i;
  }
  if (wrong == 0) return true;
  std::fprintf(stderr, "%s: %zu of %zu elements are wrong; the first is [%zu]: got %.9g, expected %.9g\n", name, wrong,
               n, first, static_cast<double>(got[first]), static_cast<double>(expected[first]));
  return false;
}

// Fills n elements of host memory with numbers from low to high (both included). The same
// seed gives the same numbers, on every machine.
template <typename T>
void fill_random(T* data, std::size_t n, double low, double high, std::uint64_t seed = 1) {
  constexpr bool integers = std::is_integral<T>::value;
  const double width = high - low + (integers ? 1 : 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = (seed += 0x9e3779b97f4a7c15u);  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    const double from_0_to_1 = static_cast<double>(bits >> 11) * 0x1p-53;
    const double value = low + width * from_0_to_1;
    data[i] = static_cast<T>(integers ? std::floor(value) : value);
  }
}

// The time between two points of a stream, on the GPU's own clock. Under the emulator it is the emulator's time, which
// says nothing about a GPU.
class GpuTimer {
 public:
  explicit GpuTimer(cudaStream_t stream = nullptr) : stream_(stream) {
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~GpuTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  void start() { CUDA_CHECK(cudaEventRecord(begin_, stream_)); }
  float stop_ms() {  // waits for what was issued since start()
    CUDA_CHECK(cudaEventRecord(end_, stream_));
    CUDA_CHECK(cudaEventSynchronize(end_));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

inline double gigabytes_per_second(double bytes, double ms) {
  return bytes / ms / 1e6;
}

inline int multiprocessors(int device = 0) {
  int count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}
