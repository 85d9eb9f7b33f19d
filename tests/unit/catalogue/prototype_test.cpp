#include "judge/catalogue/prototype.h"

#include "catch.h"

using judge::catalogue::parse_prototype;
using judge::catalogue::Prototype;
using judge::catalogue::PrototypeError;

namespace {

std::size_t failure_position(const std::string& text) {
  try {
    parse_prototype(text);
  } catch (const PrototypeError& e) {
    return e.position();
  }
  return std::string::npos;
}

}  // namespace

TEST_CASE("a prototype is parsed into names and types", "[prototype]") {
  const Prototype p = parse_prototype("void saxpy(float a, const float* x, float *y, int n);");
  CHECK(p.name == "saxpy");
  REQUIRE(p.parameters.size() == 4);
  CHECK(p.parameters[0].cpp_type() == "float");
  CHECK(p.parameters[1].cpp_type() == "const float*");
  CHECK(p.parameters[2].cpp_type() == "float*");
  CHECK(p.parameters[3].cpp_type() == "int");
  CHECK(p.parameters[1].name == "x");
  CHECK(p.parameters[1].position == 20);
}

TEST_CASE("the spellings of one type agree", "[prototype]") {
  const Prototype p = parse_prototype(
      "void f(float const * a, const float *__restrict__ b, const float* const c, const int d, unsigned long long e, "
      "std::size_t g, const unsigned int* h)");
  CHECK(p.parameters[0].cpp_type() == "const float*");
  CHECK(p.parameters[1].cpp_type() == "const float*");
  CHECK(p.parameters[2].cpp_type() == "const float*");
  CHECK(p.parameters[3].cpp_type() == "int");
  CHECK(p.parameters[4].cpp_type() == "unsigned long long");
  CHECK(p.parameters[5].cpp_type() == "std::size_t");
  CHECK(p.parameters[6].cpp_type() == "const unsigned int*");
}

TEST_CASE("mistakes in a prototype have a position", "[prototype]") {
  CHECK(failure_position("int f(int n)") == 0);
  CHECK(failure_position("void (int n)") == 5);
  CHECK(failure_position("void f int n)") == 7);
  CHECK(failure_position("void f(int n") == 12);
  CHECK(failure_position("void f(int)") == 10);
  CHECK(failure_position("void f(float** x)") == 13);
  CHECK(failure_position("void f(float& x)") == 12);
  CHECK(failure_position("void f(float x[])") == 14);
  CHECK(failure_position("void f(int n,)") == 13);
  CHECK(failure_position("void f(int n) const") == 14);
  CHECK(failure_position("void f()") == std::string::npos);
}
