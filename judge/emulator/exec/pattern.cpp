#include "judge/emulator/exec/pattern.h"

#include <algorithm>
#include <bit>

#include "judge/emulator/observe/transactions.h"

namespace judge::emulator {

namespace {

constexpr std::int64_t kFarthest = 1 << 30;

// Splits the active lanes into runs, of 4-byte accesses. False: more than kMaxRuns.
bool split(AccessPattern& p) {
  p.runs = 0;
  for (int l = 0; l < kLanes;) {
    if ((p.mask >> l & 1) == 0) {
      ++l;
      continue;
    }
    const auto follows = [&](int k, std::int32_t step) {
      return k < kLanes && (p.mask >> k & 1) != 0 && p.distance[k] == p.distance[k - 1] + step;
    };
    int end = l + 1;
    const bool one_word = follows(end, 0);
    while (follows(end, one_word ? 0 : 4)) ++end;
    if (p.runs == AccessPattern::kMaxRuns) {
      p.runs = 0;
      return false;
    }
    p.run[p.runs++] = {static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(end - l), one_word};
    l = end;
  }
  return true;
}

}  // namespace

AccessPattern* Worker::new_pattern() {
  return patterns.emplace_back(std::make_unique<AccessPattern>()).get();
}

void settle(AccessPattern& p, AccessCounts& counts, std::uint32_t bytes) {
  counts.executions += p.hits;
  counts.bytes += p.hits * bytes * static_cast<std::uint64_t>(std::popcount(p.mask));
  counts.sectors += p.hits * p.sectors;
  counts.wavefronts += p.hits * p.wavefronts;
  counts.conflicts += p.hits * p.conflicts;
  p.hits = 0;
}

bool learn(AccessPattern& p, AccessCounts& counts, memop::Space space, const std::uint64_t* addresses, std::uint32_t mask,
           std::uint32_t bytes) {
  settle(p, counts, bytes);
  p.mask = 0;
  p.runs = 0;
  const int first = std::countr_zero(mask);
  const std::uint64_t from = addresses[first];
  std::int64_t low = 0, high = 0;
  std::uint64_t together = 0;
  for (int l = 0; l < kLanes; ++l) {
    const std::int64_t d = (mask >> l & 1) != 0 ? static_cast<std::int64_t>(addresses[l] - from) : 0;
    low = std::min(low, d);
    high = std::max(high, d);
    together |= static_cast<std::uint64_t>(d);
    p.distance[l] = static_cast<std::int32_t>(d);
  }
  if (low < -kFarthest || high > kFarthest || ((together | from) & (bytes - 1)) != 0) return false;
  p.mask = mask;
  p.first = static_cast<std::uint32_t>(first);
  p.low = static_cast<std::int32_t>(low);
  p.high = static_cast<std::int32_t>(high + bytes);
  p.phase = space == memop::shared ? 0 : static_cast<std::uint32_t>(from % kSectorBytes);
  if (space == memop::shared) {
    const SharedCost cost = shared_cost(addresses, mask, bytes);
    p.wavefronts = cost.wavefronts;
    p.conflicts = cost.conflicts;
  } else {
    p.sectors = count_sectors(addresses, mask, bytes);
  }
  if (bytes == 4) split(p);
  return true;
}

}  // namespace judge::emulator
