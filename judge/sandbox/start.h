#pragma once
// Inside this room only: starting a box with some layers left out (LayerBit mask), to prove that the fallbacks hold on
// machines that lack them, and to learn what each layer said.

#include <cstdint>
#include <string>
#include <vector>

#include "judge/sandbox/sandbox.h"

namespace judge::sandbox {

struct Started {
  Box box;
  std::vector<std::string> details;  // per layer, in the enum's order
};
Started start_leaving_out(const BoxOptions& options, std::uint32_t left_out);

}  // namespace judge::sandbox
