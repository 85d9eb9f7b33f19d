// Nothing is computed, so the result is exact.

#include <cstddef>

void aos_to_soa_cpu(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  for (int i = 0; i < n; ++i) {
    const float* const particle = particles + 4 * static_cast<std::size_t>(i);
    x[i] = particle[0];
    y[i] = particle[1];
    z[i] = particle[2];
    mass[i] = particle[3];
  }
}
