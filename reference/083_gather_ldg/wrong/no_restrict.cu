// expect: requirement_not_met
// Right, but without __restrict__ the compiler must fear that a store to out changes table or index.

constexpr int kWidth = 64;
constexpr int kBlock = 256;

__global__ void gather_kernel(const float* table, const int* index, float* out, int rows) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int row = i / kWidth;
  const int column = i % kWidth;
  if (row < rows) out[i] = table[index[row] * kWidth + column];
}

void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  gather_kernel<<<(rows * kWidth + kBlock - 1) / kBlock, kBlock>>>(table, index, out, rows);
}
