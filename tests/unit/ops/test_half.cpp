#include <cmath>
#include <cstdint>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

namespace {

// A 16-bit format by its field widths; values as exact doubles. Rounding searches the neighbours of the exact value by
// comparison in long double, which holds every sum and product of these formats that is tested.
struct Format {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }

  double value(std::uint32_t h) const {
    const std::uint32_t m = h & 0x7fff, e = m >> fraction_bits, f = m & ((1u << fraction_bits) - 1);
    double v = 0;
    if (m > infinity()) return NAN;
    if (m == infinity())
      v = INFINITY;
    else if (e == 0)
      v = std::ldexp(static_cast<double>(f), 1 - bias() - fraction_bits);
    else
      v = std::ldexp(static_cast<double>(f + (1u << fraction_bits)), static_cast<int>(e) - bias() - fraction_bits);
    return h & 0x8000 ? -v : v;
  }

  // Largest magnitude code whose value is <= |x|, then the choice between it and the next.
  std::uint32_t nearest(long double x) const {
    if (std::isnan(x)) return 0x7fff;
    const std::uint32_t sign = std::signbit(x) ? 0x8000 : 0;
    const long double a = std::fabs(x);
    std::uint32_t low = 0, high = infinity();
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (static_cast<long double>(value(middle)) <= a)
        low = middle;
      else
        high = middle;
    }
    // The value after the greatest finite one counts as 2^(emax + 1) for rounding.
    const long double below = value(low),
                      above = high == infinity() ? std::ldexp(1.0L, bias() + 1) : static_cast<long double>(value(high));
    const long double down = a - below, up = above - a;
    const bool take_high = std::isinf(a) || up < down || (up == down && (high & 1) == 0);
    return sign | (take_high ? high : low);
  }
};

const Format kF16 = {5, 10}, kBf16 = {8, 7};

Values samples() {
  Values v;
  for (std::uint32_t h = 0; h < 0x10000; h += 389) v.push_back(h);
  for (const std::uint32_t h : {0u, 0x8000u, 1u, 0x8001u, 0x3ffu, 0x400u, 0x7bffu, 0x7c00u, 0xfc00u, 0x7c01u, 0x7f7fu,
                                0x7f80u, 0x7fffu, 0x3c00u, 0x3c01u, 0x3f80u})
    v.push_back(h);
  return v;
}

}  // namespace

TEST_CASE("all f16 and bf16 values become f32 exactly and come back") {
  Values all;
  for (std::uint32_t h = 0; h < 0x10000; ++h) all.push_back(h);
  const Values wide = evaluate("cvt.f32.f16 %r0, %h1;", "r0", {{"h1", all}}),
               wide_b = evaluate("cvt.f32.bf16 %r0, %h1;", "r0", {{"h1", all}});
  const Values back = evaluate("cvt.rn.f16.f32 %h0, %r1;", "h0", {{"r1", wide}}),
               back_b = evaluate("cvt.rn.bf16.f32 %h0, %r1;", "h0", {{"r1", wide_b}});
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const double v = kF16.value(h), b = kBf16.value(h);
    INFO(std::hex << h);
    REQUIRE(wide[h] == (std::isnan(v) ? 0x7fffffff : bits(static_cast<float>(v))));
    REQUIRE(wide_b[h] == (std::isnan(b) ? h << 16 : bits(static_cast<float>(b))));
    REQUIRE(back[h] == (std::isnan(v) ? 0x7fff : h));
    REQUIRE(back_b[h] == (std::isnan(b) ? 0x7fff : h));
  }
}

TEST_CASE("narrowing rounds at the midpoints between all neighbours") {
  Values x, expected_f16, expected_rz, expected_rp;
  for (std::uint32_t h = 0; h < 0x7c00; h += 3) {
    // The midpoint, and one f32 ulp to each side; above 0x7bff the next value would be 65536.
    const double next = h == 0x7bff ? 65536.0 : kF16.value(h + 1);
    const auto middle = static_cast<float>((kF16.value(h) + next) / 2);
    for (const float v : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, INFINITY)}) {
      x.push_back(bits(v));
      expected_f16.push_back(v < middle || (v == middle && h % 2 == 0) ? h : h + 1);
      expected_rz.push_back(h);
      expected_rp.push_back(h + 1);
    }
  }
  CHECK(evaluate("cvt.rn.f16.f32 %h0, %r1;", "h0", {{"r1", x}}) == expected_f16);
  CHECK(evaluate("cvt.rz.f16.f32 %h0, %r1;", "h0", {{"r1", x}}) == expected_rz);
  CHECK(evaluate("cvt.rp.f16.f32 %h0, %r1;", "h0", {{"r1", x}}) == expected_rp);
  CHECK(evaluate("cvt.rm.f16.f32 %h0, %r1;", "h0", {{"r1", x}}) == expected_rz);
  CHECK(evaluate("cvt.rn.bf16.f32 %h0, %r1;", "h0",
                 {{"r1", {0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff, 0xff7fffff}}}) ==
        Values{0x3f80, 0x3f82, 0x3f81, 0x7f80, 0xff80});
  CHECK(evaluate("cvt.rz.bf16.f32 %h0, %r1;", "h0", {{"r1", {0x3f80ffff, 0x7f7fffff, 0xff7fffff}}}) ==
        Values{0x3f80, 0x7f7f, 0xff7f});
  CHECK(evaluate("cvt.rn.f16x2.f32 %r0, %r1, %r2;", "r0", {{"r1", {bits(1.0f)}}, {"r2", {bits(-2.0f)}}}) ==
        Values{0x3c00c000});
  CHECK(evaluate("cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", "r0", {{"r1", {bits(1.0f)}}, {"r2", {bits(-2.0f)}}}) ==
        Values{0x3f800000});
}

TEST_CASE("16-bit sums and products round once") {
  Values a, b;
  for (const auto x : samples())
    for (const auto y : samples()) a.push_back(x), b.push_back(y);
  const std::vector<Input> in = {{"h1", a}, {"h2", b}};
  for (const bool bfloat : {false, true}) {
    const Format& f = bfloat ? kBf16 : kF16;
    const std::string t = bfloat ? "bf16" : "f16";
    const Values add = evaluate("add." + t + " %h0, %h1, %h2;", "h0", in),
                 sub = evaluate("sub.rn." + t + " %h0, %h1, %h2;", "h0", in);
    const Values mul = evaluate("mul." + t + " %h0, %h1, %h2;", "h0", in);
    for (std::size_t n = 0; n < a.size(); ++n) {
      const auto ha = static_cast<std::uint32_t>(a[n]), hb = static_cast<std::uint32_t>(b[n]);
      const long double x = f.value(ha), y = f.value(hb);
      INFO(t << std::hex << " " << ha << " " << hb);
      REQUIRE(mul[n] == f.nearest(x * y));
      // bf16 sums of far exponents do not fit a long double: the larger operand stands for them, moved by nothing.
      if (bfloat && std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0 &&
          std::abs(std::ilogb(x) - std::ilogb(y)) > 40)
        continue;
      REQUIRE(add[n] == f.nearest(x + y));
      REQUIRE(sub[n] == f.nearest(x - y));
    }
  }
}

TEST_CASE("16-bit fma rounds once, where rounding the product first would differ") {
  const Values v = samples();
  Values a, b, c;
  std::size_t k = 0;
  for (const auto x : v)
    for (const auto y : v) a.push_back(x), b.push_back(y), c.push_back(v[(k += 61) % v.size()]);
  const Values got = evaluate("fma.rn.f16 %h0, %h1, %h2, %h3;", "h0", {{"h1", a}, {"h2", b}, {"h3", c}});
  for (std::size_t n = 0; n < a.size(); ++n) {
    const long double x = kF16.value(static_cast<std::uint32_t>(a[n])),
                      y = kF16.value(static_cast<std::uint32_t>(b[n])),
                      z = kF16.value(static_cast<std::uint32_t>(c[n]));
    INFO(std::hex << a[n] << " " << b[n] << " " << c[n]);
    // A long double holds x y + z when their exponents are within 42 of each other.
    if (std::isfinite(x * y) && std::isfinite(z) && x * y != 0 && z != 0 &&
        std::abs(std::ilogb(x * y) - std::ilogb(z)) > 40)
      continue;
    REQUIRE(got[n] == kF16.nearest(x * y + z));
  }
  // 1 + 2^-11 is a tie to even; a product of 2^-24 2^-24 added to it breaks the tie upwards, far below any double's
  // sum.
  CHECK(evaluate("fma.rn.f16 %h0, %h1, %h2, %h3;", "h0", {{"h1", {0x0001}}, {"h2", {0x0001}}, {"h3", {0x3c00}}}) ==
        Values{0x3c00});
  // bf16: 2^-8 * 1 + 1 is a tie (stays 1); (2^-8 + 2^-15) * 1 + 1 is above it.
  CHECK(evaluate("fma.rn.bf16 %h0, %h1, %h2, %h3;", "h0",
                 {{"h1", {0x3b80, 0x3b81}}, {"h2", {0x3f80, 0x3f80}}, {"h3", {0x3f80, 0x3f80}}}) ==
        Values{0x3f80, 0x3f81});
  // 2^-60 * 2^-60 lies far below the tie 1 + 2^-8 = c * d + 1: a double's sum would lose it. Here (1 + 2^-7) 2^-8 + 1
  // rounds up.
  CHECK(evaluate("fma.rn.relu.f16 %h0, %h1, %h2, %h3;", "h0", {{"h1", {0xbc00}}, {"h2", {0x3c00}}, {"h3", {0}}}) ==
        Values{0});
  CHECK(evaluate("fma.rn.sat.f16 %h0, %h1, %h2, %h3;", "h0",
                 {{"h1", {0x4000, 0xbc00, 0x7e00}}, {"h2", Values(3, 0x3c00)}, {"h3", Values(3, 0)}}) ==
        Values{0x3c00, 0, 0});
}

TEST_CASE("packed 16-bit operations treat their halves alone") {
  const std::vector<Input> in = {
      {"r1", {0x3c004000}}, {"r2", {0x4000c000}}, {"r3", {0x3c003c00}}};  // (1, 2), (2, -2), (1, 1); high first
  CHECK(evaluate("add.f16x2 %r0, %r1, %r2;", "r0", in) == Values{0x42000000});
  CHECK(evaluate("mul.f16x2 %r0, %r1, %r2;", "r0", in) == Values{0x4000c400});
  CHECK(evaluate("fma.rn.f16x2 %r0, %r1, %r2, %r3;", "r0", in) == Values{0x4200c200});
  CHECK(evaluate("neg.f16x2 %r0, %r1;", "r0", in) == Values{0xbc00c000});
  CHECK(evaluate("abs.f16x2 %r0, %r2;", "r0", in) == Values{0x40004000});
  CHECK(evaluate("min.f16x2 %r0, %r1, %r2;", "r0", in) == Values{0x3c00c000});
  CHECK(evaluate("max.bf16x2 %r0, %r1, %r2;", "r0", in) == Values{0x40004000});
  CHECK(evaluate("ex2.approx.f16x2 %r0, %r1;", "r0", in) == Values{0x40004400});
  CHECK(evaluate("add.ftz.f16 %h0, %h1, %h2;", "h0", {{"h1", {0x0001}}, {"h2", {0x0400}}}) == Values{0x0400});
  CHECK(evaluate("min.NaN.f16 %h0, %h1, %h2;", "h0", {{"h1", {0x7e01}}, {"h2", {0x3c00}}}) == Values{0x7fff});
  CHECK(evaluate("min.f16 %h0, %h1, %h2;", "h0", {{"h1", {0x7e01, 0x8000, 0}}, {"h2", {0x3c00, 0, 0x8000}}}) ==
        Values{0x3c00, 0x8000, 0x8000});
}
