#include "judge/arguments.h"

#include <cstring>

#include "catch.h"

using namespace judge;
using catalogue::Role;

namespace {

catalogue::Argument argument(const char* name, Role role, const char* cpp_type, std::vector<const char*> shape = {}) {
  catalogue::Argument a;
  a.name = name;
  a.role = role;
  a.cpp_type = cpp_type;
  for (const char* extent : shape) a.shape.push_back(catalogue::Expression::parse(extent));
  return a;
}

check::Buffer buffer(const char* name, std::size_t elements) {
  check::Buffer b;
  b.name = name;
  b.bytes.resize(4 * elements);
  return b;
}

catalogue::Exercise exercise() {
  catalogue::Exercise e;
  e.arguments = {argument("x", Role::in, "const float*", {"n"}),
                 argument("w", Role::in, "const float*", {"2*R+1"}),
                 argument("y", Role::out, "float*", {"n", "2"}),
                 argument("a", Role::scalar, "float"),
                 argument("n", Role::size, "int"),
                 argument("m", Role::size, "long long")};
  e.arguments[1].host_memory = true;
  return e;
}

}  // namespace

TEST_CASE("arguments in the entry's order, with what the prototype and the catalogue say of them") {
  const catalogue::Names names{{"n", 5}, {"R", 8}, {"m", -2}};
  Buffers inputs;
  for (const auto& [name, elements] : {std::pair{"x", 5}, {"w", 17}, {"a", 1}}) inputs[name] = buffer(name, elements);
  const auto arguments = entry_arguments(exercise(), names, inputs);
  REQUIRE(arguments.size() == 6);

  REQUIRE(arguments[0].buffer);
  CHECK(arguments[0].buffer->count == 5);
  CHECK(arguments[0].buffer->element_type == "float32");
  CHECK(arguments[0].buffer->residence == session::Residence::device);
  CHECK(arguments[0].buffer->contents.data() == inputs["x"].bytes.data());  // not a copy

  CHECK(arguments[1].buffer->count == 17);
  CHECK(arguments[1].buffer->residence == session::Residence::host);

  CHECK(arguments[2].buffer->count == 10);
  CHECK(arguments[2].buffer->direction == session::Direction::out);
  CHECK(arguments[2].buffer->contents.empty());

  CHECK(arguments[3].scalar->value.size() == 4);
  REQUIRE(arguments[4].scalar->value.size() == 4);
  std::int32_t n = 0;
  std::memcpy(&n, arguments[4].scalar->value.data(), 4);
  CHECK(n == 5);
  REQUIRE(arguments[5].scalar->value.size() == 8);
  std::int64_t m = 0;
  std::memcpy(&m, arguments[5].scalar->value.data(), 8);
  CHECK(m == -2);

  CHECK(total_elements(exercise(), names) == 5 + 17 + 10);
}

TEST_CASE("an input that nobody generated is named") {
  const catalogue::Names names{{"n", 5}, {"R", 8}, {"m", 0}};
  try {
    entry_arguments(exercise(), names, {});
    FAIL("accepted");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()) == "no input was generated for \"x\"");
  }
}
