// The one device that there is: its properties, its limits, and the calls that choose it.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "judge/cudart/arrays.h"
#include "judge/cudart/handles.h"
#include "judge/cudart/memory.h"
#include "judge/cudart/pools.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

constexpr int kWarp = 32;
constexpr int kPitchLimit = std::numeric_limits<int>::max();

int as_int(std::uint64_t value) {
  return static_cast<int>(std::min<std::uint64_t>(value, std::numeric_limits<int>::max()));
}

// What an attribute is on this device: a property of it, or a fact about this runtime. Nothing: it describes
// hardware that is not there.
std::optional<int> attribute_value(const channel::HelloReply& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return device.max_threads_per_block;
    case cudaDevAttrMaxBlockDimX:
      return as_int(device.max_block[0]);
    case cudaDevAttrMaxBlockDimY:
      return as_int(device.max_block[1]);
    case cudaDevAttrMaxBlockDimZ:
      return as_int(device.max_block[2]);
    case cudaDevAttrMaxGridDimX:
      return as_int(device.max_grid[0]);
    case cudaDevAttrMaxGridDimY:
      return as_int(device.max_grid[1]);
    case cudaDevAttrMaxGridDimZ:
      return as_int(device.max_grid[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return as_int(device.shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return as_int(device.shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return as_int(device.shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return as_int(device.reserved_shared_bytes_per_block);
    case cudaDevAttrTotalConstantMemory:
      return as_int(device.constant_bytes);
    case cudaDevAttrWarpSize:
      return kWarp;
    case cudaDevAttrMaxPitch:
      return kPitchLimit;
    case cudaDevAttrMaxRegistersPerBlock:
      return device.registers_per_block;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return device.registers_per_multiprocessor;
    case cudaDevAttrClockRate:
      return device.clock_khz;
    case cudaDevAttrMemoryClockRate:
      return device.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return device.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
      return device.l2_bytes;
    case cudaDevAttrMultiProcessorCount:
      return device.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return device.max_threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return device.max_blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return device.major;
    case cudaDevAttrComputeCapabilityMinor:
      return device.minor;

    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrMemoryPoolsSupported:  // how programs ask for cudaMallocAsync
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCooperativeLaunch:
      return 1;

    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrConcurrentKernels:  // launches run one after another
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrMaxPersistingL2CacheSize:
    case cudaDevAttrMaxAccessPolicyWindowSize:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrGPUDirectRDMASupported:
      return 0;
    default:
      return texture_attribute(attribute);
  }
}

std::optional<cudaError_t> reject_device(const ApiCall& call, int device) {
  if (device == 0) return std::nullopt;
  return call.fail(cudaErrorInvalidDevice,
                   "there is one device, number 0, and not one with number " + std::to_string(device));
}

// Stack, printf buffer, heap, as last set; before that CUDA's defaults. The device decides what a value becomes.
struct Limits {
  std::mutex mutex;
  std::array<std::size_t, 3> value{1024, 1 << 20, 8 << 20};

  static Limits& get() { return immortal<Limits>(); }
};

unsigned& device_flags() {
  static unsigned flags = cudaDeviceScheduleAuto;
  return flags;
}

}  // namespace
}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const ApiCall call("cudaGetDeviceCount");
  if (count == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *count = 1;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  const ApiCall call("cudaGetDevice");
  if (device == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *device = 0;
  return call.done(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
  const ApiCall call("cudaSetDevice");
  if (const auto rejected = reject_device(call, device)) return *rejected;
  return call.done(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  const ApiCall call("cudaInitDevice");
  if (const auto rejected = reject_device(call, device)) return *rejected;
  return call.done(cudaSuccess);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  const ApiCall call("cudaChooseDevice");
  if (device == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *device = 0;
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const ApiCall call("cudaDeviceGetAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_device(call, device)) return *rejected;
  const std::optional<int> known = attribute_value(call.device().device(), attribute);
  if (!known) {
    return call.fail(cudaErrorInvalidValue,
                     "device attribute " + std::to_string(attribute) + " has no value on this device");
  }
  *value = *known;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const ApiCall call("cudaGetDeviceProperties");
  if (properties == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_device(call, device)) return *rejected;
  const channel::HelloReply& from = call.device().device();
  const auto value = [&](cudaDeviceAttr attribute) { return attribute_value(from, attribute).value_or(0); };
  cudaDeviceProp& to = *properties;
  to = {};
  std::copy(from.name.begin(), from.name.end() - 1, to.name);
  to.totalGlobalMem = from.total_global_bytes;
  to.sharedMemPerBlock = from.shared_bytes_per_block;
  to.sharedMemPerBlockOptin = from.shared_bytes_per_block_optin;
  to.sharedMemPerMultiprocessor = from.shared_bytes_per_multiprocessor;
  to.reservedSharedMemPerBlock = from.reserved_shared_bytes_per_block;
  to.regsPerBlock = from.registers_per_block;
  to.regsPerMultiprocessor = from.registers_per_multiprocessor;
  to.warpSize = kWarp;
  to.memPitch = kPitchLimit;
  to.maxThreadsPerBlock = from.max_threads_per_block;
  to.maxThreadsPerMultiProcessor = from.max_threads_per_multiprocessor;
  to.maxBlocksPerMultiProcessor = from.max_blocks_per_multiprocessor;
  for (int i = 0; i < 3; ++i) {
    to.maxThreadsDim[i] = as_int(from.max_block[i]);
    to.maxGridSize[i] = as_int(from.max_grid[i]);
  }
  to.totalConstMem = from.constant_bytes;
  to.major = from.major;
  to.minor = from.minor;
  describe_textures(to);
  to.multiProcessorCount = from.multiprocessors;
  to.memoryBusWidth = from.memory_bus_bits;
  to.l2CacheSize = from.l2_bytes;
  to.canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  to.unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  to.managedMemory = value(cudaDevAttrManagedMemory);
  to.concurrentManagedAccess = value(cudaDevAttrConcurrentManagedAccess);
  to.streamPrioritiesSupported = value(cudaDevAttrStreamPrioritiesSupported);
  to.memoryPoolsSupported = value(cudaDevAttrMemoryPoolsSupported);
  to.globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  to.localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  to.cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  to.hostRegisterSupported = value(cudaDevAttrHostRegisterSupported);
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceReset() {
  const ApiCall call("cudaDeviceReset");
  call.device().call<channel::Call::synchronize>({});  // what kernels printed comes out, as on a GPU
  free_everything(call);
  clear_pools();
  Streams::get().clear();
  Events::get().clear();
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  const ApiCall call("cudaDeviceSetLimit");
  Limits& limits = Limits::get();
  if (limit < cudaLimitStackSize || limit > cudaLimitMallocHeapSize) {
    return call.fail(cudaErrorUnsupportedLimit, "limit " + std::to_string(limit) + " does not exist on this device");
  }
  channel::LimitRequest request;
  request.kind = static_cast<channel::LimitKind>(limit);
  request.value = value;
  channel::LimitReply reply;
  const cudaError_t status = call.device().call<channel::Call::set_limit>(request, &reply);
  if (status != cudaSuccess) return call.done(status);
  const std::lock_guard lock(limits.mutex);
  limits.value[limit] = reply.value;
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  const ApiCall call("cudaDeviceGetLimit");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  Limits& limits = Limits::get();
  if (limit < cudaLimitStackSize || limit > cudaLimitMallocHeapSize) {
    return call.fail(cudaErrorUnsupportedLimit, "limit " + std::to_string(limit) + " does not exist on this device");
  }
  const std::lock_guard lock(limits.mutex);
  *value = limits.value[limit];
  return call.done(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  const ApiCall call("cudaSetDeviceFlags");
  if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0) {
    return call.fail(cudaErrorInvalidValue, "the flags are not device flags");
  }
  device_flags() = flags;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  const ApiCall call("cudaGetDeviceFlags");
  if (flags == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *flags = device_flags();
  return call.done(cudaSuccess);
}

// Hints about a cache that the emulated device does not have.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return ApiCall("cudaDeviceSetCacheConfig").done(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  const ApiCall call("cudaDeviceGetCacheConfig");
  if (config == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *config = cudaFuncCachePreferNone;
  return call.done(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  const ApiCall call("cudaDriverGetVersion");
  if (version == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *version = CUDART_VERSION;
  return call.done(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  const ApiCall call("cudaRuntimeGetVersion");
  if (version == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *version = CUDART_VERSION;
  return call.done(cudaSuccess);
}

cudaError_t cudaProfilerStart() {
  return ApiCall("cudaProfilerStart").done(cudaSuccess);
}

cudaError_t cudaProfilerStop() {
  return ApiCall("cudaProfilerStop").done(cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
