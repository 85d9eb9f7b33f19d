#include <cuda_runtime_api.h>

#include <string>
#include <thread>

#include "attached.h"
#include "catch.h"

using namespace judge::channel;

TEST_CASE("streams are handles that must exist") {
  FakeDevice& device = attached_device();
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(device.requests(Call::note).size() == 1);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(device.requests(Call::synchronize).at(0).as<SynchronizeRequest>().what == SynchronizeWhat::stream);
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDefault, stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_CASE("the device is told which stream and event an operation belongs to") {
  FakeDevice& device = attached_device();
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  const auto number = [](const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); };
  const auto created = device.requests(Call::note);
  REQUIRE(created.size() == 2);
  CHECK(created[0].as<NoteRequest>().stream == number(stream));
  CHECK(created[0].as<NoteRequest>().non_blocking == 0);
  CHECK(created[1].as<NoteRequest>().non_blocking == 1);

  device.forget();
  REQUIRE(cudaEventRecord(event, stream) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(other, event, 0) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(device.requests(Call::record_event).at(0).as<EventRequest>().event == number(event));
  CHECK(device.requests(Call::record_event).at(0).as<EventRequest>().stream == number(stream));
  const auto wait = device.requests(Call::note).at(0).as<NoteRequest>();
  CHECK(wait.kind == NoteKind::stream_wait);
  CHECK(wait.stream == number(other));
  CHECK(wait.event == number(event));
  CHECK(device.requests(Call::synchronize).at(0).as<SynchronizeRequest>().handle == number(other));
  CHECK(device.requests(Call::synchronize).at(1).as<SynchronizeRequest>().handle == number(event));

  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  alignas(4096) static char bytes[4096];
  device.forget();
  REQUIRE(cudaMemcpyAsync(memory, bytes, 64, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  REQUIRE(cudaHostRegister(bytes, sizeof bytes, cudaHostRegisterDefault) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(memory, bytes + 8, 8, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  REQUIRE(cudaMemcpy(memory, bytes, 64, cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(memory, 0, 64, other) == cudaSuccess);
  const auto writes = device.requests(Call::write);
  REQUIRE(writes.size() == 3);
  CHECK(writes[0].as<TransferRequest>().stream == number(stream));
  CHECK(writes[0].as<TransferRequest>().asynchronous == 1);
  CHECK(writes[0].as<TransferRequest>().registered == 0);
  CHECK(writes[0].as<TransferRequest>().host_address == number(bytes));
  CHECK(writes[1].as<TransferRequest>().registered == 1);
  CHECK(writes[2].as<TransferRequest>().stream == 0);
  CHECK(writes[2].as<TransferRequest>().asynchronous == 0);
  CHECK(device.requests(Call::fill).at(0).as<FillRequest>().stream == number(other));
  REQUIRE(cudaHostUnregister(bytes) == cudaSuccess);
  REQUIRE(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("stream flags and priorities are kept within the device's range") {
  attached_device();
  int least = 1, greatest = 1, priority = 1;
  REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  CHECK(least == 0);
  CHECK(greatest == -5);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100) == cudaSuccess);
  REQUIRE(cudaStreamGetPriority(stream, &priority) == cudaSuccess);
  CHECK(priority == -5);
  unsigned flags = 0;
  REQUIRE(cudaStreamGetFlags(stream, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  CHECK(cudaStreamCreateWithFlags(&stream, 2) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("host functions run at once, and may call the runtime") {
  attached_device();
  int count = 0;
  REQUIRE(cudaLaunchHostFunc(
              nullptr, [](void* p) { ++*static_cast<int*>(p); }, &count) == cudaSuccess);
  CHECK(count == 1);
  REQUIRE(cudaStreamAddCallback(
              nullptr,
              [](cudaStream_t, cudaError_t status, void* p) {
                *static_cast<int*>(p) += status == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess ? 10 : 100;
              },
              &count, 0) == cudaSuccess);
  CHECK(count == 11);
}

TEST_CASE("elapsed time is the difference of the device's timestamps") {
  FakeDevice& device = attached_device();
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr, never = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&end, cudaEventBlockingSync) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventCreate(&never) == cudaSuccess);
  for (cudaEvent_t event : {start, end, untimed}) REQUIRE(cudaEventRecord(event, nullptr) == cudaSuccess);
  CHECK(device.requests(Call::record_event).size() == 3);
  float milliseconds = 0;
  REQUIRE(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds == 2.5f);
  REQUIRE(cudaEventElapsedTime(&milliseconds, end, start) == cudaSuccess);
  CHECK(milliseconds == -2.5f);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(&milliseconds, start, never) == cudaErrorInvalidResourceHandle);
  CHECK(last_report(device) == "cudaEventElapsedTime: an event was never recorded (cudaEventRecord)");
  CHECK(cudaEventQuery(start) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, end, 0) == cudaSuccess);
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventRecord(start, nullptr) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_CASE("the last error belongs to its thread") {
  attached_device();
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaGetLastError(); }).join();
  CHECK(elsewhere == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);  // a call that succeeds does not clear it
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("errors have CUDA's names and texts") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorIllegalAddress)) == "cudaErrorIllegalAddress");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) == "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) == "invalid configuration argument");
  CHECK(std::string(cudaGetErrorName(cudaErrorUnknown)) == "cudaErrorUnknown");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) == "unrecognized error code");
  CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(12345))) == "unrecognized error code");
}

TEST_CASE("there is one device, and its properties are those of the greeting") {
  FakeDevice& device = attached_device();
  int count = 0, current = 7, value = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  REQUIRE(cudaGetDevice(&current) == cudaSuccess);
  CHECK(count == 1);
  CHECK(current == 0);
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::string(properties.name) == "Fake T4");
  CHECK(properties.totalGlobalMem == 17179869184ull);
  CHECK(properties.multiProcessorCount == 40);
  CHECK(properties.warpSize == 32);
  CHECK(properties.maxThreadsDim[2] == 64);
  CHECK(properties.maxGridSize[0] == 2147483647);
  CHECK(properties.sharedMemPerBlock == 49152);
  CHECK(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice);

  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == 40);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess);
  CHECK(value == 65536);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrManagedMemory, 0) == cudaSuccess);
  CHECK(value == 1);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0) == cudaSuccess);
  CHECK(value == 1);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0) == cudaSuccess);
  CHECK(value == 0);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture2DHeight, 0) == cudaSuccess);
  CHECK(value == 65536);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrTexturePitchAlignment, 0) == cudaSuccess);
  CHECK(value == 32);
  CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0) == cudaErrorInvalidValue);
  CHECK(last_report(device) == "cudaDeviceGetAttribute: device attribute 9999 has no value on this device");

  std::size_t free_bytes = 0, total_bytes = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
  CHECK(free_bytes == 3);
  CHECK(total_bytes == 5);
  REQUIRE(cudaRuntimeGetVersion(&value) == cudaSuccess);
  CHECK(value == CUDART_VERSION);
  cudaGetLastError();
}

TEST_CASE("limits are what the device makes of them") {
  attached_device();
  std::size_t value = 0;
  REQUIRE(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
  CHECK(value == 1024);
  REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess);
  REQUIRE(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
  CHECK(value == 4096);
  REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 4097) == cudaSuccess);  // the device rounds up to 16 bytes
  REQUIRE(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
  CHECK(value == 4112);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1) == cudaErrorUnsupportedLimit);
  cudaGetLastError();
}

TEST_CASE("there are no peers and no other processes") {
  FakeDevice& device = attached_device();
  int value = 7;
  REQUIRE(cudaDeviceCanAccessPeer(&value, 0, 0) == cudaSuccess);
  CHECK(value == 0);
  CHECK(cudaDeviceCanAccessPeer(&value, 0, 1) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  CHECK(last_report(device) == "cudaDeviceEnablePeerAccess: there is no device number 1 beside this one");
  CHECK(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
  cudaIpcMemHandle_t handle;
  CHECK(cudaIpcGetMemHandle(&handle, nullptr) == cudaErrorNotSupported);
  char id[16];
  REQUIRE(cudaDeviceGetPCIBusId(id, sizeof id, 0) == cudaSuccess);
  CHECK(std::string(id) == "0000:00:00.0");
  CHECK(cudaDeviceGetPCIBusId(id, 12, 0) == cudaErrorInvalidValue);
  REQUIRE(cudaDeviceGetByPCIBusId(&value, "0000:00:00.0") == cudaSuccess);
  CHECK(value == 0);
  cudaGetLastError();
}

TEST_CASE("pools keep books: what is used, what is held back until the program waits") {
  attached_device();
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  std::uint64_t used = 7, reserved = 7;
  const auto look = [&] {
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess);
  };
  look();
  CHECK((used == 0 && reserved == 0));
  void* memory = nullptr;
  REQUIRE(cudaMallocAsync(&memory, 1000, nullptr) == cudaSuccess);
  look();
  CHECK((used == 1000 && reserved == 32u << 20));
  REQUIRE(cudaFreeAsync(memory, nullptr) == cudaSuccess);
  look();
  CHECK((used == 0 && reserved == 32u << 20));
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);  // the release threshold is 0
  look();
  CHECK(reserved == 0);
  CHECK(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 2000;
  REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
  REQUIRE(cudaMallocFromPoolAsync(&memory, 1500, pool, nullptr) == cudaSuccess);
  void* more = nullptr;
  CHECK(cudaMallocFromPoolAsync(&more, 501, pool, nullptr) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
  CHECK(cudaMallocFromPoolAsync(&more, 1, pool, nullptr) == cudaErrorInvalidValue);
  REQUIRE(cudaFree(memory) == cudaSuccess);  // outlives its pool
  CHECK(cudaMemPoolTrimTo(reinterpret_cast<cudaMemPool_t>(16), 0) == cudaErrorInvalidValue);
  cudaGetLastError();
}
