#pragma once
// Reports made by hand, one for each situation: what the golden files show.

#include <string>
#include <vector>

#include "judge/judge.h"

namespace judge::report::samples {

struct Sample {
  std::string name;  // tests/golden/<name>.<language>.txt
  std::vector<std::string> languages;
  Report report;
};

std::vector<Sample> all();

}  // namespace judge::report::samples
