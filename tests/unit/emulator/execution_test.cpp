// What programs compute, against the same computation on the CPU.

#include <bit>
#include <numeric>

#include "catch.h"
#include "workbench.h"

using judge::device::RunOptions;

namespace {

std::vector<int> counting(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

int branches_on_cpu(int v, int t) {
  if (v & 1) {
    for (int k = 0; k < t % 7; ++k) v = v * 3 + k;
  } else if (v % 3 == 0) {
    v /= 3;
  } else {
    while (v > 10) v -= 4;
  }
  switch (t % 5) {
    case 0:
      return v + 100;
    case 1:
      return v ^ 0x55;
    case 2:
      return v - 7;
    case 3:
      return v * 2;
    default:
      return -v;
  }
}

}  // namespace

TEST_CASE("diverged lanes each go their own way and meet again") {
  for (const std::uint64_t seed : {0, 1, 2}) {
    RunOptions options;
    options.schedule_seed = seed;
    Workbench w(options);
    const auto in = counting(200);
    const auto x = w.buffer(in), y = w.unset(800);
    const auto& r = w.run("branches", {2, 100}, x, y);
    CHECK(r.faults.empty());
    CHECK(r.counters.divergent_branches > 0);
    const auto out = w.read<int>(y, 200);
    for (int t = 0; t < 200; ++t) CHECK(out[static_cast<std::size_t>(t)] == branches_on_cpu(t, t));
  }
}

TEST_CASE("a constant load is counted, and each different address that its lanes want") {
  Workbench w;
  const auto which = w.buffer(std::vector<int>{2}), y = w.unset(4 * 64);
  const auto& r = w.run("constant_reads", {1, 64}, which, y);
  CHECK(r.faults.empty());
  CHECK(r.counters.constant_loads == 2 * 2);                 // two warps
  CHECK(r.counters.constant_load_addresses == 2 * (1 + 4));  // one address for all lanes, and four
  const auto out = w.read<int>(y, 64);
  for (int t = 0; t < 64; ++t) CHECK(out[static_cast<std::size_t>(t)] == 30 + 10 * (t % 4 + 1));
}

TEST_CASE("a spin lock between lanes of one warp makes progress") {
  Workbench w;
  const auto lock = w.buffer(std::vector<int>{0}), count = w.buffer(std::vector<int>{0});
  const auto& r = w.run("spin_lock", {3, 64}, lock, count);
  CHECK(r.finished);
  CHECK(r.faults.empty());
  CHECK(w.read<int>(count, 1)[0] == 3 * 64);
}

TEST_CASE("shuffles and votes") {
  Workbench w;
  const auto out = w.unset(128), votes = w.unset(3 * 128);
  CHECK(w.run("shuffles", {}, out, 0).faults.empty());
  const auto v = w.read<int>(out, 32);
  for (int t = 0; t < 32; ++t)
    CHECK(v[static_cast<std::size_t>(t)] == (t ^ 5) + 1000 * (t < 3 ? t : t - 3) + 1000000 * 9);
  CHECK(w.run("votes", {}, votes).faults.empty());
  const auto b = w.read<unsigned>(votes, 96);
  for (unsigned t = 0; t < 32; ++t) {
    CHECK(b[t] == 0x49249249u);
    CHECK(b[32 + t] == 1);
    CHECK(b[64 + t] == 0xffu << (t / 8 * 8));
  }
}

TEST_CASE("device functions: recursion, and pointers that differ from lane to lane") {
  Workbench w;
  const auto out = w.unset(128);
  CHECK(w.run("recursion", {}, out).faults.empty());
  const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  auto v = w.read<int>(out, 32);
  for (int t = 0; t < 32; ++t) CHECK(v[static_cast<std::size_t>(t)] == fib[t % 12]);
  CHECK(w.run("pointers", {}, out).faults.empty());
  v = w.read<int>(out, 32);
  for (int t = 0; t < 32; ++t) CHECK(v[static_cast<std::size_t>(t)] == (t % 2 == 0 ? 2 * t : t * t));
}

TEST_CASE("device printf comes in the order of blocks, formatted as C does") {
  Workbench w;
  w.run("prints", {2, 32}, 2);
  CHECK(w.device->record().kernel_output ==
        "block 0 thread 0:  0.00 text z 1099511627776 ff%\nblock 0 thread 1:  0.50 text z 1099511627776 ff%\n"
        "block 1 thread 0:  0.00 text z 1099511627776 ff%\nblock 1 thread 1:  0.50 text z 1099511627776 ff%\n");
}

TEST_CASE("atomics of every kind") {
  Workbench w;
  const auto u = w.buffer(std::vector<unsigned>{0, 0, 99, ~0u, 0, 0, 0, 0, 0});
  const auto s = w.buffer(std::vector<int>{-100, 100, 0});
  const auto l = w.buffer(std::vector<std::uint64_t>{1});
  const auto f = w.buffer(std::vector<float>{1.0f});
  CHECK(w.run("atomics", {}, u, s, l, f).faults.empty());
  // inc wraps after 9: 32 steps from 0 end at 2; dec from 0 goes to 9 and down: 32 steps end at 8.
  CHECK(w.read<unsigned>(u, 9) == std::vector<unsigned>{496, 31, 3, 0, ~0u, ~0u, 2, 8, 77});
  CHECK(w.read<int>(s, 3) == std::vector<int>{15, -16, -496});
  CHECK(w.read<std::uint64_t>(l, 1)[0] == 1 + (32ull << 33));
  CHECK(w.read<float>(f, 1)[0] == 9.0f);
}

TEST_CASE("local arrays with a run-time index") {
  Workbench w;
  std::vector<int> index(32);
  for (int t = 0; t < 32; ++t) index[static_cast<std::size_t>(t)] = 5 * t;
  const auto in = w.buffer(index), out = w.unset(128);
  CHECK(w.run("local_array", {}, in, out).faults.empty());
  const auto v = w.read<int>(out, 32);
  for (int t = 0; t < 32; ++t) {
    const int a = 5 * t & 15, b = (5 * t + 1) & 15;
    CHECK(v[static_cast<std::size_t>(t)] == a * a + 1000 + b * b);
  }
}

TEST_CASE("half precision rounds once") {
  Workbench w;
  // 1.5 * 2.25 + 0.5 = 3.875 exactly; 0x3c01 (1 + 2^-10) squared + 0.5 = 1.501953… rounds to 0x3e02.
  const auto a = w.buffer(std::vector<std::uint16_t>(32, 0x3c01)), b = w.buffer(std::vector<std::uint16_t>(32, 0x3c01));
  const auto out = w.unset(64);
  CHECK(w.run("halves", {}, a, b, out).faults.empty());
  CHECK(w.read<std::uint16_t>(out, 32) == std::vector<std::uint16_t>(32, 0x3e02));
}

TEST_CASE("many live registers keep their values") {
  Workbench w;
  std::vector<float> in(48 * 64);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<float>(k % 37) * 0.25f;
  const auto x = w.buffer(in), y = w.unset(256);
  CHECK(w.run("many_registers", {1, 64}, x, y).faults.empty());
  const auto out = w.read<float>(y, 64);
  for (std::size_t t = 0; t < 64; ++t) {
    float v[48];
    for (std::size_t k = 0; k < 48; ++k) v[k] = in[48 * t + k];
    for (int round = 0; round < 3; ++round)
      for (int k = 0; k < 48; ++k) v[k] = v[(k + 7) % 48] * 0.5f + v[k];
    double sum = 0;
    for (int k = 0; k < 48; ++k) sum += static_cast<double>(v[k]) * (k + 1);
    CHECK(static_cast<double>(out[t]) == Approx(sum).epsilon(1e-5));
  }
}

TEST_CASE("results and counters do not depend on the number of workers") {
  std::vector<std::vector<int>> results;
  std::vector<judge::emulator::Counters> counters;
  for (const unsigned workers : {1u, 2u, 5u}) {
    RunOptions options;
    options.workers = workers;
    Workbench w(options);
    const auto x = w.buffer(counting(6400)), y = w.unset(6400 * 4);
    counters.push_back(w.run("branches", {100, 64}, x, y).counters);
    results.push_back(w.read<int>(y, 6400));
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  CHECK(counters[0] == counters[1]);
  CHECK(counters[0] == counters[2]);
}

TEST_CASE("blocks that hand over data by fence and atomic are no race") {
  Workbench w;
  const auto in = w.buffer(counting(320)), partial = w.unset(40), done = w.buffer(std::vector<int>{0}),
             out = w.unset(4);
  const auto& r = w.run("last_block_sum", {10, 32}, in, partial, done, out);
  CHECK(r.faults.empty());
  CHECK(w.read<int>(out, 1)[0] == 319 * 320 / 2);
}

TEST_CASE("loads by the read-only path are counted among the others") {
  Workbench w;
  const auto v = counting(64);
  const auto x = w.buffer(v), y = w.buffer(v), z = w.buffer(v);
  const auto& r = w.run("read_only_path", {1, 64}, x, y, z);
  CHECK(r.faults.empty());
  CHECK(r.counters.global_load_requests == 6);
  CHECK(r.counters.global_load_readonly_requests == 4);
  CHECK(w.read<int>(y, 64).at(63) == 3 * 63);
}
