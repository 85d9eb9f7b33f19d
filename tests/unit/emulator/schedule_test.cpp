// A schedule seed changes the order of blocks, warps and lanes, addresses and the contents of unset memory; the same seed
// repeats them; right programs do not notice.

#include <algorithm>
#include <numeric>
#include <set>

#include "catch.h"
#include "workbench.h"

namespace {

judge::device::RunOptions seeded(std::uint64_t seed) {
  judge::device::RunOptions options;
  options.schedule_seed = seed;
  return options;
}

struct Tickets {
  std::vector<int> of_block, of_lane;
  friend auto operator<=>(const Tickets&, const Tickets&) = default;
};

Tickets tickets(std::uint64_t seed) {
  Workbench w(seeded(seed), HAND_OVER_PTX);
  const auto next = w.buffer(std::vector<int>(2, 0)), of_block = w.unset(4 * 40), of_lane = w.unset(4 * 64);
  w.run("tickets", {40, 64}, next, of_block, of_lane);
  return {w.read<int>(of_block, 40), w.read<int>(of_lane, 64)};
}

std::vector<int> sorted(std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return v;
}

void is_clean(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults) UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message);
  CHECK(r.faults.empty());
  CHECK(r.finished);
}

}  // namespace

TEST_CASE("a schedule seed decides the order of blocks, warps and lanes, and repeats it") {
  std::vector<int> all(64);
  std::iota(all.begin(), all.end(), 0);
  const Tickets plain = tickets(0);
  CHECK(plain.of_block == std::vector<int>(all.begin(), all.begin() + 40));
  std::set<std::vector<int>> block_orders, lane_orders;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Tickets one = tickets(seed);
    CHECK(one == tickets(seed));
    CHECK(sorted(one.of_block) == std::vector<int>(all.begin(), all.begin() + 40));
    CHECK(sorted(one.of_lane) == all);
    block_orders.insert(one.of_block);
    lane_orders.insert(one.of_lane);
  }
  CHECK(block_orders.size() == 8);
  CHECK(lane_orders.size() >= 3);  // two warps and two ways in each: few orders exist
}

TEST_CASE("a schedule seed moves allocations and fills memory that nobody wrote") {
  std::set<judge::device::Address> places;
  std::set<std::vector<int>> shared, global;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Workbench w(seeded(seed), HAND_OVER_PTX);
    const auto out = w.unset(128);
    CHECK(out % 256 == 0);
    places.insert(out);
    global.insert(w.read<int>(out, 32));
    const auto& r = w.run("unset_shared", {1, 32}, out);
    CHECK(r.faults.at(0).kind == judge::emulator::FaultKind::uninitialized_read);
    shared.insert(w.read<int>(out, 32));
  }
  CHECK(places.size() >= 5);
  CHECK(global.size() == 6);
  CHECK(shared.size() == 6);
}

TEST_CASE("right programs are right and clean under every schedule") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    Workbench w(seeded(seed), HAND_OVER_PTX);
    const auto zero = [&](std::size_t n) { return w.buffer(std::vector<int>(n, 0)); };
    const auto ones = w.buffer(std::vector<int>(64 * 40, 1));
    const auto count = zero(1);
    is_clean(w.run("locked_counter", {3, 96}, zero(1), count, w.unset(4 * 288)));
    CHECK(w.read<int>(count, 1)[0] == 288);
    const auto sums = w.unset(8);
    is_clean(w.run("shared_lock", {2, 64}, sums));
    CHECK(w.read<int>(sums, 2) == std::vector<int>(2, 64));
    const auto nodes = w.unset(8 * 256), head = w.buffer(std::vector<int>{-1}), popped = w.unset(4 * 256);
    is_clean(w.run("push", {4, 64}, nodes, head));
    is_clean(w.run("pop", {4, 64}, nodes, head, popped));
    const auto scan = w.unset(4 * 64 * 40);
    is_clean(w.run("look_back_scan", {40, 64}, ones, scan, w.unset(160), w.unset(160), zero(40), zero(1)));
    CHECK(w.read<int>(scan, 2560)[2559] == 2560);
    const auto reduced = w.unset(256);
    is_clean(w.run("last_block_reduce", {8, 64}, ones, w.unset(4 * 64 * 8), zero(1), reduced, 0));
    CHECK(w.read<int>(reduced, 64) == std::vector<int>(64, 8));
    const auto total = w.unset(4 * 64 * 6);
    is_clean(w.run("grid_barrier", {6, 64}, ones, zero(6), zero(1), total));
    CHECK(w.read<int>(total, 384) == std::vector<int>(384, 6));
    is_clean(w.run("atomic_max", {4, 64}, w.buffer(std::vector<float>{-1}), w.buffer(std::vector<float>(256, 3.5f))));
  }
}
