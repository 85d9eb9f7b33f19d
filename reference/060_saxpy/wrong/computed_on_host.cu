// expect: requirement_not_met
// Both arrays come to the host, are added there, and the result is copied into y: no thread computes anything.

#include <vector>

void saxpy(float a, const float* x, float* y, int n) {
  std::vector<float> hx(n), hy(n);
  cudaMemcpy(hx.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(hy.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) hy[i] = a * hx[i] + hy[i];
  cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
