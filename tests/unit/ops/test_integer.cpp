#include <cstdint>
#include <limits>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

namespace {

// Values at the edges of every width, and a few in between.
const std::uint64_t kEdges[] = {0,
                                1,
                                2,
                                7,
                                0x7f,
                                0x80,
                                0xff,
                                0x100,
                                0x7fff,
                                0x8000,
                                0xffff,
                                0x10000,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                0x12345678,
                                0xdeadbeef,
                                0xfffffffe,
                                0x80000001,
                                0x00800000,
                                0x7fffffffffffffff,
                                0x8000000000000000,
                                0xffffffffffffffff,
                                0x0123456789abcdef,
                                0x100000000,
                                0xfffffffffffffffe};

struct Pairs {
  Values a, b;
};

std::uint64_t cut(std::uint64_t v, unsigned width) {
  return width == 64 ? v : v & ((std::uint64_t{1} << width) - 1);
}
__int128 extended(std::uint64_t v, unsigned width, bool is_signed) {
  if (!is_signed) return static_cast<__int128>(cut(v, width));
  return static_cast<__int128>(static_cast<std::int64_t>(v << (64 - width)) >> (64 - width));
}

Pairs pairs(unsigned width) {
  Pairs p;
  for (const auto a : kEdges)
    for (const auto b : kEdges) p.a.push_back(cut(a, width)), p.b.push_back(cut(b, width));
  return p;
}

const char* letter(unsigned width) {
  return width == 16 ? "h" : width == 32 ? "r" : "d";
}

struct Kind {
  const char* type;
  unsigned width;
  bool is_signed;
};
const Kind kKinds[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                       {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

// `op`.type d, a, b on all pairs of edges, against f on 128-bit integers; f's result is cut to result_width.
template <class F>
void check_binary(const std::string& op, const Kind& k, unsigned result_width, F f) {
  const Pairs p = pairs(k.width);
  const std::string d = letter(result_width), s = letter(k.width);
  const std::string text = op + "." + k.type + " %" + d + "0, %" + s + "1, %" + s + "2;";
  const Values got = evaluate(text, d + "0", {{s + "1", p.a}, {s + "2", p.b}});
  for (std::size_t n = 0; n < got.size(); ++n) {
    const __int128 a = extended(p.a[n], k.width, k.is_signed), b = extended(p.b[n], k.width, k.is_signed);
    INFO(text << " a=" << p.a[n] << " b=" << p.b[n]);
    REQUIRE(got[n] == cut(static_cast<std::uint64_t>(f(a, b)), result_width));
  }
}

}  // namespace

TEST_CASE("integer sums, products, quotients, extrema in every type") {
  for (const Kind& k : kKinds) {
    check_binary("add", k, k.width, [](__int128 a, __int128 b) { return a + b; });
    check_binary("sub", k, k.width, [](__int128 a, __int128 b) { return a - b; });
    check_binary("mul.lo", k, k.width, [](__int128 a, __int128 b) {
      return static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    });
    check_binary("mul.hi", k, k.width, [&](__int128 a, __int128 b) {
      const unsigned __int128 p = static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
      return static_cast<__int128>(p >> k.width);
    });
    if (k.width < 64) check_binary("mul.wide", k, 2 * k.width, [](__int128 a, __int128 b) { return a * b; });
    check_binary("min", k, k.width, [](__int128 a, __int128 b) { return a < b ? a : b; });
    check_binary("max", k, k.width, [](__int128 a, __int128 b) { return a > b ? a : b; });
    // By zero: all ones, both.
    check_binary("div", k, k.width, [](__int128 a, __int128 b) { return b == 0 ? -1 : a / b; });
    check_binary("rem", k, k.width, [](__int128 a, __int128 b) { return b == 0 ? -1 : a % b; });
  }
}

TEST_CASE("saturated 32-bit sums stop at the ends of the range") {
  const auto saturated = [](__int128 v) {
    return v > INT32_MAX ? __int128{INT32_MAX} : v < INT32_MIN ? __int128{INT32_MIN} : v;
  };
  check_binary("add.sat", kKinds[3], 32, [&](__int128 a, __int128 b) { return saturated(a + b); });
  check_binary("sub.sat", kKinds[3], 32, [&](__int128 a, __int128 b) { return saturated(a - b); });
}

TEST_CASE("mad adds to each part of the product") {
  const Pairs p = pairs(32);
  Values c(p.a.size());
  for (std::size_t n = 0; n < c.size(); ++n) c[n] = 0x9e3779b97f4a7c15ull * (n + 1);
  Values c32;
  for (const auto v : c) c32.push_back(v & 0xffffffff);
  const std::vector<Input> in32 = {{"r1", p.a}, {"r2", p.b}, {"r3", c32}};
  const Values lo = evaluate("mad.lo.s32 %r0, %r1, %r2, %r3;", "r0", in32),
               hi = evaluate("mad.hi.u32 %r0, %r1, %r2, %r3;", "r0", in32);
  const Values hi_s = evaluate("mad.hi.s32 %r0, %r1, %r2, %r3;", "r0", in32);
  const Values wide = evaluate("mad.wide.s32 %d0, %r1, %r2, %d3;", "d0", {{"r1", p.a}, {"r2", p.b}, {"d3", c}});
  const Values wide_u = evaluate("mad.wide.u32 %d0, %r1, %r2, %d3;", "d0", {{"r1", p.a}, {"r2", p.b}, {"d3", c}});
  for (std::size_t n = 0; n < c.size(); ++n) {
    const auto u = p.a[n] * p.b[n];
    const auto s = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(p.a[n])) *
                                              static_cast<std::int32_t>(p.b[n]));
    REQUIRE(lo[n] == ((u + c32[n]) & 0xffffffff));
    REQUIRE(hi[n] == (((u >> 32) + c32[n]) & 0xffffffff));
    REQUIRE(hi_s[n] == (((s >> 32) + c32[n]) & 0xffffffff));
    REQUIRE(wide[n] == s + c[n]);
    REQUIRE(wide_u[n] == u + c[n]);
  }
}

TEST_CASE("carries leave and enter through CC.CF") {
  // %p7 stands for CC.CF here.
  const Values a = {0xffffffff, 0xffffffff, 0, 5, 0x80000000}, b = {1, 0xffffffff, 0, 6, 0x80000000},
               cf = {0, 1, 1, 1, 0};
  const std::vector<Input> in = {{"r1", a}, {"r2", b}, {"p7", cf}};
  CHECK(evaluate("add.cc.u32 %r0, %r1, %r2;", "r0", in) == Values{0, 0xfffffffe, 0, 11, 0});
  CHECK(evaluate("add.cc.u32 %r0, %r1, %r2;", "p7", in) == Values{1, 1, 0, 0, 1});
  CHECK(evaluate("addc.u32 %r0, %r1, %r2;", "r0", in) == Values{0, 0xffffffff, 1, 12, 0});
  CHECK(evaluate("addc.u32 %r0, %r1, %r2;", "p7", in) == cf);
  CHECK(evaluate("addc.cc.s32 %r0, %r1, %r2;", "p7", in) == Values{1, 1, 0, 0, 1});
  CHECK(evaluate("sub.cc.u32 %r0, %r1, %r2;", "r0", in) == Values{0xfffffffe, 0, 0, 0xffffffff, 0});
  CHECK(evaluate("sub.cc.u32 %r0, %r1, %r2;", "p7", in) == Values{0, 0, 0, 1, 0});
  CHECK(evaluate("subc.cc.u32 %r0, %r1, %r2;", "r0", in) == Values{0xfffffffe, 0xffffffff, 0xffffffff, 0xfffffffe, 0});
  CHECK(evaluate("subc.cc.u32 %r0, %r1, %r2;", "p7", in) == Values{0, 1, 1, 1, 0});
  // 0xffffffff * 3 = 0x2'fffffffd; low part + 5 carries, high part 2 + 0 + carry.
  const std::vector<Input> mad = {{"r1", {0xffffffff}}, {"r2", {3}}, {"r3", {5}}, {"p7", {1}}};
  CHECK(evaluate("mad.lo.cc.u32 %r0, %r1, %r2, %r3;", "r0", mad) == Values{2});
  CHECK(evaluate("mad.lo.cc.u32 %r0, %r1, %r2, %r3;", "p7", mad) == Values{1});
  CHECK(evaluate("madc.hi.u32 %r0, %r1, %r2, 0;", "r0", mad) == Values{3});
  const std::vector<Input> wide = {{"d1", {~0ull, 1}}, {"d2", {1, 1}}, {"p7", {0, 0}}};
  CHECK(evaluate("add.cc.u64 %d0, %d1, %d2;", "d0", wide) == Values{0, 2});
  CHECK(evaluate("add.cc.u64 %d0, %d1, %d2;", "p7", wide) == Values{1, 0});
}

TEST_CASE("abs, neg, sad, 24-bit products, dot products") {
  CHECK(evaluate("abs.s32 %r0, %r1;", "r0", {{"r1", {5, 0xfffffffb, 0x80000000, 0}}}) == Values{5, 5, 0x80000000, 0});
  CHECK(evaluate("abs.s16 %h0, %h1;", "h0", {{"h1", {0xffff, 0x8000, 3}}}) == Values{1, 0x8000, 3});
  CHECK(evaluate("neg.s16 %h0, %h1;", "h0", {{"h1", {1, 0, 0x8000}}}) == Values{0xffff, 0, 0x8000});
  CHECK(evaluate("neg.s64 %d0, %d1;", "d0", {{"d1", {1, 0}}}) == Values{~0ull, 0});
  CHECK(evaluate("sad.s32 %r0, %r1, %r2, 10;", "r0", {{"r1", {0xffffffff, 5}}, {"r2", {1, 0xfffffffe}}}) ==
        Values{12, 17});
  CHECK(evaluate("sad.u32 %r0, %r1, %r2, 10;", "r0", {{"r1", {0xffffffff, 5}}, {"r2", {1, 9}}}) == Values{8, 14});
  // 0xffffff * 0xffffff = 0xfffffe000001; as signed 24-bit values, (-1)(-1) = 1. The top bytes do not count.
  const std::vector<Input> m24 = {{"r1", {0x55ffffff}}, {"r2", {0xaaffffff}}};
  CHECK(evaluate("mul24.lo.u32 %r0, %r1, %r2;", "r0", m24) == Values{0xfe000001});
  CHECK(evaluate("mul24.hi.u32 %r0, %r1, %r2;", "r0", m24) == Values{0xfffffe00});
  CHECK(evaluate("mul24.lo.s32 %r0, %r1, %r2;", "r0", m24) == Values{1});
  CHECK(evaluate("mad24.hi.s32 %r0, %r1, %r2, 7;", "r0", m24) == Values{7});
  // Bytes 1, 2, 0xff, 0x80 times 1, 1, 2, 2.
  const std::vector<Input> dot = {{"r1", {0x80ff0201}}, {"r2", {0x02020101}}, {"r3", {100}}};
  CHECK(evaluate("dp4a.u32.u32 %r0, %r1, %r2, %r3;", "r0", dot) == Values{100 + 1 + 2 + 510 + 256});
  CHECK(evaluate("dp4a.s32.u32 %r0, %r1, %r2, %r3;", "r0", dot) ==
        Values{100 + 1 + 2 - 2 - 256 + 0x100000000 & 0xffffffff});
  // Halves 0x0201 and 0x80ff (-32513 signed) times the low bytes 1, 1 or the high bytes 2, 2.
  CHECK(evaluate("dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", "r0", dot) == Values{100 + 0x201 + 0x80ff});
  CHECK(evaluate("dp2a.hi.s32.u32 %r0, %r1, %r2, %r3;", "r0", dot) ==
        Values{(100ull + 2 * 0x201 - 2 * 32513) & 0xffffffff});
}

TEST_CASE("pairs of 16-bit integers do not carry into each other") {
  const std::vector<Input> in = {{"r1", {0x0001ffff, 0x8000fffe}}, {"r2", {0xffff0001, 0x00010005}}};
  CHECK(evaluate("add.u16x2 %r0, %r1, %r2;", "r0", in) == Values{0x00000000, 0x80010003});
  CHECK(evaluate("sub.s16x2 %r0, %r1, %r2;", "r0", in) == Values{0x0002fffe, 0x7ffffff9});
  CHECK(evaluate("min.s16x2 %r0, %r1, %r2;", "r0", in) == Values{0xffffffff, 0x8000fffe});
  CHECK(evaluate("max.u16x2 %r0, %r1, %r2;", "r0", in) == Values{0xffffffff, 0x8000fffe});
  CHECK(evaluate("max.relu.s16x2 %r0, %r1, %r2;", "r0", in) == Values{0x00010001, 0x00010005});
  CHECK(evaluate("min.relu.s32 %r0, %r1, %r2;", "r0", in) == Values{0, 0});
}

TEST_CASE("what is not defined is refused, not guessed") {
  CHECK(refusal("add.sat.u32 %r0, %r1, %r2;") != "");
  CHECK(refusal("mul.wide.u64 %d0, %d1, %d2;") != "");
  CHECK(refusal("mul.u32 %r0, %r1, %r2;") != "");
  CHECK(refusal("add.f32x2 %d0, %d1, %d2;") != "");
  CHECK(refusal("setp.lo.s32 %p0, %r1, %r2;") != "");
  CHECK(refusal("cvt.f32.f64 %r0, %d1;") != "");
  CHECK(refusal("min.f32 %r0, %r1, %r2, %r3;") != "");
}
