// expect: race
// A warp reads the parts of others before they have stored them.

#include <cfloat>

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;

struct Maximum {
  static constexpr float kNeutral = -FLT_MAX;
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static constexpr float kNeutral = 0.0f;
  __device__ static float of(float a, float b) { return a + b; }
};

template <class Operation>
__device__ float block_reduce(float value, float* parts) {
  const int lane = threadIdx.x % 32;
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::of(value, __shfl_xor_sync(0xffffffff, value, distance));
  __syncthreads();
  if (lane == 0) parts[threadIdx.x / 32] = value;
  value = lane < kWarps ? parts[lane] : Operation::kNeutral;
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operation::of(value, __shfl_xor_sync(0xffffffff, value, distance));
  return value;
}

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  extern __shared__ float row[];
  __shared__ float parts[kWarps];
  const float* from = x + static_cast<size_t>(blockIdx.x) * columns;
  float* to = y + static_cast<size_t>(blockIdx.x) * columns;

  float maximum = Maximum::kNeutral;
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    row[i] = from[i];
    maximum = fmaxf(maximum, row[i]);
  }
  maximum = block_reduce<Maximum>(maximum, parts);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    row[i] = expf(row[i] - maximum);
    sum += row[i];
  }
  sum = block_reduce<Sum>(sum, parts);

  for (int i = threadIdx.x; i < columns; i += kThreads) to[i] = row[i] / sum;
}

void softmax_rows(const float* x, float* y, int rows, int columns) {
  const int bytes = columns * static_cast<int>(sizeof(float));
  cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  softmax_kernel<<<rows, kThreads, bytes>>>(x, y, columns);
}
