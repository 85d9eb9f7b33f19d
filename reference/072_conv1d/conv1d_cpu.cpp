// The expected output, summed in double. Works through x in chunks that stay in the L1 cache: a chunk and its halo are
// widened to double once, and eight sums at a time live in registers.

#include <algorithm>

namespace {

constexpr int R = 8;
constexpr int kChunk = 1024;  // 8 KiB of doubles
constexpr int kLanes = 8;

}  // namespace

void conv1d_cpu(const float* x, const float* w, float* y, int n) {
  double weights[2 * R + 1];
  std::copy_n(w, 2 * R + 1, weights);

  double wide[kChunk + 2 * R];
  for (int start = 0; start < n; start += std::min(kChunk, n - start)) {
    const int count = std::min(kChunk, n - start);
    // wide[t] is x[start - R + t], zero outside x; `first` and `last` bound the part that lies inside.
    const int first = std::max(0, R - start);
    const int last = static_cast<int>(std::min<long long>(kChunk + 2 * R, static_cast<long long>(n) - start + R));
    std::fill(wide, wide + first, 0.0);
    std::copy(x + (start - R + first), x + (start - R + last), wide + first);
    std::fill(wide + last, wide + kChunk + 2 * R, 0.0);

    for (int t = 0; t < count; t += kLanes) {
      double sum[kLanes] = {};
      for (int k = 0; k < 2 * R + 1; ++k)
        for (int lane = 0; lane < kLanes; ++lane) sum[lane] += weights[k] * wide[t + k + lane];
      const int lanes = std::min(kLanes, count - t);
      for (int lane = 0; lane < lanes; ++lane) y[start + t + lane] = static_cast<float>(sum[lane]);
    }
  }
}
