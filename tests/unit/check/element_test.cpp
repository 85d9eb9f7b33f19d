#include "judge/check/element.h"

#include "catch.h"

using namespace judge::check;

TEST_CASE("binary16 values that the standard names", "[element]") {
  CHECK(to_float(Half{0x3c00}) == 1.0f);
  CHECK(to_float(Half{0xc000}) == -2.0f);
  CHECK(to_float(Half{0x7bff}) == 65504.0f);
  CHECK(to_float(Half{0x0400}) == 0x1p-14f);
  CHECK(to_float(Half{0x0001}) == 0x1p-24f);
  CHECK(to_float(Half{0x03ff}) == 1023 * 0x1p-24f);
  CHECK(std::isinf(to_float(Half{0x7c00})));
  CHECK(std::isnan(to_float(Half{0x7e00})));
  CHECK(std::signbit(to_float(Half{0x8000})));
}

TEST_CASE("every binary16 number survives the way to float and back", "[element]") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half h{static_cast<std::uint16_t>(bits)};
    const float f = to_float(h);
    if (std::isnan(f)) continue;
    REQUIRE(to_half(f).bits == bits);
  }
}

TEST_CASE("rounding to binary16 is to nearest, ties to even", "[element]") {
  CHECK(to_half(1.0f + 0x1p-11f).bits == 0x3c00);  // half way between 1 and the next: to even
  CHECK(to_half(1.0f + 0x1p-11f + 0x1p-20f).bits == 0x3c01);
  CHECK(to_half(1.0f + 3 * 0x1p-11f).bits == 0x3c02);  // half way, upwards to even
  CHECK(to_half(65519.0f).bits == 0x7bff);
  CHECK(to_half(65520.0f).bits == 0x7c00);
  CHECK(to_half(0x1p-25f).bits == 0x0000);
  CHECK(to_half(0x1.8p-25f).bits == 0x0001);
  CHECK(to_half(0x1p-14f - 0x1p-26f).bits == 0x0400);  // rounds up into the normal numbers
  CHECK(std::isnan(to_float(to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("doubles become integers by wrapping, or saturate beyond 64 bits", "[element]") {
  CHECK(from_double<std::uint8_t>(300) == 44);
  CHECK(from_double<std::int32_t>(-5) == -5);
  CHECK(from_double<std::int64_t>(1e30) == std::numeric_limits<std::int64_t>::max());
  CHECK(from_double<std::int64_t>(-1e30) == std::numeric_limits<std::int64_t>::min());
}
