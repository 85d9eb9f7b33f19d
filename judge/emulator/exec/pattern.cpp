#include "judge/emulator/exec/pattern.h"

#include <bit>

namespace judge::emulator {

AccessPattern* Worker::new_pattern() {
  return patterns.emplace_back(std::make_unique<AccessPattern>()).get();
}

void settle(AccessPattern& p, AccessCounts& counts, std::uint32_t bytes) {
  counts.executions += p.counted ? p.hits : 0;
  counts.bytes += p.hits * bytes * static_cast<std::uint64_t>(std::popcount(p.mask));
  counts.sectors += p.hits * p.sectors;
  counts.wavefronts += p.hits * p.wavefronts;
  counts.conflicts += p.hits * p.conflicts;
  p.hits = 0;
}

void split(AccessPattern& p) {
  using Form = AccessPattern::Form;
  const auto follows = [&](int k, std::int32_t step) {
    return k < kLanes && (p.mask >> k & 1) != 0 && p.distance[k] == p.distance[k - 1] + step;
  };
  p.form = p.mask == ~0u ? Form::halves : Form::scattered;
  for (int half = 0; half < 2 && p.form == Form::halves; ++half) {
    const int begin = 16 * half;
    p.half_is_one_word[half] = follows(begin + 1, 0);
    for (int l = begin + 1; l < begin + 16; ++l)
      if (!follows(l, p.half_is_one_word[half] ? 0 : 4)) p.form = Form::scattered;
  }
  if (p.form == Form::halves && p.half_is_one_word[0] == p.half_is_one_word[1] &&
      follows(16, p.half_is_one_word[0] ? 0 : 4))
    p.form = p.half_is_one_word[0] ? Form::one_word : Form::row;
  p.runs = 0;
  for (int l = 0; l < kLanes;) {
    if ((p.mask >> l & 1) == 0) {
      ++l;
      continue;
    }
    if (p.runs == AccessPattern::kMaxRuns) {
      p.runs = 0;
      return;
    }
    int end = l + 1;
    const bool one_word = follows(end, 0);
    while (follows(end, one_word ? 0 : 4)) ++end;
    p.run[p.runs++] = {static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(end - l), one_word};
    l = end;
  }
}

}  // namespace judge::emulator
