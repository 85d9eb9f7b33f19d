// expect: exit 0
// stderr: cudaErrorInvalidValue
// What a program asks about the machine: one GPU, its limits in agreement with each other, and the driver's small
// calls.
#include <cuda.h>

#include <cstdio>
#include <cstring>

__global__ void nothing() {}

int main() {
  int count = 0, can = 1, value = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count != 1) return 1;
  if (cudaDeviceCanAccessPeer(&can, 0, 0) != cudaSuccess || can != 0) return 2;
  if (cudaSetDevice(1) != cudaErrorInvalidDevice || cudaDeviceEnablePeerAccess(1, 0) != cudaErrorInvalidDevice)
    return 3;
  cudaIpcMemHandle_t handle;
  if (cudaIpcGetMemHandle(&handle, nullptr) != cudaErrorNotSupported) return 4;

  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 5;
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  if (value != properties.maxThreadsPerMultiProcessor) return 6;
  int blocks = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0) != cudaSuccess) return 7;
  if (blocks != properties.maxThreadsPerMultiProcessor / 256) return 8;
  // More than 48 KB of shared memory needs the opt-in, and there is a limit to that too.
  const int optin = static_cast<int>(properties.sharedMemPerBlockOptin);
  nothing<<<1, 32, 49152 + 16>>>();
  if (cudaGetLastError() != cudaErrorInvalidValue) return 9;
  if (cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 16) != cudaErrorInvalidValue)
    return 10;
  if (cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, optin) != cudaSuccess) return 11;
  cudaGetLastError();
  nothing<<<1, 32, optin>>>();
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 12;

  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (cudaGetDriverEntryPointByVersion("cuGetErrorName", &function, 12000, cudaEnableDefault, &result) != cudaSuccess)
    return 13;
  const char* name = nullptr;
  reinterpret_cast<CUresult (*)(CUresult, const char**)>(function)(CUDA_ERROR_ILLEGAL_ADDRESS, &name);
  if (std::strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") != 0) return 14;
  if (cudaGetDriverEntryPointByVersion("cuDeviceGetAttribute", &function, 12000, cudaEnableDefault, &result) !=
      cudaSuccess)
    return 15;
  reinterpret_cast<CUresult (*)(int*, CUdevice_attribute, CUdevice)>(function)(
      &value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  if (value != properties.multiProcessorCount) return 16;
  if (cudaGetDriverEntryPointByVersion("cuNoSuchCall", &function, 12000, cudaEnableDefault, &result) != cudaSuccess ||
      result != cudaDriverEntryPointSymbolNotFound)
    return 17;
  std::printf("ok: %s\n", properties.name);
  return 0;
}
