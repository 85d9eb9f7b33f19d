// The window slides as a sorted array: one element leaves, one enters.

#include <algorithm>

void no_spills_cpu(const float* x, float* y, int n) {
  constexpr int kReach = 12;
  constexpr int kWindow = 2 * kReach + 1;
  const auto at = [&](int i) { return x[std::clamp(i, 0, n - 1)]; };
  float sorted[kWindow];
  for (int k = 0; k < kWindow; ++k) sorted[k] = at(k - kReach);
  std::sort(sorted, sorted + kWindow);
  for (int i = 0; i < n; ++i) {
    y[i] = sorted[kReach];
    float* const leaves = std::lower_bound(sorted, sorted + kWindow, at(i - kReach));
    std::copy(leaves + 1, sorted + kWindow, leaves);
    const float comes = at(i + kReach + 1);
    float* const place = std::lower_bound(sorted, sorted + kWindow - 1, comes);
    std::copy_backward(place, sorted + kWindow - 1, sorted + kWindow);
    *place = comes;
  }
}
