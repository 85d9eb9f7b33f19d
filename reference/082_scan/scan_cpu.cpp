// Unsigned, so that a sum which overflowed would wrap as it does on the GPU; with the catalogue's inputs none does.
void scan_cpu(const int* x, int* y, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += static_cast<unsigned>(x[i]);
    y[i] = static_cast<int>(sum);
  }
}
