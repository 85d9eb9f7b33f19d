// Products of matrices: values against plain sums, cost against the rules of wavefronts and sectors, and what is wrong
// with a fragment's memory found at its line.

#include <cmath>
#include <fstream>

#include "catch.h"
#include "workbench.h"

using judge::emulator::FaultKind;

namespace {

constexpr const char* kTargets[] = {UNIT_PTX "matrix_kernels.75.ptx", UNIT_PTX "matrix_kernels.80.ptx",
                                    UNIT_PTX "matrix_kernels.90.ptx"};

int line_with(const std::string& text) {
  std::ifstream in(JUDGE_SOURCE_DIR "/tests/unit/emulator/matrix_kernels.cu");
  std::string line;
  for (int n = 1; std::getline(in, line); ++n)
    if (line.find(text) != std::string::npos) return n;
  throw std::runtime_error("matrix_kernels.cu has no line with: " + text);
}

// Small multiples of 1/4: every sum is exact.
float entry(std::size_t row, std::size_t column) {
  return static_cast<float>(static_cast<int>((row * 7 + column * 3) % 11) - 5) / 4;
}

std::uint16_t half_of(float x) {
  if (x == 0) return 0;
  const int exponent = std::ilogb(x);
  const auto fraction = static_cast<std::uint16_t>((std::abs(x) / std::ldexp(1.0f, exponent) - 1) * 1024);
  return static_cast<std::uint16_t>((x < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | fraction);
}

std::vector<std::uint16_t> halves(std::size_t rows, std::size_t columns, std::size_t shift = 0) {
  std::vector<std::uint16_t> v(rows * columns);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = half_of(entry(k / columns + shift, k % columns));
  return v;
}

void no_faults(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults)
    UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << " thread " << f.who.thread[0] << ": " << f.message);
  CHECK(r.faults.empty());
}

}  // namespace

TEST_CASE("wmma: a product of 32 x 32 matrices, scaled element by element") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    constexpr std::size_t n = 32;
    const auto a = w.buffer(halves(n, n), "a"), b = w.buffer(halves(n, n, 5), "b"), c = w.unset(4 * n * n);
    REQUIRE(w.launch("wmma_product", {2, 2, 1}, {32, 1, 1}, 0, a, b, c, int{n}).ok());
    no_faults(w.device->record().launches.back());
    const auto got = w.read<float>(c, n * n);
    for (std::size_t k = 0; k < n * n; ++k) {
      float sum = 0;
      for (std::size_t z = 0; z < n; ++z) sum += entry(k / n, z) * entry(z + 5, k % n);
      REQUIRE(got[k] == 2 * sum);
    }
  }
}

TEST_CASE("wmma: a matrix that reaches past its buffer, and one that nobody wrote") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto a = w.buffer(halves(15, 16), "a"), b = w.buffer(halves(16, 16), "b"), c = w.unset(1024);
    const auto& r = w.run("wmma_product", {1, 32}, a, b, c, 16);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(r.faults[0].where.line == line_with("// wmma_product loads"));
    Workbench other({}, target);
    const auto x = other.unset(512, "a"), y = other.buffer(halves(16, 16), "b"), z = other.unset(1024);
    const auto& unset = other.run("wmma_product", {1, 32}, x, y, z, 16);
    REQUIRE(!unset.faults.empty());
    CHECK(unset.faults[0].kind == FaultKind::uninitialized_read);
    CHECK(unset.faults[0].where.line == line_with("// wmma_product loads"));
  }
}

TEST_CASE("matrix instructions need the whole warp") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto a = w.buffer(halves(16, 16)), c = w.unset(128);
    no_faults(w.run("too_few_lanes", {1, 32}, a, c));
    const auto& r = w.run("too_few_lanes", {1, 24}, a, c);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::sync_mask);
    CHECK(r.faults[0].where.line == line_with("// too_few_lanes loads"));
  }
}

TEST_CASE("ldmatrix and mma: the product, and wavefronts by how far rows are apart") {
  for (const char* target : kTargets) {
    for (const unsigned pitch : {16u, 24u, 64u}) {
      Workbench w({}, target);
      const auto a = w.buffer(halves(16, 16)), b = w.buffer(halves(16, 8, 3)), c = w.unset(512);
      const auto& r = w.run("mma_product", {1, 32, 64 * pitch}, a, b, c, static_cast<int>(pitch), 1);
      no_faults(r);
      const auto got = w.read<float>(c, 128);
      for (std::size_t k = 0; k < 128; ++k) {
        float sum = 0;
        for (std::size_t z = 0; z < 16; ++z) sum += entry(k / 8, z) * entry(z + 3, k % 8);
        REQUIRE(got[k] == sum);
      }
      // Eight rows of 16 bytes at a time. 32 bytes apart, rows i and i + 4 meet in the banks: 2 wavefronts. 48 bytes
      // apart the eight rows take 32 different banks. 128 bytes apart all of them want the same four banks: 8.
      const std::uint64_t each = pitch == 16 ? 2 : pitch == 24 ? 1 : 8;
      CHECK(r.counters.shared_load_instructions == 2);
      CHECK(r.counters.shared_load_wavefronts == 6 * each);
      CHECK(r.counters.shared_load_conflicts == 6 * (each - 1));
    }
  }
}

TEST_CASE("ldmatrix: rows that nobody wrote, rows past the block's shared memory") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto a = w.buffer(halves(16, 16)), b = w.buffer(halves(16, 8)), c = w.unset(512);
    const auto& unset = w.run("mma_product", {1, 32, 1024}, a, b, c, 16, 0);
    REQUIRE(!unset.faults.empty());
    CHECK(unset.faults[0].kind == FaultKind::uninitialized_read);
    CHECK(unset.faults[0].where.line == line_with("// mma_product loads a"));
    const auto& outside = w.run("mma_product", {1, 32, 480}, a, b, c, 16, 0);
    bool found = false;
    for (const auto& f : outside.faults) found |= f.kind == FaultKind::out_of_bounds;
    CHECK(found);
  }
}

TEST_CASE("wmma.store to shared memory needs __syncwarp before other lanes read") {
  for (const char* target : kTargets) {
    Workbench w({}, target);
    const auto a = w.buffer(halves(16, 16)), c = w.unset(1024);
    no_faults(w.run("wmma_through_shared", {1, 32}, a, c, 1));
    const auto got = w.read<float>(c, 256);
    for (std::size_t k = 0; k < 256; ++k) {
      float sum = 0;
      for (std::size_t z = 0; z < 16; ++z) sum += entry(k % 16, z) * entry(k / 16, z);
      REQUIRE(got[k] == sum);
    }
    const auto& r = w.run("wmma_through_shared", {1, 32}, a, c, 0);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::race);
    CHECK(r.faults[0].where.line == line_with("// wmma_through_shared reads"));
  }
}
