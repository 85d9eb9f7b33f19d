// Each thread moves four vectors, a block apart from each other, all loaded before the first is stored.

#include <algorithm>

constexpr int kThreads = 256;
constexpr int kWidth = 4;    // floats in a float4
constexpr int kVectors = 4;  // of each thread

// from and to are equally far from a multiple of 16 bytes; `head` elements after them they are at one.
__global__ void copy_kernel(const float* from, float* to, int head, int vectors, int n) {
  const float4* const source = reinterpret_cast<const float4*>(from + head);
  float4* const target = reinterpret_cast<float4*>(to + head);
  const int first = blockIdx.x * kThreads * kVectors + threadIdx.x;
  float4 kept[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k)
    if (first + k * kThreads < vectors) kept[k] = source[first + k * kThreads];
#pragma unroll
  for (int k = 0; k < kVectors; ++k)
    if (first + k * kThreads < vectors) target[first + k * kThreads] = kept[k];

  // The first warp looks after what is left: at most three elements on either side.
  const int t = first;
  if (t < kWidth) {
    const int tail = head + kWidth * vectors + t;
    if (t < head) to[t] = from[t];
    if (tail < n) to[tail] = from[tail];
  }
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  const int head = std::min(n, (kWidth - offset % kWidth) % kWidth);
  const int vectors = (n - head) / kWidth;
  const int blocks = std::max(1, (vectors + kThreads * kVectors - 1) / (kThreads * kVectors));
  copy_kernel<<<blocks, kThreads>>>(src + offset, dst + offset, head, vectors, n);
}
