// expect: runtime_error
// A loop on the host over device pointers.

void saxpy(float a, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
