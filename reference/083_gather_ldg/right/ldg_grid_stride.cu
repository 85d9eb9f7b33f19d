// __ldg says it load by load, without __restrict__; a fixed grid.

__global__ void gather_kernel(const float* table, const int* index, float* out, long long elements) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += stride)
    out[i] = __ldg(&table[__ldg(&index[i / 64]) * 64LL + i % 64]);
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<120, 128>>>(table, index, out, 64LL * rows);
}
