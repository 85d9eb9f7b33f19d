#include <cmath>
#include <cstdint>

#include "catch.h"
#include "harness.h"

using namespace ops_test;

TEST_CASE("integers widen by the source's sign and narrow by cutting") {
  CHECK(evaluate("cvt.u64.u32 %d0, %r1;", "d0", {{"r1", {0xffffffff}}}) == Values{0xffffffff});
  CHECK(evaluate("cvt.s64.s32 %d0, %r1;", "d0", {{"r1", {0xffffffff}}}) == Values{~0ull});
  CHECK(evaluate("cvt.u64.s32 %d0, %r1;", "d0", {{"r1", {0x80000000}}}) == Values{0xffffffff80000000});
  CHECK(evaluate("cvt.u32.u64 %r0, %d1;", "r0", {{"d1", {0x123456789abcdef0}}}) == Values{0x9abcdef0});
  CHECK(evaluate("cvt.s32.s16 %r0, %h1;", "r0", {{"h1", {0x8001, 0x7fff}}}) == Values{0xffff8001, 0x7fff});
  CHECK(evaluate("cvt.u32.u16 %r0, %h1;", "r0", {{"h1", {0x8001}}}) == Values{0x8001});
  CHECK(evaluate("cvt.u16.u32 %h0, %r1;", "h0", {{"r1", {0x12348001}}}) == Values{0x8001});
  CHECK(evaluate("cvt.s16.s8 %h0, %h1;", "h0", {{"h1", {0x1280}}}) == Values{0xff80});
  CHECK(evaluate("cvt.s32.s8 %r0, %r1;", "r0", {{"r1", {0x12345680, 0x7f}}}) == Values{0xffffff80, 0x7f});
  CHECK(evaluate("cvt.u16.u8 %h0, %h1;", "h0", {{"h1", {0x1280}}}) == Values{0x80});
  CHECK(evaluate("cvt.s64.s16 %d0, %h1;", "d0", {{"h1", {0x8001}}}) == Values{0xffffffffffff8001});
  CHECK(evaluate("cvt.s64.s8 %d0, %d1;", "d0", {{"d1", {0xabcdef80}}}) == Values{0xffffffffffffff80});
  // A register wider than the type is filled by the type's sign.
  CHECK(evaluate("cvt.s8.s32 %r0, %r1;", "r0", {{"r1", {0x1ff, 0x17f}}}) == Values{0xffffffff, 0x7f});
  CHECK(evaluate("cvt.u8.u32 %h0, %r1;", "h0", {{"r1", {0x1ff}}}) == Values{0xff});
  CHECK(evaluate("cvt.s8.s32 %h0, %r1;", "h0", {{"r1", {0x80}}}) == Values{0xff80});
}

TEST_CASE("saturating integer conversions clamp to the destination's range") {
  CHECK(evaluate("cvt.sat.u8.s32 %r0, %r1;", "r0", {{"r1", {0xffffffff, 255, 256, 7}}}) == Values{0, 255, 255, 7});
  CHECK(evaluate("cvt.sat.s8.s32 %r0, %r1;", "r0", {{"r1", {0xffffff00, 127, 128}}}) == Values{0xffffff80, 127, 127});
  CHECK(evaluate("cvt.sat.s16.u32 %h0, %r1;", "h0", {{"r1", {0xffffffff, 0x7fff}}}) == Values{0x7fff, 0x7fff});
  CHECK(evaluate("cvt.sat.u32.s64 %r0, %d1;", "r0", {{"d1", {~0ull, 0x100000000, 5}}}) == Values{0, 0xffffffff, 5});
  CHECK(evaluate("cvt.sat.s32.s64 %r0, %d1;", "r0", {{"d1", {0xffffffff00000000, 0x80000000}}}) ==
        Values{0x80000000, 0x7fffffff});
  CHECK(evaluate("cvt.sat.s64.u64 %d0, %d1;", "d0", {{"d1", {~0ull, 9}}}) == Values{0x7fffffffffffffff, 9});
  CHECK(evaluate("cvt.sat.u64.s32 %d0, %r1;", "d0", {{"r1", {0xffffffff, 9}}}) == Values{0, 9});
  CHECK(evaluate("cvt.pack.sat.s16.s32 %r0, %r1, %r2;", "r0", {{"r1", {0x12345678}}, {"r2", {0xffffffff}}}) ==
        Values{0x7fffffff});
  CHECK(evaluate("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", "r0",
                 {{"r1", {300}}, {"r2", {0xffffffff}}, {"r3", {0x12345678}}}) == Values{0x5678ff00});
}

TEST_CASE("float to integer: the four roundings") {
  const Values x = {bits(2.5f), bits(3.5f), bits(-2.5f), bits(-0.5f), bits(0.999f), bits(-7.0f)};
  const auto run = [&](const std::string& mode) {
    return evaluate("cvt." + mode + ".s32.f32 %r0, %r1;", "r0", {{"r1", x}});
  };
  const auto s = [](std::int32_t v) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)); };
  CHECK(run("rni") == Values{2, 4, s(-2), 0, 1, s(-7)});
  CHECK(run("rzi") == Values{2, 3, s(-2), 0, 0, s(-7)});
  CHECK(run("rmi") == Values{2, 3, s(-3), s(-1), 0, s(-7)});
  CHECK(run("rpi") == Values{3, 4, s(-2), 0, 1, s(-7)});
  CHECK(evaluate("cvt.rpi.ftz.s32.f32 %r0, %r1;", "r0", {{"r1", {1}}}) == Values{0});
  CHECK(evaluate("cvt.rpi.s32.f32 %r0, %r1;", "r0", {{"r1", {1}}}) == Values{1});
  CHECK(evaluate("cvt.rni.f32.f32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{bits(2.0f), bits(4.0f), bits(-2.0f), bits(-0.0f), bits(1.0f), bits(-7.0f)});
  CHECK(evaluate("cvt.rmi.f64.f64 %d0, %d1;", "d0", {{"d1", {bits(-0.5)}}}) == Values{bits(-1.0)});
  CHECK(evaluate("cvt.rzi.f16.f16 %h0, %h1;", "h0", {{"h1", {0x4100}}}) == Values{0x4000});  // 2.5
}

TEST_CASE("float to integer clamps; NaN gives 0 or the top bit, by the types") {
  const Values x = {bits(3e9f), bits(-3e9f), bits(5e9f), bits(1e20f),         bits(-1e20f),
                    0x7fc00000, 0x7f800000,  0xff800000, bits(2147483648.0f), bits(-1.0f)};
  CHECK(evaluate("cvt.rzi.s32.f32 %r0, %r1;", "r0", {{"r1", x}}) == Values{0x7fffffff, 0x80000000, 0x7fffffff,
                                                                           0x7fffffff, 0x80000000, 0, 0x7fffffff,
                                                                           0x80000000, 0x7fffffff, 0xffffffff});
  CHECK(evaluate("cvt.rzi.u32.f32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{3000000000, 0, 0xffffffff, 0xffffffff, 0, 0, 0xffffffff, 0, 0x80000000, 0});
  CHECK(evaluate("cvt.rzi.s64.f32 %d0, %r1;", "d0", {{"r1", x}}) ==
        Values{3000000000, static_cast<std::uint64_t>(-3000000000ll), 5000000000, 0x7fffffffffffffff, 1ull << 63,
               1ull << 63, 0x7fffffffffffffff, 1ull << 63, 0x80000000, ~0ull});
  CHECK(evaluate("cvt.rzi.u64.f32 %d0, %r1;", "d0", {{"r1", x}}) ==
        Values{3000000000, 0, 5000000000, ~0ull, 0, 1ull << 63, ~0ull, 0, 0x80000000, 0});
  CHECK(evaluate("cvt.rzi.s16.f32 %h0, %r1;", "h0",
                 {{"r1", {bits(40000.0f), bits(-40000.0f), bits(-5.9f), 0x7fc00000}}}) ==
        Values{0x7fff, 0x8000, 0xfffb, 0});
  CHECK(evaluate("cvt.rzi.u8.f32 %h0, %r1;", "h0", {{"r1", {bits(300.0f), bits(-1.0f), bits(7.9f)}}}) ==
        Values{255, 0, 7});
  const std::uint64_t nan = 0x7ff8000000000000;
  CHECK(evaluate("cvt.rzi.s32.f64 %r0, %d1;", "r0", {{"d1", {nan, bits(2147483647.9), bits(-1e10)}}}) ==
        Values{0x80000000, 0x7fffffff, 0x80000000});
  CHECK(evaluate("cvt.rzi.u32.f64 %r0, %d1;", "r0", {{"d1", {nan, bits(4294967295.5)}}}) ==
        Values{0x80000000, 0xffffffff});
  CHECK(evaluate("cvt.rzi.u16.f64 %h0, %d1;", "h0", {{"d1", {nan, bits(70000.0)}}}) == Values{0x8000, 0xffff});
  CHECK(evaluate("cvt.rzi.s64.f64 %d0, %d1;", "d0", {{"d1", {nan, bits(-0x1p63), bits(0x1p62)}}}) ==
        Values{1ull << 63, 1ull << 63, 1ull << 62});
}

TEST_CASE("integer to float in every rounding") {
  // 16777217 = 2^24 + 1 lies halfway between two floats; 16777219 too, with the even one above.
  const Values x = {16777217, 16777219, 0xfeffffff};  // the last is -16777217 when signed
  CHECK(evaluate("cvt.rn.f32.u32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{bits(16777216.0f), bits(16777220.0f), bits(4278190080.0f)});
  CHECK(evaluate("cvt.rz.f32.u32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{bits(16777216.0f), bits(16777218.0f), bits(4278189824.0f)});
  CHECK(evaluate("cvt.rp.f32.s32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{bits(16777218.0f), bits(16777220.0f), bits(-16777216.0f)});
  CHECK(evaluate("cvt.rm.f32.s32 %r0, %r1;", "r0", {{"r1", x}}) ==
        Values{bits(16777216.0f), bits(16777218.0f), bits(-16777218.0f)});
  CHECK(evaluate("cvt.rn.f64.s32 %d0, %r1;", "d0", {{"r1", {0xffffffff}}}) == Values{bits(-1.0)});
  CHECK(evaluate("cvt.rn.f64.u64 %d0, %d1;", "d0", {{"d1", {~0ull, (1ull << 53) + 1}}}) ==
        Values{bits(0x1p64), bits(0x1p53)});
  CHECK(evaluate("cvt.rz.f64.u64 %d0, %d1;", "d0", {{"d1", {~0ull}}}) == Values{0x43efffffffffffff});
  CHECK(evaluate("cvt.rp.f64.s64 %d0, %d1;", "d0", {{"d1", {(1ull << 53) + 1, 0x8000000000000001}}}) ==
        Values{bits(0x1.0000000000001p53), 0xc3dfffffffffffff});
  // 2^40 + 2^16 is halfway between floats 2^17 apart; one more tips it.
  CHECK(
      evaluate("cvt.rn.f32.u64 %r0, %d1;", "r0", {{"d1", {(1ull << 40) + (1 << 16), (1ull << 40) + (1 << 16) + 1}}}) ==
      Values{bits(0x1p40f), bits(0x1.000002p40f)});
  CHECK(evaluate("cvt.rz.f32.s64 %r0, %d1;", "r0", {{"d1", {0x7fffffffffffffff}}}) == Values{bits(0x1.fffffep62f)});
  CHECK(evaluate("cvt.rn.f16.s32 %h0, %r1;", "h0", {{"r1", {2049, 2051, 65520, 65519, 0xffffffff}}}) ==
        Values{0x6800, 0x6802, 0x7c00, 0x7bff, 0xbc00});
  CHECK(evaluate("cvt.rz.f16.u64 %h0, %d1;", "h0", {{"d1", {~0ull, 2051}}}) == Values{0x7bff, 0x6801});
  CHECK(evaluate("cvt.rn.bf16.u32 %h0, %r1;", "h0", {{"r1", {257, 259}}}) == Values{0x4380, 0x4382});
  CHECK(evaluate("cvt.rn.f32.u8 %r0, %h1;", "r0", {{"h1", {0x1ff}}}) == Values{bits(255.0f)});
}

TEST_CASE("between floats") {
  CHECK(evaluate("cvt.f64.f32 %d0, %r1;", "d0", {{"r1", {bits(0.1f), 1}}}) ==
        Values{bits(static_cast<double>(0.1f)), bits(0x1p-149)});
  const Values x = {bits(0.1), bits(-0.1), bits(1e300), bits(-1e300), bits(0x1p-150), bits(0x1.8p-149)};
  CHECK(evaluate("cvt.rn.f32.f64 %r0, %d1;", "r0", {{"d1", x}}) ==
        Values{0x3dcccccd, 0xbdcccccd, 0x7f800000, 0xff800000, 0, 2});
  CHECK(evaluate("cvt.rz.f32.f64 %r0, %d1;", "r0", {{"d1", x}}) ==
        Values{0x3dcccccc, 0xbdcccccc, 0x7f7fffff, 0xff7fffff, 0, 1});
  CHECK(evaluate("cvt.rm.f32.f64 %r0, %d1;", "r0", {{"d1", x}}) ==
        Values{0x3dcccccc, 0xbdcccccd, 0x7f7fffff, 0xff800000, 0, 1});
  CHECK(evaluate("cvt.rp.f32.f64 %r0, %d1;", "r0", {{"d1", x}}) ==
        Values{0x3dcccccd, 0xbdcccccc, 0x7f800000, 0xff7fffff, 1, 2});
  CHECK(evaluate("cvt.rn.ftz.f32.f64 %r0, %d1;", "r0", {{"d1", {bits(0x1p-140)}}}) == Values{0});
  CHECK(evaluate("cvt.sat.f32.f32 %r0, %r1;", "r0",
                 {{"r1", {bits(1.5f), bits(-1.0f), bits(0.25f), 0x7fc00000, 0x80000000}}}) ==
        Values{bits(1.0f), 0, bits(0.25f), 0, 0});
  CHECK(evaluate("cvt.ftz.f64.f32 %d0, %r1;", "d0", {{"r1", {0x80000001}}}) == Values{bits(-0.0)});
  // 1 + 2^-11 + 2^-40: rounding to f32 first would leave a tie.
  CHECK(evaluate("cvt.rn.f16.f64 %h0, %d1;", "h0", {{"d1", {bits(1 + 0x1p-11 + 0x1p-40), bits(1 + 0x1p-11)}}}) ==
        Values{0x3c01, 0x3c00});
  CHECK(evaluate("cvt.f64.f16 %d0, %h1;", "d0", {{"h1", {0x0001}}}) == Values{bits(0x1p-24)});
  // tf32: 10 bits of fraction. Ties away from zero, to even, cut.
  const Values t = {0x3f801000, 0x3f803000, 0xbf801000, 0x3f800fff, 0x7fc00000};
  CHECK(evaluate("cvt.rna.tf32.f32 %r0, %r1;", "r0", {{"r1", t}}) ==
        Values{0x3f802000, 0x3f804000, 0xbf802000, 0x3f800000, 0x7fffe000});
  CHECK(evaluate("cvt.rn.tf32.f32 %r0, %r1;", "r0", {{"r1", t}}) ==
        Values{0x3f800000, 0x3f804000, 0xbf800000, 0x3f800000, 0x7fffe000});
  CHECK(evaluate("cvt.rz.relu.tf32.f32 %r0, %r1;", "r0", {{"r1", t}}) ==
        Values{0x3f800000, 0x3f802000, 0, 0x3f800000, 0x7fffe000});
}
