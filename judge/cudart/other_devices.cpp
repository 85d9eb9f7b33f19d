// What a program asks about devices and processes beside its own. There is one device and nobody to share it with; the
// answers are those of a machine with one GPU.

#include <cstring>
#include <string>
#include <string_view>

#include <cuda.h>  // driver.cpp is compiled into this library

#include "judge/cudart/handles.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // cudaGetDriverEntryPoint: programs call it still

namespace judge::cudart {
namespace {

cudaError_t no_peer(const ApiCall& call, int device, int peer) {
  if (device != 0 || peer != 0)
    return call.fail(cudaErrorInvalidDevice, "there is one device, number 0, which has no peers");
  return cudaSuccess;
}

cudaError_t no_ipc(const ApiCall& call) {
  return call.fail(cudaErrorNotSupported, "handles for other processes are not there");
}

struct DriverCall {
  std::string_view name;
  void* address;
};

void* driver_call(std::string_view name) {
  static const DriverCall calls[] = {{"cuInit", reinterpret_cast<void*>(cuInit)},
                                     {"cuDriverGetVersion", reinterpret_cast<void*>(cuDriverGetVersion)},
                                     {"cuGetErrorName", reinterpret_cast<void*>(cuGetErrorName)},
                                     {"cuGetErrorString", reinterpret_cast<void*>(cuGetErrorString)},
                                     {"cuDeviceGetCount", reinterpret_cast<void*>(cuDeviceGetCount)},
                                     {"cuDeviceGet", reinterpret_cast<void*>(cuDeviceGet)},
                                     {"cuDeviceGetAttribute", reinterpret_cast<void*>(cuDeviceGetAttribute)},
                                     {"cuDeviceGetName", reinterpret_cast<void*>(cuDeviceGetName)},
                                     {"cuDeviceTotalMem", reinterpret_cast<void*>(cuDeviceTotalMem_v2)},
                                     {"cuCtxSynchronize", reinterpret_cast<void*>(cuCtxSynchronize)}};
  for (const DriverCall& call : calls)
    if (call.name == name) return call.address;
  return nullptr;
}

cudaError_t entry_point(const ApiCall& call, const char* name, void** function,
                        cudaDriverEntryPointQueryResult* result) {
  if (name == nullptr || function == nullptr)
    return call.fail(cudaErrorInvalidValue, "the name is null, or the result has no place to go");
  *function = driver_call(name);
  if (result != nullptr)
    *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (*function != nullptr) return call.done(cudaSuccess);
  if (result != nullptr) return call.done(cudaSuccess);  // the program looks at the result
  return call.unsupported("driver call " + std::string(std::string_view(name).substr(0, 64)));
}

}  // namespace
}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  const ApiCall call("cudaDeviceCanAccessPeer");
  if (can == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const cudaError_t status = no_peer(call, device, peer); status != cudaSuccess) return status;
  *can = 0;  // a device is no peer of its own
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const ApiCall call("cudaDeviceEnablePeerAccess");
  if (flags != 0) return call.fail(cudaErrorInvalidValue, "the flags must be 0");
  return call.fail(cudaErrorInvalidDevice, "there is no device number " + std::to_string(peer) + " beside this one");
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const ApiCall call("cudaDeviceDisablePeerAccess");
  if (peer == 0) return call.fail(cudaErrorPeerAccessNotEnabled, "access to a peer was never enabled");
  return call.fail(cudaErrorInvalidDevice, "there is no device number " + std::to_string(peer));
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int device, int peer) {
  const ApiCall call("cudaDeviceGetP2PAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const cudaError_t status = no_peer(call, device, peer); status != cudaSuccess) return status;
  return call.fail(cudaErrorInvalidDevice, "a device is no peer of its own");
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  const ApiCall call("cudaMemcpyPeer");
  if (const cudaError_t status = no_peer(call, to_device, from_device); status != cudaSuccess) return status;
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  const ApiCall call("cudaMemcpyPeerAsync");
  if (const cudaError_t status = no_peer(call, to_device, from_device); status != cudaSuccess) return status;
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return no_ipc(ApiCall("cudaIpcGetMemHandle"));
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return no_ipc(ApiCall("cudaIpcOpenMemHandle"));
}
cudaError_t cudaIpcCloseMemHandle(void*) {
  return no_ipc(ApiCall("cudaIpcCloseMemHandle"));
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return no_ipc(ApiCall("cudaIpcGetEventHandle"));
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return no_ipc(ApiCall("cudaIpcOpenEventHandle"));
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  const ApiCall call("cudaDeviceGetPCIBusId");
  static constexpr char kId[] = "0000:00:00.0";  // as the attributes say
  if (id == nullptr || length < static_cast<int>(sizeof kId))
    return call.fail(cudaErrorInvalidValue, "the result has no place to go, or too little: 13 bytes");
  if (device != 0) return call.fail(cudaErrorInvalidDevice, "there is one device, number 0");
  std::memcpy(id, kId, sizeof kId);
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  const ApiCall call("cudaDeviceGetByPCIBusId");
  if (device == nullptr || id == nullptr) return call.fail(cudaErrorInvalidValue, "an argument is null");
  const std::string_view text(id);
  if (text != "0000:00:00.0" && text != "0000:00:00" && text != "00:00.0")
    return call.fail(cudaErrorInvalidDevice, "there is no device on this bus");
  *device = 0;
  return call.done(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return entry_point(ApiCall("cudaGetDriverEntryPoint"), name, function, result);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  return entry_point(ApiCall("cudaGetDriverEntryPointByVersion"), name, function, result);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaMemcpyPeerAsync, _ptsz);
JUDGE_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
JUDGE_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
#pragma GCC visibility pop
