#include "judge/build/unit.h"

#include <algorithm>
#include <cctype>

namespace judge::build {
namespace {

// args[i] points to an object of parameter i's type without const at its top level.
std::string thunk(const Entry& entry, const char* exported) {
  std::string text = std::string("extern \"C\" __attribute__((visibility(\"default\"))) void ") + exported +
                     "(void** args) { ::" + entry.name + "(";
  for (std::size_t i = 0; i < entry.parameter_types.size(); ++i) {
    if (i) text += ", ";
    text += "*static_cast<judge_parameter_" + std::to_string(i) + "*>(args[" + std::to_string(i) + "])";
  }
  return text + "); (void)args; }\n";
}

std::string parameter_aliases(const Entry& entry) {
  std::string text;
  for (std::size_t i = 0; i < entry.parameter_types.size(); ++i)
    text += "using judge_parameter_" + std::to_string(i) + " = " + entry.parameter_types[i] + ";\n";
  return text;
}

// The pointer's type picks the exact signature, also among overloads, and whether the entry is static, extern "C" or in
// an unnamed namespace; the call in the thunk refuses a __global__ or __device__ function, which the pointer does not.
std::string unit(const Entry& entry, const std::string& included, const char* exported) {
  std::string parameters;
  for (const std::string& parameter : entry.parameter_types) parameters += (parameters.empty() ? "" : ", ") + parameter;
  return "#include \"" + included + "\"\n#line 1 \"" + kEntryCheck + "\"\n" + "constexpr " + entry.return_type + " (*" +
         exported + "_signature)(" + parameters + ") = &::" + entry.name + ";\n" + parameter_aliases(entry) +
         thunk(entry, exported);
}

}  // namespace

std::string submission_unit(const Entry& entry, const std::string& included) {
  return unit(entry, included, "judge_entry");
}

std::string reference_unit(const Entry& entry, const std::string& included) {
  return unit(entry, included, "judge_reference");
}

std::string return_type(const std::string& prototype, const std::string& name) {
  const std::size_t at = prototype.find(name + "(");
  std::string type = at == std::string::npos ? "" : prototype.substr(0, at);
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type.empty() ? "void" : type;
}

std::string safe_file_name(const std::string& name) {
  std::string safe = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  for (char& c : safe) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x80 || !std::isalnum(byte)) && c != '.' && c != '_' && c != '-' && c != '+') c = '_';
  }
  if (safe.empty() || safe.front() == '.' || safe.front() == '-' || safe == kUnitFile) safe = "submission.cu";
  return safe;
}

}  // namespace judge::build
