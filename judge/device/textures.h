#pragma once
// CUDA arrays, texture and surface objects of a device.
//
// Numbers come from the untrusted host: every one is checked here, with the error that CUDA gives and a sentence.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "judge/device/device.h"
#include "judge/emulator/memory/global_memory.h"

namespace judge::device {

// The same on every GPU of compute capability 7.5 to 9.0 (CUDA C++ Programming Guide, "Technical Specifications").
namespace texture_limits {
inline constexpr std::uint64_t k1dWidth = 131072, k1dLinearWidth = 1u << 28;
inline constexpr std::uint64_t k2dWidth = 131072, k2dHeight = 65536;
inline constexpr std::uint64_t k2dLinearWidth = 131072, k2dLinearHeight = 65000, k2dLinearPitch = 2097120;
inline constexpr std::uint64_t k2dGatherSize = 32768;
inline constexpr std::uint64_t k3dSize = 16384;
inline constexpr std::uint64_t kLayeredSize = 32768, kLayers = 2048;
inline constexpr std::uint64_t kSurface1dWidth = 32768;
inline constexpr std::uint64_t kAlignment = 512, kPitchAlignment = 32;
}  // namespace texture_limits

// As cudaChannelFormatDesc: bits of each channel, and cudaChannelFormatKind.
struct ChannelFormat {
  std::array<std::int32_t, 4> bits{};
  std::uint32_t kind = 0;
};

struct ArrayRequest {  // as cudaMalloc3DArray: 0 for a dimension that is not there
  std::uint64_t width = 0, height = 0, depth = 0;
  ChannelFormat format;
  std::uint32_t flags = 0;
};

struct ArrayInfo {
  std::uint64_t id = 0;
  Address base = 0;
  std::uint64_t bytes = 0;
};

// A box of an array: x in bytes, y in rows, z in slices or layers.
struct ArrayBox {
  std::uint64_t x_bytes = 0, y = 0, z = 0;
  std::uint64_t row_bytes = 0, rows = 0, slices = 0;
};

// One side of a copy on the device: an array from its box's corner on, or ordinary memory.
struct CopySide {
  std::uint64_t array = 0;  // 0: memory at `address`
  std::uint64_t x_bytes = 0, y = 0, z = 0;
  Address address = 0;
  std::uint64_t row_pitch = 0, slice_pitch = 0;
};

enum class TextureResource : std::uint32_t { array = 0, linear = 2, pitch2d = 3 };  // values of cudaResourceType

struct TextureRequest {
  TextureResource resource = TextureResource::array;
  std::uint64_t array = 0;
  Address address = 0;  // linear, pitch2d
  ChannelFormat format;
  std::uint64_t bytes = 0;                     // linear
  std::uint64_t width = 0, height = 0, pitch = 0;  // pitch2d
  std::array<std::uint32_t, 3> address_modes{};
  std::uint32_t filter = 0, read_mode = 0, srgb = 0, normalized_coordinates = 0;
  std::array<float, 4> border{};
};

class Textures {
 public:
  explicit Textures(emulator::GlobalMemory& memory) : memory_(memory) {}
  void clear();

  Status create_array(const ArrayRequest& request, ArrayInfo& out);
  Status free_array(std::uint64_t id, ArrayInfo& freed);
  // `packed`: rows and slices without gaps.
  Status write(std::uint64_t id, const ArrayBox& box, std::span<const std::byte> packed);
  Status read(std::uint64_t id, const ArrayBox& box, std::span<std::byte> packed);
  Status copy(const CopySide& to, const CopySide& from, std::uint64_t row_bytes, std::uint64_t rows,
              std::uint64_t slices);

  Status create_texture(const TextureRequest& request, std::uint64_t& handle);
  Status create_surface(std::uint64_t array, std::uint64_t& handle);
  Status destroy(std::uint64_t handle, bool surface);

 private:
  struct Array {
    emulator::TexelImage image;
    bool for_surfaces = false;
  };
  const Array* find(std::uint64_t id) const;
  // The array's allocation, when the box lies in the array.
  Status locate(std::uint64_t id, const ArrayBox& box, const char* what, const Array*& array,
                emulator::Allocation*& allocation);
  Status texture_of_memory(const TextureRequest& request, emulator::TexelImage& image) const;

  emulator::GlobalMemory& memory_;
  std::map<std::uint64_t, Array> arrays_;
  std::uint64_t next_array_ = 0;
};

}  // namespace judge::device
