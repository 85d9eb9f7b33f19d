// expect: runtime_error
// The last block has threads beyond the last row.

constexpr int kWidth = 64;
constexpr int kBlock = 256;

__global__ void gather_kernel(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ out,
                              int rows) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int row = i / kWidth;
  const int column = i % kWidth;
  out[i] = table[index[row] * kWidth + column];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<(rows * kWidth + kBlock - 1) / kBlock, kBlock>>>(table, index, out, rows);
}
