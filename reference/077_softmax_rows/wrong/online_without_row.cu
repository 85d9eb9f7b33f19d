// expect: requirement_not_met
// Right, with maximum and sum in one pass; but the row is not kept, so that x is read a second time.

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  __shared__ float maxima[32], sums[32];
  x += size_t(blockIdx.x) * columns;
  y += size_t(blockIdx.x) * columns;
  float m = -3e38f, s = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float larger = fmaxf(m, x[i]);
    s = s * expf(m - larger) + expf(x[i] - larger);
    m = larger;
  }
  for (int d = 16; d > 0; d /= 2) {
    const float other_m = __shfl_xor_sync(~0u, m, d), other_s = __shfl_xor_sync(~0u, s, d);
    const float larger = fmaxf(m, other_m);
    s = s * expf(m - larger) + other_s * expf(other_m - larger);
    m = larger;
  }
  if (threadIdx.x % 32 == 0) {
    maxima[threadIdx.x / 32] = m;
    sums[threadIdx.x / 32] = s;
  }
  __syncthreads();
  m = maxima[0];
  for (int w = 1; w < 32; ++w) m = fmaxf(m, maxima[w]);
  s = 0;
  for (int w = 0; w < 32; ++w) s += sums[w] * expf(maxima[w] - m);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = expf(x[i] - m) / s;
}

void softmax_rows(const float* x, float* y, int rows, int columns) { softmax_kernel<<<rows, 1024>>>(x, y, columns); }
