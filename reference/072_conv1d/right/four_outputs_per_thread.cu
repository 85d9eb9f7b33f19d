// Four outputs per thread; loads and stores of four floats wherever four fit.

constexpr int R = 8;
constexpr int kThreads = 128;
constexpr int kOutputs = 4;
constexpr int kBlock = kThreads * kOutputs;
constexpr int kVectors = (kBlock + 2 * R) / 4;

__constant__ float weights[2 * R + 1];

// x[i..i+3], 0 outside x. i is a multiple of 4, so the four never straddle the left end.
__device__ float4 load_four(const float* x, int i, int n) {
  if (i >= 0 && i + 3 < n) return *reinterpret_cast<const float4*>(x + i);
  float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (i < 0) return four;
  if (i < n) four.x = x[i];
  if (i + 1 < n) four.y = x[i + 1];
  if (i + 2 < n) four.z = x[i + 2];
  return four;
}

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  __shared__ float4 tile[kVectors];
  const int start = blockIdx.x * kBlock;
  for (int v = threadIdx.x; v < kVectors; v += kThreads) tile[v] = load_four(x, start - R + 4 * v, n);
  __syncthreads();

  const int i = start + kOutputs * threadIdx.x;
  if (i >= n) return;

  float window[kOutputs + 2 * R];
#pragma unroll
  for (int v = 0; v < (kOutputs + 2 * R) / 4; ++v) {
    const float4 four = tile[threadIdx.x + v];
    window[4 * v] = four.x;
    window[4 * v + 1] = four.y;
    window[4 * v + 2] = four.z;
    window[4 * v + 3] = four.w;
  }
  float sum[kOutputs] = {};
#pragma unroll
  for (int k = 0; k < 2 * R + 1; ++k) {
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) sum[o] += weights[k] * window[k + o];
  }
  if (i + 3 < n) {
    *reinterpret_cast<float4*>(y + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  } else {
    for (int o = 0; o < kOutputs && i + o < n; ++o) y[i + o] = sum[o];
  }
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(weights, w, sizeof(weights));
  conv1d_kernel<<<(n + kBlock - 1) / kBlock, kThreads>>>(x, y, n);
}
