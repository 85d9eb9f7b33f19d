#pragma once
// The translation unit that nvcc really compiles: the student's file, then the judge's check and thunk.

#include <string>
#include <vector>

namespace judge::build {

inline constexpr int kUnitVersion = 1;  // part of every cache key: raise it when the generated text changes

// "File" names of the generated lines; a diagnostic there speaks of the entry, not of a line the student wrote.
inline constexpr const char* kEntryCheck = "judge_entry_check";
inline constexpr const char* kUnitFile = "judge_unit.cu";

struct Entry {
  std::string name;  // "conv1d"
  std::string return_type = "void";
  std::vector<std::string> parameter_types;  // "const float*", …
};

// The unit's text; `included` is the name of the file with the entry's definition, beside the unit.
std::string submission_unit(const Entry& entry, const std::string& included);
std::string reference_unit(const Entry& entry, const std::string& included);

// What stands before the function's name in its prototype.
std::string return_type(const std::string& prototype, const std::string& name);

// The student's name for a file, with what could end an #include line or an nvcc argument replaced.
std::string safe_file_name(const std::string& name);

}  // namespace judge::build
