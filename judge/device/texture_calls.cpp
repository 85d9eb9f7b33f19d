// The device's side of the calls about arrays, textures and surfaces.

#include <bit>

#include "judge/device/error_name.h"
#include "judge/device/host_calls.h"
#include "judge/device/reply.h"
#include "judge/device/textures.h"

namespace judge::device {

using channel::Call;

namespace {

ChannelFormat format_of(const channel::ChannelFormat& f) {
  return {f.bits, f.kind};
}

CopySide side_of(const channel::CopySide& s) {
  return {s.array, s.x_bytes, s.y, s.z, s.address, s.row_pitch, s.slice_pitch};
}

ArrayBox box_of(const channel::ArrayTransferRequest& r) {
  return {r.x_bytes, r.y, r.z, r.row_bytes, r.rows, r.slices};
}

// row_bytes * rows * slices, at most `cap`.
std::optional<std::uint64_t> box_bytes(std::uint64_t row_bytes, std::uint64_t rows, std::uint64_t slices,
                                       std::uint64_t cap) {
  const auto slice = channel::rectangle_bytes(row_bytes, rows, cap);
  return slice ? channel::rectangle_bytes(*slice, slices, cap) : std::nullopt;
}

}  // namespace

HostCalls::Reply HostCalls::texture_call(const channel::Message& message, Payload payload) {
  if (device_.textures() == nullptr) {
    ledger_.unsupported("arrays, textures and surfaces");
    return Status{cuda_not_supported, "this device has no arrays, textures and surfaces"};
  }
  switch (message.call) {
    case Call::create_array:
      return create_array(channel::body_as<channel::CreateArrayRequest>(message));
    case Call::destroy:
      return destroy(channel::body_as<channel::DestroyRequest>(message));
    case Call::write_array:
      return write_array(channel::body_as<channel::ArrayTransferRequest>(message), payload);
    case Call::read_array:
      return read_array(channel::body_as<channel::ArrayTransferRequest>(message));
    case Call::copy_array:
      return copy_array(channel::body_as<channel::ArrayCopyRequest>(message));
    case Call::create_texture:
      return create_texture(channel::body_as<channel::CreateTextureRequest>(message));
    case Call::create_surface: {
      channel::HandleReply r;
      const auto request = channel::body_as<channel::CreateSurfaceRequest>(message);
      const Status status = device_.textures()->create_surface(request.array, r.handle);
      if (!status.ok()) return {status, "cudaCreateSurfaceObject"};
      return Reply(r);
    }
    default:
      return Status{cuda_not_supported, ""};
  }
}

HostCalls::Reply HostCalls::create_array(const channel::CreateArrayRequest& request) {
  static constexpr std::string_view kCall = "cudaMallocArray";
  if (ledger_.full()) return {{cuda_memory_allocation, "more than 65,536 allocations are alive"}, kCall};
  ArrayInfo array;
  const Status status = device_.textures()->create_array(
      {request.width, request.height, request.depth, format_of(request.format), request.flags}, array);
  if (status.code == cuda_not_supported) ledger_.unsupported(status.detail);
  if (!status.ok()) return {status, kCall};
  ledger_.add(array.base, {array.bytes, MemoryKind::device, MemoryOwner::student, ""});
  ledger_.operation({OperationKind::allocate, array.bytes});
  channel::HandleReply r;
  r.handle = array.id;
  return Reply(r);
}

HostCalls::Reply HostCalls::destroy(const channel::DestroyRequest& request) {
  if (request.handle == 0 && request.kind == channel::HandleKind::array) return {};  // as cudaFree(nullptr)
  switch (request.kind) {
    case channel::HandleKind::array: {
      ArrayInfo freed;
      const Status status = device_.textures()->free_array(request.handle, freed);
      if (!status.ok()) return {status, "cudaFreeArray"};
      ledger_.remove(freed.base);
      ledger_.operation({OperationKind::free, freed.bytes});
      return {};
    }
    case channel::HandleKind::texture:
      return {device_.textures()->destroy(request.handle, false), "cudaDestroyTextureObject"};
    case channel::HandleKind::surface:
      return {device_.textures()->destroy(request.handle, true), "cudaDestroySurfaceObject"};
  }
  return {{cuda_invalid_value, "nothing of this kind can be destroyed"}, "cudaFreeArray"};
}

HostCalls::Reply HostCalls::write_array(const channel::ArrayTransferRequest& request, Payload rows) {
  static constexpr std::string_view kCall = "cudaMemcpyToArray";
  const Status status = device_.textures()->write(request.array, box_of(request), rows);
  if (!status.ok()) return {status, kCall};
  ledger_.copy_chunk({OperationKind::copy_to_device, rows.size()}, request.operation_bytes);
  return {};
}

HostCalls::Reply HostCalls::read_array(const channel::ArrayTransferRequest& request) {
  static constexpr std::string_view kCall = "cudaMemcpyFromArray";
  const auto bytes = box_bytes(request.row_bytes, request.rows, request.slices, channel::kBulkBytes);
  if (!bytes) return {{cuda_invalid_value, "the copy is larger than one message may ask for"}, kCall};
  std::span<std::byte> to = bulk_.first(*bytes);
  if (*bytes <= channel::kInlineBytes) {
    scratch_.resize(*bytes);
    to = scratch_;
  }
  const Status status = device_.textures()->read(request.array, box_of(request), to);
  if (!status.ok()) return {status, kCall};
  ledger_.copy_chunk({OperationKind::copy_from_device, *bytes}, request.operation_bytes);
  return Reply(channel::Empty{}, to);
}

HostCalls::Reply HostCalls::copy_array(const channel::ArrayCopyRequest& request) {
  // Which call it was is not sent; this is the likely one.
  const std::string_view call = request.slices > 1        ? "cudaMemcpy3D"
                                : request.from.array == 0 ? "cudaMemcpy2DToArray"
                                : request.to.array == 0   ? "cudaMemcpy2DFromArray"
                                                          : "cudaMemcpy2DArrayToArray";
  const auto bytes = box_bytes(request.row_bytes, request.rows, request.slices, kDeviceSpan);
  if (!bytes) return {{cuda_invalid_value, "the copy is larger than any memory of the device"}, call};
  const Status status = device_.textures()->copy(side_of(request.to), side_of(request.from), request.row_bytes,
                                                 request.rows, request.slices);
  if (!status.ok()) return {status, call};
  ledger_.operation({OperationKind::copy_on_device, *bytes});
  return {};
}

HostCalls::Reply HostCalls::create_texture(const channel::CreateTextureRequest& request) {
  TextureRequest wanted;
  wanted.resource = static_cast<TextureResource>(request.resource);
  wanted.array = request.array;
  wanted.address = request.address;
  wanted.format = format_of(request.format);
  wanted.bytes = request.bytes;
  wanted.width = request.width;
  wanted.height = request.height;
  wanted.pitch = request.pitch;
  wanted.address_modes = request.address_modes;
  wanted.filter = request.filter;
  wanted.read_mode = request.read_mode;
  wanted.srgb = request.srgb;
  wanted.normalized_coordinates = request.normalized_coordinates;
  wanted.border = std::bit_cast<std::array<float, 4>>(request.border);
  channel::HandleReply r;
  const Status status = device_.textures()->create_texture(wanted, r.handle);
  if (status.code == cuda_not_supported) ledger_.unsupported(status.detail);
  if (!status.ok()) return {status, "cudaCreateTextureObject"};
  return Reply(r);
}

}  // namespace judge::device
