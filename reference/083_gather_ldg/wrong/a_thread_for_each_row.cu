// expect: requirement_not_met
// Right, but each thread copies a whole row: the lanes of a warp read 32 rows at a time, far apart.

constexpr int kWidth = 64;
constexpr int kBlock = 256;

__global__ void gather_kernel(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ out,
                              int rows) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= rows) return;
  const int from = index[i];
  for (int column = 0; column < kWidth; ++column) out[i * kWidth + column] = table[from * kWidth + column];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<(rows + kBlock - 1) / kBlock, kBlock>>>(table, index, out, rows);
}
