#include <algorithm>

constexpr int kThreads = 256;
constexpr int kWidth = 4;  // floats in a float4

// from and to are equally far from a multiple of 16 bytes; `head` elements after them they are at one.
__global__ void copy_kernel(const float* from, float* to, int head, int vectors, int n) {
  const int t = blockIdx.x * kThreads + threadIdx.x;
  if (t < vectors) reinterpret_cast<float4*>(to + head)[t] = reinterpret_cast<const float4*>(from + head)[t];

  // The first warp looks after what is left: at most three elements on either side.
  if (t < kWidth) {
    const int tail = head + kWidth * vectors + t;
    if (t < head) to[t] = from[t];
    if (tail < n) to[tail] = from[tail];
  }
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  const int head = std::min(n, (kWidth - offset % kWidth) % kWidth);
  const int vectors = (n - head) / kWidth;
  const int blocks = std::max(1, (vectors + kThreads - 1) / kThreads);
  copy_kernel<<<blocks, kThreads>>>(src + offset, dst + offset, head, vectors, n);
}
