#pragma once
// Runs a program with an argument vector and collects what it prints.

#include <array>
#include <string>
#include <vector>

struct Finished {
  int exit_status = -1;  // -1: ended by a signal
  std::string out, err;
};

// `descriptors`, when given, become 3, 4 and 5 of the program.
Finished run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                     const std::vector<int>& descriptors = {});
