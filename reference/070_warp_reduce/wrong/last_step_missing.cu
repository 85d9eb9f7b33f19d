// expect: wrong_answer
// The offsets end with 2: the lanes with odd numbers are never heard.

constexpr int kGroup = 1024;
constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;

// The largest value of the warp, in lane 0. To be called by all 32 lanes.
__device__ float warp_maximum(float value) {
  for (int offset = kWarp / 2; offset > 1; offset /= 2)
    value = fmaxf(value, __shfl_down_sync(0xffffffff, value, offset));
  return value;
}

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  __shared__ float of_warp[kWarps];
  const int first = blockIdx.x * kGroup;
  const int end = min(first + kGroup, n);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;

  float largest = -INFINITY;
  for (int i = first + threadIdx.x; i < end; i += kThreads) largest = fmaxf(largest, x[i]);
  largest = warp_maximum(largest);
  if (lane == 0) of_warp[warp] = largest;
  __syncthreads();

  if (warp == 0) {
    largest = warp_maximum(lane < kWarps ? of_warp[lane] : -INFINITY);
    if (lane == 0) maxima[blockIdx.x] = largest;
  }
}

void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, maxima, n);
}
