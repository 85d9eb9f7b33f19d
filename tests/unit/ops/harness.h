#pragma once
// Runs one PTX instruction on lanes of chosen values, through the decoder, with every dispatch table this CPU can run.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ops_test {

using Values = std::vector<std::uint64_t>;

struct Input {
  std::string reg;  // without %: "r1"
  Values values;    // as many as in every other input
};

// The value that `result` gets for each row of the inputs. Registers: %p0..7 .pred, %h0..7 .b16, %r0..7 .b32, %d0..7
// .b64. Each chunk of 32 rows runs with all lanes active and with half of them, on every instruction set; they must
// agree, and an inactive lane must keep what it held. Failing that, or unsupported by the decoder: std::runtime_error.
Values evaluate(const std::string& instruction, const std::string& result, const std::vector<Input>& inputs);

// The reason why the decoder refuses, "" when it does not.
std::string refusal(const std::string& instruction);

std::vector<std::string> instruction_sets();

inline std::uint64_t bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
inline std::uint64_t bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
inline float as_float(std::uint64_t b) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(b));
}
inline double as_double(std::uint64_t b) {
  return __builtin_bit_cast(double, b);
}

}  // namespace ops_test
