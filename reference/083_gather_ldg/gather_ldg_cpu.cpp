#include <algorithm>

void gather_ldg_cpu(const float* table, const int* index, float* out, int entries, int rows) {
  constexpr int kWidth = 64;
  static_cast<void>(entries);
  for (int r = 0; r < rows; ++r)
    std::copy_n(table + static_cast<std::size_t>(index[r]) * kWidth, kWidth, out + static_cast<std::size_t>(r) * kWidth);
}
