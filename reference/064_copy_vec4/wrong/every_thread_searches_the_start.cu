// expect: requirement_not_met
// Right, but every thread looks for the first multiple of 16 bytes, one byte after another: more work than the copy.

#include <cstdint>

__global__ void copy_kernel(const float* from, float* to, int n) {
  const char* aligned = reinterpret_cast<const char*>(from);
  while (reinterpret_cast<uintptr_t>(aligned) % 16 != 0) ++aligned;
  const int head = min(n, static_cast<int>(reinterpret_cast<const float*>(aligned) - from));
  const int vectors = (n - head) / 4;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < vectors) reinterpret_cast<float4*>(to + head)[t] = reinterpret_cast<const float4*>(from + head)[t];
  if (t < head) to[t] = from[t];
  if (t < n - head - 4 * vectors) to[head + 4 * vectors + t] = from[head + 4 * vectors + t];
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  copy_kernel<<<n / 1024 + 1, 256>>>(src + offset, dst + offset, n);
}
