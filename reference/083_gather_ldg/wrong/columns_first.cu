// expect: requirement_not_met
// Right, but neighbouring threads have neighbouring rows of the same column.

constexpr int kWidth = 64;
constexpr int kBlock = 256;

__global__ void gather_kernel(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ out,
                              int rows) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int row = i % rows;
  const int column = i / rows;
  if (column < kWidth) out[row * kWidth + column] = table[index[row] * kWidth + column];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<(rows * kWidth + kBlock - 1) / kBlock, kBlock>>>(table, index, out, rows);
}
