#include "catch.h"
#include "judge/catalogue/catalogue.h"

using judge::catalogue::Expression;
using judge::catalogue::ExpressionError;
using judge::catalogue::Names;

namespace {

double value(const std::string& text, const Names& names = {}) {
  return Expression::parse(text).evaluate(names);
}

std::size_t failure_position(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const ExpressionError& e) {
    return e.position();
  }
  return std::string::npos;
}

std::string failure(const std::string& text, const Names& names) {
  try {
    Expression::parse(text).evaluate_integer(names);
  } catch (const ExpressionError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("operators bind as in C", "[expression]") {
  CHECK(value("2+3*4") == 14);
  CHECK(value("(2+3)*4") == 20);
  CHECK(value("20/4/5") == 1);
  CHECK(value("20-4-5") == 11);
  CHECK(value("-2*-3") == 6);
  CHECK(value("--2") == 2);
  CHECK(value("-2+5") == 3);
  CHECK(value("1.5e2/4") == 37.5);
}

TEST_CASE("names are sizes and constants", "[expression]") {
  CHECK(value("2*(2*R+1)*n", {{"R", 8}, {"n", 100}}) == 3400);
  CHECK(Expression::parse("n*m+n").names() == std::vector<std::string>{"n", "m"});
  CHECK(Expression::parse("ceil_div(n, 4)").names() == std::vector<std::string>{"n"});
}

TEST_CASE("functions", "[expression]") {
  CHECK(value("ceil_div(10, 4)") == 3);
  CHECK(value("ceil_div(8, 4)") == 2);
  CHECK(value("ceil_div(0, 4)") == 0);
  CHECK(value("ceil_div(-7, 4)") == -1);
  CHECK(value("min(3, 1, 2)") == 1);
  CHECK(value("max(3, 1, 7)") == 7);
  CHECK(value("min", {{"min", 5}}) == 5);
  // 2^52 + 1 over 2 is 2^51 + 1/2: a quotient in double is still exact there, its ceiling must not be 2^51.
  CHECK(value("ceil_div(4503599627370497, 2)") == 2251799813685249.0);
}

TEST_CASE("an integer is asked for where elements are counted", "[expression]") {
  CHECK(Expression::parse("n/2").evaluate_integer({{"n", 8}}) == 4);
  CHECK_THAT(failure("n/2", {{"n", 7}}), Catch::Contains("3.5") && Catch::Contains("ceil_div"));
  CHECK(Expression::parse("9007199254740992").evaluate_integer({}) == 9007199254740992);
  CHECK_THAT(failure("n*n", {{"n", 9007199254740992}}), Catch::Contains("out of range"));
}

TEST_CASE("mistakes in an expression have a position", "[expression]") {
  CHECK(failure_position("") == 0);
  CHECK(failure_position("2*") == 2);
  CHECK(failure_position("2 * )") == 4);
  CHECK(failure_position("(n+1") == 4);
  CHECK(failure_position("n n") == 2);
  CHECK(failure_position("n % 2") == 2);
  CHECK(failure_position("1+floor(n)") == 2);
  CHECK(failure_position("ceil_div(n)") == 10);
  CHECK(failure_position("ceil_div(1,2,3)") == 14);
  CHECK(failure_position("min(1,)") == 6);
}

TEST_CASE("mistakes found when an expression is evaluated", "[expression]") {
  CHECK_THAT(failure("rows*2", {{"row", 1}}), Catch::Contains("\"rows\"") && Catch::Contains("did you mean \"row\"?"));
  CHECK_THAT(failure("1/(n-n)", {{"n", 3}}), Catch::Contains("division by zero"));
  CHECK_THAT(failure("ceil_div(4, n-3)", {{"n", 3}}), Catch::Contains("divisor above zero"));
}

TEST_CASE("nesting is capped at 64 levels", "[expression]") {
  const auto nested = [](int depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
  CHECK(value(nested(63)) == 1);  // the whole expression is a level too
  CHECK(failure_position(nested(64)) != std::string::npos);
  CHECK(failure_position(std::string(100000, '(')) == 64);
  CHECK(failure_position(std::string(100000, '-') + "1") != std::string::npos);
}
