// Nothing is computed, so the result is exact. Squares that fit the L1 cache, so that neither side walks through
// memory.

#include <algorithm>
#include <cstddef>

void transpose_swizzle_cpu(const float* in, float* out, int rows, int columns) {
  constexpr int kSquare = 32;
  for (int first_row = 0; first_row < rows; first_row += kSquare)
    for (int first_column = 0; first_column < columns; first_column += kSquare)
      for (int row = first_row; row < std::min(rows, first_row + kSquare); ++row)
        for (int column = first_column; column < std::min(columns, first_column + kSquare); ++column)
          out[static_cast<std::size_t>(column) * rows + row] = in[static_cast<std::size_t>(row) * columns + column];
}
