// Exponentials and their sum in double; the maximum is subtracted here too, so that nothing overflows.

#include <algorithm>
#include <cmath>
#include <vector>

void softmax_rows_cpu(const float* x, float* y, int rows, int columns) {
  std::vector<double> powers(columns);
  for (int r = 0; r < rows; ++r) {
    const float* from = x + static_cast<std::size_t>(r) * columns;
    float* to = y + static_cast<std::size_t>(r) * columns;
    const double maximum = *std::max_element(from, from + columns);
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += powers[i] = std::exp(from[i] - maximum);
    for (int i = 0; i < columns; ++i) to[i] = static_cast<float>(powers[i] / sum);
  }
}
