// expect: runtime_error
// The host reads x and writes y, which are device pointers.

constexpr int R = 8;

void conv1d(const float* x, const float* w, float* y, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = -R; k <= R; ++k) {
      if (i + k >= 0 && i + k < n) sum += w[k + R] * x[i + k];
    }
    y[i] = sum;
  }
}
