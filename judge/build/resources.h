#pragma once
// What `ptxas -v` says about each kernel.

#include <string>
#include <vector>

#include "judge/build/build.h"

namespace judge::build {

// Only what was compiled for `target` ("sm_75"); output for other targets in the same text is left out.
std::vector<KernelResources> parse_resources(const std::string& compiler_output, const std::string& target);

std::string demangle(const std::string& symbol);             // as given when it is no mangled name
std::string demangle_names_in(const std::string& sentence);  // every _Z… in it

}  // namespace judge::build
