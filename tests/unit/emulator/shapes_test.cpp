// Accesses of many shapes through one instruction: each is learnt, taken fast, and given up for the next.

#include <array>
#include <random>

#include "catch.h"
#include "workbench.h"

namespace {

constexpr int kSource = 256;

// Rows of 32 indices into 256 elements; -1: the lane is not active. Each row stands three times, so that it is met
// unknown, just learnt, and known. Without lanes that share x[from % 32] of the same row: two threads would store to
// one element.
std::vector<int> rows(bool distinct) {
  std::vector<std::array<int, 32>> shapes;
  const auto add = [&](auto&& f) {
    std::array<int, 32> row;
    for (int l = 0; l < 32; ++l) row[static_cast<std::size_t>(l)] = f(l);
    for (int k = 0; k < 3; ++k) shapes.push_back(row);
  };
  add([](int l) { return l; });
  add([](int l) { return l + 5; });
  add([](int l) { return 31 - l; });
  add([](int l) { return l * 7 % 32 + 32; });
  add([](int l) { return l < 16 ? l + 64 : l + 128; });
  add([](int l) { return l % 2 == 0 ? l : -1; });
  add([](int l) { return l < 9 || l > 20 ? l + 100 : -1; });
  add([](int l) { return l == 17 ? 17 : -1; });
  add([](int l) { return l < 8 ? l : l < 16 ? l + 32 : l < 24 ? l + 64 : l + 96; });
  std::mt19937 random(5);
  for (int k = 0; k < 20; ++k) {
    const int step = 1 + 2 * static_cast<int>(random() % 16), shift = static_cast<int>(random() % 32);
    const auto active = static_cast<std::uint32_t>(random());
    add([&](int l) {
      return (active >> l & 1) == 0 ? -1 : (l * step + shift) % 32 + 32 * static_cast<int>(random() % 7);
    });
  }
  if (!distinct) {
    add([](int) { return 77; });
    add([](int l) { return l < 16 ? 3 : 200; });
    add([](int l) { return l % 16 + 40; });
    add([](int l) { return l / 4; });
  }
  std::vector<int> all;
  for (const auto& row : shapes) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class T>
void check_shapes(const char* kernel) {
  INFO(kernel);
  Workbench w;
  std::vector<T> x(kSource);
  for (int k = 0; k < kSource; ++k) {
    auto* bytes = reinterpret_cast<unsigned char*>(&x[static_cast<std::size_t>(k)]);
    for (std::size_t b = 0; b < sizeof(T); ++b)
      bytes[b] = static_cast<unsigned char>(k * 31 + static_cast<int>(b) * 7 + 1);
  }
  const auto at = rows(true);
  const int rounds = static_cast<int>(at.size() / 32);
  const std::vector<T> zero(at.size());
  const auto y = w.buffer(zero, "y"), z = w.buffer(zero, "z");
  const auto& r = w.run(kernel, {1, 32}, w.buffer(x), w.buffer(at), y, z, rounds);
  CHECK(r.faults.empty());
  const auto got_y = w.read<T>(y, at.size()), got_z = w.read<T>(z, at.size());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const T* from_z = at[k] < 0 ? zero.data() : &x[static_cast<std::size_t>(at[k])];
    wrong += std::memcmp(&got_z[k], from_z, sizeof(T)) != 0;
    if (at[k] >= 0)
      wrong += std::memcmp(&got_y[k / 32 * 32 + static_cast<std::size_t>(at[k] % 32)], from_z, sizeof(T)) != 0;
  }
  CHECK(wrong == 0);
}

struct Float2 {
  float v[2];
};
struct Float4 {
  float v[4];
};

}  // namespace

TEST_CASE("one instruction meets accesses of many shapes, in every width") {
  check_shapes<unsigned char>("shapes_u8");
  check_shapes<short>("shapes_s16");
  check_shapes<float>("shapes_f32");
  check_shapes<double>("shapes_f64");
  check_shapes<Float2>("shapes_f32x2");
  check_shapes<Float4>("shapes_f32x4");
}

TEST_CASE("a 32-bit load may fill a 64-bit register") {
  Workbench w;
  const auto rounds = rows(false);
  std::vector<unsigned> at;
  for (const int k : rounds) at.push_back(k < 0 ? 0 : static_cast<unsigned>(k));
  std::vector<float> x(kSource);
  for (int k = 0; k < kSource; ++k) x[static_cast<std::size_t>(k)] = static_cast<float>(k) + 0.5f;
  const auto y = w.unset(at.size() * 4);
  const auto& r = w.run("widened_index", {1, 32}, w.buffer(at), w.buffer(x), y, static_cast<int>(at.size() / 32));
  CHECK(r.faults.empty());
  const auto out = w.read<float>(y, at.size());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < at.size(); ++k) wrong += out[k] != x[at[k]];
  CHECK(wrong == 0);
}

TEST_CASE("loads from one base register with offsets: shapes that change, lanes that come and go, many bases") {
  Workbench w;
  std::mt19937 random(3);
  std::vector<int> x(256), at;
  for (int& v : x) v = static_cast<int>(random() % 1000);
  const auto add = [&](auto&& index) {
    for (int times = 0; times < 3; ++times)
      for (int l = 0; l < 32; ++l) at.push_back(index(l));
  };
  add([](int l) { return l; });
  add([](int l) { return l + 3; });
  add([](int) { return 9; });
  add([](int l) { return l < 16 ? 40 : 41; });
  add([](int l) { return l % 16 + 64; });
  add([](int l) { return 4 * l; });
  add([](int l) { return l < 20 ? l : -1; });
  add([](int l) { return l; });
  for (int k = 0; k < 30; ++k) {
    const int step = static_cast<int>(random() % 4), from = static_cast<int>(random() % 60);
    const auto active = k % 3 == 0 ? static_cast<std::uint32_t>(random()) : ~0u;
    add([&](int l) { return (active >> l & 1) == 0 ? -1 : from + step * l; });
  }
  const auto y = w.buffer(std::vector<int>(at.size()));
  const auto& r = w.run("unrolled_reads", {1, 32}, w.buffer(x), w.buffer(at), y, static_cast<int>(at.size() / 32));
  CHECK(r.faults.empty());
  const auto got = w.read<int>(y, at.size());
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < at.size(); ++n) {
    const int i = at[n];
    int sum = 0;
    if (i >= 0)
      for (int k = 0; k < 4; ++k) {
        const auto tile = [&](int place) { return x[static_cast<std::size_t>(place)]; };
        sum += tile(i + k) * 3 + tile((i ^ 5) + k) * 5 + tile((i & 15) + 2 * k) * 7 + tile(i / 2 + k) * 11 +
               tile(200 - i + k) * 13 + tile((i | 8) + k) * 17;
      }
    wrong += got[n] != sum;
  }
  CHECK(wrong == 0);
}

TEST_CASE("loads from one base register with offsets: each is held to its array") {
  Workbench w;
  CHECK(w.run("past_first_array", {1, 32}, w.unset(384), 29).faults.empty());
  const auto& r = w.run("past_first_array", {1, 32}, w.unset(384), 30);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == judge::emulator::FaultKind::out_of_bounds);
  CHECK(r.faults[0].where.line == line_of("// past the end of a"));
}

TEST_CASE("loads from one base register with offsets: each must have been written") {
  Workbench w;
  CHECK(w.run("reads_ahead_of_writes", {1, 32}, w.unset(128), 40).faults.empty());
  CHECK(w.run("reads_ahead_of_writes", {1, 32}, w.unset(128), 64).faults.empty());
  const auto& r = w.run("reads_ahead_of_writes", {1, 32}, w.unset(128), 39);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == judge::emulator::FaultKind::uninitialized_read);
  CHECK(r.faults[0].where.line == line_of("// ahead of the writes"));
}
