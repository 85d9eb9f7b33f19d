#pragma once
// Short modules for the parser's tests.

#include <string>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::ptx {

inline const std::string header = ".version 8.3\n.target sm_80\n.address_size 64\n";

// Line 1 of `declarations` is line 4 of the text.
inline Module parse_module(const std::string& declarations) {
  return parse(header + declarations);
}

// Line 1 of `body` is line 5 of the text.
inline std::string kernel(const std::string& body) {
  return header + ".visible .entry k(.param .u64 a) {\n" + body + "\n}\n";
}
inline Module parse_kernel(const std::string& body) {
  return parse(kernel(body));
}

// What the ParseError of `action` says; empty when there is none.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline const Variable* find_variable(const Module& module, std::string_view name) {
  for (const Variable& variable : module.variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

inline const Function* find_function(const Module& module, std::string_view name) {
  for (const Function& function : module.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace judge::emulator::ptx
