// expect: runtime_error
// Keeps the table in shared memory, where 64 rows of it have room: larger indices read beyond.

__global__ void gather_kernel(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ out,
                              int entries, int rows) {
  __shared__ float kept[64 * 64];
  for (int i = threadIdx.x; i < min(entries, 64) * 64; i += blockDim.x) kept[i] = table[i];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * 64) out[i] = kept[index[i / 64] * 64 + i % 64];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<(rows * 64 + 255) / 256, 256>>>(table, index, out, entries, rows);
}
