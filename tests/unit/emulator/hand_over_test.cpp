// Order that comes from fences and atomics: right programs that barriers alone would call wrong, and wrong ones beside
// them. And accesses that leave a variable without leaving the block's memory.

#include <algorithm>

#include "catch.h"
#include "workbench.h"

using judge::emulator::FaultKind;

namespace {

constexpr const char* kSource = "hand_over.cu";

std::vector<int> filled(std::size_t n, int value) {
  return std::vector<int>(n, value);
}

std::vector<int> counting(std::size_t n) {
  std::vector<int> values(n);
  for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<int>(k);
  return values;
}

void is_clean(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults) UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message);
  CHECK(r.faults.empty());
  CHECK(r.finished);
}

// A race between these two lines is among the faults.
void has_race(const judge::device::LaunchRecord& r, const std::string& one, const std::string& other) {
  const int a = line_of(one, kSource), b = line_of(other, kSource);
  bool found = false;
  for (const auto& f : r.faults) {
    UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message);
    if (f.kind != FaultKind::race || !f.other) continue;
    found |= (f.where.line == a && f.other->where.line == b) || (f.where.line == b && f.other->where.line == a);
  }
  CHECK(found);
}

}  // namespace

TEST_CASE("data under a lock is no race, between lanes, warps and blocks") {
  Workbench w({}, HAND_OVER_PTX);
  const auto lock = w.buffer(filled(1, 0)), count = w.buffer(filled(1, 0)), log = w.unset(4 * 288);
  is_clean(w.run("locked_counter", {3, 96}, lock, count, log));
  CHECK(w.read<int>(count, 1)[0] == 288);
  const auto out = w.unset(8);
  is_clean(w.run("shared_lock", {2, 64}, out));
  CHECK(w.read<int>(out, 2) == filled(2, 64));
}

TEST_CASE("a counter that one thread changes without the lock") {
  for (const unsigned blocks : {1u, 3u}) {
    Workbench w({}, HAND_OVER_PTX);
    const auto lock = w.buffer(filled(1, 0)), count = w.buffer(filled(1, 0));
    has_race(w.run("partly_locked_counter", {blocks, 64}, lock, count), "// not under the lock", "// by the lock's owner");
  }
}

TEST_CASE("a lock-free stack: nodes are handed over by compare-and-swap") {
  Workbench w({}, HAND_OVER_PTX);
  const auto nodes = w.unset(8 * 256), head = w.buffer(filled(1, -1)), out = w.unset(4 * 256);
  is_clean(w.run("push", {4, 64}, nodes, head));
  is_clean(w.run("pop", {4, 64}, nodes, head, out));
  auto got = w.read<int>(out, 256);
  std::sort(got.begin(), got.end());
  for (int k = 0; k < 256; ++k) REQUIRE(got[static_cast<std::size_t>(k)] == 3 * k);
}

TEST_CASE("a plain read of a variable is verified by a swap at its address too") {
  Workbench w({}, HAND_OVER_PTX);
  is_clean(w.run("push_to_variable", {4, 64}, w.unset(4 * 256)));
}

TEST_CASE("a decoupled look-back scan") {
  Workbench w({}, HAND_OVER_PTX);
  const auto in = w.buffer(filled(64 * 40, 1)), out = w.unset(4 * 64 * 40), sums = w.unset(160), prefixes = w.unset(160);
  const auto status = w.buffer(filled(40, 0)), ticket = w.buffer(filled(1, 0));
  is_clean(w.run("look_back_scan", {40, 64}, in, out, sums, prefixes, status, ticket));
  CHECK(w.read<int>(out, 2560)[2559] == 2560);
}

TEST_CASE("the last block's reduction needs a fence of the grid, after what it publishes") {
  for (const int mode : {0, 1, 2, 3}) {
    Workbench w({}, HAND_OVER_PTX);
    const auto in = w.buffer(filled(64 * 8, 1)), partial = w.unset(4 * 64 * 8), out = w.unset(256);
    const auto done = w.buffer(filled(1, 0));
    const auto& r = w.run("last_block_reduce", {8, 64}, in, partial, done, out, mode);
    INFO("mode " << mode);
    if (mode == 0)
      is_clean(r);
    else
      has_race(r, mode == 3 ? "// stored late" : "// stored first", "// read by the last block");
  }
  Workbench w({}, HAND_OVER_PTX);
  const auto in = w.buffer(filled(64 * 8, 1)), partial = w.unset(4 * 64 * 8), out = w.unset(256);
  const auto done = w.buffer(filled(1, 0));
  is_clean(w.run("fence_by_all_then_barrier", {8, 64}, in, partial, done, out));
}

TEST_CASE("a fence is no barrier of the grid; arriving and waiting is") {
  Workbench w({}, HAND_OVER_PTX);
  const auto in = w.buffer(filled(64 * 6, 1)), sums = w.buffer(filled(6, 0)), out = w.unset(4 * 64 * 6);
  has_race(w.run("fence_taken_for_grid_barrier", {6, 64}, in, sums, out), "// before the fence", "// after the fence");
  const auto arrived = w.buffer(filled(1, 0));
  is_clean(w.run("grid_barrier", {6, 64}, in, sums, arrived, out));
  CHECK(w.read<int>(out, 384) == filled(384, 6));
}

TEST_CASE("a flag that is set before its data") {
  for (const int early : {0, 1}) {
    Workbench w({}, HAND_OVER_PTX);
    const auto data = w.buffer(filled(1, 0)), flag = w.buffer(filled(1, 0)), out = w.unset(4);
    const auto& r = w.run("flag_and_data", {2, 1}, data, flag, out, early);
    if (early == 0)
      is_clean(r);
    else
      has_race(r, "// too late", "// by the one who waited");
  }
}

TEST_CASE("a relaxed store hands over what was read before it, from block to block, without a fence") {
  for (const unsigned threads : {32u, 64u})
    for (const int by : {5, 32, 150}) {
      Workbench w({}, HAND_OVER_PTX);
      const auto x = w.buffer(counting(threads * 8)), states = w.buffer(filled(9, 0)), count = w.buffer(filled(1, 0));
      INFO(threads << " threads, by " << by);
      is_clean(w.run("move_left_in_place", {8, threads}, x, states, count, by, 0));
      const auto got = w.read<int>(x, threads * 8 - static_cast<std::size_t>(by));
      for (std::size_t k = 0; k < got.size(); ++k) REQUIRE(got[k] == static_cast<int>(k) + by);
    }
}

TEST_CASE("what was read after the relaxed store, or handed over by none, is a race") {
  for (const int mode : {1, 2, 3})
    for (const unsigned threads : {32u, 64u}) {
      Workbench w({}, HAND_OVER_PTX);
      const auto x = w.buffer(counting(threads * 8)), states = w.buffer(filled(9, mode == 3)),
                 count = w.buffer(filled(1, 0));
      INFO("mode " << mode << ", " << threads << " threads");
      has_race(w.run("move_left_in_place", {8, threads}, x, states, count, 5, mode), "// read in place", "// written in place");
    }
}

TEST_CASE("a plain read that a compare-and-swap verifies is no race; one that nothing verifies is") {
  Workbench w({}, HAND_OVER_PTX);
  std::vector<float> values(256);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k * 37 % 256);
  const auto best = w.buffer(std::vector<float>{-1}), in = w.buffer(values);
  is_clean(w.run("atomic_max", {4, 64}, best, in));
  CHECK(w.read<float>(best, 1)[0] == 255);
  const auto sum = w.buffer(filled(1, 0)), out = w.unset(256);
  const auto& r = w.run("read_while_others_add", {1, 64}, sum, out);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == FaultKind::race);
}

TEST_CASE("one __shared__ array ends where the next begins") {
  for (const int shift : {0, 1, 64, -1}) {
    Workbench w({}, HAND_OVER_PTX);
    const auto in = w.buffer(filled(64, 1)), out = w.unset(256);
    const auto& r = w.run("two_arrays", {1, 64}, in, out, shift);
    INFO("shift " << shift);
    if (shift == 0) {
      is_clean(r);
      continue;
    }
    REQUIRE(r.faults.size() == 1);
    CHECK(r.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(r.faults[0].where.line == line_of("// first with a shift", kSource));
    if (shift > 0) {
      CHECK(r.faults[0].owner == "__shared__ first (256 bytes)");
      CHECK(r.faults[0].element == 64);
      CHECK(r.faults[0].who.thread[0] == static_cast<unsigned>(64 - shift));
    }
  }
}

TEST_CASE("pointers that change between arrays, and parts of dynamic shared memory, are no fault") {
  Workbench w({}, HAND_OVER_PTX);
  const auto in = w.buffer(filled(64, 1)), out = w.unset(256);
  is_clean(w.run("swapped_arrays", {1, 64}, in, out, 5));
  is_clean(w.run("two_dynamic_parts", {1, 64, 512}, in, out));
}

TEST_CASE("a stack array ends where the next begins") {
  for (const int bad : {7, 8, -1, 9}) {
    Workbench w({}, HAND_OVER_PTX);
    const auto index = w.buffer(std::vector<int>{bad, 1, 2, 3}), out = w.unset(256);
    const auto& r = w.run("stack_arrays", {1, 1}, index, out, 0);
    INFO("index " << bad);
    if (bad == 7) {
      is_clean(r);
      continue;
    }
    REQUIRE(r.faults.size() == 1);
    CHECK(r.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(r.faults[0].where.line == line_of("// into a", kSource));
  }
}

TEST_CASE("a shuffle may only read lanes of its mask") {
  Workbench w({}, HAND_OVER_PTX);
  const auto out = w.unset(128);
  const auto& r = w.run("shuffle_across_masks", {1, 32}, out, 3);
  REQUIRE(r.faults.size() == 1);
  CHECK(r.faults[0].kind == FaultKind::sync_mask);
  CHECK(r.faults[0].who.thread[0] == 16);
  CHECK(r.faults[0].where.line == line_of("// 16 lanes each", kSource));
}

TEST_CASE("a full mask in a branch that half of the warp does not take") {
  Workbench w({}, HAND_OVER_PTX);
  const auto out = w.unset(128);
  const auto& r = w.run("full_mask_in_branch", {1, 32}, out);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == FaultKind::sync_mask);
  CHECK(r.faults[0].where.line == line_of("// half of the warp", kSource));
}
