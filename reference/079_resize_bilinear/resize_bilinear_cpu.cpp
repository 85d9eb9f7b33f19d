// Bilinear interpolation with exact weights, in double. Texels and weights of the columns are the same for every row.

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Neighbours {  // the two texels around a position and the weight of the second
  int first, second;
  double weight;
};

Neighbours neighbours(int pixel, int size, int new_size) {
  const double position = (pixel + 0.5) * size / new_size - 0.5;  // in texels, 0 at the centre of the first
  const double below = std::floor(position);
  const int first = static_cast<int>(below);
  return {std::clamp(first, 0, size - 1), std::clamp(first + 1, 0, size - 1), position - below};
}

}  // namespace

void resize_bilinear_cpu(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  std::vector<Neighbours> columns(new_width);
  for (int x = 0; x < new_width; ++x) columns[x] = neighbours(x, width, new_width);
  for (int y = 0; y < new_height; ++y) {
    const Neighbours rows = neighbours(y, height, new_height);
    const float* above = image + static_cast<std::size_t>(rows.first) * width;
    const float* below = image + static_cast<std::size_t>(rows.second) * width;
    float* to = resized + static_cast<std::size_t>(y) * new_width;
    for (int x = 0; x < new_width; ++x) {
      const auto [left, right, weight] = columns[x];
      const double upper = (1 - weight) * above[left] + weight * above[right];
      const double lower = (1 - weight) * below[left] + weight * below[right];
      to[x] = static_cast<float>((1 - rows.weight) * upper + rows.weight * lower);
    }
  }
}
