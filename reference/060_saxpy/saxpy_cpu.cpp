// The product and the sum in double, rounded once at the end.
void saxpy_cpu(float a, const float* x, float* y, int n) {
  const double wide_a = a;
  for (int i = 0; i < n; ++i) y[i] = static_cast<float>(wide_a * x[i] + y[i]);
}
