#include <bit>
#include <cstdint>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

namespace {
const Values kWords = {0,          1,          0x80000000, 0xffffffff, 0x00012345,
                       0xf0f0f0f0, 0x7fffffff, 0xdeadbeef, 0x00800000, 0xfffffffe};
}

TEST_CASE("logic in every width, and on predicates") {
  CHECK(evaluate("and.b32 %r0, %r1, 0xff00;", "r0", {{"r1", {0x12345678}}}) == Values{0x5600});
  CHECK(evaluate("or.b16 %h0, %h1, %h2;", "h0", {{"h1", {0x8001}}, {"h2", {0x0110}}}) == Values{0x8111});
  CHECK(evaluate("xor.b64 %d0, %d1, %d2;", "d0", {{"d1", {~0ull}}, {"d2", {0xff}}}) == Values{0xffffffffffffff00});
  CHECK(evaluate("not.b16 %h0, %h1;", "h0", {{"h1", {0x00ff}}}) == Values{0xff00});
  CHECK(evaluate("cnot.b32 %r0, %r1;", "r0", {{"r1", {0, 7}}}) == Values{1, 0});
  const std::vector<Input> p = {{"p1", {0, 0, 1, 1}}, {"p2", {0, 1, 0, 1}}};
  CHECK(evaluate("and.pred %p0, %p1, %p2;", "p0", p) == Values{0, 0, 0, 1});
  CHECK(evaluate("or.pred %p0, %p1, !%p2;", "p0", p) == Values{1, 0, 1, 1});
  CHECK(evaluate("xor.pred %p0, %p1, %p2;", "p0", p) == Values{0, 1, 1, 0});
  CHECK(evaluate("not.pred %p0, %p1;", "p0", p) == Values{1, 1, 0, 0});
}

TEST_CASE("shift amounts clamp at the width") {
  const Values n = {0, 1, 15, 16, 31, 32, 33, 63, 64, 0x80000000, 0xffffffff};
  const auto all = [&](std::uint64_t v) { return Values(n.size(), v); };
  CHECK(evaluate("shl.b32 %r0, %r1, %r2;", "r0", {{"r1", all(0x80000003)}, {"r2", n}}) ==
        Values{0x80000003, 6, 0x18000, 0x30000, 0x80000000, 0, 0, 0, 0, 0, 0});
  CHECK(evaluate("shr.u32 %r0, %r1, %r2;", "r0", {{"r1", all(0x80000003)}, {"r2", n}}) ==
        Values{0x80000003, 0x40000001, 0x10000, 0x8000, 1, 0, 0, 0, 0, 0, 0});
  CHECK(evaluate("shr.s32 %r0, %r1, %r2;", "r0", {{"r1", all(0x80000003)}, {"r2", n}}) ==
        Values{0x80000003, 0xc0000001, 0xffff0000, 0xffff8000, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
               0xffffffff, 0xffffffff, 0xffffffff});
  CHECK(evaluate("shl.b16 %h0, %h1, %r2;", "h0", {{"h1", all(0x8003)}, {"r2", n}}) ==
        Values{0x8003, 6, 0x8000, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(evaluate("shr.s16 %h0, %h1, %r2;", "h0", {{"h1", all(0x8003)}, {"r2", n}}) ==
        Values{0x8003, 0xc001, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff});
  CHECK(evaluate("shl.b64 %d0, %d1, %r2;", "d0", {{"d1", all(3)}, {"r2", n}}) ==
        Values{3, 6, 0x18000, 0x30000, 0x180000000, 0x300000000, 0x600000000, 0x8000000000000000, 0, 0, 0});
  CHECK(evaluate("shr.s64 %d0, %d1, %r2;", "d0", {{"d1", all(1ull << 63)}, {"r2", n}}).back() == ~0ull);
}

TEST_CASE("funnel shifts wrap or clamp") {
  const Values n = {0, 4, 31, 32, 36};
  const std::vector<Input> in = {{"r1", Values(5, 0x11111111)}, {"r2", Values(5, 0xabcdef01)}, {"r3", n}};
  CHECK(evaluate("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", "r0", in) ==
        Values{0xabcdef01, 0xbcdef011, 0x88888888, 0xabcdef01, 0xbcdef011});
  CHECK(evaluate("shf.l.clamp.b32 %r0, %r1, %r2, %r3;", "r0", in) ==
        Values{0xabcdef01, 0xbcdef011, 0x88888888, 0x11111111, 0x11111111});
  CHECK(evaluate("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", "r0", in) ==
        Values{0x11111111, 0x11111111, 0x579bde02, 0x11111111, 0x11111111});
  CHECK(evaluate("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", "r0", in) ==
        Values{0x11111111, 0x11111111, 0x579bde02, 0xabcdef01, 0xabcdef01});
}

TEST_CASE("lop3 computes any of its 256 tables") {
  for (unsigned table = 0; table < 256; ++table) {
    const std::uint32_t a = 0xf0f0cc3a, b = 0xccccaa5c, c = 0xaaaa1796;
    std::uint32_t expected = 0;
    for (int k = 0; k < 32; ++k) {
      const unsigned row = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1);
      expected |= (table >> row & 1u) << k;
    }
    const std::string t = std::to_string(table);
    const std::vector<Input> in = {{"r1", {a}}, {"r2", {b}}, {"r3", {c}}, {"p4", {0}}};
    REQUIRE(evaluate("lop3.b32 %r0, %r1, %r2, %r3, " + t + ";", "r0", in) == Values{expected});
    REQUIRE(evaluate("lop3.or.b32 %r0|%p5, %r1, %r2, %r3, " + t + ", %p4;", "p5", in) == Values{expected != 0});
    REQUIRE(evaluate("lop3.and.b32 %r0|%p5, %r1, %r2, %r3, " + t + ", %p4;", "p5", in) == Values{0});
  }
}

TEST_CASE("counting and finding bits") {
  const Values got = evaluate("popc.b32 %r0, %r1;", "r0", {{"r1", kWords}});
  const Values zeros = evaluate("clz.b32 %r0, %r1;", "r0", {{"r1", kWords}});
  for (std::size_t n = 0; n < kWords.size(); ++n) {
    REQUIRE(got[n] == static_cast<std::uint64_t>(std::popcount(kWords[n])));
    REQUIRE(zeros[n] == static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(kWords[n]))));
  }
  const Values wide = {0, 1, 1ull << 63, ~0ull, 0x100000000, 0x123456789abcdef0};
  CHECK(evaluate("popc.b64 %r0, %d1;", "r0", {{"d1", wide}}) == Values{0, 1, 1, 64, 1, 32});
  CHECK(evaluate("clz.b64 %r0, %d1;", "r0", {{"d1", wide}}) == Values{64, 63, 0, 0, 31, 3});
  CHECK(evaluate("bfind.u64 %r0, %d1;", "r0", {{"d1", wide}}) == Values{0xffffffff, 0, 63, 63, 32, 60});
  CHECK(evaluate("bfind.s64 %r0, %d1;", "r0", {{"d1", wide}}) == Values{0xffffffff, 0, 62, 0xffffffff, 32, 60});
  const Values words = {0, 1, 0x80000000, 0xffffffff, 0xfffffffe, 0x00012345};
  CHECK(evaluate("bfind.u32 %r0, %r1;", "r0", {{"r1", words}}) == Values{0xffffffff, 0, 31, 31, 31, 16});
  CHECK(evaluate("bfind.s32 %r0, %r1;", "r0", {{"r1", words}}) == Values{0xffffffff, 0, 30, 0xffffffff, 0, 16});
  CHECK(evaluate("bfind.shiftamt.u32 %r0, %r1;", "r0", {{"r1", words}}) == Values{0xffffffff, 31, 0, 0, 0, 15});
  CHECK(evaluate("brev.b32 %r0, %r1;", "r0", {{"r1", {1, 0x80000000, 0x00012345}}}) ==
        Values{0x80000000, 1, 0xa2c48000});
  CHECK(evaluate("brev.b64 %d0, %d1;", "d0", {{"d1", {1, 0xf}}}) == Values{1ull << 63, 0xfull << 60});
  // Bits 1, 4, 5, 9 are set.
  const std::vector<Input> in = {
      {"r1", Values(6, 0x232)}, {"r2", {0, 0, 31, 4, 5, 2}}, {"r3", {1, 3, 0xffffffff, 0, 0xfffffffe, 0}}};
  CHECK(evaluate("fns.b32 %r0, %r1, %r2, %r3;", "r0", in) == Values{1, 5, 9, 4, 4, 0xffffffff});
}

TEST_CASE("bit fields: extracted, inserted, masked, extended") {
  const Values position = {0, 4, 28, 31, 32, 255, 8, 0}, length = {32, 8, 8, 1, 4, 4, 0, 255};
  const std::vector<Input> in = {{"r1", Values(8, 0x9abcdef8)}, {"r2", position}, {"r3", length}};
  CHECK(evaluate("bfe.u32 %r0, %r1, %r2, %r3;", "r0", in) == Values{0x9abcdef8, 0xef, 9, 1, 0, 0, 0, 0x9abcdef8});
  CHECK(evaluate("bfe.s32 %r0, %r1, %r2, %r3;", "r0", in) ==
        Values{0x9abcdef8, 0xffffffef, 0xfffffff9, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0x9abcdef8});
  const std::vector<Input> wide = {{"d1", Values(3, 0x8000000000000f00)}, {"r2", {8, 60, 63}}, {"r3", {4, 4, 9}}};
  CHECK(evaluate("bfe.u64 %d0, %d1, %r2, %r3;", "d0", wide) == Values{0xf, 8, 1});
  CHECK(evaluate("bfe.s64 %d0, %d1, %r2, %r3;", "d0", wide) == Values{~0ull, 0xfffffffffffffff8, ~0ull});
  const std::vector<Input> put = {
      {"r1", Values(5, 0xab)}, {"r2", Values(5, 0x11111111)}, {"r3", {0, 8, 28, 32, 8}}, {"r4", {8, 4, 8, 4, 0}}};
  CHECK(evaluate("bfi.b32 %r0, %r1, %r2, %r3, %r4;", "r0", put) ==
        Values{0x111111ab, 0x11111b11, 0xb1111111, 0x11111111, 0x11111111});
  CHECK(evaluate("bfi.b64 %d0, %d1, %d2, 60, 8;", "d0", {{"d1", {0xab}}, {"d2", {0}}}) == Values{0xbull << 60});
  const std::vector<Input> mask = {{"r1", {0, 4, 30, 32, 33}}, {"r2", {32, 8, 5, 1, 3}}};
  CHECK(evaluate("bmsk.clamp.b32 %r0, %r1, %r2;", "r0", mask) == Values{0xffffffff, 0xff0, 0xc0000000, 0, 0});
  CHECK(evaluate("bmsk.wrap.b32 %r0, %r1, %r2;", "r0", mask) == Values{0, 0xff0, 0xc0000000, 1, 0xe});
  const std::vector<Input> ext = {{"r1", Values(5, 0x9abcdef8)}, {"r2", {0, 4, 12, 32, 36}}};
  CHECK(evaluate("szext.clamp.s32 %r0, %r1, %r2;", "r0", ext) ==
        Values{0, 0xfffffff8, 0xfffffef8, 0x9abcdef8, 0x9abcdef8});
  CHECK(evaluate("szext.wrap.u32 %r0, %r1, %r2;", "r0", ext) == Values{0, 8, 0xef8, 0, 8});
}

TEST_CASE("prmt picks bytes, replicates signs, and knows its modes") {
  const std::vector<Input> in = {{"r1", {0x83828180}}, {"r2", {0x07060504}}, {"r3", {1}}};
  CHECK(evaluate("prmt.b32 %r0, %r1, %r2, 0x7531;", "r0", in) == Values{0x07058381});
  CHECK(evaluate("prmt.b32 %r0, %r1, %r2, 0xb8c0;", "r0", in) == Values{0xffff0080});
  CHECK(evaluate("prmt.b32.f4e %r0, %r1, %r2, %r3;", "r0", in) == Values{0x04838281});
  CHECK(evaluate("prmt.b32.b4e %r0, %r1, %r2, %r3;", "r0", in) == Values{0x06078081});
  CHECK(evaluate("prmt.b32.rc8 %r0, %r1, %r2, %r3;", "r0", in) == Values{0x81818181});
  CHECK(evaluate("prmt.b32.ecl %r0, %r1, %r2, %r3;", "r0", in) == Values{0x83828181});
  CHECK(evaluate("prmt.b32.ecr %r0, %r1, %r2, %r3;", "r0", in) == Values{0x81818180});
  CHECK(evaluate("prmt.b32.rc16 %r0, %r1, %r2, %r3;", "r0", in) == Values{0x83828382});
}
