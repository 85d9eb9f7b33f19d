// A fixed grid; whole int4 vectors in a grid-stride loop, the rest by the first threads of it.

#include <cstdint>

__global__ void copy_kernel(const float* __restrict__ from, float* __restrict__ to, int n) {
  const int head = min(n, static_cast<int>(-(reinterpret_cast<uintptr_t>(from) / 4) % 4));
  const int vectors = (n - head) / 4;
  const int tail = n - head - 4 * vectors;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  const int4* const source = reinterpret_cast<const int4*>(from + head);
  int4* const target = reinterpret_cast<int4*>(to + head);
  for (int v = first; v < vectors; v += gridDim.x * blockDim.x) target[v] = source[v];

  if (first < head) to[first] = from[first];
  if (first < tail) to[n - tail + first] = from[n - tail + first];
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  copy_kernel<<<160, 256>>>(src + offset, dst + offset, n);
}
