#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

namespace {

const std::uint64_t kNan = 0x7fffffff;

// Zeros, subnormals, ends of ranges, infinities, NaN, halves, and bit patterns from a fixed generator.
Values f32_values() {
  Values v = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
              0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
              0xff800000, 0x7fc00001, 0xffc00000, 0x3f000000, 0x40490fdb, 0x4b800001};
  std::uint32_t x = 12345;
  for (int n = 0; n < 12; ++n) v.push_back(x = x * 1664525u + 1013904223u);
  return v;
}

struct Triples {
  Values a, b, c;
};
Triples triples() {
  Triples t;
  const Values v = f32_values();
  std::size_t k = 0;
  for (const auto a : v)
    for (const auto b : v) t.a.push_back(a), t.b.push_back(b), t.c.push_back(v[k++ * 7 % v.size()]);
  return t;
}

float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
std::uint64_t canonical(float x) {
  return std::isnan(x) ? kNan : bits(x);
}

// The double nearest to a float result never errs on which side of a float it lies when the operation is a sum or
// product of two floats; so this rounds in another way than the emulator does: exactly in long double, then by
// comparison.
float rounded(long double exact, int mode) {
  if (std::isnan(exact)) return std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  float nearest = static_cast<float>(exact);  // default mode
  if (std::isinf(exact)) return nearest;
  const float below = static_cast<long double>(nearest) <= exact ? nearest : std::nextafter(nearest, -inf);
  const float above = static_cast<long double>(nearest) >= exact ? nearest : std::nextafter(nearest, inf);
  if (mode == FE_DOWNWARD) return below;
  if (mode == FE_UPWARD) return above;
  if (mode == FE_TOWARDZERO) return std::signbit(nearest) ? above : below;
  return nearest;
}

}  // namespace

TEST_CASE("f32 sums and products round to nearest, NaN is canonical") {
  const Triples t = triples();
  const std::vector<Input> in = {{"r1", t.a}, {"r2", t.b}, {"r3", t.c}};
  const Values add = evaluate("add.f32 %r0, %r1, %r2;", "r0", in),
               sub = evaluate("sub.rn.f32 %r0, %r1, %r2;", "r0", in);
  const Values mul = evaluate("mul.f32 %r0, %r1, %r2;", "r0", in),
               div = evaluate("div.rn.f32 %r0, %r1, %r2;", "r0", in);
  const Values fma = evaluate("fma.rn.f32 %r0, %r1, %r2, %r3;", "r0", in);
  const Values ftz = evaluate("add.ftz.f32 %r0, %r1, %r2;", "r0", in),
               fma_ftz = evaluate("fma.rn.ftz.f32 %r0, %r1, %r2, %r3;", "r0", in);
  const Values sat = evaluate("fma.rn.sat.f32 %r0, %r1, %r2, %r3;", "r0", in),
               mul_ftz = evaluate("mul.ftz.f32 %r0, %r1, %r2;", "r0", in);
  for (std::size_t n = 0; n < t.a.size(); ++n) {
    const float a = as_float(t.a[n]), b = as_float(t.b[n]), c = as_float(t.c[n]);
    INFO(std::hex << t.a[n] << " " << t.b[n] << " " << t.c[n]);
    REQUIRE(add[n] == canonical(a + b));
    REQUIRE(sub[n] == canonical(a - b));
    REQUIRE(mul[n] == canonical(a * b));
    REQUIRE(div[n] == canonical(a / b));
    REQUIRE(fma[n] == canonical(std::fma(a, b, c)));
    REQUIRE(ftz[n] == canonical(flushed(flushed(a) + flushed(b))));
    REQUIRE(mul_ftz[n] == canonical(flushed(flushed(a) * flushed(b))));
    REQUIRE(fma_ftz[n] == canonical(flushed(std::fma(flushed(a), flushed(b), flushed(c)))));
    const float f = std::fma(a, b, c);
    REQUIRE(sat[n] == bits(std::isnan(f) || f <= 0 ? 0.0f : f >= 1 ? 1.0f : f));
  }
}

TEST_CASE("directed rounding gives the neighbour on the right side") {
  const Triples t = triples();
  const std::vector<Input> in = {{"r1", t.a}, {"r2", t.b}};
  struct Mode {
    const char* suffix;
    int mode;
  };
  for (const Mode& m : {Mode{"rz", FE_TOWARDZERO}, Mode{"rm", FE_DOWNWARD}, Mode{"rp", FE_UPWARD}}) {
    const std::string s = m.suffix;
    const Values mul = evaluate("mul." + s + ".f32 %r0, %r1, %r2;", "r0", in);
    const Values add = evaluate("add." + s + ".f32 %r0, %r1, %r2;", "r0", in);
    for (std::size_t n = 0; n < t.a.size(); ++n) {
      const long double a = as_float(t.a[n]), b = as_float(t.b[n]);
      INFO(s << " " << std::hex << t.a[n] << " " << t.b[n]);
      REQUIRE(mul[n] == canonical(rounded(a * b, m.mode)));  // 48 bits: exact in long double
      // Sums are exact in long double when the exponents are near; skip the rest and zeros, whose sign has its own
      // rule.
      const std::int64_t gap = std::int64_t{std::ilogb(as_float(t.a[n]))} - std::ilogb(as_float(t.b[n]));
      if (gap < 39 && gap > -39 && a + b != 0 && std::isfinite(a + b)) REQUIRE(add[n] == canonical(rounded(a + b, m.mode)));
    }
  }
  // x + (-x) is +0, and -0 when rounding down.
  const std::vector<Input> cancel = {{"r1", {bits(1.5f)}}, {"r2", {bits(-1.5f)}}};
  CHECK(evaluate("add.rm.f32 %r0, %r1, %r2;", "r0", cancel) == Values{0x80000000});
  CHECK(evaluate("add.rz.f32 %r0, %r1, %r2;", "r0", cancel) == Values{0});
  // 1/3 lies between 0x3eaaaaaa and 0x3eaaaaab; sqrt(2) between 0x3fb504f3 and 0x3fb504f4.
  CHECK(evaluate("rcp.rz.f32 %r0, %r1;", "r0", {{"r1", {bits(3.0f)}}}) == Values{0x3eaaaaaa});
  CHECK(evaluate("rcp.rp.f32 %r0, %r1;", "r0", {{"r1", {bits(3.0f)}}}) == Values{0x3eaaaaab});
  CHECK(evaluate("div.rm.f32 %r0, %r1, %r2;", "r0", {{"r1", {bits(-1.0f)}}, {"r2", {bits(3.0f)}}}) ==
        Values{0xbeaaaaab});
  CHECK(evaluate("sqrt.rz.f32 %r0, %r1;", "r0", {{"r1", {bits(2.0f)}}}) == Values{0x3fb504f3});
  CHECK(evaluate("sqrt.rp.f32 %r0, %r1;", "r0", {{"r1", {bits(2.0f)}}}) == Values{0x3fb504f4});
  // 2^-149 * 2^-149: rounding up gives the least subnormal.
  CHECK(evaluate("mul.rp.f32 %r0, %r1, %r2;", "r0", {{"r1", {1}}, {"r2", {1}}}) == Values{1});
  CHECK(evaluate("fma.rm.f32 %r0, %r1, %r2, %r3;", "r0",
                 {{"r1", {bits(0x1.000002p0f)}}, {"r2", {bits(0x1.000002p0f)}}, {"r3", {0}}}) ==
        Values{bits(0x1.000004p0f)});
  CHECK(evaluate("fma.rp.f64 %d0, %d1, %d2, %d3;", "d0",
                 {{"d1", {bits(0x1.0000000000001p0)}}, {"d2", {bits(0x1.0000000000001p0)}}, {"d3", {0}}}) ==
        Values{bits(0x1.0000000000003p0)});
  CHECK(evaluate("div.rz.f64 %d0, %d1, %d2;", "d0", {{"d1", {bits(2.0)}}, {"d2", {bits(3.0)}}}) ==
        Values{0x3fe5555555555555});
}

TEST_CASE("f64 arithmetic") {
  const Values a = {bits(0.1), bits(1e308), bits(-0.0), bits(4.9e-324)},
               b = {bits(0.2), bits(1e308), bits(0.0), bits(0.5)};
  const std::vector<Input> in = {{"d1", a}, {"d2", b}};
  CHECK(evaluate("add.f64 %d0, %d1, %d2;", "d0", in) == Values{0x3fd3333333333334, 0x7ff0000000000000, 0, bits(0.5)});
  CHECK(evaluate("mul.rn.f64 %d0, %d1, %d2;", "d0", in) ==
        Values{bits(0.1 * 0.2), 0x7ff0000000000000, 0x8000000000000000, 0});
  CHECK(evaluate("fma.rn.f64 %d0, %d1, %d2, %d1;", "d0", {{"d1", {bits(3.0)}}, {"d2", {bits(4.0)}}}) ==
        Values{bits(15.0)});
  CHECK(evaluate("sqrt.rn.f64 %d0, %d1;", "d0", {{"d1", {bits(2.0)}}}) == Values{0x3ff6a09e667f3bcd});
  CHECK(evaluate("rcp.rn.f64 %d0, %d1;", "d0", {{"d1", {bits(4.0)}}}) == Values{bits(0.25)});
}

TEST_CASE("minimum and maximum: NaN and the sign of zero") {
  const std::vector<Input> in = {{"r1", {0x7fc00000, bits(1.0f), 0x7fc00000, 0x80000000, 0, bits(-3.0f)}},
                                 {"r2", {bits(2.0f), 0xffc12345, 0xffc00000, 0, 0x80000000, bits(2.0f)}}};
  CHECK(evaluate("min.f32 %r0, %r1, %r2;", "r0", in) ==
        Values{bits(2.0f), bits(1.0f), kNan, 0x80000000, 0x80000000, bits(-3.0f)});
  CHECK(evaluate("max.f32 %r0, %r1, %r2;", "r0", in) == Values{bits(2.0f), bits(1.0f), kNan, 0, 0, bits(2.0f)});
  CHECK(evaluate("min.NaN.f32 %r0, %r1, %r2;", "r0", in) ==
        Values{kNan, kNan, kNan, 0x80000000, 0x80000000, bits(-3.0f)});
  CHECK(evaluate("max.xorsign.abs.f32 %r0, %r1, %r2;", "r0", in)[5] == bits(-3.0f));
  CHECK(evaluate("min.xorsign.abs.f32 %r0, %r1, %r2;", "r0", in)[5] == bits(-2.0f));
  const std::vector<Input> wide = {{"d1", {0x7ff8000000000000, bits(-0.0)}}, {"d2", {bits(1.0), bits(0.0)}}};
  CHECK(evaluate("max.f64 %d0, %d1, %d2;", "d0", wide) == Values{bits(1.0), 0});
  CHECK(evaluate("min.ftz.f32 %r0, %r1, %r2;", "r0", {{"r1", {0x80000001}}, {"r2", {bits(1.0f)}}}) ==
        Values{0x80000000});
}

TEST_CASE("sign operations and classification") {
  CHECK(evaluate("neg.f32 %r0, %r1;", "r0", {{"r1", {0, bits(2.5f)}}}) == Values{0x80000000, bits(-2.5f)});
  CHECK(evaluate("abs.ftz.f32 %r0, %r1;", "r0", {{"r1", {0x80000001, bits(-2.5f)}}}) == Values{0, bits(2.5f)});
  CHECK(evaluate("neg.f64 %d0, %d1;", "d0", {{"d1", {bits(2.5)}}}) == Values{bits(-2.5)});
  CHECK(evaluate("copysign.f32 %r0, %r1, %r2;", "r0", {{"r1", {bits(-0.0f)}}, {"r2", {bits(7.0f)}}}) ==
        Values{bits(-7.0f)});
  const Values v = {0, 1, 0x00800000, 0x7f800000, 0x7fc00000, bits(1.0f)};
  const auto test = [&](const std::string& what) {
    return evaluate("testp." + what + ".f32 %p0, %r1;", "p0", {{"r1", v}});
  };
  CHECK(test("finite") == Values{1, 1, 1, 0, 0, 1});
  CHECK(test("infinite") == Values{0, 0, 0, 1, 0, 0});
  CHECK(test("number") == Values{1, 1, 1, 1, 0, 1});
  CHECK(test("notanumber") == Values{0, 0, 0, 0, 1, 0});
  CHECK(test("normal") == Values{1, 0, 1, 0, 0, 1});  // zero counts as normal
  CHECK(test("subnormal") == Values{0, 1, 0, 0, 0, 0});
}

TEST_CASE("approximations stay within the bounds of the ISA") {
  Values x;
  for (int n = -400; n <= 400; ++n) x.push_back(bits(static_cast<float>(n) * 0.37f));
  const auto run = [&](const std::string& op) { return evaluate(op + ".approx.f32 %r0, %r1;", "r0", {{"r1", x}}); };
  const Values ex2 = run("ex2"), lg2 = run("lg2"), sine = run("sin"), cosine = run("cos"), tanh = run("tanh"),
               rcp = run("rcp"), rsqrt = run("rsqrt"), root = run("sqrt");
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double v = as_float(x[n]);
    INFO(v);
    const double power = std::exp2(v);
    if (power >= 0x1p128)
      REQUIRE(ex2[n] == 0x7f800000);
    else if (power > 0x1p-126)
      REQUIRE(std::abs(as_float(ex2[n]) / power - 1) < 0x1p-22);
    else
      REQUIRE(std::abs(as_float(ex2[n]) - power) <= 0x1p-149);
    REQUIRE(std::abs(as_float(sine[n]) - std::sin(v)) < 0x1p-20);
    REQUIRE(std::abs(as_float(cosine[n]) - std::cos(v)) < 0x1p-20);
    REQUIRE(std::abs(as_float(tanh[n]) - std::tanh(v)) <= 0x1p-11 * std::abs(std::tanh(v)));
    if (v != 0) REQUIRE(std::abs(as_float(rcp[n]) * v - 1) < 0x1p-23);
    if (v <= 0) continue;
    const double logarithm = std::log2(v);
    REQUIRE(std::abs(as_float(lg2[n]) - logarithm) <= 0x1p-22 * std::max(1.0, std::abs(logarithm)));
    REQUIRE(std::abs(as_float(rsqrt[n]) * std::sqrt(v) - 1) < 0x1p-22);
    REQUIRE(std::abs(as_float(root[n]) / std::sqrt(v) - 1) < 0x1p-22);
  }
  const Values special = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1};
  const auto at = [&](const std::string& op) { return evaluate(op + " %r0, %r1;", "r0", {{"r1", special}}); };
  CHECK(at("ex2.approx.f32") == Values{bits(1.0f), bits(1.0f), 0x7f800000, 0, kNan, bits(1.0f)});
  CHECK(at("lg2.approx.f32") == Values{0xff800000, 0xff800000, 0x7f800000, kNan, kNan, bits(-149.0f)});
  CHECK(at("lg2.approx.ftz.f32") == Values{0xff800000, 0xff800000, 0x7f800000, kNan, kNan, 0xff800000});
  CHECK(at("sin.approx.f32") == Values{0, 0x80000000, kNan, kNan, kNan, 1});
  CHECK(at("cos.approx.f32") == Values{bits(1.0f), bits(1.0f), kNan, kNan, kNan, bits(1.0f)});
  CHECK(at("tanh.approx.f32") == Values{0, 0x80000000, bits(1.0f), bits(-1.0f), kNan, 1});
  CHECK(at("rcp.approx.ftz.f32") == Values{0x7f800000, 0xff800000, 0, 0x80000000, kNan, 0x7f800000});
  CHECK(at("rsqrt.approx.f32") == Values{0x7f800000, 0xff800000, 0, kNan, kNan, 0x64b504f3});
  CHECK(at("sqrt.approx.f32") == Values{0, 0x80000000, 0x7f800000, kNan, kNan, 0x1a3504f3});
  // 10^6 and 2^30 radians, against the C library.
  CHECK(std::abs(as_float(evaluate("sin.approx.f32 %r0, %r1;", "r0", {{"r1", {bits(1e6f)}}})[0]) - std::sin(1e6)) <
        0x1p-20);
  CHECK(std::abs(as_float(evaluate("cos.approx.f32 %r0, %r1;", "r0", {{"r1", {bits(0x1p30f)}}})[0]) -
                 std::cos(0x1p30)) < 0x1p-20);
  CHECK(evaluate("div.approx.f32 %r0, %r1, %r2;", "r0",
                 {{"r1", {bits(1.0f), 0x7f800000}}, {"r2", {bits(0x1.8p126f), bits(0x1.8p127f)}}}) == Values{0, kNan});
  CHECK(evaluate("rcp.approx.ftz.f64 %d0, %d1;", "d0", {{"d1", {bits(4.0)}}}) == Values{bits(0.25)});
}
