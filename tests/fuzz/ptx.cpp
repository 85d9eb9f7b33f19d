// Any bytes: parse() and validate() give a module or a ParseError.

#include <cstddef>
#include <cstdint>
#include <string>

#include "judge/emulator/ptx/module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace judge::emulator::ptx;
  try {
    validate(parse(std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const ParseError&) {
  }
  return 0;
}
