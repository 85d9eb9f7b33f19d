#include "judge/arguments.h"

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace judge {

namespace {

using catalogue::Role;

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Of the types that the catalogue accepts for a size only these two have four bytes (LP64).
std::vector<std::byte> size_value(std::string_view cpp_type, std::int64_t value) {
  if (cpp_type == "int" || cpp_type == "unsigned int") return bytes_of(static_cast<std::int32_t>(value));
  return bytes_of(value);
}

const check::Buffer& input_of(const Buffers& inputs, const std::string& name) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) throw std::runtime_error("no input was generated for \"" + name + "\"");
  return found->second;
}

std::uint64_t count_of(const catalogue::Argument& argument, const catalogue::Names& names) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : catalogue::resolve_shape(argument, names))
    count *= static_cast<std::uint64_t>(extent);
  return count;
}

bool is_buffer(const catalogue::Argument& a) {
  return a.role == Role::in || a.role == Role::out || a.role == Role::inout;
}

session::BufferArgument buffer_argument(const catalogue::Argument& a, const catalogue::Names& names,
                                        const Buffers& inputs) {
  session::BufferArgument b;
  b.name = a.name;
  b.element_type = catalogue::to_string(a.type);
  b.element_bytes = catalogue::bytes_of(a.type);
  b.count = count_of(a, names);
  b.residence = a.host_memory ? session::Residence::host : session::Residence::device;
  b.direction = a.role == Role::in    ? session::Direction::in
                : a.role == Role::out ? session::Direction::out
                                      : session::Direction::inout;
  if (a.role != Role::out) b.contents = input_of(inputs, a.name).bytes;
  return b;
}

}  // namespace

std::vector<session::Argument> entry_arguments(const catalogue::Exercise& exercise, const catalogue::Names& names,
                                               const Buffers& inputs) {
  std::vector<session::Argument> arguments;
  for (const catalogue::Argument& a : exercise.arguments) {
    session::Argument& to = arguments.emplace_back();
    if (is_buffer(a)) {
      to.buffer = buffer_argument(a, names, inputs);
    } else if (a.role == Role::size) {
      to.scalar = session::ScalarArgument{a.name, size_value(a.cpp_type, names.at(a.name))};
    } else {
      to.scalar = session::ScalarArgument{a.name, input_of(inputs, a.name).bytes};
    }
  }
  return arguments;
}

std::uint64_t total_elements(const catalogue::Exercise& exercise, const catalogue::Names& names) {
  std::uint64_t total = 0;
  for (const catalogue::Argument& a : exercise.arguments)
    if (is_buffer(a)) total += count_of(a, names);
  return total;
}

}  // namespace judge
