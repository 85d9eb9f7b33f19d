// expect: exit 0
// The device side of cuRAND: XORWOW and Philox, uniform and normal; moments, range, independence of the launch's shape.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      return 1;                                           \
    }                                                     \
  } while (0)

template <class State>
__global__ void draw(float* uniform, float* normal, int per_thread, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  State state;
  curand_init(1234, t, 0, &state);
  for (int i = 0; i < per_thread; ++i) uniform[t * per_thread + i] = curand_uniform(&state);
  for (int i = 0; i < per_thread; ++i) normal[t * per_thread + i] = curand_normal(&state);
}

__global__ void first_words(unsigned* out) {
  curandStatePhilox4_32_10_t philox;
  curand_init(0, 0, 0, &philox);
  for (int i = 0; i < 4; ++i) out[i] = curand(&philox);
}

template <class State>
int moments() {
  constexpr int threads = 256, per_thread = 32, n = threads * per_thread;
  float *uniform, *normal;
  cudaMallocManaged(&uniform, n * sizeof(float));
  cudaMallocManaged(&normal, n * sizeof(float));
  draw<State><<<threads / 64, 64>>>(uniform, normal, per_thread, threads);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  double mean = 0, square = 0, normal_mean = 0, normal_square = 0;
  for (int i = 0; i < n; ++i) {
    CHECK(uniform[i] > 0 && uniform[i] <= 1);
    mean += uniform[i] / n;
    square += double(uniform[i]) * uniform[i] / n;
    normal_mean += normal[i] / n;
    normal_square += double(normal[i]) * normal[i] / n;
  }
  // Within five standard errors of 1/2, 1/12, 0 and 1.
  CHECK(std::fabs(mean - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::fabs(square - mean * mean - 1.0 / 12) < 5 * std::sqrt(1.0 / 180 / n));
  CHECK(std::fabs(normal_mean) < 5 / std::sqrt(double(n)));
  CHECK(std::fabs(normal_square - 1) < 5 * std::sqrt(2.0 / n));
  const float kept = uniform[n - 1];
  draw<State><<<threads / 32, 32>>>(uniform, normal, per_thread, threads);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(uniform[n - 1] == kept);
  return 0;
}

int main() {
  if (moments<curandStateXORWOW_t>() != 0 || moments<curandStatePhilox4_32_10_t>() != 0) return 1;
  unsigned* words;
  cudaMallocManaged(&words, 16);
  first_words<<<1, 1>>>(words);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  // Philox4x32-10 of counter 0 and key 0, as its authors' known answers have it (Random123, kat_vectors).
  CHECK(words[0] == 0x6627e8d5 && words[1] == 0xe169c58d && words[2] == 0xbc57ac4c && words[3] == 0x9b00dbd8);
  std::printf("ok\n");
  return 0;
}
