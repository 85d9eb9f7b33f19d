#pragma once
// How a texture or surface instruction is described in Instr: shared by lowering and the handlers.
//
//   a     slot of the handle, 64 bits
//   b     index in Program::operand_lists of the coordinates: the layer first where there is one, then x, y, z
//   d     index in Program::operand_lists of the data: 4 destinations (tex, tld4), 1, 2 or 4 values (suld, sust); txq: the
//         destination's slot
//   c     tex: the predicate that says whether the texels are resident, or kNoSlot
//   imm   the fields below
//   aux   suld, sust: a global access as memory_operand.h describes it, of one element's width

#include <cstdint>

namespace judge::emulator::texop {

enum class OutOfRange : std::uint32_t { trap, clamp, zero };
enum class Query : std::uint32_t { width, height, depth, layers, levels, samples, normalized };

inline constexpr std::uint64_t kDimensionsMask = 3;
inline constexpr std::uint64_t kLayered = 1u << 2;
inline constexpr std::uint64_t kIntegerCoordinates = 1u << 3;
inline constexpr std::uint64_t kGather = 1u << 4;
inline constexpr int kComponentShift = 5;  // of tld4: 0..3
inline constexpr int kOutOfRangeShift = 7;
inline constexpr std::uint64_t kFormatted = 1u << 9;  // sust.p
inline constexpr std::uint64_t kSurface = 1u << 10;   // suq
inline constexpr int kQueryShift = 11;

inline unsigned dimensions(std::uint64_t f) { return static_cast<unsigned>(f & kDimensionsMask); }
inline unsigned component(std::uint64_t f) { return static_cast<unsigned>(f >> kComponentShift & 3); }
inline OutOfRange out_of_range(std::uint64_t f) { return static_cast<OutOfRange>(f >> kOutOfRangeShift & 3); }
inline Query query(std::uint64_t f) { return static_cast<Query>(f >> kQueryShift & 7); }

}  // namespace judge::emulator::texop
