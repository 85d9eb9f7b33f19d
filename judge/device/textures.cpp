#include "judge/device/textures.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "judge/device/error_name.h"

namespace judge::device {

namespace {

using emulator::AddressMode;
using emulator::Allocation;
using emulator::ChannelKind;
using emulator::TexelFormat;
using emulator::TexelImage;
namespace limits = texture_limits;

// Array handles lie where neither the host nor the device has memory.
constexpr std::uint64_t kFirstArray = 0x0140'0000'0000, kArrayStep = 256;
constexpr std::size_t kMaxArrays = 1u << 16;

// cudaArray flags (driver_types.h).
constexpr std::uint32_t kLayered = 1, kSurfaceLoadStore = 2, kCubemap = 4, kGather = 8;

std::string text(std::uint64_t n) {
  return std::to_string(n);
}

std::string extent_text(const TexelImage& image) {
  std::string s = text(image.width);
  if (image.dimensions > 1) s += " x " + text(image.height);
  if (image.dimensions > 2) s += " x " + text(image.depth);
  if (image.layered) s += ", " + text(image.depth) + (image.depth == 1 ? " layer" : " layers");
  return s;
}

Status parse_format(const ChannelFormat& in, TexelFormat& out) {
  static constexpr ChannelKind kKinds[] = {ChannelKind::signed_integer, ChannelKind::unsigned_integer,
                                           ChannelKind::floating};
  const auto bad = [&](const std::string& why) -> Status {
    return {cuda_invalid_channel_descriptor,
            "the channel format {" + std::to_string(in.bits[0]) + ", " + std::to_string(in.bits[1]) + ", " +
                std::to_string(in.bits[2]) + ", " + std::to_string(in.bits[3]) + "} " + why};
  };
  if (in.kind > 3) {
    return {cuda_not_supported, "channel formats that are normalised by themselves or compressed (channel kind " +
                                    text(in.kind) + "); use cudaReadModeNormalizedFloat"};
  }
  if (in.kind == 3) return bad("has no kind: take it from cudaCreateChannelDesc<T>()");
  unsigned channels = 0;
  while (channels < 4 && in.bits[channels] != 0) ++channels;
  for (unsigned k = channels; k < 4; ++k)
    if (in.bits[k] != 0) return bad("has a gap between its channels");
  if (channels != 1 && channels != 2 && channels != 4)
    return bad("has " + text(channels) + " channels: a texel has 1, 2 or 4 (float3 and the like do not exist)");
  for (unsigned k = 1; k < channels; ++k)
    if (in.bits[k] != in.bits[0]) return bad("has channels of different widths");
  const std::int32_t bits = in.bits[0];
  if (bits != 8 && bits != 16 && bits != 32) return bad("has channels of other than 8, 16 or 32 bits");
  out.kind = kKinds[in.kind];
  if (out.kind == ChannelKind::floating && bits == 8) return bad("has floats of 8 bits");
  out.channels = static_cast<std::uint8_t>(channels);
  out.bits = static_cast<std::uint8_t>(bits);
  return {};
}

Status check_extent(const ArrayRequest& r) {
  const auto over = [](const char* what, std::uint64_t value, std::uint64_t limit) -> Status {
    return {cuda_invalid_value, std::string(what) + " of the array is " + text(value) + ", the limit is " + text(limit)};
  };
  const bool layered = (r.flags & kLayered) != 0;
  if (r.width == 0) return {cuda_invalid_value, "the array has a width of 0"};
  if (layered) {
    if (r.depth == 0)
      return {cuda_invalid_value, "a layered array has its number of layers in the extent's depth, which is 0"};
    if (r.width > limits::kLayeredSize) return over("the width", r.width, limits::kLayeredSize);
    if (r.height > limits::kLayeredSize) return over("the height", r.height, limits::kLayeredSize);
    if (r.depth > limits::kLayers) return over("the number of layers", r.depth, limits::kLayers);
  } else if (r.depth != 0) {
    if (r.height == 0) return {cuda_invalid_value, "the array has a depth but a height of 0"};
    if (r.width > limits::k3dSize) return over("the width", r.width, limits::k3dSize);
    if (r.height > limits::k3dSize) return over("the height", r.height, limits::k3dSize);
    if (r.depth > limits::k3dSize) return over("the depth", r.depth, limits::k3dSize);
  } else if (r.height != 0) {
    const std::uint64_t gather = (r.flags & kGather) != 0 ? limits::k2dGatherSize : UINT64_MAX;
    const std::uint64_t width = std::min(limits::k2dWidth, gather), height = std::min(limits::k2dHeight, gather);
    if (r.width > width) return over("the width", r.width, width);
    if (r.height > height) return over("the height", r.height, height);
  } else {
    const std::uint64_t width = (r.flags & kSurfaceLoadStore) != 0 ? limits::kSurface1dWidth : limits::k1dWidth;
    if (r.width > width) return over("the width", r.width, width);
  }
  if ((r.flags & kGather) != 0 && (r.height == 0 || r.depth != 0))
    return {cuda_invalid_value, "cudaArrayTextureGather is for two-dimensional arrays"};
  return {};
}

}  // namespace

void Textures::clear() {
  arrays_.clear();
  next_array_ = 0;
}

Status Textures::create_array(const ArrayRequest& r, ArrayInfo& out) {
  if ((r.flags & kCubemap) != 0) return {cuda_not_supported, "cubemap arrays (cudaArrayCubemap)"};
  if ((r.flags & ~(kLayered | kSurfaceLoadStore | kGather)) != 0)
    return {cuda_not_supported, "arrays with other flags than cudaArrayLayered, cudaArraySurfaceLoadStore and "
                                "cudaArrayTextureGather"};
  Array a;
  if (Status s = parse_format(r.format, a.image.format); !s.ok()) return s;
  if (Status s = check_extent(r); !s.ok()) return s;
  if (arrays_.size() >= kMaxArrays) return {cuda_memory_allocation, "more than 65,536 arrays are alive"};
  TexelImage& image = a.image;
  image.layered = (r.flags & kLayered) != 0;
  image.dimensions = r.height == 0 ? 1 : r.depth == 0 || image.layered ? 2 : 3;
  image.tiled = true;
  image.width = static_cast<std::uint32_t>(r.width);
  image.height = static_cast<std::uint32_t>(std::max<std::uint64_t>(r.height, 1));
  image.depth = static_cast<std::uint32_t>(std::max<std::uint64_t>(r.depth, 1));
  image.row_pitch = std::uint64_t{image.width} * image.format.bytes();
  image.slice_pitch = image.row_pitch * image.height;
  const std::uint64_t bytes = image.slice_pitch * image.depth;  // below 2^50
  Allocation* const memory = memory_.allocate(bytes, emulator::AllocationKind::device);
  if (memory == nullptr)
    return {cuda_memory_allocation, text(bytes) + " bytes asked for, " + text(memory_.bytes_in_use()) + " in use, " +
                                        text(memory_.limit()) + " is the limit of one case"};
  memory->label = "a CUDA array of " + emulator::to_string(image.format) + ", " + extent_text(image);
  memory->element_bytes = image.format.bytes();
  image.base = memory->base;
  a.for_surfaces = (r.flags & kSurfaceLoadStore) != 0;
  const std::uint64_t id = kFirstArray + kArrayStep * ++next_array_;
  out = {id, image.base, bytes};
  arrays_.emplace(id, a);
  return {};
}

const Textures::Array* Textures::find(std::uint64_t id) const {
  const auto found = arrays_.find(id);
  return found == arrays_.end() ? nullptr : &found->second;
}

Status Textures::free_array(std::uint64_t id, ArrayInfo& freed) {
  const Array* const a = find(id);
  if (a == nullptr) {
    const bool once = id > kFirstArray && (id - kFirstArray) % kArrayStep == 0 &&
                      (id - kFirstArray) / kArrayStep <= next_array_;
    return {cuda_invalid_resource_handle,
            once ? "the array was freed before" : "not an array that cudaMallocArray or cudaMalloc3DArray returned"};
  }
  freed = {id, a->image.base, a->image.slice_pitch * a->image.depth};
  memory_.free(a->image.base);
  arrays_.erase(id);
  return {};
}

Status Textures::locate(std::uint64_t id, const ArrayBox& box, const char* what, const Array*& array,
                        Allocation*& allocation) {
  array = find(id);
  if (array == nullptr)
    return {cuda_invalid_resource_handle, std::string(what) + " is not an array, or was freed"};
  const TexelImage& image = array->image;
  const auto inside = [](std::uint64_t at, std::uint64_t n, std::uint64_t size) { return at <= size && n <= size - at; };
  const auto outside = [&](const char* unit, std::uint64_t at, std::uint64_t n, std::uint64_t size) -> Status {
    return {cuda_invalid_value, std::string(what) + ": " + text(n) + " " + unit + " from " + text(at) +
                                    " on do not fit the array (" + extent_text(image) + " texels of " +
                                    text(image.format.bytes()) + " bytes), which has " + text(size)};
  };
  if (!inside(box.x_bytes, box.row_bytes, image.row_pitch))
    return outside("bytes of a row", box.x_bytes, box.row_bytes, image.row_pitch);
  if (!inside(box.y, box.rows, image.height)) return outside("rows", box.y, box.rows, image.height);
  if (!inside(box.z, box.slices, image.depth))
    return outside(image.layered ? "layers" : "slices", box.z, box.slices, image.depth);
  if (box.x_bytes % image.format.bytes() != 0 || box.row_bytes % image.format.bytes() != 0)
    return {cuda_invalid_value, std::string(what) + ": the offset or width is not a whole number of texels of " +
                                    text(image.format.bytes()) + " bytes; both count bytes"};
  allocation = memory_.find_live(image.base, image.slice_pitch * image.depth);
  if (allocation == nullptr) return {cuda_invalid_value, std::string(what) + ": the array's memory was freed"};
  return {};
}

namespace {

// Calls visit(offset in the array, offset in the packed bytes) for each row of the box.
template <class Visit>
void for_rows(const TexelImage& image, const ArrayBox& box, Visit&& visit) {
  for (std::uint64_t z = 0; z < box.slices; ++z)
    for (std::uint64_t y = 0; y < box.rows; ++y)
      visit(box.x_bytes + (box.y + y) * image.row_pitch + (box.z + z) * image.slice_pitch,
            (z * box.rows + y) * box.row_bytes);
}

bool holds(const ArrayBox& box, std::uint64_t bytes) {  // the box is inside an array: nothing overflows
  return box.row_bytes * box.rows * box.slices == bytes;
}

}  // namespace

Status Textures::write(std::uint64_t id, const ArrayBox& box, std::span<const std::byte> packed) {
  const Array* array = nullptr;
  Allocation* memory = nullptr;
  if (Status s = locate(id, box, "the destination", array, memory); !s.ok()) return s;
  if (!holds(box, packed.size())) return {cuda_invalid_value, "the size of the copy does not fit its data"};
  for_rows(array->image, box, [&](std::uint64_t to, std::uint64_t from) {
    std::memcpy(memory->data + to, packed.data() + from, box.row_bytes);
    memory_.mark_written(*memory, to, box.row_bytes);
  });
  return {};
}

Status Textures::read(std::uint64_t id, const ArrayBox& box, std::span<std::byte> packed) {
  const Array* array = nullptr;
  Allocation* memory = nullptr;
  if (Status s = locate(id, box, "the source", array, memory); !s.ok()) return s;
  if (!holds(box, packed.size())) return {cuda_invalid_value, "the size of the copy does not fit its data"};
  for_rows(array->image, box, [&](std::uint64_t from, std::uint64_t to) {
    std::memcpy(packed.data() + to, memory->data + from, box.row_bytes);
  });
  return {};
}

Status Textures::copy(const CopySide& to, const CopySide& from, std::uint64_t row_bytes, std::uint64_t rows,
                      std::uint64_t slices) {
  if (row_bytes == 0 || rows == 0 || slices == 0) return {};
  struct Side {
    Allocation* memory = nullptr;
    std::uint64_t offset = 0, row_pitch = 0, slice_pitch = 0;
  };
  const auto resolve = [&](const CopySide& in, const char* what, Side& out) -> Status {
    if (in.array != 0) {
      const Array* array = nullptr;
      const ArrayBox box{in.x_bytes, in.y, in.z, row_bytes, rows, slices};
      if (Status s = locate(in.array, box, what, array, out.memory); !s.ok()) return s;
      out.row_pitch = array->image.row_pitch;
      out.slice_pitch = array->image.slice_pitch;
      out.offset = in.x_bytes + in.y * out.row_pitch + in.z * out.slice_pitch;
      return {};
    }
    out.row_pitch = rows == 1 ? row_bytes : in.row_pitch;
    out.slice_pitch = slices == 1 ? 0 : in.slice_pitch;
    std::uint64_t last_row = 0, last_slice = 0, bytes = 0;
    if (out.row_pitch < row_bytes)
      return {cuda_invalid_pitch_value, std::string("the pitch of ") + what + " is smaller than a row"};
    if (__builtin_mul_overflow(out.row_pitch, rows - 1, &last_row) ||
        __builtin_mul_overflow(out.slice_pitch, slices - 1, &last_slice) ||
        __builtin_add_overflow(last_row, last_slice, &bytes) || __builtin_add_overflow(bytes, row_bytes, &bytes))
      return {cuda_invalid_value, std::string(what) + " would run past the end of the address space"};
    out.memory = memory_.find_live(in.address, bytes);
    if (out.memory == nullptr)
      return {cuda_invalid_value, std::string(what) + " is not " + text(bytes) + " bytes of one device allocation"};
    out.offset = in.address - out.memory->base;
    return {};
  };
  Side a, b;
  if (Status s = resolve(from, "the source", a); !s.ok()) return s;
  if (Status s = resolve(to, "the destination", b); !s.ok()) return s;
  for (std::uint64_t z = 0; z < slices; ++z) {
    for (std::uint64_t y = 0; y < rows; ++y) {
      const std::uint64_t source = a.offset + y * a.row_pitch + z * a.slice_pitch,
                          target = b.offset + y * b.row_pitch + z * b.slice_pitch;
      std::memmove(b.memory->data + target, a.memory->data + source, row_bytes);
      memory_.copy_written(*b.memory, target, *a.memory, source, row_bytes);
    }
  }
  return {};
}

Status Textures::texture_of_memory(const TextureRequest& r, TexelImage& image) const {
  if (Status s = parse_format(r.format, image.format); !s.ok()) return s;
  const std::uint64_t texel = image.format.bytes();
  image.base = r.address;
  if (r.address % limits::kAlignment != 0)
    return {cuda_invalid_value, "the texture's memory does not begin at a multiple of 512 bytes (textureAlignment): "
                                "pass what cudaMalloc returned, and add an offset to the index in the kernel"};
  std::uint64_t bytes = 0;
  if (r.resource == TextureResource::linear) {
    image.linear = true;
    const std::uint64_t texels = r.bytes / texel;
    if (texels == 0) return {cuda_invalid_value, "sizeInBytes is smaller than one texel"};
    if (texels > limits::k1dLinearWidth)
      return {cuda_invalid_value, text(texels) + " texels of linear memory, the limit is " + text(limits::k1dLinearWidth) +
                                      " (maxTexture1DLinear)"};
    image.dimensions = 1;
    image.width = static_cast<std::uint32_t>(texels);
    image.row_pitch = bytes = texels * texel;
  } else {
    if (r.width == 0 || r.height == 0) return {cuda_invalid_value, "the pitch2D resource has a width or height of 0"};
    if (r.width > limits::k2dLinearWidth || r.height > limits::k2dLinearHeight || r.pitch > limits::k2dLinearPitch)
      return {cuda_invalid_value, "a pitch2D resource of " + text(r.width) + " x " + text(r.height) + " texels and a pitch of " +
                                      text(r.pitch) + " bytes, the limits are 131072 x 65000 and 2097120"};
    if (r.pitch % limits::kPitchAlignment != 0)
      return {cuda_invalid_value, "pitchInBytes is " + text(r.pitch) + ", which is not a multiple of 32 "
                                  "(texturePitchAlignment): allocate with cudaMallocPitch and pass its pitch"};
    if (r.pitch < r.width * texel)
      return {cuda_invalid_value, "pitchInBytes is " + text(r.pitch) + ", but a row of " + text(r.width) +
                                      " texels has " + text(r.width * texel) + " bytes"};
    image.dimensions = 2;
    image.width = static_cast<std::uint32_t>(r.width);
    image.height = static_cast<std::uint32_t>(r.height);
    image.row_pitch = r.pitch;
    bytes = r.pitch * (r.height - 1) + r.width * texel;
  }
  image.slice_pitch = image.row_pitch * image.height;
  if (memory_.find_live(r.address, bytes) == nullptr)
    return {cuda_invalid_value, "the texture's " + text(bytes) + " bytes do not lie in one device allocation"};
  return {};
}

Status Textures::create_texture(const TextureRequest& r, std::uint64_t& handle) {
  emulator::Texture t;
  switch (r.resource) {
    case TextureResource::array: {
      const Array* const a = find(r.array);
      if (a == nullptr) return {cuda_invalid_resource_handle, "the resource is not an array, or it was freed"};
      t.image = a->image;
      break;
    }
    case TextureResource::linear:
    case TextureResource::pitch2d:
      if (Status s = texture_of_memory(r, t.image); !s.ok()) return s;
      break;
    default:
      return {cuda_invalid_value, "resType is none of cudaResourceType's values"};
  }
  const TexelFormat& format = t.image.format;
  if (r.filter > 1 || r.read_mode > 1) return {cuda_invalid_value, "filterMode or readMode is none of its enumeration's values"};
  for (std::size_t k = 0; k < 3; ++k) {
    if (r.address_modes[k] > 3) return {cuda_invalid_value, "addressMode is none of cudaTextureAddressMode's values"};
    t.address[k] = static_cast<AddressMode>(r.address_modes[k]);
  }
  t.normalized_coordinates = r.normalized_coordinates != 0;
  t.normalized_reads = r.read_mode == 1 && format.kind != ChannelKind::floating && format.bits < 32;
  t.filter_linear = r.filter == 1;
  t.srgb = r.srgb != 0;
  t.border = r.border;
  if (t.image.linear) {  // filter and address modes mean nothing there
    t.filter_linear = t.normalized_coordinates = false;
    handle = memory_.textures().add(t);
  } else {
    const bool floats = format.kind == ChannelKind::floating || t.normalized_reads;
    if (t.filter_linear && !floats)
      return {cuda_invalid_filter_setting,
              "linear filtering needs texels that are read as floats: a float format, or 8- or 16-bit integers with "
              "cudaReadModeNormalizedFloat; here texels are " +
                  emulator::to_string(format) + " read as integers"};
    if (t.srgb && !(format.kind == ChannelKind::unsigned_integer && format.bits == 8 && t.normalized_reads))
      return {cuda_invalid_value, "sRGB is for 8-bit unsigned texels read with cudaReadModeNormalizedFloat"};
    bool coloured = false;
    for (const float c : t.border) {
      if (!std::isfinite(c)) return {cuda_invalid_value, "borderColor is not finite"};
      coloured |= c != 0;
    }
    const bool shows = std::any_of(t.address.begin(), t.address.begin() + t.image.dimensions,
                                   [](AddressMode m) { return m == AddressMode::border; });
    if (coloured && shows && !floats)
      return {cuda_not_supported, "a borderColor other than 0 for a texture of integers"};
    handle = memory_.textures().add(t);
  }
  if (handle == 0) return {cuda_memory_allocation, "more than 65,536 texture and surface objects are alive"};
  return {};
}

Status Textures::create_surface(std::uint64_t array, std::uint64_t& handle) {
  const Array* const a = find(array);
  if (a == nullptr) return {cuda_invalid_resource_handle, "the resource is not an array, or it was freed"};
  if (!a->for_surfaces)
    return {cuda_invalid_value, "the array was not made for surfaces: pass cudaArraySurfaceLoadStore as the flags of "
                                "cudaMallocArray or cudaMalloc3DArray"};
  emulator::Texture t;
  t.image = a->image;
  t.surface = true;
  handle = memory_.textures().add(t);
  if (handle == 0) return {cuda_memory_allocation, "more than 65,536 texture and surface objects are alive"};
  return {};
}

Status Textures::destroy(std::uint64_t handle, bool surface) {
  const char* const what = surface ? "surface object" : "texture object";
  if (memory_.textures().remove(handle, surface)) return {};
  if (memory_.textures().was_destroyed(handle))
    return {cuda_invalid_value, std::string("the ") + what + " was destroyed before"};
  return {cuda_invalid_value, std::string("not a ") + what};
}

}  // namespace judge::device
