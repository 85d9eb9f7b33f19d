#include <cstring>

#include "catch.h"
#include "judge/check/check.h"

using namespace judge::check;
using judge::catalogue::Argument;
using judge::catalogue::Element;
using judge::catalogue::Exercise;
using judge::catalogue::Expression;
using judge::catalogue::Names;
using judge::catalogue::Role;

namespace {

Argument argument(const std::string& name, Role role, Element type, const std::string& shape, const std::string& cpp) {
  Argument a;
  a.name = name;
  a.role = role;
  a.type = type;
  if (!shape.empty()) a.shape = {Expression::parse(shape)};
  a.cpp_type = cpp;
  return a;
}

Exercise exercise() {
  Exercise e;
  e.arguments = {argument("a", Role::scalar, Element::float32, "", "float"),
                 argument("x", Role::in, Element::float32, "n", "const float*"),
                 argument("y", Role::inout, Element::float32, "n", "float*"),
                 argument("z", Role::out, Element::int32, "m", "int*"),
                 argument("n", Role::size, Element::float32, "", "int"),
                 argument("m", Role::size, Element::float32, "", "long long")};
  return e;
}

Buffer floats(const std::string& name, const std::vector<float>& values, std::vector<std::int64_t> shape) {
  Buffer b{name, Element::float32, std::move(shape), std::vector<std::byte>(4 * values.size())};
  std::memcpy(b.bytes.data(), values.data(), b.bytes.size());
  return b;
}

std::map<std::string, Buffer> inputs() {
  return {{"a", floats("a", {2}, {})}, {"x", floats("x", {1, 2, 3}, {3})}, {"y", floats("y", {10, 20, 30}, {3})}};
}

const Names kNames = {{"n", 3}, {"m", 4}};

std::string failure(const char* library, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  try {
    run_reference(library, exercise(), kNames, inputs(), limit);
  } catch (const ReferenceError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the reference fills out and inout buffers and leaves the inputs alone", "[reference]") {
  const auto given = inputs();
  const auto results = run_reference(REFERENCE_AXPY, exercise(), kNames, given);
  REQUIRE(results.size() == 2);
  const Buffer& y = results.at("y");
  const float expected_y[] = {12, 24, 36};
  REQUIRE(y.bytes.size() == sizeof expected_y);
  CHECK(std::memcmp(y.bytes.data(), expected_y, sizeof expected_y) == 0);
  const Buffer& z = results.at("z");
  const int expected_z[] = {0, 1, 4, 9};
  REQUIRE(z.bytes.size() == sizeof expected_z);
  CHECK(std::memcmp(z.bytes.data(), expected_z, sizeof expected_z) == 0);
  CHECK(z.type == Element::int32);
  CHECK(z.shape == std::vector<std::int64_t>{4});
  CHECK(given.at("y").bytes == inputs().at("y").bytes);
}

TEST_CASE("a reference that fails is named, with how it failed", "[reference]") {
  CHECK_THAT(failure(REFERENCE_CRASH), Catch::Contains("crashed with SIGSEGV"));
  CHECK_THAT(failure(REFERENCE_LEAVE), Catch::Contains("exit status 0 before it returned"));
  CHECK_THAT(failure(REFERENCE_THROW), Catch::Contains("a sum that does not add up"));
  CHECK_THAT(failure(REFERENCE_NOTHING), Catch::Contains("does not export judge_reference"));
  CHECK_THAT(failure(REFERENCE_UNLOADABLE), Catch::Contains("no_library_defines_this"));
  CHECK_THAT(failure("/nowhere/library.so"), Catch::Contains("cannot be loaded"));
  CHECK(failure(REFERENCE_AXPY).empty());  // and the judge is still healthy
}

TEST_CASE("a reference that does not return is stopped", "[reference]") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THAT(failure(REFERENCE_HANG, std::chrono::milliseconds(100)), Catch::Contains("did not return within 100 ms"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("inputs that do not fit are refused before anything runs", "[reference]") {
  auto wrong = inputs();
  wrong.at("x").bytes.pop_back();
  CHECK_THROWS_AS(run_reference(REFERENCE_AXPY, exercise(), kNames, wrong), ReferenceError);
  wrong.erase("x");
  CHECK_THROWS_AS(run_reference(REFERENCE_AXPY, exercise(), kNames, wrong), ReferenceError);
}

TEST_CASE("a size takes the parameter's C++ type", "[reference]") {
  const Exercise e = exercise();
  CHECK(size_bytes(e.arguments[4], 258) ==
        std::vector<std::byte>{std::byte{2}, std::byte{1}, std::byte{0}, std::byte{0}});
  CHECK(size_bytes(e.arguments[5], 258).size() == 8);
}
