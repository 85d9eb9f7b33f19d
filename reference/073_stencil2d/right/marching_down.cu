// A block of one row of threads marches down its columns. What lies above and below is in registers, a ring of five
// elements; only the current row, with its halo left and right, is in shared memory.

constexpr int kThreads = 128;
constexpr int kMarch = 64;

__global__ void march(const float* u, float* out, int rows, int columns) {
  extern __shared__ float line[];
  const int column = blockIdx.x * kThreads + threadIdx.x;
  const int first = blockIdx.y * kMarch;
  const auto at = [&](int row, int c) {
    return row >= 0 && row < rows && c >= 0 && c < columns ? u[row * columns + c] : 0.0f;
  };
  float above2 = at(first - 2, column), above1 = at(first - 1, column), here = at(first, column);
  float below1 = at(first + 1, column);
  for (int row = first; row < min(first + kMarch, rows); ++row) {
    const float below2 = at(row + 2, column);
    line[threadIdx.x + 2] = here;
    if (threadIdx.x < 2) line[threadIdx.x] = at(row, column - 2);
    if (threadIdx.x >= kThreads - 2) line[threadIdx.x + 4] = at(row, column + 2);
    __syncthreads();
    const float* me = line + threadIdx.x + 2;
    const float near = above1 + below1 + me[-1] + me[1];
    const float far = above2 + below2 + me[-2] + me[2];
    if (column < columns) out[row * columns + column] = (16.0f * near - far - 60.0f * here) / 12.0f;
    __syncthreads();
    above2 = above1;
    above1 = here;
    here = below1;
    below1 = below2;
  }
}

void stencil2d(const float* u, float* out, int rows, int columns) {
  const dim3 grid((columns + kThreads - 1) / kThreads, (rows + kMarch - 1) / kMarch);
  march<<<grid, kThreads, (kThreads + 4) * sizeof(float)>>>(u, out, rows, columns);
}
