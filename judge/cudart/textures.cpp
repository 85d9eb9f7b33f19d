// Texture and surface objects. What an object may be is for the device to say; the library keeps the descriptions that
// the program may ask for again.

#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "judge/cudart/arrays.h"
#include "judge/cudart/handles.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

using channel::Call;
using channel::HandleKind;

constexpr std::size_t k1dLinearWidth = 1u << 28;  // maxTexture1DLinear, in texels

struct Object {
  cudaResourceDesc resource{};
  cudaTextureDesc sampling{};  // zero for a surface
};

struct Objects {
  std::mutex mutex;
  std::map<std::uint64_t, Object> textures, surfaces;

  static Objects& get() { return immortal<Objects>(); }
  std::map<std::uint64_t, Object>& of(HandleKind kind) { return kind == HandleKind::texture ? textures : surfaces; }
};

std::optional<Object> find(std::uint64_t handle, HandleKind kind) {
  Objects& objects = Objects::get();
  const std::lock_guard lock(objects.mutex);
  const auto& table = objects.of(kind);
  const auto found = table.find(handle);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

void remember(std::uint64_t handle, HandleKind kind, const Object& object) {
  Objects& objects = Objects::get();
  const std::lock_guard lock(objects.mutex);
  objects.of(kind)[handle] = object;
}

cudaError_t destroy(const ApiCall& call, std::uint64_t handle, HandleKind kind) {
  if (handle == 0) return call.done(cudaSuccess);
  channel::DestroyRequest request;
  request.handle = handle;
  request.kind = kind;
  const cudaError_t status = call.device().call<Call::destroy>(request);
  if (status == cudaSuccess) {
    Objects& objects = Objects::get();
    const std::lock_guard lock(objects.mutex);
    objects.of(kind).erase(handle);
  }
  return call.done(status);
}

}  // namespace

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 7.5 to 9.0 are alike. Mipmapped arrays
// and cubemaps do not exist here, so their limits are 0.
std::optional<int> texture_attribute(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return 512;
    case cudaDevAttrTexturePitchAlignment:
      return 32;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxTexture2DLinearWidth:
    case cudaDevAttrMaxSurface2DWidth:
      return 131072;
    case cudaDevAttrMaxTexture1DLinearWidth:
      return static_cast<int>(k1dLinearWidth);
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxSurface2DHeight:
      return 65536;
    case cudaDevAttrMaxTexture2DLinearHeight:
      return 65000;
    case cudaDevAttrMaxTexture2DLinearPitch:
      return 2097120;
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
    case cudaDevAttrMaxTexture3DWidthAlt:
    case cudaDevAttrMaxTexture3DHeightAlt:
    case cudaDevAttrMaxTexture3DDepthAlt:
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
      return 16384;
    case cudaDevAttrMaxTexture2DGatherWidth:
    case cudaDevAttrMaxTexture2DGatherHeight:
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxSurface1DWidth:
    case cudaDevAttrMaxSurface1DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredHeight:
      return 32768;
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
    case cudaDevAttrMaxSurface1DLayeredLayers:
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return 2048;
    case cudaDevAttrMaxTexture1DMipmappedWidth:
    case cudaDevAttrMaxTexture2DMipmappedWidth:
    case cudaDevAttrMaxTexture2DMipmappedHeight:
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
    case cudaDevAttrMaxSurfaceCubemapWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return 0;
    default:
      return std::nullopt;
  }
}

void describe_textures(cudaDeviceProp& out) {
  const auto value = [](cudaDeviceAttr attribute) { return texture_attribute(attribute).value_or(0); };
  out.textureAlignment = static_cast<std::size_t>(value(cudaDevAttrTextureAlignment));
  out.texturePitchAlignment = static_cast<std::size_t>(value(cudaDevAttrTexturePitchAlignment));
  out.surfaceAlignment = static_cast<std::size_t>(value(cudaDevAttrSurfaceAlignment));
  out.maxTexture1D = value(cudaDevAttrMaxTexture1DWidth);
  out.maxTexture2D[0] = value(cudaDevAttrMaxTexture2DWidth);
  out.maxTexture2D[1] = value(cudaDevAttrMaxTexture2DHeight);
  out.maxTexture2DLinear[0] = value(cudaDevAttrMaxTexture2DLinearWidth);
  out.maxTexture2DLinear[1] = value(cudaDevAttrMaxTexture2DLinearHeight);
  out.maxTexture2DLinear[2] = value(cudaDevAttrMaxTexture2DLinearPitch);
  out.maxTexture2DGather[0] = out.maxTexture2DGather[1] = value(cudaDevAttrMaxTexture2DGatherWidth);
  out.maxTexture1DLayered[0] = value(cudaDevAttrMaxTexture1DLayeredWidth);
  out.maxTexture1DLayered[1] = value(cudaDevAttrMaxTexture1DLayeredLayers);
  out.maxTexture2DLayered[0] = out.maxTexture2DLayered[1] = value(cudaDevAttrMaxTexture2DLayeredWidth);
  out.maxTexture2DLayered[2] = value(cudaDevAttrMaxTexture2DLayeredLayers);
  out.maxSurface1D = value(cudaDevAttrMaxSurface1DWidth);
  out.maxSurface2D[0] = value(cudaDevAttrMaxSurface2DWidth);
  out.maxSurface2D[1] = value(cudaDevAttrMaxSurface2DHeight);
  out.maxSurface1DLayered[0] = value(cudaDevAttrMaxSurface1DLayeredWidth);
  out.maxSurface1DLayered[1] = value(cudaDevAttrMaxSurface1DLayeredLayers);
  out.maxSurface2DLayered[0] = out.maxSurface2DLayered[1] = value(cudaDevAttrMaxSurface2DLayeredWidth);
  out.maxSurface2DLayered[2] = value(cudaDevAttrMaxSurface2DLayeredLayers);
  for (std::size_t k = 0; k < 3; ++k)
    out.maxTexture3D[k] = out.maxTexture3DAlt[k] = out.maxSurface3D[k] = value(cudaDevAttrMaxTexture3DWidth);
}

void destroy_objects(const ApiCall& call) {
  std::vector<std::pair<std::uint64_t, HandleKind>> all;
  {
    Objects& objects = Objects::get();
    const std::lock_guard lock(objects.mutex);
    for (const HandleKind kind : {HandleKind::texture, HandleKind::surface})
      for (const auto& [handle, object] : objects.of(kind)) all.emplace_back(handle, kind);
  }
  for (const auto& [handle, kind] : all) destroy(call, handle, kind);
}

}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
  const ApiCall call("cudaCreateTextureObject");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the address to store the handle at is null");
  if (resource == nullptr) return call.fail(cudaErrorInvalidValue, "the resource description is a null pointer");
  if (sampling == nullptr) return call.fail(cudaErrorInvalidValue, "the texture description is a null pointer");
  if (view != nullptr) return call.unsupported("resource views (the last argument of cudaCreateTextureObject)");
  if (resource->resType == cudaResourceTypeMipmappedArray) return call.unsupported("textures of mipmapped arrays");

  channel::CreateTextureRequest request;
  request.resource = static_cast<std::uint32_t>(resource->resType);
  if (resource->resType == cudaResourceTypeArray) {
    request.array = array_handle(resource->res.array.array);
  } else if (resource->resType == cudaResourceTypeLinear) {
    request.address = reinterpret_cast<std::uintptr_t>(resource->res.linear.devPtr);
    request.format = channel_format(resource->res.linear.desc);
    request.bytes = resource->res.linear.sizeInBytes;
  } else if (resource->resType == cudaResourceTypePitch2D) {
    request.address = reinterpret_cast<std::uintptr_t>(resource->res.pitch2D.devPtr);
    request.format = channel_format(resource->res.pitch2D.desc);
    request.width = resource->res.pitch2D.width;
    request.height = resource->res.pitch2D.height;
    request.pitch = resource->res.pitch2D.pitchInBytes;
  }
  for (std::size_t k = 0; k < 3; ++k) request.address_modes[k] = static_cast<std::uint32_t>(sampling->addressMode[k]);
  request.filter = static_cast<std::uint32_t>(sampling->filterMode);
  request.read_mode = static_cast<std::uint32_t>(sampling->readMode);
  request.srgb = sampling->sRGB != 0 ? 1 : 0;
  request.normalized_coordinates = sampling->normalizedCoords != 0 ? 1 : 0;
  for (std::size_t k = 0; k < 4; ++k) request.border[k] = std::bit_cast<std::uint32_t>(sampling->borderColor[k]);
  channel::HandleReply reply;
  const cudaError_t status = call.device().call<Call::create_texture>(request, &reply);
  if (status == cudaSuccess) {
    *out = reply.handle;
    remember(reply.handle, HandleKind::texture, {*resource, *sampling});
  }
  return call.done(status);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return destroy(ApiCall("cudaDestroyTextureObject"), texture, HandleKind::texture);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t texture) {
  const ApiCall call("cudaGetTextureObjectResourceDesc");
  const auto object = find(texture, HandleKind::texture);
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (!object) return call.fail(cudaErrorInvalidValue, "not a texture object, or it was destroyed");
  *out = object->resource;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t texture) {
  const ApiCall call("cudaGetTextureObjectTextureDesc");
  const auto object = find(texture, HandleKind::texture);
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (!object) return call.fail(cudaErrorInvalidValue, "not a texture object, or it was destroyed");
  *out = object->sampling;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* out, cudaTextureObject_t texture) {
  const ApiCall call("cudaGetTextureObjectResourceViewDesc");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (!find(texture, HandleKind::texture)) {
    return call.fail(cudaErrorInvalidValue, "not a texture object, or it was destroyed");
  }
  return call.fail(cudaErrorInvalidValue, "the texture object was made without a resource view");
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  const ApiCall call("cudaCreateSurfaceObject");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the address to store the handle at is null");
  if (resource == nullptr) return call.fail(cudaErrorInvalidValue, "the resource description is a null pointer");
  if (resource->resType != cudaResourceTypeArray) {
    return call.fail(cudaErrorInvalidValue, "a surface is made of a CUDA array: resType must be cudaResourceTypeArray");
  }
  channel::CreateSurfaceRequest request;
  request.array = array_handle(resource->res.array.array);
  channel::HandleReply reply;
  const cudaError_t status = call.device().call<Call::create_surface>(request, &reply);
  if (status == cudaSuccess) {
    *out = reply.handle;
    remember(reply.handle, HandleKind::surface, {*resource, {}});
  }
  return call.done(status);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return destroy(ApiCall("cudaDestroySurfaceObject"), surface, HandleKind::surface);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, cudaSurfaceObject_t surface) {
  const ApiCall call("cudaGetSurfaceObjectResourceDesc");
  const auto object = find(surface, HandleKind::surface);
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (!object) return call.fail(cudaErrorInvalidValue, "not a surface object, or it was destroyed");
  *out = object->resource;
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* texels, const cudaChannelFormatDesc* format, int device) {
  const ApiCall call("cudaDeviceGetTexture1DLinearMaxWidth");
  if (texels == nullptr || format == nullptr) return call.fail(cudaErrorInvalidValue, "an argument is a null pointer");
  if (device != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  *texels = k1dLinearWidth;
  return call.done(cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
