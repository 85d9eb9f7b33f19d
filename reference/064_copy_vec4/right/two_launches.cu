// A template that copies elements of any type: once over the vectors, once over what is left on both sides.

template <class T>
__global__ void copy_elements(const T* from, T* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

__global__ void copy_edges(const float* from, float* to, int head, int tail, int n) {
  const int i = threadIdx.x;
  if (i < head) to[i] = from[i];
  if (i < tail) to[n - 1 - i] = from[n - 1 - i];
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  const float* const from = src + offset;
  float* const to = dst + offset;
  const int head = offset % 4 == 0 ? 0 : n < 4 - offset % 4 ? n : 4 - offset % 4;
  const int vectors = (n - head) / 4;
  const int tail = (n - head) % 4;
  if (vectors > 0)
    copy_elements<<<(vectors + 511) / 512, 512>>>(reinterpret_cast<const float4*>(from + head),
                                                  reinterpret_cast<float4*>(to + head), vectors);
  if (head + tail > 0) copy_edges<<<1, 4>>>(from, to, head, tail, n);
}
