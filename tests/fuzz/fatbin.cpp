// Any bytes as a fat binary: PTX text or a FatbinError.

#include <cstddef>
#include <cstdint>
#include <span>

#include "judge/channel/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace judge::channel;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const int target : {75, 90}) {
    try {
      select_ptx(bytes, target);
    } catch (const FatbinError&) {
    }
  }
  return 0;
}
