// Each row is summed in double, in eight sums that do not wait for each other.

#include <cstddef>

void row_sums_cpu(const float* a, float* sums, int rows, int columns) {
  constexpr int kLanes = 8;
  for (int row = 0; row < rows; ++row) {
    const float* const elements = a + static_cast<std::size_t>(row) * columns;
    double partial[kLanes] = {};
    int column = 0;
    for (; column + kLanes <= columns; column += kLanes)
      for (int lane = 0; lane < kLanes; ++lane) partial[lane] += elements[column + lane];
    double sum = 0;
    for (; column < columns; ++column) sum += elements[column];
    for (const double part : partial) sum += part;
    sums[row] = static_cast<float>(sum);
  }
}
