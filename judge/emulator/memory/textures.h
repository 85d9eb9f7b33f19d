#pragma once
// What texture and surface handles mean: views of device memory, with a texel format and a way of sampling.
//
// A CUDA array is an allocation whose texels lie row after row, slice after slice, without gaps. (Hardware tiles them;
// no program can see that.) A handle that a kernel uses is looked up here each time, so that no number whatsoever leads
// anywhere else: what is not in the table is a fault, and the texels of a view are then checked like any other address.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "judge/emulator/memory/address_space.h"

namespace judge::emulator {

enum class ChannelKind : std::uint8_t { signed_integer, unsigned_integer, floating };

struct TexelFormat {
  ChannelKind kind = ChannelKind::floating;
  std::uint8_t channels = 1;  // 1, 2 or 4
  std::uint8_t bits = 32;     // of each channel: 8, 16 or 32
  std::uint32_t bytes() const { return std::uint32_t{channels} * bits / 8; }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

std::string to_string(TexelFormat format);  // "float32", "uint8 x 4"

// Texels in memory: of a CUDA array, or of ordinary device memory.
struct TexelImage {
  TexelFormat format;
  std::uint8_t dimensions = 1;       // 1, 2, 3; of one layer when layered
  bool layered = false;
  bool linear = false;               // plain device memory that tex1Dfetch reads by index
  bool tiled = false;                // a CUDA array, which hardware stores in tiles
  std::uint32_t width = 1, height = 1, depth = 1;  // texels; depth: the number of layers when layered
  Address base = 0;
  std::uint64_t row_pitch = 0, slice_pitch = 0;    // bytes
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };  // values of cudaTextureAddressMode

struct Texture {
  TexelImage image;
  bool surface = false;
  // Sampling; without meaning for a surface.
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool filter_linear = false;
  bool normalized_coordinates = false;
  bool normalized_reads = false;  // 8- and 16-bit integers as floats in [0, 1] or [-1, 1]
  bool srgb = false;              // the first three channels are decoded
  std::array<float, 4> border{};
};

class TextureTable {
 public:
  // The handle of a texture or surface; 0 when there are too many.
  std::uint64_t add(const Texture& texture);
  bool remove(std::uint64_t handle, bool surface);
  const Texture* find(std::uint64_t handle) const;  // nullptr: there is none
  bool was_destroyed(std::uint64_t handle) const;   // a number that was a handle once
  std::size_t size() const { return live_.size(); }
  void clear();

 private:
  std::unordered_map<std::uint64_t, Texture> live_;
  std::uint64_t next_ = 0;
};

}  // namespace judge::emulator
