#include "judge/emulator/observe/transactions.h"

#include <algorithm>
#include <bit>

namespace judge::emulator {

namespace {

constexpr int kLanes = 32;

// Distinct aligned pieces of `piece` bytes, of which one lane's access touches at most two.
template <std::uint32_t piece>
std::uint32_t count_pieces(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes) {
  std::uint64_t seen[2 * kLanes];
  std::uint32_t count = 0;
  std::uint64_t highest = 0;
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t a = addresses[std::countr_zero(mask)];
    for (std::uint64_t s = a / piece; s <= (a + bytes - 1) / piece; ++s) {
      if (count != 0 && s <= highest) {
        // Ascending addresses, the usual case, meet their own last sector first.
        bool known = false;
        for (std::uint32_t k = count; k-- > 0 && !known;) known = seen[k] == s;
        if (known) continue;
      }
      highest = std::max(highest, s);
      seen[count++] = s;
    }
  }
  return count;
}

}  // namespace

std::uint32_t count_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes) {
  return count_pieces<kSectorBytes>(addresses, mask, bytes);
}

std::uint32_t count_words(const std::uint64_t* addresses, std::uint32_t mask) {
  return count_pieces<4>(addresses, mask, 1);
}

SharedCost shared_cost(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes) {
  SharedCost cost;
  if (mask == 0) return cost;
  const auto active = static_cast<std::uint32_t>(std::popcount(mask));
  std::uint32_t lanes_per_group = bytes <= 4 ? 32 : 128 / bytes;
  if (bytes > 4) {
    for (const int partner : {1, 2}) {
      bool all = true;
      for (std::uint32_t m = mask; m != 0 && all; m &= m - 1) {
        const int l = std::countr_zero(m);
        all = (mask >> (l ^ partner) & 1) != 0 && addresses[l] == addresses[l ^ partner];
      }
      if (all) {
        lanes_per_group *= 2;
        break;
      }
    }
  }
  const std::uint32_t words_per_lane = std::max(1u, bytes / 4);
  std::uint32_t groups = 0;
  for (std::uint32_t first = 0; first < kLanes; first += lanes_per_group) {
    const std::uint32_t group_mask = lanes_per_group >= 32 ? mask : mask & (((1u << lanes_per_group) - 1) << first);
    if (group_mask == 0) continue;
    ++groups;
    // Words already counted, chained by bank.
    std::uint64_t words[4 * kLanes];
    std::uint8_t next[4 * kLanes], head[kBanks] = {};
    std::uint8_t per_bank[kBanks] = {};
    std::uint32_t used = 0, worst = 0;
    for (std::uint32_t m = group_mask; m != 0; m &= m - 1) {
      const std::uint64_t word0 = addresses[std::countr_zero(m)] / 4;
      for (std::uint32_t k = 0; k < words_per_lane; ++k) {
        const std::uint64_t word = word0 + k;
        const std::uint32_t bank = word % kBanks;
        bool known = false;
        for (std::uint8_t e = head[bank]; e != 0 && !known; e = next[e - 1]) known = words[e - 1] == word;
        if (known) continue;
        words[used] = word;
        next[used] = head[bank];
        head[bank] = static_cast<std::uint8_t>(++used);
        worst = std::max<std::uint32_t>(worst, ++per_bank[bank]);
      }
    }
    cost.wavefronts += worst;
  }
  const std::uint32_t ideal = std::min(groups, (active * std::max(bytes, 1u) + 127) / 128);
  cost.conflicts = cost.wavefronts - std::min(cost.wavefronts, ideal);
  return cost;
}

SharedCost shared_atomic_cost(const std::uint64_t* addresses, std::uint32_t mask, bool one_lane, bool counts_one) {
  SharedCost cost;
  if (mask == 0) return cost;
  if (counts_one) {
    cost.wavefronts = shared_cost(addresses, mask, 4).wavefronts;
    cost.conflicts = cost.wavefronts - 1;
    return cost;
  }
  if (one_lane) return {1, 0};
  std::uint32_t per_bank[kBanks] = {};
  for (std::uint32_t m = mask; m != 0; m &= m - 1)
    cost.wavefronts = std::max(cost.wavefronts, ++per_bank[addresses[std::countr_zero(m)] / 4 % kBanks]);
  cost.conflicts = cost.wavefronts - 1;
  return cost;
}

std::uint32_t count_atomic_sectors(const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes,
                                   bool one_lane) {
  if (mask == 0) return 0;
  if (one_lane) return 1;
  std::uint32_t sectors = 0;
  while (mask != 0) {
    std::uint32_t turn = 0;
    for (std::uint32_t m = mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      bool taken = false;
      for (std::uint32_t t = turn; t != 0 && !taken; t &= t - 1) taken = addresses[std::countr_zero(t)] == addresses[l];
      if (!taken) turn |= 1u << l;
    }
    sectors += count_sectors(addresses, turn, bytes);
    mask &= ~turn;
  }
  return sectors;
}

}  // namespace judge::emulator
