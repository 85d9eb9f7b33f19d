// expect: race
// A block for each row; the threads add in pairs without waiting for those of the step before.

constexpr int kThreads = 256;

__global__ void row_sums_kernel(const float* a, float* sums, int columns) {
  __shared__ float partial[kThreads];
  const float* const elements = a + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int column = threadIdx.x; column < columns; column += kThreads) sum += elements[column];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int count = kThreads / 2; count > 0; count /= 2) {
    if (threadIdx.x < count) partial[threadIdx.x] += partial[threadIdx.x + count];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

void row_sums(const float* a, float* sums, int rows, int columns) {
  row_sums_kernel<<<rows, kThreads>>>(a, sums, columns);
}
