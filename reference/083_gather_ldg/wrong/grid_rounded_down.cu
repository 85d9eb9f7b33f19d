// expect: wrong_answer
// The number of blocks is rounded down: up to three rows at the end are left out.

constexpr int kWidth = 64;
constexpr int kBlock = 256;

__global__ void gather_kernel(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ out,
                              int rows) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int row = i / kWidth;
  const int column = i % kWidth;
  if (row < rows) out[i] = table[index[row] * kWidth + column];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<rows < 4 ? 1 : rows * kWidth / kBlock, kBlock>>>(table, index, out, rows);
}
