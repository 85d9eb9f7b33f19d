#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "judge/check/check.h"

using namespace judge::check;
using judge::catalogue::Element;

namespace {

template <class T>
std::vector<std::byte> bytes(const std::vector<T>& v) {
  std::vector<std::byte> b(v.size() * sizeof(T));
  if (!b.empty()) std::memcpy(b.data(), v.data(), b.size());
  return b;
}

template <class T>
Buffer buffer(Element type, const std::vector<T>& v) {
  return {"y", type, {static_cast<std::int64_t>(v.size())}, bytes(v)};
}

template <class T>
Comparison compared(Element type, const std::vector<T>& expected, const std::vector<T>& got, double rtol = 0,
                    double atol = 0) {
  return compare(buffer(type, expected), bytes(got), {}, rtol, atol, 0);
}

bool equal(float expected, float got, double rtol = 1e-4, double atol = 1e-5) {
  return compared<float>(Element::float32, {expected}, {got}, rtol, atol).ok();
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("the tolerance is atol + rtol * |expected|, its end included", "[compare]") {
  // Powers of two: nothing is rounded. Allowed at 1024 is 2^-3 + 2^-10 * 1024 = 1.125.
  CHECK(equal(1024, 1025.125f, 0x1p-10, 0x1p-3));
  CHECK_FALSE(equal(1024, std::nextafter(1025.125f, 2000.0f), 0x1p-10, 0x1p-3));
  CHECK(equal(-1024, -1025.125f, 0x1p-10, 0x1p-3));
  CHECK(equal(0, 0.125f, 0x1p-10, 0x1p-3));
  CHECK_FALSE(equal(0, std::nextafter(0.125f, 1.0f), 0x1p-10, 0x1p-3));
  CHECK(equal(1, std::nextafter(1.0f, 2.0f), 0x1p-23, 0));
  CHECK_FALSE(equal(1, std::nextafter(1.0f, 2.0f), 0x1p-24, 0));
}

TEST_CASE("NaN, infinities and signed zeros", "[compare]") {
  CHECK(equal(kNaN, kNaN));
  CHECK(equal(kNaN, -kNaN));
  CHECK_FALSE(equal(kNaN, 0));
  CHECK_FALSE(equal(0, kNaN));
  CHECK(equal(kInfinity, kInfinity));
  CHECK_FALSE(equal(kInfinity, -kInfinity));
  CHECK_FALSE(equal(kInfinity, std::numeric_limits<float>::max()));
  CHECK_FALSE(equal(1, kInfinity));
  CHECK(equal(0.0f, -0.0f, 0, 0));
  CHECK_FALSE(equal(-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()));
}

TEST_CASE("one bad element among many is found wherever it lies", "[compare]") {
  for (const std::size_t at : {0u, 1u, 2047u, 2048u, 4095u, 4999u}) {
    for (const float bad : {2.0f, kNaN, kInfinity, -kInfinity}) {
      std::vector<float> expected(5000, 1.0f), got(5000, 1.000001f);
      got[at] = bad;
      const Comparison c = compared(Element::float32, expected, got, 1e-4, 1e-5);
      CHECK(c.wrong == 1);
      REQUIRE(c.first.size() == 1);
      CHECK(c.first[0].index == at);
    }
  }
}

TEST_CASE("integers are exact without a tolerance", "[compare]") {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  CHECK(compared<std::int64_t>(Element::int64, {big}, {big}).ok());
  CHECK_FALSE(compared<std::int64_t>(Element::int64, {big}, {big - 1}).ok());  // equal as doubles
  CHECK(compared<std::int32_t>(Element::int32, {100}, {101}, 0.01, 0).ok());
  CHECK_FALSE(compared<std::int32_t>(Element::int32, {100}, {102}, 0.01, 0).ok());
  CHECK_FALSE(compared<std::uint8_t>(Element::uint8, {0}, {255}).ok());
  CHECK_FALSE(compared<std::uint64_t>(Element::uint64, {~0ull}, {~0ull - 1}).ok());
}

TEST_CASE("binary16 and double follow the same rule", "[compare]") {
  // 0x3c00 is 1, 0x3c01 is 1 + 2^-10.
  CHECK(compared<std::uint16_t>(Element::float16, {0x3c00}, {0x3c01}, 0x1p-10, 0).ok());
  CHECK_FALSE(compared<std::uint16_t>(Element::float16, {0x3c00}, {0x3c01}, 0x1p-11, 0).ok());
  CHECK(compared<std::uint16_t>(Element::float16, {0x7e00}, {0x7e01}).ok());  // both NaN
  CHECK(compared<double>(Element::float64, {1.0}, {1.0 + 1e-12}, 1e-11, 0).ok());
  CHECK_FALSE(compared<double>(Element::float64, {1.0}, {1.0 + 1e-12}, 1e-13, 0).ok());
}

TEST_CASE("a mismatch says index, position, values and what is allowed", "[compare]") {
  std::vector<float> expected(12, 2.0f), got(12, 2.0f);
  got[7] = 5;
  Buffer b = buffer(Element::float32, expected);
  b.shape = {3, 4};
  const Comparison c = compare(b, bytes(got), {}, 0.25, 0.5, 0);
  CHECK(c.buffer == "y");
  CHECK(c.total == 12);
  REQUIRE(c.first.size() == 1);
  CHECK(c.first[0].position == std::vector<std::int64_t>{1, 3});
  CHECK(c.first[0].got == 5);
  CHECK(c.first[0].expected == 2);
  CHECK(c.first[0].allowed == 1);
  CHECK(c.largest_error == 3);
}

TEST_CASE("the largest error is known for right output too", "[compare]") {
  std::vector<float> expected(3000, 1.0f), got(3000, 1.0f);
  got[2500] = 1.5f;
  CHECK(compared(Element::float32, expected, got, 0.5, 0.5).largest_error == Approx(0.5));
  got[100] = 1.125f;
  CHECK(compared(Element::float32, expected, got, 0, 0).largest_error ==
        Approx(0.5));  // nothing allowed: the difference
}

TEST_CASE("at most eight mismatches are listed, all are counted", "[compare]") {
  const std::vector<float> expected(100, 1.0f), got(100, 9.0f);
  const Comparison c = compared(Element::float32, expected, got);
  CHECK(c.wrong == 100);
  CHECK(c.first.size() == 8);
  CHECK(c.first[7].index == 7);
}

TEST_CASE("an element that was not written whole is wrong, whatever it holds", "[compare]") {
  const std::vector<float> v(5, 1.0f);
  std::vector<std::uint8_t> written = {0xff, 0xff, 0x0f};  // 20 bytes
  const Buffer b = buffer(Element::float32, v);
  CHECK(compare(b, bytes(v), written, 0, 0, 0).ok());
  written[1] = 0xfb;  // byte 10: in element 2
  const Comparison c = compare(b, bytes(v), written, 0, 0, 0);
  CHECK(c.wrong == 1);
  CHECK(c.unwritten == 1);
  REQUIRE(c.first.size() == 1);
  CHECK(c.first[0].index == 2);
  CHECK(c.first[0].unwritten);
  written = {0xff, 0xff, 0x07};  // the last byte of the last element
  CHECK(compare(b, bytes(v), written, 0, 0, 0).wrong == 1);
}

TEST_CASE("what is missing counts as not written", "[compare]") {
  const std::vector<float> v(5, 1.0f);
  const Buffer b = buffer(Element::float32, v);
  std::vector<std::byte> got = bytes(v);
  got.resize(14);  // three and a half elements
  CHECK(compare(b, got, {}, 0, 0, 0).wrong == 2);
  CHECK(compare(b, {}, {}, 0, 0, 0).wrong == 5);
  const std::vector<std::uint8_t> short_map = {0xff};  // two elements
  CHECK(compare(b, bytes(v), short_map, 0, 0, 0).wrong == 3);
  std::vector<std::byte> longer = bytes(v);
  longer.resize(100);
  const std::vector<std::uint8_t> long_map(100, 0xff);
  CHECK(compare(b, longer, long_map, 0, 0, 0).ok());
}

TEST_CASE("bytes at an odd address are compared all the same", "[compare]") {
  const std::vector<float> expected(3000, 1.0f), near(3000, 1.000001f);
  std::vector<std::byte> got(1);
  const auto tail = bytes(near);
  got.insert(got.end(), tail.begin(), tail.end());
  const auto odd = std::span<const std::byte>(got).subspan(1);
  CHECK(compare(buffer(Element::float32, expected), odd, {}, 1e-4, 1e-5, 0).ok());
  CHECK(compare(buffer(Element::float32, expected), odd, {}, 0, 0, 0).wrong == 3000);
}

TEST_CASE("an empty buffer has nothing wrong", "[compare]") {
  const Comparison c = compared<float>(Element::float32, {}, {});
  CHECK(c.ok());
  CHECK(c.diagnosis.shape == Shape::none);
}

TEST_CASE("the vectorised pass and the rule agree near the limit", "[compare]") {
  // Elements a few steps on both sides of what is allowed; counted by the rule as check.h states it.
  std::vector<float> expected, got;
  std::uint64_t wrong = 0;
  const double rtol = 1e-4, atol = 1e-5;
  for (int i = 1; i <= 4096; ++i) {
    const float e = static_cast<float>(i) * 0.37f;
    float g = static_cast<float>(e + atol + rtol * e);
    for (int step = i % 7 - 3; step != 0; step += step > 0 ? -1 : 1) g = std::nextafter(g, step > 0 ? 1e9f : 0.0f);
    expected.push_back(e);
    got.push_back(g);
    if (std::fabs(double(g) - double(e)) > atol + rtol * double(e)) ++wrong;
  }
  CHECK(wrong > 1000);
  CHECK(wrong < 3000);
  CHECK(compared(Element::float32, expected, got, rtol, atol).wrong == wrong);
}
