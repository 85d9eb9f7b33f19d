#pragma once
// Elements as numbers: the one place that knows how each type lies in memory.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "judge/catalogue/catalogue.h"

namespace judge::check {

struct Half {  // IEEE 754 binary16, as __half
  std::uint16_t bits = 0;
};

inline float to_float(Half h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (h.bits >> 10) & 0x1fu, fraction = h.bits & 0x3ffu;
  if (exponent == 0) return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::ldexp(float(fraction), -24)));
  const std::uint32_t wide = exponent == 0x1fu ? 0xffu : exponent + 112;  // bias 15 to bias 127
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

inline Half to_half(float f) {  // to nearest, ties to even
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const float magnitude = std::fabs(f);
  if (std::isnan(f)) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
  if (magnitude >= 65520.0f) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // half way beyond the largest, 65504
  if (magnitude < 6.103515625e-05f) {  // below 2^-14: subnormal, a multiple of 2^-24
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24))))};
  }
  const std::uint32_t rounded = (bits & 0x7fffffffu) + 0xfffu + ((bits >> 13) & 1u);
  return {static_cast<std::uint16_t>(sign | ((rounded - (112u << 23)) >> 13))};
}

template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

template <class T>
double to_double(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_float(value);
  } else {
    return static_cast<double>(value);
  }
}

// Integers wrap into T; beyond 64 bits they saturate first.
template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr double kTwo63 = 9223372036854775808.0;
    if (value >= kTwo63) return static_cast<T>(std::numeric_limits<std::int64_t>::max());
    if (value < -kTwo63) return static_cast<T>(std::numeric_limits<std::int64_t>::min());
    return static_cast<T>(static_cast<std::int64_t>(value));
  }
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Calls visit(T{}) with the C++ type of an element.
template <class Visitor>
auto with_type(catalogue::Element e, Visitor&& visit) {
  using catalogue::Element;
  switch (e) {
    case Element::float32:
      return visit(float{});
    case Element::float64:
      return visit(double{});
    case Element::float16:
      return visit(Half{});
    case Element::int8:
      return visit(std::int8_t{});
    case Element::uint8:
      return visit(std::uint8_t{});
    case Element::int32:
      return visit(std::int32_t{});
    case Element::uint32:
      return visit(std::uint32_t{});
    case Element::int64:
      return visit(std::int64_t{});
    case Element::uint64:
      break;
  }
  return visit(std::uint64_t{});
}

}  // namespace judge::check
