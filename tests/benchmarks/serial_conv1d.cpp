#include "serial_conv1d.h"

void serial_conv1d(const float* x, const float* w, float* y, int n) {
  constexpr int R = 8;
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = -R; k <= R; ++k)
      if (i + k >= 0 && i + k < n) sum += w[k + R] * x[i + k];
    y[i] = sum;
  }
}
