#pragma once
// Modes of warp-wide instructions in Instr::aux: shared by lowering and the handlers.

#include <cstdint>

namespace judge::emulator::warpop {

enum class Shuffle : std::uint32_t { up, down, bfly, idx };
enum class Vote : std::uint32_t { all, any, uni, ballot };
enum class Redux : std::uint32_t { add, min_u, min_s, max_u, max_s, and_, or_, xor_ };
enum class BarReduction : std::uint32_t { popc, and_, or_ };

}  // namespace judge::emulator::warpop
