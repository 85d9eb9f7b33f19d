// expect: requirement_not_met
// Right, and sorted without a variable index; but the window is a ring that is filled from a place that depends on i.

constexpr int kReach = 12;
constexpr int kWindow = 2 * kReach + 1;
constexpr int kBlock = 256;

__device__ void order(float& low, float& high) {
  const float smaller = fminf(low, high);
  high = fmaxf(low, high);
  low = smaller;
}

__global__ void median_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;

  float window[kWindow];
#pragma unroll
  for (int k = 0; k < kWindow; ++k) window[(i + k) % kWindow] = x[min(max(i + k - kReach, 0), n - 1)];

#pragma unroll
  for (int place = 0; place <= kReach; ++place)
#pragma unroll
    for (int k = place + 1; k < kWindow; ++k) order(window[place], window[k]);

  y[i] = window[kReach];
}

void no_spills(const float* x, float* y, int n) {
  median_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
