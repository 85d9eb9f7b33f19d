// expect: requirement_not_met
// The host convolves; the result goes to y by way of a second device array, and a kernel runs that touches neither.

#include <vector>

constexpr int R = 8;

__global__ void pretend() {}

void conv1d(const float* x, const float* w, float* y, int n) {
  std::vector<float> in(n), out(n);
  cudaMemcpy(in.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = -R; k <= R; ++k)
      if (i + k >= 0 && i + k < n) sum += double(w[k + R]) * in[i + k];
    out[i] = float(sum);
  }
  float* scratch = nullptr;
  cudaMalloc(&scratch, n * sizeof(float));
  cudaMemcpy(scratch, out.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
  pretend<<<(n + 255) / 256, 256>>>();
  cudaFree(scratch);
}
