#pragma once
// CUDA arrays of this process, as far as the library itself must know them: the units of a copy, and what questions about
// an array answer. The device checks everything again.

#include <cstdint>
#include <optional>

#include "judge/cudart/api_call.h"

namespace judge::cudart {

struct ArrayInfo {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // as the program gave it: 0 for a dimension that is not there
  unsigned flags = 0;

  std::size_t texel_bytes() const { return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8; }
  std::size_t row_bytes() const { return extent.width * texel_bytes(); }
  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
};

std::optional<ArrayInfo> array_info(cudaArray_const_t array);
std::uint64_t array_handle(cudaArray_const_t array);
channel::ChannelFormat channel_format(const cudaChannelFormatDesc& format);

// What an attribute of textures or surfaces is, the same on every GPU here; nothing for other attributes.
std::optional<int> texture_attribute(cudaDeviceAttr attribute);
void describe_textures(cudaDeviceProp& out);

void free_arrays(const ApiCall& call);    // arrays.cpp: for cudaDeviceReset
void destroy_objects(const ApiCall& call);  // textures.cpp: likewise

}  // namespace judge::cudart
