// CUDA arrays: allocation, questions, and all copies that an array or three dimensions take part in. Copies are done when
// the call returns, as in copy.cpp.

#include "judge/cudart/arrays.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "judge/cudart/handles.h"
#include "judge/cudart/memory.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

using channel::Call;

constexpr std::size_t kPitchAlignment = 512;  // as cudaMallocPitch

struct Arrays {
  std::mutex mutex;
  std::map<std::uint64_t, ArrayInfo> live;

  static Arrays& get() { return immortal<Arrays>(); }
};

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

cudaError_t make_array(const ApiCall& call, cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent,
                       unsigned flags) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the address to store the array at is null");
  if (format == nullptr) return call.fail(cudaErrorInvalidValue, "the channel format is a null pointer");
  channel::CreateArrayRequest request;
  request.width = extent.width;
  request.height = extent.height;
  request.depth = extent.depth;
  request.format = channel_format(*format);
  request.flags = flags;
  channel::HandleReply reply;
  const cudaError_t status = call.device().call<Call::create_array>(request, &reply);
  if (status == cudaSuccess) {
    *out = reinterpret_cast<cudaArray_t>(reply.handle);
    Arrays& arrays = Arrays::get();
    const std::lock_guard lock(arrays.mutex);
    arrays.live[reply.handle] = {*format, extent, flags};
  }
  return call.done(status);
}

cudaError_t free_array(const ApiCall& call, std::uint64_t handle) {
  channel::DestroyRequest request;
  request.handle = handle;
  request.kind = channel::HandleKind::array;
  const cudaError_t status = call.device().call<Call::destroy>(request);
  if (status == cudaSuccess) {
    Arrays& arrays = Arrays::get();
    const std::lock_guard lock(arrays.mutex);
    arrays.live.erase(handle);
  }
  return call.done(status);
}

struct Box {  // of an array
  std::size_t x_bytes = 0, y = 0, z = 0;
  std::size_t row_bytes = 0, rows = 1, slices = 1;
};

struct Linear {  // ordinary memory; slices lie `slice_pitch` bytes apart
  std::byte* start = nullptr;
  std::size_t pitch = 0, slice_pitch = 0;
};

cudaError_t no_array(const ApiCall& call, const char* which) {
  return call.fail(cudaErrorInvalidResourceHandle, std::string("the ") + which +
                                                       " is not an array of cudaMallocArray or cudaMalloc3DArray, or it "
                                                       "was freed");
}

// Whether the memory beside an array is the device's. Nothing: the call failed, with `failed`.
std::optional<bool> memory_on_device(const ApiCall& call, const void* pointer, cudaMemcpyKind kind, bool to_array,
                                     cudaError_t& failed) {
  const char* const what = to_array ? "source" : "destination";
  const Side side = side_of(call.device(), pointer);
  if (kind == cudaMemcpyDefault) return side != Side::host;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    failed = call.fail(cudaErrorInvalidMemcpyDirection, "the direction is none of cudaMemcpyKind's values");
    return std::nullopt;
  }
  const cudaMemcpyKind with_host = to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  if (kind != with_host && kind != cudaMemcpyDeviceToDevice) {
    failed = call.fail(cudaErrorInvalidValue,
                       std::string("an array is device memory: a copy ") + (to_array ? "to" : "from") + " it is " +
                           (to_array ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost") + " or "
                           "cudaMemcpyDeviceToDevice");
    return std::nullopt;
  }
  const bool wants_device = kind == cudaMemcpyDeviceToDevice;
  if ((wants_device && side == Side::host) || (!wants_device && side == Side::device)) {
    failed = call.fail(cudaErrorInvalidValue, std::string("the ") + what + ", " + hex(pointer) + ", is a " +
                                                  (wants_device ? "host" : "device") +
                                                  " address, which does not fit the direction of the copy");
    return std::nullopt;
  }
  return wants_device;
}

bool fits(const ArrayInfo& array, const Box& box) {
  const auto inside = [](std::size_t at, std::size_t n, std::size_t size) { return at <= size && n <= size - at; };
  return inside(box.x_bytes, box.row_bytes, array.row_bytes()) && inside(box.y, box.rows, array.rows()) &&
         inside(box.z, box.slices, array.slices());
}

channel::ArrayTransferRequest transfer(std::uint64_t array, const Box& box) {
  channel::ArrayTransferRequest request;
  request.array = array;
  request.x_bytes = box.x_bytes;
  request.y = box.y;
  request.z = box.z;
  request.row_bytes = box.row_bytes;
  request.rows = box.rows;
  request.slices = box.slices;
  return request;
}

// Calls step(part of the box, offset of its first byte in the linear memory) for parts that the bulk memory holds.
template <class Step>
cudaError_t in_parts(const Box& box, const Linear& memory, Step&& step) {
  const std::size_t rows_at_once = std::max<std::size_t>(channel::kBulkBytes / box.row_bytes, 1);
  for (std::size_t z = 0; z < box.slices; ++z) {
    for (std::size_t y = 0; y < box.rows; y += rows_at_once) {
      const Box part{box.x_bytes,   box.y + y, box.z + z, box.row_bytes, std::min(rows_at_once, box.rows - y), 1};
      const cudaError_t status = step(part, z * memory.slice_pitch + y * memory.pitch);
      if (status != cudaSuccess) return status;
    }
  }
  return cudaSuccess;
}

cudaError_t host_to_array(const ApiCall& call, std::uint64_t array, const Box& box, const Linear& from) {
  std::size_t operation_bytes = box.row_bytes * box.rows * box.slices;
  std::vector<std::byte> packed;
  return in_parts(box, from, [&](const Box& part, std::size_t offset) {
    auto request = transfer(array, part);
    request.operation_bytes = std::exchange(operation_bytes, 0);
    packed.resize(part.row_bytes * part.rows);
    for (std::size_t row = 0; row < part.rows; ++row)
      std::memcpy(&packed[row * part.row_bytes], from.start + offset + row * from.pitch, part.row_bytes);
    return call.device().call<Call::write_array>(request, nullptr, packed);
  });
}

cudaError_t array_to_host(const ApiCall& call, std::uint64_t array, const Box& box, const Linear& to) {
  std::size_t operation_bytes = box.row_bytes * box.rows * box.slices;
  std::vector<std::byte> packed;
  return in_parts(box, to, [&](const Box& part, std::size_t offset) {
    auto request = transfer(array, part);
    request.operation_bytes = std::exchange(operation_bytes, 0);
    packed.resize(part.row_bytes * part.rows);
    const cudaError_t status = call.device().call<Call::read_array>(request, nullptr, {}, packed);
    for (std::size_t row = 0; row < part.rows && status == cudaSuccess; ++row)
      std::memcpy(to.start + offset + row * to.pitch, &packed[row * part.row_bytes], part.row_bytes);
    return status;
  });
}

channel::CopySide array_side(std::uint64_t array, const Box& box) {
  channel::CopySide side;
  side.array = array;
  side.x_bytes = box.x_bytes;
  side.y = box.y;
  side.z = box.z;
  return side;
}

cudaError_t on_device(const ApiCall& call, const channel::CopySide& to, const channel::CopySide& from,
                      const Box& size) {
  channel::ArrayCopyRequest request;
  request.to = to;
  request.from = from;
  request.row_bytes = size.row_bytes;
  request.rows = size.rows;
  request.slices = size.slices;
  return call.device().call<Call::copy_array>(request);
}

// Between an array's box and ordinary memory.
cudaError_t copy_box(const ApiCall& call, cudaArray_const_t array, const Box& box, const Linear& memory,
                     cudaMemcpyKind kind, bool to_array) {
  const auto info = array_info(array);
  if (!info) return no_array(call, to_array ? "destination" : "source");
  if (box.row_bytes == 0 || box.rows == 0 || box.slices == 0) return call.done(cudaSuccess);
  if (memory.start == nullptr) {
    return call.fail(cudaErrorInvalidValue, to_array ? "the source is a null pointer" : "the destination is a null pointer");
  }
  if (box.rows > 1 && memory.pitch < box.row_bytes) {
    return call.fail(cudaErrorInvalidPitchValue, "the pitch of " + std::to_string(memory.pitch) +
                                                     " bytes is smaller than the width of " +
                                                     std::to_string(box.row_bytes) + " bytes");
  }
  cudaError_t status = cudaSuccess;
  const auto device_memory = memory_on_device(call, memory.start, kind, to_array, status);
  if (!device_memory) return status;
  if (side_of(call.device(), memory.start) == Side::mapped) call.device().map_window();
  if (const cudaError_t sticky = call.device().sticky(); sticky != cudaSuccess) return call.done(sticky);
  const std::uint64_t handle = array_handle(array);
  if (!fits(*info, box)) {
    // The device says what is wrong; no byte of the program's memory is touched for it.
    return call.done(call.device().call<Call::write_array>(transfer(handle, box)));
  }
  if (*device_memory) {
    channel::CopySide linear;
    linear.address = address_of(memory.start);
    linear.row_pitch = memory.pitch;
    linear.slice_pitch = memory.slice_pitch;
    const channel::CopySide side = array_side(handle, box);
    return call.done(to_array ? on_device(call, side, linear, box) : on_device(call, linear, side, box));
  }
  return call.done(to_array ? host_to_array(call, handle, box, memory) : array_to_host(call, handle, box, memory));
}

Linear rows_at(const void* start, std::size_t pitch) {
  return {static_cast<std::byte*>(const_cast<void*>(start)), pitch, 0};
}

// `count` bytes that run on from row to row (cudaMemcpyToArray): at most a part of a row, whole rows, a part of a row.
cudaError_t copy_run(const ApiCall& call, cudaArray_const_t array, std::size_t x, std::size_t y, const void* memory,
                     std::size_t count, cudaMemcpyKind kind, bool to_array) {
  const auto info = array_info(array);
  if (!info) return no_array(call, to_array ? "destination" : "source");
  const std::size_t width = info->row_bytes(), bytes = width * info->rows();
  if (x >= width || y >= info->rows() || count > bytes - (y * width + x)) {
    return call.fail(cudaErrorInvalidValue, std::to_string(count) + " bytes from byte " + std::to_string(x) + " of row " +
                                                std::to_string(y) + " on do not fit the array of " +
                                                std::to_string(info->rows()) + " rows of " + std::to_string(width) +
                                                " bytes");
  }
  const auto* at = static_cast<const std::byte*>(memory);
  cudaError_t status = call.done(cudaSuccess);
  while (count != 0 && status == cudaSuccess) {
    Box box{x, y, 0, std::min(count, width - x), 1, 1};
    if (x == 0 && count >= width) box = {0, y, 0, width, count / width, 1};
    status = copy_box(call, array, box, rows_at(at, box.row_bytes), kind, to_array);
    const std::size_t done = box.row_bytes * box.rows;
    if (at != nullptr) at += done;
    count -= done;
    y += box.rows;
    x = 0;
  }
  return status;
}

cudaError_t copy_arrays(const ApiCall& call, cudaArray_const_t to, const Box& target, cudaArray_const_t from,
                        const Box& source, cudaMemcpyKind kind) {
  const auto a = array_info(from), b = array_info(to);
  if (!a) return no_array(call, "source");
  if (!b) return no_array(call, "destination");
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
    return call.fail(cudaErrorInvalidValue, "both arrays are device memory: the copy is cudaMemcpyDeviceToDevice");
  }
  if (a->texel_bytes() != b->texel_bytes()) {
    return call.fail(cudaErrorInvalidValue, "the arrays' texels have " + std::to_string(a->texel_bytes()) + " and " +
                                                std::to_string(b->texel_bytes()) + " bytes: they must be equal");
  }
  return call.done(
      on_device(call, array_side(array_handle(to), target), array_side(array_handle(from), source), source));
}

cudaError_t copy_3d(const ApiCall& call, const cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (p == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are a null pointer");
  if ((p->srcArray != nullptr) == (p->srcPtr.ptr != nullptr)) {
    return call.fail(cudaErrorInvalidValue, p->srcArray != nullptr
                                                ? "both srcArray and srcPtr are set: zero the structure first ({0})"
                                                : "neither srcArray nor srcPtr is set");
  }
  if ((p->dstArray != nullptr) == (p->dstPtr.ptr != nullptr)) {
    return call.fail(cudaErrorInvalidValue, p->dstArray != nullptr
                                                ? "both dstArray and dstPtr are set: zero the structure first ({0})"
                                                : "neither dstArray nor dstPtr is set");
  }
  // With an array the extent counts texels, without one bytes; positions count texels in arrays and bytes elsewhere.
  std::size_t unit = 1;
  for (const cudaArray_t array : {p->srcArray, p->dstArray}) {
    if (array == nullptr) continue;
    const auto info = array_info(array);
    if (!info) return no_array(call, array == p->srcArray ? "source" : "destination");
    unit = info->texel_bytes();
  }
  std::size_t row_bytes = 0;
  if (__builtin_mul_overflow(p->extent.width, unit, &row_bytes) || row_bytes > PTRDIFF_MAX ||
      p->extent.height > PTRDIFF_MAX || p->extent.depth > PTRDIFF_MAX) {
    return call.fail(cudaErrorInvalidValue, "the extent is impossibly large: was it a negative number?");
  }
  const auto box_at = [&](const cudaPos& pos) {
    return Box{pos.x * unit, pos.y, pos.z, row_bytes, p->extent.height, p->extent.depth};
  };
  const auto linear_at = [&](const cudaPitchedPtr& ptr, const cudaPos& pos) {
    const std::size_t slice = ptr.pitch * ptr.ysize;
    return Linear{static_cast<std::byte*>(ptr.ptr) + pos.x + pos.y * ptr.pitch + pos.z * slice, ptr.pitch, slice};
  };
  if (p->srcArray != nullptr && p->dstArray != nullptr)
    return copy_arrays(call, p->dstArray, box_at(p->dstPos), p->srcArray, box_at(p->srcPos), p->kind);
  if (p->dstArray != nullptr)
    return copy_box(call, p->dstArray, box_at(p->dstPos), linear_at(p->srcPtr, p->srcPos), p->kind, true);
  if (p->srcArray != nullptr)
    return copy_box(call, p->srcArray, box_at(p->srcPos), linear_at(p->dstPtr, p->dstPos), p->kind, false);

  const Linear to = linear_at(p->dstPtr, p->dstPos), from = linear_at(p->srcPtr, p->srcPos);
  const std::size_t rows = p->extent.height, slices = p->extent.depth;
  if (to.slice_pitch == to.pitch * rows && from.slice_pitch == from.pitch * rows)
    return cudaMemcpy2DAsync(to.start, to.pitch, from.start, from.pitch, row_bytes, rows * slices, p->kind, stream);
  for (std::size_t z = 0; z < slices; ++z) {
    const cudaError_t status = cudaMemcpy2DAsync(to.start + z * to.slice_pitch, to.pitch, from.start + z * from.slice_pitch,
                                                 from.pitch, row_bytes, rows, p->kind, stream);
    if (status != cudaSuccess) return status;
  }
  return call.done(cudaSuccess);
}

cudaError_t set_3d(const cudaPitchedPtr& to, int value, const cudaExtent& extent, cudaStream_t stream) {
  auto* const start = static_cast<std::byte*>(to.ptr);
  if (to.ysize == extent.height)
    return cudaMemset2DAsync(start, to.pitch, value, extent.width, extent.height * extent.depth, stream);
  cudaError_t status = cudaSuccess;
  for (std::size_t z = 0; z < extent.depth && status == cudaSuccess; ++z)
    status = cudaMemset2DAsync(start + z * to.pitch * to.ysize, to.pitch, value, extent.width, extent.height, stream);
  return status;
}

}  // namespace

std::optional<ArrayInfo> array_info(cudaArray_const_t array) {
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const auto found = arrays.live.find(array_handle(array));
  return found == arrays.live.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t array_handle(cudaArray_const_t array) {
  return reinterpret_cast<std::uintptr_t>(array);
}

channel::ChannelFormat channel_format(const cudaChannelFormatDesc& format) {
  channel::ChannelFormat out;
  out.bits = {format.x, format.y, format.z, format.w};
  out.kind = static_cast<std::uint32_t>(format.f);
  return out;
}

void free_arrays(const ApiCall& call) {
  std::map<std::uint64_t, ArrayInfo> live;
  {
    Arrays& arrays = Arrays::get();
    const std::lock_guard lock(arrays.mutex);
    live.swap(arrays.live);
  }
  for (const auto& [handle, info] : live) free_array(call, handle);
}

}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags) {
  const ApiCall call("cudaMallocArray");
  if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) {
    return call.fail(cudaErrorInvalidValue, "layered and cubemap arrays are made by cudaMalloc3DArray");
  }
  return make_array(call, array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return make_array(ApiCall("cudaMalloc3DArray"), array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return free_array(ApiCall("cudaFreeArray"), array_handle(array));
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  const ApiCall call("cudaArrayGetInfo");
  const auto info = array_info(array);
  if (!info) return no_array(call, "argument");
  if (format != nullptr) *format = info->format;
  if (extent != nullptr) *extent = info->extent;
  if (flags != nullptr) *flags = info->flags;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  const ApiCall call("cudaGetChannelDesc");
  if (format == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const auto info = array_info(array);
  if (!info) return no_array(call, "argument");
  *format = info->format;
  return call.done(cudaSuccess);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned,
                                     unsigned) {
  return ApiCall("cudaMallocMipmappedArray").unsupported("mipmapped arrays (cudaMallocMipmappedArray)");
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  const ApiCall call("cudaFreeMipmappedArray");
  if (array == nullptr) return call.done(cudaSuccess);
  return call.fail(cudaErrorInvalidResourceHandle, "not a mipmapped array");
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t*, cudaMipmappedArray_const_t, unsigned) {
  return ApiCall("cudaGetMipmappedArrayLevel").fail(cudaErrorInvalidResourceHandle, "not a mipmapped array");
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
  const ApiCall call("cudaMalloc3D");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  std::size_t pitch = 0, bytes = 0;
  if (__builtin_add_overflow(extent.width, kPitchAlignment - 1, &pitch) ||
      __builtin_mul_overflow(pitch / kPitchAlignment * kPitchAlignment, extent.height, &bytes) ||
      __builtin_mul_overflow(bytes, extent.depth, &bytes)) {
    return call.fail(cudaErrorMemoryAllocation, "the extent is impossibly large: was it a negative number?");
  }
  pitch = pitch / kPitchAlignment * kPitchAlignment;
  void* pointer = nullptr;
  const cudaError_t status = cudaMalloc(&pointer, bytes);
  if (status == cudaSuccess) *out = {pointer, pitch, extent.width, extent.height};
  return status;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return copy_box(ApiCall("cudaMemcpy2DToArray"), to, {x, y, 0, width, height, 1}, rows_at(from, pitch), kind, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpy2DToArrayAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return copy_box(call, to, {x, y, 0, width, height, 1}, rows_at(from, pitch), kind, true);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return copy_box(ApiCall("cudaMemcpy2DFromArray"), from, {x, y, 0, width, height, 1}, rows_at(to, pitch), kind, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpy2DFromArrayAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return copy_box(call, from, {x, y, 0, width, height, 1}, rows_at(to, pitch), kind, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_arrays(ApiCall("cudaMemcpy2DArrayToArray"), to, {to_x, to_y, 0, width, height, 1}, from,
                     {from_x, from_y, 0, width, height, 1}, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t count, cudaMemcpyKind kind) {
  return copy_run(ApiCall("cudaMemcpyToArray"), to, x, y, from, count, kind, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpyToArrayAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return copy_run(call, to, x, y, from, count, kind, true);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                cudaMemcpyKind kind) {
  return copy_run(ApiCall("cudaMemcpyFromArray"), from, x, y, to, count, kind, false);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpyFromArrayAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return copy_run(call, from, x, y, to, count, kind, false);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t count, cudaMemcpyKind kind) {
  const ApiCall call("cudaMemcpyArrayToArray");
  const auto a = array_info(from), b = array_info(to);
  if (!a) return no_array(call, "source");
  if (!b) return no_array(call, "destination");
  cudaError_t status = call.done(cudaSuccess);
  while (count != 0 && status == cudaSuccess) {
    if (from_x >= a->row_bytes() || to_x >= b->row_bytes()) {
      return call.fail(cudaErrorInvalidValue, "an offset is larger than a row of the array");
    }
    const std::size_t bytes = std::min({count, a->row_bytes() - from_x, b->row_bytes() - to_x});
    status = copy_arrays(call, to, {to_x, to_y, 0, bytes, 1, 1}, from, {from_x, from_y, 0, bytes, 1, 1}, kind);
    count -= bytes;
    if ((from_x += bytes) == a->row_bytes()) from_x = 0, ++from_y;
    if ((to_x += bytes) == b->row_bytes()) to_x = 0, ++to_y;
  }
  return status;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return copy_3d(ApiCall("cudaMemcpy3D"), p, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  const ApiCall call("cudaMemcpy3DAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return copy_3d(call, p, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return set_3d(to, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return set_3d(to, value, extent, stream);
}

}  // extern "C"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // cudaMemcpyToArray and its kin, which programs still use
JUDGE_PER_THREAD(cudaMemcpy2DToArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpy2DFromArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpyToArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpyFromArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpyArrayToArray, _ptds);
JUDGE_PER_THREAD(cudaMemcpy3D, _ptds);
JUDGE_PER_THREAD(cudaMemcpy3DAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemset3D, _ptds);
JUDGE_PER_THREAD(cudaMemset3DAsync, _ptsz);
#pragma GCC visibility pop
