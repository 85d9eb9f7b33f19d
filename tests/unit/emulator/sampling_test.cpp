// Sampling against a second implementation: exact texel coordinates in 1/256, and address modes as functions of an index
// that runs over all integers.

#include "judge/emulator/exec/sampling.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "catch.h"

using namespace judge::emulator;

namespace {

constexpr AddressMode kModes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};

// The texel at an index of the endless image that the mode makes; -1: the border.
std::int64_t endless(std::int64_t i, std::int64_t n, AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap:
      return (i % n + n) % n;
    case AddressMode::mirror: {
      const std::int64_t m = (i % (2 * n) + 2 * n) % (2 * n);
      return m < n ? m : 2 * n - 1 - m;
    }
    case AddressMode::clamp:
      return i < 0 ? 0 : i >= n ? n - 1 : i;
    case AddressMode::border:
      return i < 0 || i >= n ? -1 : i;
  }
  return -2;
}

float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

}  // namespace

TEST_CASE("one axis: nearest and linear, every address mode, coordinates of exactly 1/256 texel") {
  std::mt19937 random(1);
  for (const std::uint32_t n : {1u, 2u, 8u, 64u}) {  // powers of two: normalised coordinates are exact
    for (const AddressMode mode : kModes) {
      for (const bool normalized : {false, true}) {
        const AddressMode acts = !normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror)
                                     ? AddressMode::clamp
                                     : mode;
        for (int round = 0; round < 400; ++round) {
          const auto fixed = static_cast<int>(random() % (6 * 256 * n)) - static_cast<int>(3 * 256 * n);
          const float x = static_cast<float>(fixed) / 256.0f / (normalized ? static_cast<float>(n) : 1.0f);
          INFO("n " << n << " mode " << static_cast<int>(mode) << " normalized " << normalized << " at " << fixed);
          const AxisTexels nearest = nearest_texel(x, n, mode, normalized);
          const auto floor256 = [](int v) { return v >= 0 ? v / 256 : -((-v + 255) / 256); };
          // Mirrored, a coordinate on the seam between two texels belongs to the other one on the way back.
          const bool seam = acts == AddressMode::mirror && fixed % 256 == 0;
          if (!seam) CHECK(nearest.index[0] == endless(floor256(fixed), n, acts));
          const AxisTexels linear = linear_texels(x, n, mode, normalized);
          // The blend of an image whose texel k has the value 3^k mod 101, border 50.
          const auto value = [](std::int64_t k) {
            if (k < 0) return 50.0;
            int v = 1;
            for (; k > 0; --k) v = v * 3 % 101;
            return static_cast<double>(v);
          };
          const int low = floor256(fixed - 128), weight = fixed - 128 - 256 * low;
          const double want = (value(endless(low, n, acts)) * (256 - weight) + value(endless(low + 1, n, acts)) * weight);
          const double got = value(linear.index[0]) * linear.weight[0] + value(linear.index[1]) * linear.weight[1];
          CHECK(got == want);
          CHECK(linear.weight[0] + linear.weight[1] == 256);
        }
      }
    }
  }
}

TEST_CASE("a weight is rounded to 8 fractional bits, and a whole one is the next texel") {
  const auto at = [](float x) { return linear_texels(x, 16, AddressMode::clamp, false); };
  CHECK(at(3.5f).weight[1] == 0);
  CHECK(at(3.5f + 1.0f / 1024).weight[1] == 0);   // a quarter of a step
  CHECK(at(3.5f + 3.0f / 1024).weight[1] == 1);   // three quarters
  CHECK(at(4.4999f).index[0] == 4);
  CHECK(at(4.4999f).weight[0] == 256);
}

TEST_CASE("coordinates that are no coordinates lead nowhere else") {
  const float wild[] = {std::numeric_limits<float>::quiet_NaN(),  std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max(),
                        -std::numeric_limits<float>::max(),      std::numeric_limits<float>::denorm_min(), -0.0f};
  for (const float x : wild) {
    for (const AddressMode mode : kModes) {
      for (const bool normalized : {false, true}) {
        for (const std::uint32_t n : {1u, 7u, 131072u}) {
          for (const AxisTexels& a : {nearest_texel(x, n, mode, normalized), linear_texels(x, n, mode, normalized)}) {
            for (int k = 0; k < 2; ++k) {
              CHECK(a.index[k] >= -1);
              CHECK(a.index[k] < static_cast<std::int64_t>(n));
              CHECK(a.weight[k] >= 0);
            }
          }
        }
      }
    }
  }
  for (const std::int32_t i : {INT32_MIN, -1, 0, 7, INT32_MAX})
    for (const AddressMode mode : kModes) {
      const AxisTexels a = indexed_texel(i, 7, mode);
      CHECK(a.index[0] >= -1);
      CHECK(a.index[0] < 7);
    }
}

TEST_CASE("texels as numbers: integers extended, normalised, half floats, sRGB, channels that are not there") {
  Texture t;
  const auto decoded = [&](auto... values) {
    std::byte texel[16] = {};
    std::size_t at = 0;
    ((std::memcpy(texel + at, &values, sizeof values), at += sizeof values), ...);
    return decode(t, texel);
  };
  t.image.format = {ChannelKind::signed_integer, 2, 8};
  CHECK(decoded(std::int8_t{-3}, std::int8_t{100}) == Texel32{0xffff'fffd, 100, 0, 1});
  t.normalized_reads = true;
  Texel32 v = decoded(std::int8_t{-128}, std::int8_t{127});
  CHECK(float_of(v[0]) == -1.0f);
  CHECK(float_of(v[1]) == 1.0f);
  CHECK(float_of(v[3]) == 1.0f);
  t.image.format = {ChannelKind::unsigned_integer, 1, 16};
  CHECK(float_of(decoded(std::uint16_t{65535})[0]) == 1.0f);
  CHECK(float_of(decoded(std::uint16_t{1})[0]) == 1.0f / 65535);
  t.image.format = {ChannelKind::unsigned_integer, 1, 32};  // 32 bits are never promoted
  CHECK(decoded(0x89ab'cdefu)[0] == 0x89ab'cdefu);
  t.normalized_reads = false;
  t.image.format = {ChannelKind::floating, 4, 16};
  v = decoded(std::uint16_t{0x3c00}, std::uint16_t{0xc000}, std::uint16_t{0x0001}, std::uint16_t{0x7bff});
  CHECK(float_of(v[0]) == 1.0f);
  CHECK(float_of(v[1]) == -2.0f);
  CHECK(float_of(v[2]) == std::ldexp(1.0f, -24));
  CHECK(float_of(v[3]) == 65504.0f);
  t.image.format = {ChannelKind::unsigned_integer, 4, 8};
  t.normalized_reads = t.srgb = true;
  v = decoded(std::uint8_t{0}, std::uint8_t{10}, std::uint8_t{188}, std::uint8_t{188});
  CHECK(float_of(v[0]) == 0.0f);
  CHECK(std::abs(float_of(v[1]) - 10 / 255.0 / 12.92) < 1e-7);
  CHECK(std::abs(float_of(v[2]) - 0.5029) < 1e-4);  // half the light, by the table of IEC 61966-2-1
  CHECK(float_of(v[3]) == 188 / 255.0f);            // alpha stays
}
