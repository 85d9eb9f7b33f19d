// Sectors, wavefronts and conflicts, worked out by hand. The rows of an H200 are in tests/counters.

#include "judge/emulator/observe/transactions.h"
#include "catch.h"
#include "judge/emulator/observe/race.h"

using namespace judge::emulator;

namespace {

struct Pattern {
  std::uint64_t address[32];
  template <class F>
  explicit Pattern(F f) {
    for (int l = 0; l < 32; ++l) address[l] = static_cast<std::uint64_t>(f(l));
  }
};

constexpr std::uint32_t kAll = 0xffff'ffffu;

}  // namespace

TEST_CASE("sectors are distinct 32-byte pieces") {
  CHECK(count_sectors(Pattern([](int l) { return 4 * l; }).address, kAll, 4) == 4);
  CHECK(count_sectors(Pattern([](int l) { return 4 * l + 4; }).address, kAll, 4) == 5);
  CHECK(count_sectors(Pattern([](int l) { return 4 * (31 - l); }).address, kAll, 4) == 4);
  CHECK(count_sectors(Pattern([](int) { return 64; }).address, kAll, 4) == 1);
  CHECK(count_sectors(Pattern([](int l) { return 128 * (l * 7 % 32); }).address, kAll, 4) == 32);
  CHECK(count_sectors(Pattern([](int l) { return 16 * l; }).address, kAll, 16) == 16);
  CHECK(count_sectors(Pattern([](int l) { return 4 * l; }).address, 1, 4) == 1);
  CHECK(count_sectors(Pattern([](int l) { return 4 * l; }).address, 0, 4) == 0);
}

TEST_CASE("a constant load asks for each different word once") {
  CHECK(count_words(Pattern([](int) { return 12; }).address, kAll) == 1);
  CHECK(count_words(Pattern([](int l) { return 4 * l; }).address, kAll) == 32);
  CHECK(count_words(Pattern([](int l) { return l; }).address, kAll) == 8);
  CHECK(count_words(Pattern([](int l) { return 4 * (l % 3); }).address, kAll) == 3);
  CHECK(count_words(Pattern([](int l) { return 4 * l; }).address, 0x11) == 2);
  CHECK(count_words(Pattern([](int l) { return 4 * l; }).address, 0) == 0);
}

TEST_CASE("wavefronts of shared memory") {
  const auto cost = [](auto f, std::uint32_t bytes, std::uint32_t mask = kAll) {
    const SharedCost c = shared_cost(Pattern(f).address, mask, bytes);
    return std::pair{c.wavefronts, c.conflicts};
  };
  using P = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(cost([](int l) { return 4 * l; }, 4) == P{1, 0});
  CHECK(cost([](int l) { return 8 * l; }, 4) == P{2, 1});      // two words a bank
  CHECK(cost([](int l) { return 128 * l; }, 4) == P{32, 31});  // all in one bank
  CHECK(cost([](int l) { return 132 * l; }, 4) == P{1, 0});    // padded rows
  CHECK(cost([](int) { return 8; }, 4) == P{1, 0});            // one word for all
  CHECK(cost([](int l) { return 8 * l; }, 8) == P{2, 0});      // 256 bytes need two
  CHECK(cost([](int l) { return 16 * l; }, 16) == P{4, 0});
  CHECK(cost([](int) { return 16; }, 16) == P{2, 0});  // groups merge in pairs, once
  CHECK(cost([](int l) { return l; }, 1) == P{1, 0});
  CHECK(cost([](int l) { return 128 * l; }, 4, 0xffff) == P{16, 15});
}

TEST_CASE("atomics take turns") {
  CHECK(shared_atomic_cost(Pattern([](int l) { return 4 * (l % 4); }).address, kAll, false, false).wavefronts == 8);
  CHECK(shared_atomic_cost(Pattern([](int) { return 0; }).address, kAll, true, false).wavefronts == 1);
  CHECK(shared_atomic_cost(Pattern([](int) { return 0; }).address, kAll, false, false).wavefronts == 32);
  CHECK(shared_atomic_cost(Pattern([](int l) { return 4 * (l % 4); }).address, kAll, false, true).wavefronts == 1);
  CHECK(count_atomic_sectors(Pattern([](int l) { return 4 * (l % 4); }).address, kAll, 4, false) == 8);
  CHECK(count_atomic_sectors(Pattern([](int l) { return 32 * l; }).address, kAll, 4, false) == 32);
}

TEST_CASE("race entries: who is ordered with whom") {
  using L = race::SharedLayout;
  const std::uint64_t epoch = 5ull << L::kEpochShift;
  const auto stamp = [&](std::uint64_t e, std::uint64_t warp_epoch, std::uint64_t thread) {
    return (e << L::kEpochShift) | (warp_epoch << L::kWarpEpochShift) | thread;
  };
  const std::uint64_t mine = stamp(5, 2, 33);
  CHECK_FALSE(race::races_with_write<L>(stamp(4, 0, 1), mine, epoch, false));   // before the barrier
  CHECK(race::races_with_write<L>(stamp(5, 0, 1), mine, epoch, false));         // another warp
  CHECK_FALSE(race::races_with_write<L>(stamp(5, 2, 33), mine, epoch, false));  // itself
  CHECK(race::races_with_write<L>(stamp(5, 2, 34), mine, epoch, false));        // another lane, no __syncwarp between
  CHECK_FALSE(race::races_with_write<L>(stamp(5, 1, 34), mine, epoch, false));  // a __syncwarp between
  CHECK_FALSE(race::races_with_write<L>(stamp(5, 0, 1) | L::kAtomic, mine | L::kAtomic, epoch, false));
  CHECK(race::races_with_write<L>(stamp(5, 0, 1) | L::kAtomic, mine, epoch, false));
  // Two lanes read, then one of them writes: the other's read is in the way, until a __syncwarp.
  const std::uint64_t both = race::merge_read<L>(stamp(5, 2, 34), mine, epoch);
  CHECK(race::races_with_read<L>(both, mine, epoch, false));
  CHECK_FALSE(race::races_with_read<L>(both, stamp(5, 3, 33), epoch, false));
  // Another warp read: no __syncwarp helps.
  const std::uint64_t warps = race::merge_read<L>(stamp(5, 0, 1), mine, epoch);
  CHECK(race::races_with_read<L>(warps, stamp(5, 3, 33), epoch, false));
  CHECK_FALSE(race::races_with_read<L>(warps, stamp(6, 0, 33), 6ull << L::kEpochShift, false));
}
