// Allocation of device, managed and pinned memory, and questions about pointers.

#include <set>
#include <string>

#include "judge/cudart/arrays.h"
#include "judge/cudart/capture.h"
#include "judge/cudart/handles.h"
#include "judge/cudart/memory.h"
#include "judge/cudart/pools.h"
#include "judge/cudart/registered.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

constexpr std::size_t kPitchAlignment = 512;  // what current GPUs use; programs must ask, but many assume it

// Allocations of this process, so that cudaDeviceReset frees them.
struct Ledger {
  std::mutex mutex;
  std::set<void*> device, pinned;

  static Ledger& get() { return immortal<Ledger>(); }
};

}  // namespace

cudaError_t allocate(const ApiCall& call, void** out, std::size_t bytes, channel::MemoryKind kind) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the address to store the pointer at is null");
  if (bytes == 0) {  // as CUDA: no memory, no error, except for managed memory
    if (kind == channel::MemoryKind::managed) {
      return call.fail(cudaErrorInvalidValue, "managed memory of 0 bytes cannot be allocated");
    }
    *out = nullptr;
    return call.done(cudaSuccess);
  }
  if (kind != channel::MemoryKind::device && !call.device().map_window()) {
    return call.fail(cudaErrorMemoryAllocation,
                     "the address range of managed and pinned memory is already in use in this process");
  }
  channel::AllocateRequest request;
  request.bytes = bytes;
  request.kind = kind;
  channel::AddressReply reply;
  const cudaError_t status = call.device().call<channel::Call::allocate>(request, &reply);
  if (status == cudaSuccess) {
    *out = reinterpret_cast<void*>(reply.address);
    Ledger& ledger = Ledger::get();
    const std::lock_guard lock(ledger.mutex);
    (kind == channel::MemoryKind::pinned ? ledger.pinned : ledger.device).insert(*out);
  }
  return call.done(status);
}

cudaError_t release(const ApiCall& call, void* pointer, bool pinned, bool in_stream) {
  if (pointer == nullptr) return call.done(cudaSuccess);
  if (!pinned) {
    if (const auto freed = free_graph_memory(call, pointer)) return *freed;
  }
  channel::FreeRequest request;
  request.address = reinterpret_cast<std::uintptr_t>(pointer);
  request.pinned = pinned ? 1 : 0;
  request.in_stream = in_stream ? 1 : 0;
  const cudaError_t status = call.device().call<channel::Call::free>(request);
  if (status == cudaSuccess) {
    Ledger& ledger = Ledger::get();
    const std::lock_guard lock(ledger.mutex);
    (pinned ? ledger.pinned : ledger.device).erase(pointer);
    forget_pool_memory(pointer);
  }
  return call.done(status);
}

namespace {

// Not in a capture that forbids calls that may wait for the device.
cudaError_t allocate_now(const ApiCall& call, void** out, std::size_t bytes, channel::MemoryKind kind) {
  if (const auto rejected = reject_unsafe(call)) return *rejected;
  return allocate(call, out, bytes, kind);
}

cudaError_t release_now(const ApiCall& call, void* pointer, bool pinned) {
  if (const auto rejected = reject_unsafe(call)) return *rejected;
  return release(call, pointer, pinned);
}

bool in_range(const void* pointer, std::uint64_t base, std::uint64_t span) {
  return reinterpret_cast<std::uintptr_t>(pointer) - base < span;
}

cudaError_t require_managed(const ApiCall& call, const void* pointer, std::size_t bytes) {
  if (bytes == 0 || side_of(call.device(), pointer) != Side::mapped) {
    return call.fail(cudaErrorInvalidValue, "the range is not managed memory (cudaMallocManaged or __managed__)");
  }
  return call.done(cudaSuccess);
}

}  // namespace

Side side_of(const Connection& connection, const void* pointer) {
  const channel::HelloReply& device = connection.device();
  if (in_range(pointer, device.device_base, device.device_span)) return Side::device;
  if (in_range(pointer, device.mapped_base, device.mapped_span)) return Side::mapped;
  return Side::host;
}

void free_everything(const ApiCall& call) {
  std::set<void*> device, pinned;
  {
    Ledger& ledger = Ledger::get();
    const std::lock_guard lock(ledger.mutex);
    device.swap(ledger.device);
    pinned.swap(ledger.pinned);
  }
  unregister_all(call);
  destroy_objects(call);
  free_arrays(call);
  for (void* pointer : device) release(call, pointer, false);
  for (void* pointer : pinned) release(call, pointer, true);
}

}  // namespace judge::cudart

using namespace judge::cudart;
using channel::MemoryKind;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  return allocate_now(ApiCall("cudaMalloc"), out, bytes, MemoryKind::device);
}

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  const ApiCall call("cudaMallocManaged");
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
    return call.fail(cudaErrorInvalidValue, "the flags are neither cudaMemAttachGlobal nor cudaMemAttachHost");
  }
  return allocate_now(call, out, bytes, MemoryKind::managed);
}

cudaError_t cudaMallocHost(void** out, size_t bytes) {
  return allocate_now(ApiCall("cudaMallocHost"), out, bytes, MemoryKind::pinned);
}

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  const ApiCall call("cudaHostAlloc");
  constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0) return call.fail(cudaErrorInvalidValue, "the flags are not cudaHostAlloc flags");
  return allocate_now(call, out, bytes, MemoryKind::pinned);
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  const ApiCall call("cudaMallocPitch");
  if (out == nullptr || pitch == nullptr) return call.fail(cudaErrorInvalidValue, "a result has no place to go");
  size_t rounded = 0, bytes = 0;
  if (__builtin_add_overflow(width, kPitchAlignment - 1, &rounded)) {
    return call.fail(cudaErrorInvalidValue, "the width is too large");
  }
  rounded -= rounded % kPitchAlignment;
  if (__builtin_mul_overflow(rounded, height, &bytes)) {
    return call.fail(cudaErrorInvalidValue, "width times height is too large");
  }
  const cudaError_t status = allocate_now(call, out, bytes, MemoryKind::device);
  if (status == cudaSuccess) *pitch = rounded;
  return status;
}

cudaError_t cudaFree(void* pointer) {
  return release_now(ApiCall("cudaFree"), pointer, false);
}

cudaError_t cudaFreeHost(void* pointer) {
  return release_now(ApiCall("cudaFreeHost"), pointer, true);
}

// Pinned memory has one address for host and device.
cudaError_t cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags) {
  const ApiCall call("cudaHostGetDevicePointer");
  if (out == nullptr || flags != 0) return call.fail(cudaErrorInvalidValue, "the flags must be 0");
  if (side_of(call.device(), pointer) == Side::mapped) {
    *out = pointer;
    return call.done(cudaSuccess);
  }
  if (void* const there = device_address_of_registered(pointer)) {
    *out = there;
    return call.done(cudaSuccess);
  }
  if (is_registered(pointer)) {
    return call.unsupported(
        "cudaHostGetDevicePointer of memory that was registered on the stack, while other threads ran, or that belongs "
        "to "
        "the exercise (allocate it with cudaHostAlloc)");
  }
  return call.fail(cudaErrorInvalidValue,
                   "the pointer " + hex(pointer) + " is not pinned memory (cudaMallocHost, cudaHostAlloc)");
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  const ApiCall call("cudaHostGetFlags");
  if (flags == nullptr || side_of(call.device(), pointer) != Side::mapped) {
    return call.fail(cudaErrorInvalidValue, "the pointer is not pinned memory (cudaMallocHost, cudaHostAlloc)");
  }
  *flags = cudaHostAllocMapped;
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  const ApiCall call("cudaMemPrefetchAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto rejected = reject_captured(call, stream, "prefetches")) return *rejected;
  if (flags != 0) return call.fail(cudaErrorInvalidValue, "the flags must be 0");
  if (const cudaError_t status = require_managed(call, pointer, bytes); status != cudaSuccess) return status;
  if (location.type == cudaMemLocationTypeDevice && location.id != 0)
    return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  channel::NoteRequest request;
  request.kind = location.type == cudaMemLocationTypeDevice ? channel::NoteKind::prefetch_to_device
                                                            : channel::NoteKind::prefetch_to_host;
  request.stream = reinterpret_cast<std::uintptr_t>(stream);
  request.address = reinterpret_cast<std::uintptr_t>(pointer);
  request.bytes = bytes;
  return call.done(call.device().call<channel::Call::note>(request));
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return require_managed(ApiCall("cudaMemAdvise"), pointer, bytes);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned) {
  const ApiCall call("cudaStreamAttachMemAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return require_managed(call, pointer, 1);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  const ApiCall call("cudaMemGetInfo");
  channel::MemoryInfoReply reply;
  const cudaError_t status = call.device().call<channel::Call::memory_info>({}, &reply);
  if (status == cudaSuccess && free_bytes != nullptr) *free_bytes = reply.free_bytes;
  if (status == cudaSuccess && total_bytes != nullptr) *total_bytes = reply.total_bytes;
  return call.done(status);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const ApiCall call("cudaPointerGetAttributes");
  if (attributes == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  void* const address = const_cast<void*>(pointer);
  channel::PointerRequest request;
  request.address = reinterpret_cast<std::uintptr_t>(pointer);
  channel::PointerReply reply;
  if (const cudaError_t status = call.device().call<channel::Call::pointer_attributes>(request, &reply);
      status != cudaSuccess) {
    return call.done(status);
  }
  *attributes = {};
  switch (reply.kind) {
    case channel::PointerKind::device:
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = address;
      break;
    case channel::PointerKind::managed:
      attributes->type = cudaMemoryTypeManaged;
      attributes->devicePointer = attributes->hostPointer = address;
      break;
    case channel::PointerKind::pinned:
      attributes->type = cudaMemoryTypeHost;
      attributes->devicePointer = attributes->hostPointer = address;
      break;
    case channel::PointerKind::unknown:
      attributes->type = is_registered(pointer) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
      attributes->device = is_registered(pointer) ? 0 : cudaInvalidDeviceId;
      attributes->hostPointer = address;
      attributes->devicePointer = device_address_of_registered(pointer);
      break;
  }
  return call.done(cudaSuccess);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaMemPrefetchAsync, _ptsz);
JUDGE_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
#pragma GCC visibility pop
