#include "judge/cudart/pools.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "judge/cudart/capture.h"
#include "judge/cudart/memory.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

constexpr std::uint64_t kPoolBlock = 32ull << 20;  // pools take memory from a GPU in pieces of this size

struct Pool {
  int reuse[3] = {1, 1, 1};  // follow events, opportunistic, internal dependencies: hints
  std::uint64_t release_threshold = 0;
  std::uint64_t reserved = 0, reserved_high = 0;
  std::uint64_t used = 0, used_high = 0;
  std::uint64_t most = 0;  // cudaMemPoolProps::maxSize; 0: no limit
  bool destroyed = false;  // lives on until its memory is freed

  std::uint64_t least() const { return (used + kPoolBlock - 1) / kPoolBlock * kPoolBlock; }
  void trim_to(std::uint64_t keep) { reserved = std::max(least(), std::min(reserved, keep)); }
};

struct Pools {
  std::mutex mutex;
  std::map<std::uintptr_t, Pool> pools{{kDefault, Pool{}}};
  std::map<const void*, std::pair<std::uintptr_t, std::uint64_t>> memory;  // pool and bytes
  std::uintptr_t next = kDefault;
  std::uintptr_t current = kDefault;

  static constexpr std::uintptr_t kDefault = 0x800;  // below the handles of streams and events: a wrong handle is found
  static Pools& get() { return immortal<Pools>(); }

  Pool* find(cudaMemPool_t handle) {
    const auto found = pools.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == pools.end() || found->second.destroyed ? nullptr : &found->second;
  }
  void forget_if_done(std::uintptr_t key) {
    const auto found = pools.find(key);
    if (found != pools.end() && found->second.destroyed && found->second.used == 0) pools.erase(found);
  }
};

cudaMemPool_t handle_of(std::uintptr_t key) {
  return reinterpret_cast<cudaMemPool_t>(key);
}

cudaError_t unknown_pool(const ApiCall& call) {
  return call.fail(cudaErrorInvalidValue, "the memory pool does not exist: it was never made, or is destroyed");
}

cudaError_t allocate_from(const ApiCall& call, void** out, std::size_t bytes, std::uintptr_t key, cudaStream_t stream) {
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the address to store the pointer at is null");
  Pools& books = Pools::get();
  {
    const std::lock_guard lock(books.mutex);
    const Pool* const pool = books.find(handle_of(key));
    if (pool == nullptr) return unknown_pool(call);
    if (pool->most != 0 && bytes > pool->most - std::min(pool->most, pool->used))
      return call.fail(cudaErrorMemoryAllocation, "the pool's maxSize would be exceeded");
  }
  if (is_capturing(stream) && bytes != 0) {
    AllocateWork work;
    if (const cudaError_t status = allocate_for_graph(call, bytes, work); status != cudaSuccess) return status;
    void* const address = work.parameters.dptr;
    const auto captured = capture(call, stream, std::move(work));
    if (captured == cudaSuccess) *out = address;
    return captured.value_or(cudaErrorStreamCaptureInvalidated);
  }
  if (const auto rejected = capture(call, stream, EmptyWork{})) return *rejected;  // the legacy stream, under a capture
  const cudaError_t status = allocate(call, out, bytes, channel::MemoryKind::device);
  if (status != cudaSuccess || bytes == 0) return status;
  const std::lock_guard lock(books.mutex);
  Pool& pool = books.pools[key];
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, pool.least());
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  books.memory[*out] = {key, bytes};
  return status;
}

bool is_this_device(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

}  // namespace

void forget_pool_memory(const void* address) {
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  const auto found = books.memory.find(address);
  if (found == books.memory.end()) return;
  const auto [key, bytes] = found->second;
  books.memory.erase(found);
  books.pools[key].used -= bytes;
  books.forget_if_done(key);
}

void trim_pools() {
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  for (auto& [key, pool] : books.pools) pool.trim_to(pool.release_threshold);
}

void clear_pools() {
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  books.pools.clear();
  books.pools[Pools::kDefault] = Pool{};
  books.memory.clear();
  books.current = Pools::kDefault;
}

}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
  return allocate_from(ApiCall("cudaMallocAsync"), out, bytes, Pools::get().current, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return allocate_from(ApiCall("cudaMallocFromPoolAsync"), out, bytes, reinterpret_cast<std::uintptr_t>(pool), stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const ApiCall call("cudaFreeAsync");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto captured = capture(call, stream, FreeWork{pointer})) return *captured;
  return release(call, pointer, false, true);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  const ApiCall call("cudaDeviceGetDefaultMemPool");
  if (pool == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (device != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  *pool = handle_of(Pools::kDefault);
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  const ApiCall call("cudaDeviceGetMemPool");
  if (pool == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (device != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  *pool = handle_of(Pools::get().current);
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  const ApiCall call("cudaDeviceSetMemPool");
  if (device != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  if (books.find(pool) == nullptr) return unknown_pool(call);
  books.current = reinterpret_cast<std::uintptr_t>(pool);
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* properties) {
  const ApiCall call("cudaMemPoolCreate");
  if (out == nullptr || properties == nullptr)
    return call.fail(cudaErrorInvalidValue, "the properties are null, or the result has no place to go");
  if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
    return call.fail(cudaErrorInvalidValue, "a pool has pinned memory (cudaMemAllocationTypePinned) of a device");
  if (properties->location.id != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  if (properties->handleTypes != cudaMemHandleTypeNone)
    return call.fail(cudaErrorNotSupported, "pools that are shared between processes are not there");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  books.next += 16;
  books.pools[books.next].most = properties->maxSize;
  *out = handle_of(books.next);
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  const ApiCall call("cudaMemPoolDestroy");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  Pool* const pool = books.find(handle);
  if (pool == nullptr) return unknown_pool(call);
  const auto key = reinterpret_cast<std::uintptr_t>(handle);
  if (key == Pools::kDefault) return call.fail(cudaErrorInvalidValue, "the default pool cannot be destroyed");
  pool->destroyed = true;
  if (books.current == key) books.current = Pools::kDefault;
  books.forget_if_done(key);
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  const ApiCall call("cudaMemPoolTrimTo");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  Pool* const pool = books.find(handle);
  if (pool == nullptr) return unknown_pool(call);
  pool->trim_to(keep);
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  const ApiCall call("cudaMemPoolSetAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the value is null");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  Pool* const pool = books.find(handle);
  if (pool == nullptr) return unknown_pool(call);
  std::uint64_t& number = *static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value) != 0 ? 1 : 0;
      return call.done(cudaSuccess);
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = number;
      return call.done(cudaSuccess);
    case cudaMemPoolAttrReservedMemHigh:
      if (number != 0) return call.fail(cudaErrorInvalidValue, "a high-water mark can only be set to 0");
      pool->reserved_high = pool->reserved;
      return call.done(cudaSuccess);
    case cudaMemPoolAttrUsedMemHigh:
      if (number != 0) return call.fail(cudaErrorInvalidValue, "a high-water mark can only be set to 0");
      pool->used_high = pool->used;
      return call.done(cudaSuccess);
    default:
      return call.fail(cudaErrorInvalidValue, "the attribute does not exist or cannot be set");
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  const ApiCall call("cudaMemPoolGetAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  const Pool* const pool = books.find(handle);
  if (pool == nullptr) return unknown_pool(call);
  std::uint64_t& number = *static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
      break;
    case cudaMemPoolAttrReleaseThreshold:
      number = pool->release_threshold;
      break;
    case cudaMemPoolAttrReservedMemCurrent:
      number = pool->reserved;
      break;
    case cudaMemPoolAttrReservedMemHigh:
      number = pool->reserved_high;
      break;
    case cudaMemPoolAttrUsedMemCurrent:
      number = pool->used;
      break;
    case cudaMemPoolAttrUsedMemHigh:
      number = pool->used_high;
      break;
    default:
      return call.fail(cudaErrorInvalidValue, "the attribute does not exist");
  }
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, size_t count) {
  const ApiCall call("cudaMemPoolSetAccess");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  if (books.find(handle) == nullptr) return unknown_pool(call);
  if (list == nullptr && count != 0) return call.fail(cudaErrorInvalidValue, "the list is null");
  for (size_t i = 0; i < count; ++i) {
    if (!is_this_device(list[i].location)) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
    if (list[i].flags != cudaMemAccessFlagsProtReadWrite)
      return call.fail(cudaErrorInvalidValue, "a device always reads and writes the pools that live on it");
  }
  return call.done(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
  const ApiCall call("cudaMemPoolGetAccess");
  if (flags == nullptr || location == nullptr) return call.fail(cudaErrorInvalidValue, "an argument is null");
  Pools& books = Pools::get();
  const std::lock_guard lock(books.mutex);
  if (books.find(handle) == nullptr) return unknown_pool(call);
  if (!is_this_device(*location)) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  *flags = cudaMemAccessFlagsProtReadWrite;
  return call.done(cudaSuccess);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaMallocAsync, _ptsz);
JUDGE_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
JUDGE_PER_THREAD(cudaFreeAsync, _ptsz);
#pragma GCC visibility pop
