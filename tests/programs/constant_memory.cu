// expect: exit 0
// Constant memory: initialised where it is declared, overwritten whole and in part, read back; a struct among it.
#include <cstdio>

struct Scale {
  float factor;
  int shift;
};

__constant__ float weights[5] = {1, 2, 3, 4, 5};
__constant__ Scale scale = {0.5f, 10};
__device__ int counter = 41;

__global__ void dot(const float* x, float* y) {
  float sum = 0;
  for (int i = 0; i < 5; ++i) sum += weights[i] * x[threadIdx.x + i];
  y[threadIdx.x] = sum * scale.factor + scale.shift;
  if (threadIdx.x == 0) ++counter;
}

static int check(const float* w, float factor, int shift, int launches) {
  float x[36], y[32], *dx, *dy;
  for (int i = 0; i < 36; ++i) x[i] = static_cast<float>(i % 7);
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  dot<<<1, 32>>>(dx, dy);
  if (cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int t = 0; t < 32; ++t) {
    float sum = 0;
    for (int i = 0; i < 5; ++i) sum += w[i] * x[t + i];
    if (y[t] != sum * factor + shift) return std::printf("y[%d] = %g, not %g\n", t, y[t], sum * factor + shift), 1;
  }
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
  cudaFree(dx);
  cudaFree(dy);
  return counted == 41 + launches ? 0 : 1;
}

int main() {
  float w[5] = {1, 2, 3, 4, 5};
  if (check(w, 0.5f, 10, 1)) return 1;
  for (int i = 0; i < 5; ++i) w[i] = static_cast<float>(10 - i);
  cudaMemcpyToSymbol(weights, w, sizeof w);
  const Scale other{2, -1};
  cudaMemcpyToSymbol(scale, &other, sizeof other);
  if (check(w, 2, -1, 2)) return 1;
  w[3] = 100;
  cudaMemcpyToSymbol(weights, &w[3], sizeof(float), 3 * sizeof(float));
  if (check(w, 2, -1, 3)) return 1;
  float back[5];
  cudaMemcpyFromSymbol(back, weights, sizeof back);
  return back[0] == 10 && back[3] == 100 ? 0 : 1;
}
