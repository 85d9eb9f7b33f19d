// The outputs are nvcc 13.0's, gcc 12's and both linkers' own.
#include "judge/build/diagnostics.h"

#include "catch.h"

using namespace judge::build;
using Catch::Matchers::Contains;
using Severity = Diagnostic::Severity;

namespace {

DiagnosticContext context(const std::string& source) {
  return {"conv1d.cu", "conv1d.cu", source, "/home/student/conv", "/cache/tmp-abc"};
}

}  // namespace

TEST_CASE("cudafe++: line, column and the student's own line") {
  const std::string source = "__global__ void k(float* y, int n) { y[0] = n }\n\tvoid bar() { undefined_thing = 4; }\n";
  const auto found = parse_diagnostics(
      "conv1d.cu(1): error: expected a \";\"\n"
      "  __attribute__((global)) void k(float* y, int n) { y[0] = n }\n"
      "                                                             ^\n"
      "\n"
      "conv1d.cu(2): error: identifier \"undefined_thing\" is undefined\n"
      "   void bar() { undefined_thing = 4; }\n"
      "                ^\n"
      "\n"
      "2 errors detected in the compilation of \"judge_unit.cu\".\n",
      context(source));
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == "conv1d.cu");
  CHECK(found[0].line == 1);
  CHECK(found[0].text == "expected a \";\"");
  REQUIRE(found[0].excerpt.size() == 2);
  CHECK(found[0].excerpt[0] == "__global__ void k(float* y, int n) { y[0] = n }");
  CHECK(found[0].column == 47);  // the closing brace
  CHECK(found[0].excerpt[1] == std::string(46, ' ') + "^");
  CHECK(found[1].line == 2);
  CHECK(found[1].column == 15);
  CHECK(found[1].excerpt[0] == " void bar() { undefined_thing = 4; }");
}

TEST_CASE("cudafe++: notes stay with their error, warnings follow, both passes say it once") {
  const std::string warning =
      "conv1d.cu(1): warning #177-D: variable \"q\" was declared but never referenced\n"
      "  int q;\n"
      "      ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n";
  const auto found = parse_diagnostics(
      warning +
          "conv1d.cu(5): error: no instance of overloaded function \"foo\" matches the argument list\n"
          "            argument types are: (int)\n"
          "      foo(3);\n"
          "      ^\n"
          "conv1d.cu(2): note #3326-D: function \"foo(float *)\" does not match because argument #1 does not match "
          "parameter\n"
          "  void foo(float*);\n"
          "       ^\n"
          "\n" +
          warning,
      context("int q;\nvoid foo(float*);\nvoid foo(char*);\nvoid g() {\n    foo(3);\n}\n"));
  REQUIRE(found.size() == 3);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].text ==
        "no instance of overloaded function \"foo\" matches the argument list argument types are: (int)");
  CHECK(found[0].column == 5);
  CHECK(found[1].severity == Severity::note);
  CHECK(found[1].line == 2);
  CHECK(found[2].severity == Severity::warning);
}

TEST_CASE("cudafe++: a brace that is never closed is the student's last line") {
  const auto found = parse_diagnostics("At end of source: error: expected a \"}\"\n", context("a\nb\nc\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == "conv1d.cu");
  CHECK(found[0].line == 3);
}

TEST_CASE("gcc: preprocessing errors") {
  const auto found = parse_diagnostics(
      "In file included from judge_unit.cu:1:\n"
      "conv1d.cu:1:10: fatal error: nothere.h: No such file or directory\n"
      "    1 | #include \"nothere.h\"\n"
      "      |          ^~~~~~~~~~~\n"
      "compilation terminated.\n",
      context("#include \"nothere.h\"\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 1);
  CHECK(found[0].column == 10);
  CHECK(found[0].text == "nothere.h: No such file or directory");
  CHECK(found[0].excerpt == std::vector<std::string>{"#include \"nothere.h\"", "         ^~~~~~~~~~~"});
}

TEST_CASE("paths: the temporary folder never shows, the student's folder is relative, headers by name") {
  const auto found = parse_diagnostics(
      "/cache/tmp-abc/conv1d.cu:3:1: error: one\n"
      "/home/student/conv/helper.cuh:4:1: error: two\n"
      "/usr/local/cuda/bin/../targets/x86_64-linux/include/crt/sm_70_rt.h(50): error: three\n",
      context(""));
  REQUIRE(found.size() == 3);
  CHECK(found[0].file == "conv1d.cu");
  CHECK(found[1].file == "helper.cuh");
  CHECK(found[2].file == "crt/sm_70_rt.h");
}

TEST_CASE("ptxas: an instruction of an asm statement and a kernel's limit are found in the source") {
  const std::string source =
      "// k\n__global__ void k(float* y) {\n  asm(\"frobnicate.u32 %0, 1;\");\n}\n__global__ void big(float* y) {}\n";
  const auto found = parse_diagnostics(
      "ptxas /tmp/tmpxft_000067db_00000000-6_judge_unit.ptx, line 29; error   : Not a name of any known instruction: "
      "'frobnicate'\n"
      "ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x13880 bytes, 0xc000 max)\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      context(source));
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 3);
  CHECK(found[1].line == 5);
  CHECK_THAT(found[1].text, Contains("'big(float*)' uses too much shared data"));
}

TEST_CASE("linkers: an undefined function is named where it is used") {
  const std::string source = "int helper(int);\nvoid conv1d() { helper(1); }\n";
  for (const char* output :
       {"/usr/bin/ld: unit.o: in function `conv1d()':\ntmpxft.cudafe1.cpp:(.text+0x5): undefined reference to "
        "`helper(int)'\ncollect2: error: ld returned 1 exit status\n",
        "unit.o:tmpxft.cudafe1.cpp:function conv1d(): error: undefined reference to 'helper(int)'\ncollect2: error: ld "
        "returned 1 exit status\n"}) {
    const auto found = parse_diagnostics(output, context(source));
    REQUIRE(found.size() == 1);
    CHECK(found[0].line == 1);
    CHECK(found[0].text == "'helper(int)' is declared and used, but defined nowhere");
  }
}

TEST_CASE("what CUDA 13 removed comes with what replaced it") {
  const auto found = parse_diagnostics(
      "conv1d.cu(1): error: class \"cudaDeviceProp\" has no member \"clockRate\"\n"
      "  int a = p.clockRate;\n"
      "            ^\n\n",
      context("int a = p.clockRate;\n"));
  REQUIRE(found.size() == 2);
  CHECK(found[1].severity == Severity::note);
  CHECK_THAT(found[1].text, Contains("cudaDevAttrClockRate"));
  CHECK_THAT(replacement_hint("identifier \"cudaThreadSynchronize\" is undefined", ""),
             Contains("cudaDeviceSynchronize"));
  CHECK_THAT(replacement_hint("argument of type \"int\" is incompatible", "cudaMemPrefetchAsync(p, n, 0);"),
             Contains("cudaMemLocation"));
  CHECK(replacement_hint("identifier \"foo\" is undefined", "foo(cudaMemPrefetchAsyncIsh);").empty());
}

TEST_CASE("terminal escapes, direction marks and broken text are made harmless") {
  CHECK(neutralise("a\x1b[31mb") == "a?[31mb");
  CHECK(neutralise("a\tb\r") == "a b");
  CHECK(neutralise("\xc2\x9b"
                   "31m") == "?31m");            // CSI as a C1 control
  CHECK(neutralise("x\xe2\x80\xaey") == "x?y");  // right-to-left override
  CHECK(neutralise("\xff\xc3") == "??");         // no UTF-8
  CHECK(neutralise("\xed\xa0\x80") == "???");    // a surrogate
  CHECK(neutralise("\xe5\x8d\xb7\xe7\xa7\xaf") == "\xe5\x8d\xb7\xe7\xa7\xaf");
  const auto found = parse_diagnostics("conv1d.cu(1): error: #error \x1b]0;owned\x07\n", context("x\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].text.find('\x1b') == std::string::npos);
}

TEST_CASE("megabytes of messages end in a bounded list") {
  std::string output;
  for (int i = 1; i <= 20'000; ++i) output += "conv1d.cu(" + std::to_string(i) + "): error: no\n\n";
  output += "conv1d.cu(1): error: " + std::string(1'000'000, 'x') + "\n";
  const auto found = parse_diagnostics(output, context(""));
  REQUIRE(found.size() == 101);
  CHECK_THAT(found.back().text, Contains("only the first 100"));
}

TEST_CASE("identifiers are found in code, not in comments or strings") {
  const std::string source =
      "// conv1d(\n/* conv1d(\n */ \"conv1d(\" 'x' 1'000\nmy_conv1d(); conv1d;\nvoid conv1d (int);\n";
  CHECK(line_of_identifier(source, "conv1d", true) == 5);
  CHECK(line_of_identifier(source, "conv1d", false) == 4);
  CHECK(line_of_identifier(source, "absent", false) == 0);
}
