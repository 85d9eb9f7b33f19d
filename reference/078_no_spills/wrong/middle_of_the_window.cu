// expect: wrong_answer
// The element in the middle of the window, not of its values.

constexpr int kReach = 12;
constexpr int kWindow = 2 * kReach + 1;
constexpr int kBlock = 256;

__global__ void median_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;

  float window[kWindow];
#pragma unroll
  for (int k = 0; k < kWindow; ++k) window[k] = x[min(max(i + k - kReach, 0), n - 1)];

  y[i] = window[kReach];
}

void no_spills(const float* x, float* y, int n) {
  median_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
