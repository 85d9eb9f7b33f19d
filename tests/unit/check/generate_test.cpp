#include <algorithm>
#include <cstring>
#include <numeric>

#include "catch.h"
#include "judge/catalogue/random.h"
#include "judge/check/check.h"

using namespace judge::check;
using judge::catalogue::Argument;
using judge::catalogue::Case;
using judge::catalogue::Element;
using judge::catalogue::Exercise;
using judge::catalogue::Expression;
using judge::catalogue::Fill;
using judge::catalogue::Role;

namespace {

Fill fill(Fill::Kind kind, double low, double high = 0) {
  Fill f;
  f.kind = kind;
  f.low = low;
  f.high = high;
  return f;
}

Exercise exercise(Element type, const Fill& f) {
  Exercise e;
  Argument x;
  x.name = "x";
  x.type = type;
  x.shape = {Expression::parse("n")};
  x.fill = f;
  Argument n;
  n.name = "n";
  n.role = Role::size;
  e.arguments = {x, n};
  return e;
}

Case named(const std::string& name) {
  Case c;
  c.name = name;
  return c;
}

template <class T>
std::vector<T> values(Element type, const Fill& f, std::int64_t n, std::uint64_t seed = 1, const Case& c = named("c")) {
  const auto inputs = generate_inputs(exercise(type, f), c, {{"n", n}}, seed);
  const Buffer& x = inputs.at("x");
  std::vector<T> v(static_cast<std::size_t>(n));
  REQUIRE(x.bytes.size() == v.size() * sizeof(T));
  REQUIRE(x.count() == v.size());
  std::memcpy(v.data(), x.bytes.data(), x.bytes.size());
  return v;
}

constexpr std::int64_t kMany = 100003;  // prime: no multiple of a chunk

}  // namespace

TEST_CASE("the same seed and case give the same bytes, others give others", "[generate]") {
  const Fill f = fill(Fill::Kind::uniform, -1, 1);
  const auto a = values<float>(Element::float32, f, 1000);
  CHECK(a == values<float>(Element::float32, f, 1000));
  CHECK(a != values<float>(Element::float32, f, 1000, 2));
  CHECK(a != values<float>(Element::float32, f, 1000, 1, named("d")));
}

TEST_CASE("an element does not depend on how many there are", "[generate]") {
  const Fill f = fill(Fill::Kind::uniform, -1, 1);
  const auto many = values<float>(Element::float32, f, kMany);
  for (const std::int64_t n : {1, 2047, 2048, 2049}) {
    const auto few = values<float>(Element::float32, f, n);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
  }
}

TEST_CASE("the stream of SplitMix64 is the published one", "[generate]") {
  // First outputs of the reference implementation for the state 1234567.
  using judge::catalogue::random_bits;
  CHECK(random_bits(1234567, 0) == 6457827717110365317u);
  CHECK(random_bits(1234567, 1) == 3203168211198807973u);
  CHECK(random_bits(1234567, 2) == 9817491932198370423u);
}

TEST_CASE("uniform values fill their interval evenly", "[generate]") {
  const auto check = [](auto v) {
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    CHECK(*low >= -1);
    CHECK(*low < -0.999);
    CHECK(*high <= 3);
    CHECK(*high > 2.999);
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    CHECK(std::abs(mean - 1) < 0.02);  // five deviations of the mean: 4 / sqrt(12 * 100003) is 0.0037
  };
  check(values<float>(Element::float32, fill(Fill::Kind::uniform, -1, 3), kMany));
  check(values<double>(Element::float64, fill(Fill::Kind::uniform, -1, 3), kMany));
}

TEST_CASE("normal values have their mean and deviation", "[generate]") {
  const auto v = values<double>(Element::float64, fill(Fill::Kind::normal, 5, 2), kMany);
  const double n = static_cast<double>(v.size());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
  const double squares =
      std::accumulate(v.begin(), v.end(), 0.0, [&](double s, double x) { return s + (x - mean) * (x - mean); });
  CHECK(std::abs(mean - 5) < 0.04);
  CHECK(std::abs(std::sqrt(squares / n) - 2) < 0.03);
  const auto within = std::count_if(v.begin(), v.end(), [](double x) { return std::abs(x - 5) < 2; });
  CHECK(std::abs(static_cast<double>(within) / n - 0.683) < 0.01);
}

TEST_CASE("integers include both ends", "[generate]") {
  const auto v = values<std::int32_t>(Element::int32, fill(Fill::Kind::integers, -3, 3), kMany);
  for (int k = -3; k <= 3; ++k) {
    const auto count = std::count(v.begin(), v.end(), k);
    CHECK(std::abs(static_cast<double>(count) - kMany / 7.0) < 600);  // five deviations: sqrt(n/7*6/7) is 111
  }
  CHECK(std::all_of(v.begin(), v.end(), [](int k) { return k >= -3 && k <= 3; }));
}

TEST_CASE("constants, sequences and permutations", "[generate]") {
  CHECK(values<float>(Element::float32, fill(Fill::Kind::constant, 2.5), 3) == std::vector<float>{2.5f, 2.5f, 2.5f});
  CHECK(values<std::int64_t>(Element::int64, fill(Fill::Kind::sequence, 5, -2), 4) ==
        std::vector<std::int64_t>{5, 3, 1, -1});
  CHECK(values<std::uint8_t>(Element::uint8, fill(Fill::Kind::sequence, 254, 1), 3) ==
        std::vector<std::uint8_t>{254, 255, 0});
  CHECK(values<std::uint16_t>(Element::float16, fill(Fill::Kind::constant, 1), 1) ==
        std::vector<std::uint16_t>{0x3c00});
  auto p = values<std::int32_t>(Element::int32, fill(Fill::Kind::permutation, 10), 5000);
  CHECK_FALSE(std::is_sorted(p.begin(), p.end()));
  std::sort(p.begin(), p.end());
  std::vector<std::int32_t> all(5000);
  std::iota(all.begin(), all.end(), 10);
  CHECK(p == all);
}

TEST_CASE("a case may override a fill, and a scalar is a buffer of one element", "[generate]") {
  Exercise e = exercise(Element::float32, fill(Fill::Kind::uniform, -1, 1));
  Argument a;
  a.name = "a";
  a.role = Role::scalar;
  a.type = Element::float32;
  a.value = 1.5;
  e.arguments.push_back(a);
  Case c = named("c");
  c.fills["x"] = fill(Fill::Kind::constant, 7);
  const auto inputs = generate_inputs(e, c, {{"n", 2}}, 1);
  REQUIRE(inputs.size() == 2);
  const float sevens[] = {7, 7}, one_and_half[] = {1.5f};
  CHECK(std::memcmp(inputs.at("x").bytes.data(), sevens, sizeof sevens) == 0);
  CHECK(inputs.at("a").count() == 1);
  REQUIRE(inputs.at("a").bytes.size() == 4);
  CHECK(std::memcmp(inputs.at("a").bytes.data(), one_and_half, 4) == 0);
}
