#pragma once
// Which texels a texture coordinate stands for, with which weights, and what a texel's bits mean. Arithmetic only.
//
// The CUDA C++ Programming Guide, "Texture Fetching", defines it: nearest-point sampling takes the texel that holds the
// coordinate; linear filtering blends the two texels of each dimension whose centres lie around it, with weights in
// fixed point of 8 fractional bits. A coordinate that is not a number counts as 0.

#include <array>
#include <cstddef>
#include <cstdint>

#include "judge/emulator/memory/textures.h"

namespace judge::emulator {

inline constexpr int kWeightOne = 256;  // 8 fractional bits; 1.0 is exact

// Along one dimension.
struct AxisTexels {
  std::array<std::int64_t, 2> index{-1, -1};  // -1: outside, the border colour stands there
  std::array<int, 2> weight{kWeightOne, 0};
};
AxisTexels nearest_texel(float coordinate, std::uint32_t size, AddressMode mode, bool normalized);
AxisTexels linear_texels(float coordinate, std::uint32_t size, AddressMode mode, bool normalized);
// A coordinate that is an index.
AxisTexels indexed_texel(std::int32_t index, std::uint32_t size, AddressMode mode);

// The texels of one fetch: up to 2 x 2 x 2, those of weight 0 left out.
struct Footprint {
  struct Texel {
    bool inside = false;
    std::uint64_t offset = 0;     // bytes from the image's base
    double weight = 0;            // exact: a product of up to three weights
    std::uint32_t x = 0, y = 0, z = 0;
  };
  std::array<Texel, 8> texels;
  unsigned count = 0;
};

// `coordinates`: x, y, z as the instruction gives them; `layer` counts when the image is layered. Integer coordinates
// come as bits of an s32.
Footprint footprint(const Texture& texture, const std::array<float, 3>& coordinates, std::uint32_t layer);
Footprint indexed_footprint(const Texture& texture, const std::array<std::int32_t, 3>& coordinates, std::uint32_t layer);
// The four texels that linear filtering of a 2D texture would blend, in tld4's order: (0,1) (1,1) (1,0) (0,0).
Footprint gather_footprint(const Texture& texture, float x, float y, std::uint32_t layer);

// A texel as the 4 values of 32 bits that an instruction delivers: integers extended, or floats.
using Texel32 = std::array<std::uint32_t, 4>;
bool delivers_floats(const Texture& texture);
Texel32 decode(const Texture& texture, const std::byte* texel);
Texel32 border_texel(const Texture& texture);

// For sust.p: the 32-bit values as a texel of this format. `to`: format.bytes() bytes.
void encode(TexelFormat format, const Texel32& values, std::byte* to);

}  // namespace judge::emulator
