// The driver calls that programs of the runtime make in passing: names of errors, questions about the device. They
// answer what the runtime's own calls answer. This file is compiled twice: into libcuda.so.1, for programs that link
// the driver, and, hidden, into libcudart.so.13, where cudaGetDriverEntryPoint finds them.

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace {

// The enumerator's name; the value is that of the cudaError_t with the same meaning (cuda.h, driver_types.h).
const char* name_of(CUresult error) {
  switch (static_cast<int>(error)) {
#define X(name) \
  case name:    \
    return #name;
    X(CUDA_SUCCESS)
    X(CUDA_ERROR_INVALID_VALUE)
    X(CUDA_ERROR_OUT_OF_MEMORY)
    X(CUDA_ERROR_NOT_INITIALIZED)
    X(CUDA_ERROR_DEINITIALIZED)
    X(CUDA_ERROR_PROFILER_DISABLED)
    X(CUDA_ERROR_PROFILER_NOT_INITIALIZED)
    X(CUDA_ERROR_PROFILER_ALREADY_STARTED)
    X(CUDA_ERROR_PROFILER_ALREADY_STOPPED)
    X(CUDA_ERROR_STUB_LIBRARY)
    X(CUDA_ERROR_DEVICE_UNAVAILABLE)
    X(CUDA_ERROR_NO_DEVICE)
    X(CUDA_ERROR_INVALID_DEVICE)
    X(CUDA_ERROR_DEVICE_NOT_LICENSED)
    X(CUDA_ERROR_INVALID_IMAGE)
    X(CUDA_ERROR_INVALID_CONTEXT)
    X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
    X(CUDA_ERROR_MAP_FAILED)
    X(CUDA_ERROR_UNMAP_FAILED)
    X(CUDA_ERROR_ARRAY_IS_MAPPED)
    X(CUDA_ERROR_ALREADY_MAPPED)
    X(CUDA_ERROR_NO_BINARY_FOR_GPU)
    X(CUDA_ERROR_ALREADY_ACQUIRED)
    X(CUDA_ERROR_NOT_MAPPED)
    X(CUDA_ERROR_NOT_MAPPED_AS_ARRAY)
    X(CUDA_ERROR_NOT_MAPPED_AS_POINTER)
    X(CUDA_ERROR_ECC_UNCORRECTABLE)
    X(CUDA_ERROR_UNSUPPORTED_LIMIT)
    X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE)
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
    X(CUDA_ERROR_INVALID_PTX)
    X(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE)
    X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    X(CUDA_ERROR_JIT_COMPILATION_DISABLED)
    X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY)
    X(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC)
    X(CUDA_ERROR_INVALID_SOURCE)
    X(CUDA_ERROR_FILE_NOT_FOUND)
    X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
    X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
    X(CUDA_ERROR_OPERATING_SYSTEM)
    X(CUDA_ERROR_INVALID_HANDLE)
    X(CUDA_ERROR_ILLEGAL_STATE)
    X(CUDA_ERROR_NOT_FOUND)
    X(CUDA_ERROR_NOT_READY)
    X(CUDA_ERROR_ILLEGAL_ADDRESS)
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    X(CUDA_ERROR_LAUNCH_TIMEOUT)
    X(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING)
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED)
    X(CUDA_ERROR_ASSERT)
    X(CUDA_ERROR_TOO_MANY_PEERS)
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
    X(CUDA_ERROR_HARDWARE_STACK_ERROR)
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION)
    X(CUDA_ERROR_MISALIGNED_ADDRESS)
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE)
    X(CUDA_ERROR_INVALID_PC)
    X(CUDA_ERROR_LAUNCH_FAILED)
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    X(CUDA_ERROR_NOT_PERMITTED)
    X(CUDA_ERROR_NOT_SUPPORTED)
    X(CUDA_ERROR_SYSTEM_NOT_READY)
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE)
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    X(CUDA_ERROR_CAPTURED_EVENT)
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    X(CUDA_ERROR_TIMEOUT)
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
    X(CUDA_ERROR_EXTERNAL_DEVICE)
    X(CUDA_ERROR_UNKNOWN)
#undef X
    default:
      return nullptr;
  }
}

CUresult result_of(cudaError_t status) {
  return static_cast<CUresult>(status);  // since CUDA 10.1 the numbers agree
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned flags) {
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  return version == nullptr ? CUDA_ERROR_INVALID_VALUE : result_of(cudaDriverGetVersion(version));
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = name_of(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = name_of(error) != nullptr ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  return count == nullptr ? CUDA_ERROR_INVALID_VALUE : result_of(cudaGetDeviceCount(count));
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

// The two enumerations of attributes have the same numbers.
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice device) {
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, device); status != cudaSuccess)
    return result_of(status);
  const std::string_view text(properties.name);
  const std::size_t n = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(name, text.data(), n);
  name[n] = '\0';
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {  // cuda.h renames it to …_v2
  cudaDeviceProp properties;
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, device); status != cudaSuccess)
    return result_of(status);
  *bytes = properties.totalGlobalMem;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize(void) {
  return result_of(cudaDeviceSynchronize());
}

}  // extern "C"
#pragma GCC visibility pop
