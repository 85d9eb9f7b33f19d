// expect: requirement_not_met
// Right, but insertion sort stops where the values tell it: its index is not known beforehand, so the array has to lie in local memory.

constexpr int kReach = 12;
constexpr int kWindow = 2 * kReach + 1;
constexpr int kBlock = 256;

__global__ void median_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;

  float window[kWindow];
#pragma unroll
  for (int k = 0; k < kWindow; ++k) window[k] = x[min(max(i + k - kReach, 0), n - 1)];

  for (int k = 1; k < kWindow; ++k) {
    const float value = window[k];
    int place = k;
    while (place > 0 && window[place - 1] > value) {
      window[place] = window[place - 1];
      --place;
    }
    window[place] = value;
  }

  y[i] = window[kReach];
}

void no_spills(const float* x, float* y, int n) {
  median_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
