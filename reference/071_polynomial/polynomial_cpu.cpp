void polynomial_cpu(const float* x, const float* a, float* y, int n) {
  constexpr int kCurves = 16;
  constexpr int kCoefficients = 8;
  for (int c = 0; c < kCurves; ++c) {
    const float* of_curve = a + c * kCoefficients;
    for (int i = 0; i < n; ++i) {
      double value = 0.0;
      for (int k = kCoefficients - 1; k >= 0; --k) value = value * x[i] + of_curve[k];
      y[static_cast<long long>(c) * n + i] = static_cast<float>(value);
    }
  }
}
