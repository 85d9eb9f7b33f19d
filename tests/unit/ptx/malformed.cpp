// Text that is not PTX ends in a ParseError that says where and what was expected; limits hold.

#include <chrono>

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;

namespace {

struct Malformed {
  std::string text;
  int line, column;
  std::string message;
};

void check(const Malformed& row) {
  INFO(row.text.substr(0, 300));
  try {
    parse(row.text);
    FAIL("parsed, expected an error: " << row.message);
  } catch (const ParseError& error) {
    INFO(error.what());
    CHECK(error.at.line == row.line);
    CHECK(error.at.column == row.column);
    CHECK(std::string(error.what()).find(row.message) != std::string::npos);
    CHECK(std::string(error.what())
              .find("PTX line " + std::to_string(row.line) + ", column " + std::to_string(row.column) + ": ") == 0);
  }
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += part;
  return result;
}

}  // namespace

TEST_CASE("malformed modules") {
  const auto module = [](const std::string& text) { return header + text; };
  const Malformed rows[] = {
      {"", 1, 1, "expected .version"},
      {"hello", 1, 1, "expected .version at the beginning of the module, found 'hello'"},
      {".version", 1, 9, "expected a version such as 8.0, found the end"},
      {".version 8", 1, 10, "expected a version"},
      {".version 8e3 .target sm_80", 1, 10, "expected a version"},
      {".version 8.0", 1, 13, "expected .target after .version"},
      {".version 8.0\n.target gfx90", 2, 9, "expected a target such as sm_75, found 'gfx90'"},
      {".version 8.0\n.target sm_123456", 2, 9, "expected a target"},
      {".version 8.0 .target sm_80 .address_size 32", 1, 42, "expected 64"},
      {module("/* never closed"), 4, 1, "expected */"},
      {module("\n\n  .file 1 \"open\n"), 6, 11, "expected \" to end this string"},
      {module(".file one"), 4, 7, "expected the number of a file, found 'one'"},
      {module(std::string(".global\0", 8) + ".u32 x;"), 4, 8, "unexpected byte 0x00"},
      {module("\xc3\xa9"), 4, 1, "unexpected byte 0xc3"},
      {module("#include"), 4, 1, "unexpected byte 0x23"},
      {module(".global x;"), 4, 9, "expected a type, found 'x'"},
      {module(".global .u33 x;"), 4, 9, "expected a type, .align or a vector length, found '.u33'"},
      {module(".global .u32 .f32 x;"), 4, 14, "expected a type, .align"},
      {module(".global .align 3 .u32 x;"), 4, 16, "power of two"},
      {module(".global .align 0 .u32 x;"), 4, 16, "power of two"},
      {module(".global .align 99999999 .u32 x;"), 4, 16, "at most 1048576"},
      {module(".global .u32 5;"), 4, 14, "expected a variable name, found '5'"},
      {module(".global .u32 x"), 4, 15, "expected ',' or ';' after a variable, found the end of the text"},
      {module(".global .u32 x[-1];"), 4, 16, "array length"},
      {module(".global .u32 x[1.5];"), 4, 16, "array length"},
      {module(".global .u32 x[2][];"), 4, 19, "only the first dimension"},
      {module(".global .u8 x[4294967297];"), 4, 13, "limit: variable_bytes"},
      {module(".global .u64 x[0x7fffffffffffffff][4];"), 4, 14, "limit: variable_bytes"},
      {module(".global .u32 x = 99999999999999999999;"), 4, 18, "does not fit in 64 bits"},
      {module(".global .u32 x = 1e999;"), 4, 18, "does not fit"},
      {module(".global .u32 x = 0x;"), 4, 20, "expected a digit"},
      {module(".global .u32 x = 09;"), 4, 19, "expected the end of this number"},
      {module(".global .u32 x = 12ab;"), 4, 20, "expected the end of this number"},
      {module(".global .f32 x = 0f3F80;"), 4, 18, "exactly 8 hexadecimal digits"},
      {module(".global .f64 x = 0d3F80000;"), 4, 18, "exactly 16 hexadecimal digits"},
      {module(".global .u32 x = 1 / 0;"), 4, 20, "division by zero"},
      {module(".global .u32 x = ;"), 4, 18, "expected a constant, found ';'"},
      {module(".global .u32 x = (1;"), 4, 20, "expected ')', found ';'"},
      {module(".global .u32 x = 1 ? 2;"), 4, 23, "expected ':'"},
      {module(".global .u32 x = 1.5;"), 4, 18, "expected an integer for an element of type .u32"},
      {module(".global .u16 x = y;"), 4, 18, "an address needs an element of 64 or 32 bits, not .u16"},
      {module(".global .u8 x[2] = 1;"), 4, 20, "expected '{'"},
      {module(".global .u8 x[2] = {1, 2, 3};"), 4, 27, "more values than the array holds"},
      {module(".global .u8 x[2] = {{1}};"), 4, 21, "more braces than dimensions"},
      {module(".global .u8 x[2][2] = {1, {2}};"), 4, 27, "row begun before this brace is not full"},
      {module(".global .u8 x[2] = {1 2};"), 4, 23, "expected ',' or '}' after a value"},
      {module(".global .b8 x[2] = {0xFF00(y)};"), 4, 21, "eight bytes of an address in order"},
      {module(".global .u64 x = 0xFF(y);"), 4, 18, "a masked address needs elements of 8 bits"},
      {module(".global .u32 x;\n.global .f32 x;"), 5, 14, "'x' is declared twice in this module"},
      {module(".func f { ret; }\n.func f { ret; }"), 5, 7, "'f' is defined twice"},
      {module(".global .u32 f;\n.func f;"), 5, 7, "declared twice"},
      {module(".entry k(.param .u32) {}"), 4, 21, "expected the name of this parameter, found ')'"},
      {module(".entry k(.global .u32 x) {}"), 4, 10, "expected a parameter: .param or .reg"},
      {module(".entry k .maxntid x {}"), 4, 19, "expected a number of threads or blocks, found 'x'"},
      {module(".entry k .nonsense {}"), 4, 10, "expected a directive of a function, found '.nonsense'"},
      {module(".section .debug_str { $a: .b8 1"), 4, 32, "expected '}' to end this section"},
      {module(".attribute x"), 4, 1, "expected a declaration or a directive"},
      {module(".alias a b;"), 4, 10, "expected ',' after the alias"},
  };
  for (const Malformed& row : rows) check(row);
}

TEST_CASE("malformed bodies") {
  const Malformed rows[] = {
      {kernel("ret"), 6, 1, "expected an operand, found '}'"},
      {header + ".entry k {\n ret;", 5, 6, "expected an instruction, a declaration or '}', found the end of the text"},
      {kernel(".reg .b32 %r<4000000000>;"), 5, 11, "limit: registers_per_function"},
      {kernel(".reg .b32 %r<x>;"), 5, 14, "expected how many registers, found 'x'"},
      {kernel(".reg .b32 %r<2;"), 5, 15, "expected '>'"},
      {kernel(".reg .b32 x, x;"), 5, 14, "'x' is declared twice in this scope"},
      {kernel(".reg .b32 %r1; .reg .b32 %r<5>;"), 5, 26, "'%r1' is declared twice"},
      {kernel(".reg .b32 %r<5>; .reg .b32 %r1;"), 5, 28, "'%r1' is declared twice"},
      {kernel(".reg .b32 %r<20>; .reg .b32 %r1<3>;"), 5, 29, "'%r10' is declared twice"},
      {kernel(".reg .v2 .b32 %r<5>;"), 5, 15, "expected a scalar type"},
      {kernel("L: L: ret;"), 5, 4, "'L' is declared twice"},
      {kernel("mov.u32 %r1, 0;"), 5, 9, "register '%r1' is not declared"},
      {kernel(".reg .b32 %r<4>; mov.u32 %r4, 0;"), 5, 26, "register '%r4' is not declared"},
      {kernel(".reg .b32 %r<4>; mov.u32 %r01, 0;"), 5, 26, "register '%r01' is not declared"},
      {kernel("{ .reg .b32 x; }\nmov.u32 %x, 0;"), 6, 9, "register '%x' is not declared"},
      {kernel("@p ret;"), 5, 2, "expected a declared predicate register, found 'p'"},
      {kernel("@ ret;"), 5, 3, "expected a declared predicate register"},
      {kernel("add.s32 , 1;"), 5, 9, "expected an operand, found ','"},
      {kernel("ld.u32 {, [a];"), 5, 9, "expected an operand"},
      {kernel("ld.u32 {1, [a];"), 5, 12, "expected a register or constant in this vector"},
      {kernel("ld.u32 {1; "), 5, 10, "expected ',' or '}' after an element of this vector"},
      {kernel("ld.u32 1, [a;"), 5, 13, "expected ']' of this address, found ';'"},
      {kernel("ld.u32 1, [a+];"), 5, 14, "expected a constant, found ']'"},
      {kernel("ld.u32 1, [a+1.5];"), 5, 13, "expected an integer offset"},
      {kernel("ld.u32 1, [%tid];"), 5, 12, "as the base of an address"},
      {kernel("ld.u32 1, a[2];"), 5, 12, "expected the name of an array before"},
      {kernel("mov.u32 1, %tid.q;"), 5, 16, "expected a component"},
      {kernel("setp.eq.s32 _|;"), 5, 15, "expected a register or '_' after '|'"},
      {kernel("call (a, f;"), 5, 11, "expected ',' or ')' after an argument"},
      {kernel("call (a) f;"), 5, 10, "expected ',' and the function to call"},
      {kernel("mov.u32 1, 2 3;"), 5, 14, "expected ';' after the operands of 'mov', found '3'"},
      {kernel(".loc 1 2;"), 5, 9, "expected the column of .loc"},
      {kernel(".loc 1 2 3, nonsense"), 5, 13, "expected function_name or inlined_at, found 'nonsense'"},
      {kernel(".entry x {}"), 5, 1, "expected a declaration or directive of a function body"},
      {kernel(".local .u8 x = 3;"), 5, 12, "only .global and .const variables have initialisers"},
      {kernel("T: .branchtargets ;"), 5, 19, "expected a name after .branchtargets"},
      {kernel("P: .callprototype (.param .b32 _) (;"), 5, 35, "expected '_'"},
      {kernel("]"), 5, 1, "expected an instruction, a declaration or '}', found ']'"},
  };
  for (const Malformed& row : rows) check(row);
}

TEST_CASE("columns count bytes and lines count newlines in comments too") {
  check({header + "/* \xc3\xa9\n\n*/ ?", 6, 4, "expected a declaration"});
  check({header + "// \xc3\xa9 comment\r\n\t?", 5, 2, "expected a declaration"});
}

TEST_CASE("limits at their edges") {
  ParseLimits limits;
  limits.registers_per_function = 10;
  CHECK_NOTHROW(parse(kernel(".reg .b32 %r<10>;"), limits));
  CHECK_THROWS_AS(parse(kernel(".reg .b32 %r<11>;"), limits), ParseError);
  CHECK_THROWS_AS(parse(kernel(".reg .b32 %r<10>; .reg .b32 x;"), limits), ParseError);

  limits = {};
  limits.instructions = 2;
  CHECK_NOTHROW(parse(kernel("ret; ret;"), limits));
  CHECK(has(error_of([&] { parse(kernel("ret; ret; ret;"), limits); }), "limit: instructions"));

  limits = {};
  limits.text_bytes = header.size();
  CHECK_NOTHROW(parse(header, limits));
  CHECK(has(error_of([&] { parse(header + " ", limits); }), "limit: text_bytes"));

  limits = {};
  limits.nesting = 4;
  CHECK_NOTHROW(parse(kernel("{{{ }}}"), limits));
  CHECK(has(error_of([&] { parse(kernel("{{{{ }}}}"), limits); }), "limit: nesting"));
  CHECK_NOTHROW(parse(header + ".global .u32 x = (((1)));", limits));
  CHECK(has(error_of([&] { parse(header + ".global .u32 x = ((((1))));", limits); }), "limit: nesting"));

  limits = {};
  limits.variable_bytes = 8;
  CHECK_NOTHROW(parse(header + ".global .u8 x[8];", limits));
  CHECK(has(error_of([&] { parse(header + ".global .u8 x[9];", limits); }), "limit: variable_bytes"));

  limits = {};
  limits.initial_bytes = 8;
  CHECK_NOTHROW(parse(header + ".global .u8 x[4] = {1}; .global .u8 y[4] = {1};", limits));
  CHECK(has(error_of([&] { parse(header + ".global .u8 x[4] = {1}; .global .u8 y[5] = {1};", limits); }),
            "limit: initial_bytes"));
}

TEST_CASE("hostile text ends soon") {
  const auto begin = std::chrono::steady_clock::now();
  const std::string texts[] = {
      header + ".global .u32 x = " + repeated("(", 200000),
      header + ".global .u32 x = " + repeated("-", 200000),
      header + ".global .u32 x = " + repeated("1?", 200000),
      header + ".global .u8 x[] = " + repeated("{", 200000),
      kernel(repeated("{", 200000)),
      kernel("mov.b32 " + repeated("{", 200000)),
      kernel("mov" + repeated(".b32", 200000)),
      kernel("mov.b32 " + repeated("1,", 200000)),
      kernel("mov.b32 " + repeated("x|", 200000)),
      header + ".global .u8 x" + repeated("[1]", 200000),
      header + repeated(".func f" + std::string(1, 'x') + " { .reg .b32 %r<1000000>; }\n", 2),
      header + ".global .b8 x[4000000000] = {1};",
      std::string(300000, '\xff'),
  };
  for (const std::string& text : texts) CHECK_THROWS_AS(parse(text), ParseError);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("every prefix of a module is an error with a position inside it") {
  const std::string whole =
      kernel(".reg .b32 %r<3>; .reg .pred p;\nL: @!p add.s32 %r1, %r2, 0x1f;\nst.u32 [a+4], {%r1};\nbra L;");
  for (std::size_t length = header.size() + 2; length + 3 < whole.size(); ++length) {
    try {
      parse(whole.substr(0, length));
      FAIL("a prefix of " << length << " bytes parsed");
    } catch (const ParseError& error) {
      CHECK(error.at.line >= 4);
      CHECK(error.at.line <= 9);
    }
  }
}
