// Asynchronous copies and barriers in memory: programs through the headers of CUDA, on both targets that have them;
// each faulty one beside its right neighbour.

#include <fstream>
#include <numeric>

#include "catch.h"
#include "workbench.h"

using judge::emulator::FaultKind;

namespace {

constexpr const char* kTargets[] = {UNIT_PTX "async_kernels.80.ptx", UNIT_PTX "async_kernels.90.ptx"};

int line_with(const std::string& text) {
  std::ifstream in(JUDGE_SOURCE_DIR "/tests/unit/emulator/async_kernels.cu");
  std::string line;
  for (int n = 1; std::getline(in, line); ++n)
    if (line.find(text) != std::string::npos) return n;
  throw std::runtime_error("async_kernels.cu has no line with: " + text);
}

std::vector<int> counted(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 1000);
  return v;
}

// Every tile of `side` turned round.
std::vector<int> turned(std::vector<int> v, std::ptrdiff_t side) {
  for (auto at = v.begin(); at != v.end(); at += side) std::reverse(at, at + side);
  return v;
}

void no_faults(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults)
    UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << " thread " << f.who.thread[0] << ": " << f.message);
  CHECK(r.faults.empty());
}

}  // namespace

TEST_CASE("cp.async: double buffering is right, and costs a global load and a shared store") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto in = counted(5 * 128);
    const auto x = w.buffer(in), y = w.unset(4 * in.size());
    const auto& r = w.run("double_buffered", {1, 128}, x, y, 5, 1, 1);
    no_faults(r);
    CHECK(w.read<int>(y, in.size()) == turned(in, 128));
    // 5 tiles of 4 warps, each 128 bytes: 4 sectors, one wavefront.
    CHECK(r.counters.global_load_requests == 20);
    CHECK(r.counters.global_load_sectors == 80);
    CHECK(r.counters.global_load_bytes_requested == 5 * 512);
    CHECK(r.counters.shared_store_instructions == 20);
    CHECK(r.counters.shared_store_wavefronts == 20);
    CHECK(r.counters.shared_load_instructions == 20);
  }
}

TEST_CASE("cp.async: nobody waited for the copy") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto in = counted(256);
    const auto x = w.buffer(in), y = w.unset(1024);
    const auto& r = w.run("double_buffered", {1, 128}, x, y, 2, 0, 1);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::race);
    CHECK(r.faults[0].where.line == line_with("// double_buffered reads"));
    CHECK(r.faults[0].message.find("nobody has waited") != std::string::npos);
    REQUIRE(r.faults[0].other);
    CHECK(r.faults[0].other->where.line == line_with("__pipeline_memcpy_async(&tile[0][t], &in[t], 4);"));
  }
}

TEST_CASE("cp.async: waited for by each thread, but no barrier before others read") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto x = w.buffer(counted(256)), y = w.unset(1024);
    // Some warps read before others have copied, some after.
    const auto& r = w.run("double_buffered", {1, 128}, x, y, 2, 1, 0);
    const int copies = line_with("__pipeline_memcpy_async(&tile[0][t], &in[t], 4);"),
              reads = line_with("// double_buffered reads");
    bool found = false;
    for (const auto& f : r.faults)
      found |= f.kind == FaultKind::race && f.other &&
               ((f.where.line == reads && f.other->where.line == copies) ||
                (f.where.line == copies && f.other->where.line == reads));
    for (const auto& f : r.faults)
      UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ", other " << (f.other ? f.other->where.line : 0));
    CHECK(found);
  }
}

TEST_CASE("cp.async: a copy into a tile that is still read") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto x = w.buffer(counted(256)), y = w.unset(512);
    no_faults(w.run("overwritten_too_early", {1, 128}, x, y, 1));
    CHECK(w.read<int>(y, 1)[0] == 1127 + 1255);
    const auto& r = w.run("overwritten_too_early", {1, 128}, x, y, 0);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::race);
    REQUIRE(r.faults[0].other);
    const int a = r.faults[0].where.line, b = r.faults[0].other->where.line,
              copies = line_with("// overwritten_too_early copies"), reads = line_with("const int x = tile[127 - t];");
    CHECK(((a == copies && b == reads) || (a == reads && b == copies)));
  }
}

TEST_CASE("cp.async: a source size below the copy's fills with zeros and reads no further") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    auto in = counted(130);
    const auto x = w.buffer(in), y = w.unset(64 * 16);
    no_faults(w.run("zero_filled", {1, 64}, x, y, 130));
    in.resize(256, 0);
    CHECK(w.read<int>(y, 256) == in);
  }
}

TEST_CASE("cp.async: past the end of the tile and past the end of the source") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto x = w.buffer(counted(64)), y = w.unset(256);
    no_faults(w.run("out_of_tile", {1, 64}, x, y, 64));
    const auto& source = w.run("out_of_tile", {1, 64}, x, y, 65);
    REQUIRE(!source.faults.empty());
    CHECK(source.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(source.faults[0].space == judge::emulator::MemorySpace::global);
    Workbench other({}, target);
    const auto longer = other.buffer(counted(100)), out = other.unset(256);
    const auto& tile = other.run("out_of_tile", {1, 64}, longer, out, 65);
    REQUIRE(!tile.faults.empty());
    CHECK(tile.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(tile.faults[0].space == judge::emulator::MemorySpace::shared);
    CHECK(tile.faults[0].where.line == line_with("// out_of_tile copies"));
  }
}

TEST_CASE("mbarrier: a block barrier of many phases, and one phase without its wait") {
  for (const char* target : kTargets) {
    for (const unsigned threads : {32u, 96u, 256u}) {
      Workbench w({}, target);
      const auto y = w.unset(4 * threads);
      no_faults(w.run("barrier_phases", {1, threads}, y, 20, 1));
      std::vector<int> expected(threads);
      for (unsigned t = 0; t < threads; ++t) expected[t] = static_cast<int>((t + 20) % threads);
      CHECK(w.read<int>(y, threads) == expected);
    }
    Workbench w({}, target);
    const auto y = w.unset(1024);
    const auto& r = w.run("barrier_phases", {1, 256}, y, 1, 0);
    REQUIRE(!r.faults.empty());
    CHECK((r.faults[0].kind == FaultKind::race || r.faults[0].kind == FaultKind::uninitialized_read));
    CHECK(r.faults[0].where.line == line_with("// barrier_phases reads"));
  }
}

TEST_CASE("memcpy_async of a block, completed by a barrier or by the group") {
  for (const char* target : kTargets)
    for (const char* kernel : {"barrier_memcpy", "group_memcpy"}) {
      Workbench w({}, target);
      const auto in = counted(256);
      const auto x = w.buffer(in), y = w.unset(1024);
      INFO(kernel << " " << target);
      no_faults(w.run(kernel, {1, 256}, x, y));
      CHECK(w.read<int>(y, 256) == turned(in, 256));
    }
}

TEST_CASE("pipelines: producers and consumers apart, and one group that is both") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto in = counted(9 * 64);
    const auto x = w.buffer(in), y = w.unset(4 * in.size());
    no_faults(w.run("producer_consumer", {1, 128}, x, y, 9));
    CHECK(w.read<int>(y, in.size()) == turned(in, 64));
    const auto more = counted(7 * 128);
    const auto a = w.buffer(more), b = w.unset(4 * more.size());
    no_faults(w.run("unified_pipeline", {1, 128}, a, b, 7));
    CHECK(w.read<int>(b, more.size()) == turned(more, 128));
  }
}

TEST_CASE("mbarrier: a lane that waits for lanes of its own warp makes progress") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto y = w.unset(4);
    no_faults(w.run("lane_waits_for_lanes", {1, 32}, y));
    CHECK(w.read<int>(y, 1)[0] == 31 * 16);
  }
}

TEST_CASE("mbarrier: more arrivals than a phase expects are refused") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto y = w.unset(1024);
    const auto& r = w.run("too_many_arrivals", {1, 48}, y);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::illegal_instruction);
    CHECK(r.faults[0].where.line == line_with("// too_many_arrivals arrives"));
  }
}

TEST_CASE("mbarrier: a block that waits for arrivals that never come is told so") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto y = w.unset(256);
    const auto& r = w.run("arrival_missing", {1, 64}, y);
    REQUIRE(r.faults.size() == 1);
    CHECK(r.faults[0].kind == FaultKind::barrier_divergence);
    CHECK(r.faults[0].where.line == line_with("// arrival_missing waits"));
    CHECK(r.faults[0].message.find("3 arrivals") != std::string::npos);
  }
}

TEST_CASE("cp.async.bulk: in through an mbarrier, out through a bulk group") {
  Workbench w({}, kTargets[1]);
  auto in = counted(512);
  const auto x = w.buffer(in), y = w.unset(2048);
  no_faults(w.run("bulk_copy", {1, 64}, x, y, 2048, 1));
  for (auto& v : in) ++v;
  CHECK(w.read<int>(y, 512) == in);
  const auto& early = w.run("bulk_copy", {1, 64}, x, y, 2048, 0);
  REQUIRE(!early.faults.empty());
  CHECK(early.faults[0].kind == FaultKind::race);
  CHECK(early.faults[0].where.line == line_with("// bulk_copy adds"));
  Workbench other({}, kTargets[1]);
  const auto a = other.buffer(counted(512)), b = other.unset(2048);
  const auto& odd = other.run("bulk_copy", {1, 64}, a, b, 40, 1);
  REQUIRE(!odd.faults.empty());
  CHECK(odd.faults[0].message.find("multiple of 16") != std::string::npos);
}
