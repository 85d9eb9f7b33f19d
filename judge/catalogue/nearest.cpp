#include "judge/catalogue/nearest.h"

#include <algorithm>

namespace judge::catalogue {

namespace {
constexpr std::size_t kLongestName = 80;  // longer ones are not names, and the table below is quadratic
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // Against one-letter names every one-letter name is at distance 1: only a change of case is a likely slip there.
    const bool same_but_case = name.size() == 1 && candidate.size() == 1 && (name[0] ^ candidate[0]) == 0x20;
    if (std::max(name.size(), candidate.size()) == 1 && !same_but_case) continue;
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::optional<std::string> found = nearest(name, candidates);
  return found ? "; did you mean \"" + *found + "\"?" : std::string();
}

}  // namespace judge::catalogue
