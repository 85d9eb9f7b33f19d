// Reductions as a tree in shared memory behind the row; rows are dealt out to a fixed grid; powers of two by exp2f.

constexpr int kThreads = 256;

__global__ void softmax_kernel(const float* x, float* y, int rows, int columns) {
  extern __shared__ float memory[];
  float* row = memory;
  float* parts = memory + columns;
  constexpr float kLog2OfE = 1.44269504f;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    float best = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += kThreads) {
      row[i] = x[(size_t)r * columns + i];
      best = max(best, row[i]);
    }
    parts[threadIdx.x] = best;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) parts[threadIdx.x] = max(parts[threadIdx.x], parts[threadIdx.x + half]);
      __syncthreads();
    }
    best = parts[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += kThreads) sum += row[i] = exp2f((row[i] - best) * kLog2OfE);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
      __syncthreads();
    }
    const float factor = 1 / parts[0];
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += kThreads) y[(size_t)r * columns + i] = row[i] * factor;
  }
}

void softmax_rows(const float* x, float* y, int rows, int columns) {
  const size_t bytes = (columns + kThreads) * sizeof(float);
  if (bytes > 48 * 1024)
    cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  softmax_kernel<<<rows < 16 ? rows : 16, kThreads, bytes>>>(x, y, rows, columns);
}
