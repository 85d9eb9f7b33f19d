#pragma once
// From the set of wrong elements to a sentence: where they are, or what they are instead.

#include <cstdint>
#include <functional>
#include <vector>

#include "judge/check/check.h"

namespace judge::check {

struct Evidence {
  std::uint64_t total = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> wrong, unwritten;  // one byte per element; unwritten may be empty
  std::uint64_t wrong_count = 0, unwritten_count = 0;
  std::function<double(std::uint64_t)> got, expected;
  double rtol = 0, atol = 0;
  std::uint64_t block_threads = 0;  // 0: not known
};

Diagnosis diagnose(const Evidence& evidence);

}  // namespace judge::check
