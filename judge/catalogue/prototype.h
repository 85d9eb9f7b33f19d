#pragma once
// The C++ prototype of an exercise's entry, "void conv1d(const float* x, int n)": parsed into names and types.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace judge::catalogue {

struct Parameter {
  std::string name;
  std::string type;  // without const and '*', one spelling per type as written: "unsigned int", "size_t", "__half"
  bool pointer = false;
  bool constant = false;     // const of the pointed-to type; of the value when it is no pointer
  std::size_t position = 0;  // byte of the prototype where the parameter starts

  std::string cpp_type() const;  // "const float*"; a const value drops its const, which is no part of the signature
};

struct Prototype {
  std::string name;
  std::vector<Parameter> parameters;
};

class PrototypeError : public std::runtime_error {
 public:
  PrototypeError(std::size_t position, const std::string& what) : std::runtime_error(what), position_(position) {}
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// `void name(parameter, …)`: arithmetic types and single pointers to them. Throws PrototypeError.
Prototype parse_prototype(const std::string& text);

}  // namespace judge::catalogue
