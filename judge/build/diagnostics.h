#pragma once
// What nvcc's programs print (cudafe++ and cicc, gcc, ptxas, the linker) as Diagnostics in the student's terms.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "judge/build/build.h"

namespace judge::build {

struct DiagnosticContext {
  std::string source_name;           // the student's file, as diagnostics shall call it
  std::string compiled_name;         // the name that the compiler saw
  std::string source;                // its text: excerpts show what the student wrote, not what macros made of it
  std::filesystem::path source_dir;  // paths below it are shown relative to it
  std::filesystem::path build_dir;   // the temporary folder; never shown
};

// Errors with their notes first, otherwise in the order printed; duplicates of the host and device passes once. Text
// and excerpts carry no control characters and are valid UTF-8.
std::vector<Diagnostic> parse_diagnostics(const std::string& output, const DiagnosticContext& context);

// Replaces control characters (terminal escapes), invisible direction marks and broken UTF-8 by '?'; tabs become
// blanks.
std::string neutralise(std::string_view text);

// A note saying what CUDA 13 offers instead of what an error names; empty when there is nothing to say.
std::string replacement_hint(const std::string& error_text, const std::string& source_line);

// The line (from 1) of the first use of an identifier outside comments and strings; 0 when there is none.
int line_of_identifier(const std::string& source, const std::string& identifier, bool followed_by_parenthesis);

}  // namespace judge::build
