// expect: race
// The thread writes its result back to x's copy that its neighbours still read: here y serves as that copy.

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

  y[i] = x[i];
  __syncthreads();

  float window[kWindow];
#pragma unroll
  for (int k = 0; k < kWindow; ++k) window[k] = y[min(max(i + k - kReach, 0), n - 1)];

#pragma unroll
  for (int place = 0; place <= kReach; ++place)
#pragma unroll
    for (int k = place + 1; k < kWindow; ++k) order(window[place], window[k]);

  y[i] = window[kReach];
}

void no_spills(const float* x, float* y, int n) {
  median_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
