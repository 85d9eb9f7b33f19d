// Module level, variables, registers, functions and their directives.

#include <bit>

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes initial_of(const std::string& declaration) {
  return parse_module(declaration).variables.at(0).initial;
}

}  // namespace

TEST_CASE("version, target and comments") {
  const Module m =
      parse("// one\n/* two\nlines */.version 7.8 .target sm_90a, texmode_independent, debug\n.address_size 64 ");
  CHECK(m.version_major == 7);
  CHECK(m.version_minor == 8);
  CHECK(m.target == "sm_90a");
  CHECK(m.sm == 90);
  CHECK(m.target_suffix == "a");
}

TEST_CASE("zero bytes at the end, as in a fat binary, are no part of the text") {
  CHECK(parse(header + std::string(3, '\0')).sm == 80);
}

TEST_CASE("names outlive the parser and the module moves") {
  Module moved;
  {
    Module m = parse_kernel("{ .reg .pred p; L: bra L; } { L: bra L; }");
    moved = std::move(m);
  }
  CHECK(moved.functions[0].labels.count("L") == 1);
  CHECK(moved.functions[0].labels.count("L.2") == 1);
}

TEST_CASE("variables: space, type, alignment and size") {
  const Module m = parse_module(
      ".visible .global .align 16 .v4 .f32 v[3];\n.const .align 4 .b8 cw[68];\n.extern .shared .align 16 .b8 sh[];\n"
      ".global .f64 d, e;\n.shared .u16 s[2][3][4];\n.weak .global .attribute(.managed) .align 8 .u64 w;\n"
      ".common .global .s8 c;\n.global .texref t;\n.global .attribute(.unified(1, 2)) .b128 wide;\n");
  REQUIRE(m.variables.size() == 10);
  const Variable& v = m.variables[0];
  CHECK(v.name == "v");
  CHECK(v.space == Space::global);
  CHECK(v.type == Type::f32);
  CHECK(v.vector == 4);
  CHECK(v.align == 16);
  CHECK(v.bytes == 48);
  CHECK(v.is_array);
  CHECK(v.is_visible);
  CHECK(v.at.line == 4);
  CHECK(v.at.column == 37);
  CHECK(m.variables[1].space == Space::constant);
  CHECK(m.variables[1].bytes == 68);
  CHECK(m.variables[1].initial.empty());
  CHECK(m.variables[2].is_extern);
  CHECK(m.variables[2].bytes == 0);
  CHECK(m.variables[2].align == 16);
  CHECK(m.variables[4].name == "e");
  CHECK(m.variables[4].align == 8);
  CHECK_FALSE(m.variables[4].is_array);
  CHECK(m.variables[5].bytes == 48);
  CHECK(m.variables[6].is_weak);
  CHECK(m.variables[6].is_managed);
  CHECK(m.variables[7].is_weak);
  CHECK(m.variables[8].bytes == 8);
  CHECK(m.variables[9].bytes == 16);
}

TEST_CASE("initialisers of scalars") {
  CHECK(initial_of(".global .u32 x = 0x01020304;") == Bytes{4, 3, 2, 1});
  CHECK(initial_of(".global .s16 x = -2;") == Bytes{0xfe, 0xff});
  CHECK(initial_of(".global .f32 x = 0f3F800000;") == Bytes{0, 0, 0x80, 0x3f});
  CHECK(initial_of(".global .f32 x = 1.5;") == Bytes{0, 0, 0xc0, 0x3f});
  CHECK(initial_of(".global .f32 x = -2;") == Bytes{0, 0, 0, 0xc0});
  CHECK(initial_of(".global .f64 x = 0d3FD0000000000000;") == Bytes{0, 0, 0, 0, 0, 0, 0xd0, 0x3f});
  CHECK(initial_of(".global .f64 x = .25;") == Bytes{0, 0, 0, 0, 0, 0, 0xd0, 0x3f});
  CHECK(initial_of(".global .b16 x = 0x3C00;") == Bytes{0, 0x3c});
  CHECK(initial_of(".global .f16 x = 1.5;") == Bytes{0, 0x3e});                 // 1.5 = 0 01111 1000000000
  CHECK(initial_of(".global .f16 x = 65520.0;") == Bytes{0, 0x7c});             // halfway to 65536 rounds to infinity
  CHECK(initial_of(".global .f16 x = 5.9604644775390625e-8;") == Bytes{1, 0});  // 2^-24, the smallest
  CHECK(initial_of(".global .bf16 x = 1.00390625;") == Bytes{0x80, 0x3f});      // 1 + 2^-8 ties to even: 1.0
  CHECK(initial_of(".global .u32 x = {7};") == Bytes{7, 0, 0, 0});
}

TEST_CASE("constant expressions") {
  const auto value = [](const std::string& expression) {
    const Bytes bytes = initial_of(".global .s64 x = " + expression + ";");
    std::uint64_t v = 0;
    for (int i = 7; i >= 0; --i) v = v << 8 | bytes[static_cast<std::size_t>(i)];
    return static_cast<std::int64_t>(v);
  };
  CHECK(value("(1<<4)") == 16);
  CHECK(value("0x10U") == 16);
  CHECK(value("017") == 15);
  CHECK(value("0b101") == 5);
  CHECK(value("-1") == -1);
  CHECK(value("2+3*4") == 14);
  CHECK(value("(2+3)*4 - 1") == 19);
  CHECK(value("7 / 2 + 7 % 4") == 6);
  CHECK(value("-7 / 2") == -3);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("1 ? 2 : 3") == 2);
  CHECK(value("0 ? 2 : 0 ? 3 : 4") == 4);
  CHECK(value("3 > 2 && 1 >= 2 || 5 == 5") == 1);
  CHECK(value("~0 & 0xf0 | 3 ^ 1") == 0xf2);
  CHECK(value("!3") == 0);
  CHECK(value("!0 + 1") == 2);
  CHECK(value("-8 >> 1") == -4);
  CHECK(value("(.u64)-8 >> 60") == 15);
  CHECK(value("-1 < 1U") == 0);  // unsigned comparison
  CHECK(value("(.s64)1U > -1") == 1);
  CHECK(value("WARP_SZ * 2") == 64);
  CHECK(value("1 << 64") == 0);
  CHECK(value("(-9223372036854775807 - 1) / -1") == std::numeric_limits<std::int64_t>::min());
  CHECK(value("1.5 < 2") == 1);
}

TEST_CASE("initialisers of arrays: nested braces fill sub-arrays, the rest is zero") {
  CHECK(initial_of(".global .b8 x[4] = {1, 2};") == Bytes{1, 2, 0, 0});
  CHECK(initial_of(".global .b8 x[2][3] = {{1}, {2, 3}};") == Bytes{1, 0, 0, 2, 3, 0});
  CHECK(initial_of(".global .b8 x[2][3] = {1, 2, 3, 4};") == Bytes{1, 2, 3, 4, 0, 0});
  CHECK(initial_of(".global .b8 x[2][2][2] = {{{1}, {2}}, {{3, 4}}};") == Bytes{1, 0, 2, 0, 3, 4, 0, 0});
  CHECK(initial_of(".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};") == Bytes{1, 2, 3, 4});
  CHECK(initial_of(".global .v2 .u8 x = {1, 2};") == Bytes{1, 2});
  const Module open = parse_module(".global .u16 x[] = {1, 2, 3};");
  CHECK(open.variables[0].bytes == 6);
  CHECK(open.variables[0].initial == Bytes{1, 0, 2, 0, 3, 0});
  const Module rows = parse_module(".global .u8 x[][3] = {{1}, {2, 3}};");
  CHECK(rows.variables[0].bytes == 6);
}

TEST_CASE("addresses in initialisers") {
  const Module m = parse_module(
      ".func f;\n.global .u8 t[9];\n.global .u64 p[4] = {f, generic(t), t+4, generic(t)+8};\n"
      ".global .align 8 .b8 q[10] = {1, 0xFF(t), 0xFF00(t), 0xFF0000(t), 0xFF000000(t), 0xFF00000000(t),"
      " 0xFF0000000000(t), 0xFF000000000000(t), 0xFF00000000000000(t), 5};\n.global .u64 r = generic(t-1)+3;\n");
  const Variable& p = m.variables[1];
  CHECK(p.initial == Bytes(32, 0));
  REQUIRE(p.relocations.size() == 4);
  CHECK(p.relocations[0].symbol == "f");
  CHECK_FALSE(p.relocations[0].generic);
  CHECK(p.relocations[1].offset == 8);
  CHECK(p.relocations[1].generic);
  CHECK(p.relocations[2].addend == 4);
  CHECK(p.relocations[3].offset == 24);
  CHECK(p.relocations[3].addend == 8);
  CHECK(p.relocations[3].generic);
  const Variable& q = m.variables[2];
  REQUIRE(q.relocations.size() == 1);
  CHECK(q.relocations[0].offset == 1);
  CHECK(q.relocations[0].symbol == "t");
  CHECK(q.initial == Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0, 5});
  CHECK(m.variables[3].relocations.at(0).addend == 2);
}

TEST_CASE("functions, parameters, directives") {
  const Module m = parse_module(
      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
      ".func (.reg .u32 r) twice (.reg .u32 x) { add.u32 r, x, x; ret; }\n"
      ".weak .func .attribute(.unified(3, 4)) stop () .noreturn { trap; }\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[32], .param .u32 n)\n"
      ".maxntid 128, 2\n.reqntid 32\n.minnctapersm 3 .maxnreg 64\n.reqnctapercluster 2, 1, 1\n.explicitcluster\n"
      ".maxclusterrank 8\n.pragma \"nounroll\";\n{ ret; }\n.alias other, stop;\n");
  REQUIRE(m.functions.size() == 4);
  CHECK(m.functions[0].is_extern);
  CHECK(m.functions[0].parameters.size() == 2);
  CHECK(m.functions[0].results.at(0).bytes == 4);
  const Function& twice = m.functions[1];
  CHECK(twice.register_names.at(0) == "r");
  CHECK(twice.register_names.at(1) == "x");
  CHECK(twice.parameters.at(0).space == Space::reg);
  CHECK(m.functions[2].no_return);
  CHECK(m.functions[2].is_weak);
  const Function& k = m.functions[3];
  CHECK(k.is_entry);
  CHECK(k.is_visible);
  REQUIRE(k.parameters.size() == 3);
  CHECK(k.parameters[0].align == 8);  // of the parameter; 16 belongs to what it points to
  CHECK(k.parameters[1].bytes == 32);
  CHECK(k.parameters[1].align == 8);
  CHECK(k.max_threads[0] == 128);
  CHECK(k.max_threads[1] == 2);
  CHECK(k.max_threads[2] == 1);
  CHECK(k.required_threads[0] == 32);
  CHECK(k.min_blocks == 3);
  CHECK(k.cluster[0] == 2);
  CHECK(m.aliases.at("other") == "stop");
}

TEST_CASE("a declaration and its definition are one function and one variable") {
  const Module m = parse_module(
      ".func f (.param .b32 x);\n.extern .global .u32 g;\n.func f (.param .b32 x) { ret; }\n.global .u32 g = 5;\n");
  REQUIRE(m.functions.size() == 1);
  CHECK_FALSE(m.functions[0].is_extern);
  CHECK(m.functions[0].body.size() == 1);
  REQUIRE(m.variables.size() == 1);
  CHECK(m.variables[0].initial.size() == 4);
}

TEST_CASE("registers: ranges, lists, vectors, and which of two ranges a name belongs to") {
  const Module m = parse_kernel(
      ".reg .b32 %r<12>; .reg .b32 x, b, c; .reg .v2 .f32 v; .reg .b64 %r1x<3>; .reg .b32 %q1<30>;\n"
      "mov.b32 %r11, x; mov.f32 v.y, v.x; mov.b64 %r1x2, 0; mov.b32 %q12, %q129; add.u32 c, b, %r0;");
  const Function& k = m.functions[0];
  CHECK(k.registers.size() == 12 + 3 + 2 + 3 + 30);
  CHECK(k.body[0].operands[0].reg == 11);
  CHECK(k.register_names[11] == "%r11");
  CHECK(k.body[0].operands[1].reg == 12);
  CHECK(k.body[1].operands[0].reg == 16);
  CHECK(k.body[1].operands[1].reg == 15);
  CHECK(k.registers[15].type == Type::f32);
  CHECK(k.body[2].operands[0].reg == 17 + 2);
  CHECK(k.body[3].operands[0].reg == 20 + 2);
  CHECK(k.body[3].operands[1].reg == 20 + 29);
}

TEST_CASE("scopes: a name may be declared again inside, and means what is innermost") {
  const Module m = parse_kernel(
      ".reg .b32 x; .param .b32 p;\n{ .reg .f64 x; .param .b32 p; mov.f64 x, x; st.param.b32 [p], 1;\n"
      "{ .reg .pred x; mov.pred x, x; } mov.f64 x, 0d0000000000000000; }\nmov.b32 x, x; st.param.b32 [p+0], 2;");
  const Function& k = m.functions[0];
  REQUIRE(k.registers.size() == 3);
  CHECK(k.body[0].operands[0].reg == 1);
  CHECK(k.body[1].operands[0].name == "p.2");
  CHECK(k.body[2].operands[0].reg == 2);
  CHECK(k.body[3].operands[0].reg == 1);
  CHECK(k.body[4].operands[0].reg == 0);
  CHECK(k.body[5].operands[0].name == "p");
  REQUIRE(k.variables.size() == 2);
  CHECK(k.variables[1].name == "p.2");
}

TEST_CASE("labels: local to their scope, found outside when not inside, forwards and backwards") {
  const Module m =
      parse_kernel(".reg .pred %p<2>;\n{ @%p1 bra L; exit; L: } { bra L; L: bra L; bra OUT; } L: bra L; OUT: ret;");
  const Function& k = m.functions[0];
  CHECK(k.body[0].operands[0].name == "L");
  CHECK(k.labels.at("L") == 2);
  CHECK(k.body[2].operands[0].name == "L.2");
  CHECK(k.body[3].operands[0].name == "L.2");
  CHECK(k.labels.at("L.2") == 3);
  CHECK(k.body[4].operands[0].name == "OUT");
  CHECK(k.body[5].operands[0].name == "L.3");
  CHECK(k.labels.at("OUT") == 6);
}

TEST_CASE("source lines: chains of inlined calls and names of the inlined functions") {
  const Module m =
      parse(kernel(".loc 1 18 3\nexit;\n.loc 2 48 9, function_name $L__s0, inlined_at 1 18 3\n"
                   ".loc 3 87 1, function_name $L__s1 + 2, inlined_at 2 48 9\nexit;\n.loc 1 0 0\nexit;") +
            ".file 1 \"a b.cu\"\n.file 2 \"x.h\", 123, 456\n.section .debug_abbrev { .b8 1 .b32 .debug_info }\n"
            ".section .debug_str\n{\n$L__s0:\n.b8 95,90\n.b8 120,0\n$L__s1:\n.b8 1,2,102,0\n}\n");
  const auto& body = m.functions[0].body;
  CHECK(m.files.at(1) == "a b.cu");
  CHECK(m.files.at(2) == "x.h");
  const Location& outer = m.locations.at(static_cast<std::size_t>(body[0].location));
  CHECK(outer.line == 18);
  CHECK(outer.inlined_at == -1);
  const Location& inner = m.locations.at(static_cast<std::size_t>(body[1].location));
  CHECK(inner.file == 3);
  CHECK(inner.column == 1);
  CHECK(inner.inlined_function == "f");
  const Location& middle = m.locations.at(static_cast<std::size_t>(inner.inlined_at));
  CHECK(middle.line == 48);
  CHECK(middle.inlined_function == "_Zx");
  CHECK(middle.inlined_at == body[0].location);
  CHECK(m.locations.at(static_cast<std::size_t>(body[2].location)).line == 0);
}
