// c = a * b, summed in double. Row by row: a row of c stays in the cache while rows of b, widened once, go by.

#include <algorithm>
#include <vector>

void matmul_registers_cpu(const float* a, const float* b, float* c, int n) {
  const std::size_t size = static_cast<std::size_t>(n);
  const std::vector<double> wide_b(b, b + size * size);
  std::vector<double> sums(size);
  for (std::size_t row = 0; row < size; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = a[row * size + k];
      const double* from = &wide_b[k * size];
      for (std::size_t column = 0; column < size; ++column) sums[column] += factor * from[column];
    }
    std::copy(sums.begin(), sums.end(), c + row * size);
  }
}
