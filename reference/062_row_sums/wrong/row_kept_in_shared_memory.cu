// expect: runtime_error
// The row is kept in a shared array of 4,096 floats; a longer one does not fit.

constexpr int kThreads = 256;

__global__ void row_sums_kernel(const float* a, float* sums, int columns) {
  __shared__ float partial[kThreads];
  __shared__ float kept[4096];
  const float* const elements = a + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int column = threadIdx.x; column < columns; column += kThreads) kept[column] = elements[column];
  __syncthreads();
  for (int column = threadIdx.x; column < columns; column += kThreads) sum += kept[column];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int count = kThreads / 2; count > 0; count /= 2) {
    if (threadIdx.x < count) partial[threadIdx.x] += partial[threadIdx.x + count];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  row_sums_kernel<<<rows, kThreads>>>(a, sums, columns);
}
