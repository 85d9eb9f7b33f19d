#pragma once
// Report -> text for a terminal, and JSON (docs/report.schema.json).

#include <string>

#include "judge/judge.h"

namespace judge::report {

struct Style {
  bool colour = false;
  int width = 100;          // never wider
  std::string language = "en";  // or "zh"
};

std::string to_terminal(const Report& report, const Style& style);
std::string to_json(const Report& report, int indent = 2);

// A program that `run` ran. Findings: what went wrong, for stderr; empty when nothing did. Profile: each kernel with its
// counters and its lines. JSON: docs/run.schema.json.
std::string findings(const ProgramReport& report, const Style& style, bool findings_count = true);
std::string profile(const ProgramReport& report, const Style& style);
std::string to_json(const ProgramReport& report, int indent = 2);

}  // namespace judge::report
