#include <cmath>
#include <functional>
#include <map>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

TEST_CASE("every comparison of floats, ordered and unordered") {
  const float nan = NAN, inf = INFINITY;
  Values a, b;
  for (const float x : {-inf, -1.0f, -0.0f, 0.0f, 1e-40f, 1.0f, inf, nan})
    for (const float y : {-inf, -1.0f, -0.0f, 0.0f, 1e-40f, 1.0f, inf, nan}) a.push_back(bits(x)), b.push_back(bits(y));
  const std::map<std::string, std::function<bool(float, float, bool)>> relations = {
      {"eq", [](float x, float y, bool u) { return !u && x == y; }},
      {"ne", [](float x, float y, bool u) { return !u && x != y; }},
      {"lt", [](float x, float y, bool u) { return !u && x < y; }},
      {"le", [](float x, float y, bool u) { return !u && x <= y; }},
      {"gt", [](float x, float y, bool u) { return !u && x > y; }},
      {"ge", [](float x, float y, bool u) { return !u && x >= y; }},
      {"equ", [](float x, float y, bool u) { return u || x == y; }},
      {"neu", [](float x, float y, bool u) { return u || x != y; }},
      {"ltu", [](float x, float y, bool u) { return u || x < y; }},
      {"leu", [](float x, float y, bool u) { return u || x <= y; }},
      {"gtu", [](float x, float y, bool u) { return u || x > y; }},
      {"geu", [](float x, float y, bool u) { return u || x >= y; }},
      {"num", [](float, float, bool u) { return !u; }},
      {"nan", [](float, float, bool u) { return u; }}};
  Values da, db;
  for (std::size_t n = 0; n < a.size(); ++n) {
    da.push_back(bits(static_cast<double>(as_float(a[n]))));
    db.push_back(bits(static_cast<double>(as_float(b[n]))));
  }
  for (const auto& [name, relation] : relations) {
    const Values got = evaluate("setp." + name + ".f32 %p0, %r1, %r2;", "p0", {{"r1", a}, {"r2", b}});
    const Values wide = evaluate("setp." + name + ".f64 %p0, %d1, %d2;", "p0", {{"d1", da}, {"d2", db}});
    for (std::size_t n = 0; n < a.size(); ++n) {
      const float x = as_float(a[n]), y = as_float(b[n]);
      INFO(name << " " << x << " " << y);
      REQUIRE((got[n] == 1) == relation(x, y, std::isnan(x) || std::isnan(y)));
      REQUIRE(wide[n] == got[n]);
    }
  }
  CHECK(evaluate("setp.eq.ftz.f32 %p0, %r1, %r2;", "p0", {{"r1", {1}}, {"r2", {0x80000001}}}) == Values{1});
}

TEST_CASE("every comparison of integers") {
  const Values words = {0, 1, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
  Values a, b;
  for (const auto x : words)
    for (const auto y : words) a.push_back(x), b.push_back(y);
  const auto check = [&](const std::string& type, const std::string& reg, auto value) {
    Values ra, rb;
    for (std::size_t n = 0; n < a.size(); ++n) {
      const bool half = reg == "h", wide = reg == "d";
      ra.push_back(half ? a[n] & 0xffff : wide ? a[n] << 32 : a[n]);
      rb.push_back(half ? b[n] & 0xffff : wide ? b[n] << 32 : b[n]);
    }
    const std::vector<Input> in = {{reg + "1", ra}, {reg + "2", rb}};
    const auto run = [&](const std::string& op) {
      return evaluate("setp." + op + "." + type + " %p0, %" + reg + "1, %" + reg + "2;", "p0", in);
    };
    const Values eq = run("eq"), ne = run("ne"), lt = run("lt"), le = run("le"), gt = run("gt"), ge = run("ge");
    for (std::size_t n = 0; n < a.size(); ++n) {
      const auto x = value(ra[n]), y = value(rb[n]);
      INFO(type << " " << ra[n] << " " << rb[n]);
      REQUIRE(eq[n] == (x == y));
      REQUIRE(ne[n] == (x != y));
      REQUIRE(lt[n] == (x < y));
      REQUIRE(le[n] == (x <= y));
      REQUIRE(gt[n] == (x > y));
      REQUIRE(ge[n] == (x >= y));
    }
  };
  check("u16", "h", [](std::uint64_t v) { return static_cast<std::uint16_t>(v); });
  check("s16", "h", [](std::uint64_t v) { return static_cast<std::int16_t>(v); });
  check("u32", "r", [](std::uint64_t v) { return static_cast<std::uint32_t>(v); });
  check("s32", "r", [](std::uint64_t v) { return static_cast<std::int32_t>(v); });
  check("u64", "d", [](std::uint64_t v) { return v; });
  check("s64", "d", [](std::uint64_t v) { return static_cast<std::int64_t>(v); });
  const std::vector<Input> in = {{"r1", {1, 2, 3}}, {"r2", {2, 2, 2}}};
  CHECK(evaluate("setp.lo.u32 %p0, %r1, %r2;", "p0", in) == Values{1, 0, 0});
  CHECK(evaluate("setp.ls.u32 %p0, %r1, %r2;", "p0", in) == Values{1, 1, 0});
  CHECK(evaluate("setp.hi.u32 %p0, %r1, %r2;", "p0", in) == Values{0, 0, 1});
  CHECK(evaluate("setp.hs.u32 %p0, %r1, %r2;", "p0", in) == Values{0, 1, 1});
}

TEST_CASE("setp combines with a predicate and writes both results") {
  const std::vector<Input> in = {{"r1", {1, 1, 5, 5}}, {"r2", {3, 3, 3, 3}}, {"p2", {0, 1, 0, 1}}};  // lt: 1 1 0 0
  CHECK(evaluate("setp.lt.and.s32 %p0|%p1, %r1, %r2, %p2;", "p0", in) == Values{0, 1, 0, 0});
  CHECK(evaluate("setp.lt.and.s32 %p0|%p1, %r1, %r2, %p2;", "p1", in) == Values{0, 0, 0, 1});
  CHECK(evaluate("setp.lt.or.s32 %p0|%p1, %r1, %r2, !%p2;", "p0", in) == Values{1, 1, 1, 0});
  CHECK(evaluate("setp.lt.xor.s32 %p0, %r1, %r2, %p2;", "p0", in) == Values{1, 0, 0, 1});
  CHECK(evaluate("setp.lt.s32 %p0|%p1, %r1, %r2;", "p1", in) == Values{0, 0, 1, 1});
  // The combined predicate is also a destination.
  CHECK(evaluate("setp.lt.and.s32 %p2|%p1, %r1, %r2, %p2;", "p1", in) == Values{0, 0, 0, 1});
  CHECK(evaluate("setp.lt.and.s32 %p1|%p2, %r1, %r2, %p2;", "p1", in) == Values{0, 1, 0, 0});
}

TEST_CASE("selection") {
  const std::vector<Input> in = {{"r1", {10, 11}}, {"r2", {20, 21}}, {"p3", {1, 0}}};
  CHECK(evaluate("selp.b32 %r0, %r1, %r2, %p3;", "r0", in) == Values{10, 21});
  CHECK(evaluate("selp.f64 %d0, %d1, %d2, %p3;", "d0",
                 {{"d1", {bits(1.0), bits(1.0)}}, {"d2", {0, 0}}, {"p3", {1, 0}}}) == Values{bits(1.0), 0});
  CHECK(evaluate("selp.b16 %h0, %h1, %h2, %p3;", "h0", {{"h1", {1, 1}}, {"h2", {2, 2}}, {"p3", {0, 1}}}) ==
        Values{2, 1});
  const std::vector<Input> by = {{"r1", Values(4, 10)}, {"r2", Values(4, 20)}, {"r3", {0, 5, 0x80000000, 0xffffffff}}};
  CHECK(evaluate("slct.u32.s32 %r0, %r1, %r2, %r3;", "r0", by) == Values{10, 10, 20, 20});
  CHECK(evaluate("slct.u32.f32 %r0, %r1, %r2, %r3;", "r0", by) == Values{10, 10, 10, 20});  // -0 chooses a, NaN b
  CHECK(evaluate("set.lt.u32.s32 %r0, %r1, %r2;", "r0", {{"r1", {1, 3}}, {"r2", {2, 2}}}) == Values{0xffffffff, 0});
  CHECK(evaluate("set.lt.f32.s32 %r0, %r1, %r2;", "r0", {{"r1", {1, 3}}, {"r2", {2, 2}}}) == Values{bits(1.0f), 0});
  CHECK(evaluate("set.gt.or.s32.f32 %r0, %r1, %r2, %p3;", "r0",
                 {{"r1", {bits(1.0f), bits(1.0f)}}, {"r2", {bits(2.0f), bits(2.0f)}}, {"p3", {1, 0}}}) ==
        Values{0xffffffff, 0});
  // 1.0 < 2.0 in the low halves, 2.0 < 1.0 in the high ones.
  CHECK(evaluate("set.lt.f16x2.f16x2 %r0, %r1, %r2;", "r0", {{"r1", {0x40003c00}}, {"r2", {0x3c004000}}}) ==
        Values{0x00003c00});
  CHECK(evaluate("setp.lt.f16x2 %p0|%p1, %r1, %r2;", "p0", {{"r1", {0x40003c00}}, {"r2", {0x3c004000}}}) == Values{1});
  CHECK(evaluate("setp.lt.f16x2 %p0|%p1, %r1, %r2;", "p1", {{"r1", {0x40003c00}}, {"r2", {0x3c004000}}}) == Values{0});
  CHECK(evaluate("setp.gtu.bf16 %p0, %h1, %h2;", "p0", {{"h1", {0x3f80, 0x7fc0}}, {"h2", {0x4000, 0x4000}}}) ==
        Values{0, 1});
}

TEST_CASE("moves, packed and unpacked") {
  CHECK(evaluate("mov.u32 %r0, 0x12345678;", "r0", {}) == Values{0x12345678});
  CHECK(evaluate("mov.f64 %d0, 0d3ff0000000000000;", "d0", {}) == Values{bits(1.0)});
  CHECK(evaluate("mov.pred %p0, %p1;", "p0", {{"p1", {1, 0}}}) == Values{1, 0});
  CHECK(evaluate("mov.b32 %r0, {%h1, %h2};", "r0", {{"h1", {0x1111}}, {"h2", {0x2222}}}) == Values{0x22221111});
  CHECK(evaluate("mov.b64 %d0, {%r1, %r2};", "d0", {{"r1", {0x11111111}}, {"r2", {0x22222222}}}) ==
        Values{0x2222222211111111});
  CHECK(evaluate("mov.b64 %d0, {%h1, %h2, %h3, %h4};", "d0",
                 {{"h1", {1}}, {"h2", {2}}, {"h3", {3}}, {"h4", {0xffff}}}) == Values{0xffff000300020001});
  CHECK(evaluate("mov.b32 {%h0, %h1}, %r2;", "h0", {{"r2", {0x22221111}}}) == Values{0x1111});
  CHECK(evaluate("mov.b32 {%h0, %h1}, %r2;", "h1", {{"r2", {0x22221111}}}) == Values{0x2222});
  CHECK(evaluate("mov.b64 {_, %r1}, %d2;", "r1", {{"d2", {0x2222222211111111}}}) == Values{0x22222222});
  CHECK(evaluate("mov.b64 {%h0, %h1, %h2, %h3}, %d2;", "h2", {{"d2", {0x4444333322221111}}}) == Values{0x3333});
}
