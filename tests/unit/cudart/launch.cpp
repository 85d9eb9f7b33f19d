#include <cuda_runtime_api.h>

#include <cstring>
#include <thread>
#include <vector>

#include "attached.h"
#include "catch.h"

using namespace judge::channel;

// What nvcc's generated code calls; the toolkit's header for it can only be included there.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*);
void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, size_t bytes, int, int);
void __cudaRegisterManagedVar(void** handle, void** slot, char*, const char* name, int, size_t bytes, int, int);
char __cudaInitModule(void** handle);
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
}

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A module with a fat binary of the given size. The bytes past the header mean nothing to the fake device.
class FakeModule {
 public:
  explicit FakeModule(std::size_t bytes = 64, std::int32_t wrapper_version = 1) : fatbin_(bytes, std::byte{0x5A}) {
    const std::uint32_t magic = 0xBA55ED50;
    const std::uint16_t version = 1, header_bytes = 16;
    const std::uint64_t following = bytes - 16;
    std::memcpy(&fatbin_[0], &magic, 4);
    std::memcpy(&fatbin_[4], &version, 2);
    std::memcpy(&fatbin_[6], &header_bytes, 2);
    std::memcpy(&fatbin_[8], &following, 8);
    wrapper_ = {0x466243B1, wrapper_version, fatbin_.data(), nullptr};
    handle = __cudaRegisterFatBinary(&wrapper_);
  }
  ~FakeModule() { __cudaUnregisterFatBinary(handle); }

  void kernel(const char& stub, const char* name) {
    __cudaRegisterFunction(handle, &stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }

  const std::vector<std::byte>& fatbin() const { return fatbin_; }
  void** handle = nullptr;

 private:
  struct Wrapper {
    std::int32_t magic, version;
    const void* fatbin;
    const void* unused;
  };
  std::vector<std::byte> fatbin_;
  Wrapper wrapper_{};
};

// The stub of a kernel is known by its address only.
char plain_stub, other_stub;

}  // namespace

TEST_CASE("arguments are placed where the kernel's parameters are") {
  FakeDevice& device = attached_device();
  FakeModule module;
  module.kernel(plain_stub, "plain");
  device.kernels["plain"] = {5, 24, {{0, 1, 1}, {8, 8, 8}, {16, 6, 2}}};

  char c = 'x';
  double d = 1.5;
  short three[3] = {1, 2, 3};
  void* arguments[] = {&c, &d, three};
  REQUIRE(cudaLaunchKernel(&plain_stub, dim3(2, 3, 4), dim3(32, 2, 1), arguments, 100, nullptr) == cudaSuccess);
  const auto launches = device.requests(Call::launch);
  REQUIRE(launches.size() == 1);
  const auto launch = launches[0].as<LaunchRequest>();
  CHECK(launch.kernel == 5);
  CHECK(launch.grid == std::array<std::uint32_t, 3>{2, 3, 4});
  CHECK(launch.block == std::array<std::uint32_t, 3>{32, 2, 1});
  CHECK(launch.dynamic_shared_bytes == 100);
  std::vector<std::byte> expected(24);
  std::memcpy(&expected[0], &c, 1);
  std::memcpy(&expected[8], &d, 8);
  std::memcpy(&expected[16], three, 6);
  CHECK(launches[0].payload == expected);

  CHECK(cudaLaunchKernel(&plain_stub, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(contains(last_report(device), "no value for its parameter 0"));
  CHECK(cudaLaunchKernel(&plain_stub, dim3(1), dim3(1), arguments, 5ull << 32, nullptr) == cudaErrorInvalidValue);
  CHECK(device.requests(Call::launch).size() == 1);
  cudaGetLastError();
}

TEST_CASE("a module is sent once, in chunks when it is large, and a kernel is looked up once") {
  FakeDevice& device = attached_device();
  FakeModule module(kBulkBytes + 1);
  module.kernel(plain_stub, "plain");
  device.kernels["plain"] = {5, 0, {}};
  CHECK(device.requests(Call::register_module).empty());  // not before it is used
  for (int i = 0; i < 3; ++i) REQUIRE(cudaLaunchKernel(&plain_stub, 1, 1, nullptr, 0, nullptr) == cudaSuccess);
  const auto chunks = device.requests(Call::register_module);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].as<RegisterModuleRequest>().total_bytes == kBulkBytes + 1);
  CHECK(chunks[1].as<RegisterModuleRequest>().offset == kBulkBytes);
  CHECK(chunks[1].payload.size() == 1);
  CHECK(std::equal(chunks[0].payload.begin(), chunks[0].payload.end(), module.fatbin().begin()));
  CHECK(device.requests(Call::find_kernel).size() == 1);
}

TEST_CASE("the stub protocol of <<<>>> nests") {
  attached_device();
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  REQUIRE(__cudaPushCallConfiguration(dim3(1), dim3(2), 3, nullptr) == 0);
  REQUIRE(__cudaPushCallConfiguration(dim3(4, 5, 6), dim3(7, 8, 9), 10, cudaStreamPerThread) == 0);
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess);
  CHECK(grid.y == 5);
  CHECK(block.z == 9);
  CHECK(shared == 10);
  CHECK(stream == cudaStreamPerThread);
  cudaError_t elsewhere = cudaSuccess;
  std::thread([&] { elsewhere = __cudaPopCallConfiguration(&grid, &block, &shared, &stream); }).join();
  CHECK(elsewhere == cudaErrorMissingConfiguration);
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess);
  CHECK(block.x == 2);
  CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaErrorMissingConfiguration);
}

TEST_CASE("a launch without a kernel fails as a launch, and survives the null handle of its stub") {
  FakeDevice& device = attached_device();
  cudaKernel_t handle = nullptr;
  CHECK(__cudaGetKernel(&handle, &other_stub) == cudaErrorInvalidDeviceFunction);
  CHECK(handle == nullptr);
  CHECK(__cudaLaunchKernel(handle, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(device.requests(Call::report).back().as<ReportRequest>().kind == ReportKind::launch_error);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("a module that does not load fails each launch with the reason") {
  FakeDevice& device = attached_device();
  FakeModule module;
  module.kernel(plain_stub, "plain");
  device.fail_next(Call::register_module, cudaErrorNoKernelImageForDevice);
  cudaKernel_t handle = nullptr;
  REQUIRE(__cudaGetKernel(&handle, &plain_stub) == cudaSuccess);
  for (int i = 0; i < 2; ++i) {
    CHECK(__cudaLaunchKernel(handle, 1, 1, nullptr, 0, nullptr) == cudaErrorNoKernelImageForDevice);
    CHECK(cudaGetLastError() == cudaErrorNoKernelImageForDevice);
  }
  CHECK(device.requests(Call::register_module).size() == 1);
  CHECK(device.requests(Call::launch).empty());
}

TEST_CASE("separately compiled device code is refused by name") {
  FakeDevice& device = attached_device();
  FakeModule module(64, 2);
  module.kernel(plain_stub, "plain");
  CHECK(cudaLaunchKernel(&plain_stub, 1, 1, nullptr, 0, nullptr) == cudaErrorNotSupported);
  const auto report = device.requests(Call::report).at(0);
  CHECK(report.as<ReportRequest>().kind == ReportKind::unsupported);
  CHECK(contains(report.text(), "-rdc=true"));
  cudaGetLastError();
}

TEST_CASE("a launch error of the device is the launch's result and the last error") {
  FakeDevice& device = attached_device();
  FakeModule module;
  module.kernel(plain_stub, "plain");
  device.kernels["plain"] = {5, 0, {}};
  device.fail_next(Call::launch, cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel(&plain_stub, 1, 2048, nullptr, 0, nullptr) == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a kernel of a module that is gone is gone") {
  attached_device().kernels["plain"] = {5, 0, {}};
  {
    FakeModule module;
    module.kernel(plain_stub, "plain");
    REQUIRE(cudaLaunchKernel(&plain_stub, 1, 1, nullptr, 0, nullptr) == cudaSuccess);
  }
  CHECK(cudaLaunchKernel(&plain_stub, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST_CASE("launch attributes that change what a kernel means are refused") {
  FakeDevice& device = attached_device();
  FakeModule module;
  module.kernel(plain_stub, "plain");
  device.kernels["plain"] = {5, 0, {}};
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(3);
  config.blockDim = dim3(64);
  config.attrs = &attribute;
  config.numAttrs = 1;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  CHECK(cudaLaunchKernelExC(&config, &plain_stub, nullptr) == cudaSuccess);
  CHECK(device.requests(Call::launch).at(0).as<LaunchRequest>().block[0] == 64);
  attribute.id = cudaLaunchAttributeClusterDimension;
  CHECK(cudaLaunchKernelExC(&config, &plain_stub, nullptr) == cudaErrorNotSupported);
  CHECK(device.requests(Call::launch).size() == 1);
  cudaGetLastError();
}

TEST_CASE("function attributes, dynamic shared memory and occupancy") {
  FakeDevice& device = attached_device();
  FakeModule module;
  module.kernel(plain_stub, "plain");
  device.kernels["plain"] = {5, 0, {}};
  cudaFuncAttributes attributes{};
  REQUIRE(cudaFuncGetAttributes(&attributes, &plain_stub) == cudaSuccess);
  CHECK(attributes.sharedSizeBytes == 1000);
  CHECK(attributes.maxThreadsPerBlock == 512);
  CHECK(attributes.ptxVersion == 75);
  CHECK(attributes.maxDynamicSharedSizeBytes == 48 * 1024 - 1000);

  REQUIRE(cudaFuncSetAttribute(&plain_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) == cudaSuccess);
  const auto set = device.requests(Call::set_function_attribute).at(0).as<FunctionAttributeRequest>();
  CHECK(set.kernel == 5);
  CHECK(set.attribute == 8);
  CHECK(set.value == 60000);
  REQUIRE(cudaFuncGetAttributes(&attributes, &plain_stub) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == 60000);
  device.fail_next(Call::set_function_attribute, cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(&plain_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30) ==
        cudaErrorInvalidValue);
  REQUIRE(cudaFuncGetAttributes(&attributes, &plain_stub) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == 60000);

  int blocks = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain_stub, 256, 128) == cudaSuccess);
  CHECK(blocks == 4);
  CHECK(device.requests(Call::occupancy).at(0).as<OccupancyRequest>().dynamic_shared_bytes == 128);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain_stub, 0, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("symbols are found by their shadow and bounded by their size") {
  FakeDevice& device = attached_device();
  FakeModule module;
  static char shadow[68];
  __cudaRegisterVar(module.handle, shadow, nullptr, "weights", 0, 68, 1, 0);
  device.symbols["weights"] = {kFakeDeviceBase + (32 << 20), 68, false};
  const std::uint64_t address = kFakeDeviceBase + (32 << 20);

  const float values[17] = {1, 2, 3};
  REQUIRE(cudaMemcpyToSymbol(shadow, values, 60, 8, cudaMemcpyHostToDevice) == cudaSuccess);
  const auto write = device.requests(Call::write).at(0).as<TransferRequest>();
  CHECK(write.address == address + 8);
  CHECK(write.row_bytes == 60);
  CHECK(write.purpose == CopyPurpose::symbol);
  float back[15] = {};
  REQUIRE(cudaMemcpyFromSymbol(back, shadow, 60, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::memcmp(back, values, 60) == 0);

  CHECK(cudaMemcpyToSymbol(shadow, values, 68, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(shadow, values, 69, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(contains(last_report(device), "do not fit the symbol weights, which has 68 bytes"));
  CHECK(cudaMemcpyToSymbol(shadow, values, 1, 68, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(shadow, values, 8, ~0ull - 3, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol("weights", values, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
  CHECK(contains(last_report(device), "not its name in quotes"));
  void* got = nullptr;
  std::size_t bytes = 0;
  REQUIRE(cudaGetSymbolAddress(&got, shadow) == cudaSuccess);
  REQUIRE(cudaGetSymbolSize(&bytes, shadow) == cudaSuccess);
  CHECK(reinterpret_cast<std::uint64_t>(got) == address);
  CHECK(bytes == 68);
  cudaGetLastError();
}

TEST_CASE("a managed variable's address is stored when its module is initialised") {
  FakeDevice& device = attached_device();
  FakeModule module;
  void* slot = nullptr;
  __cudaRegisterManagedVar(module.handle, &slot, nullptr, "counter", 0, 4, 0, 0);
  device.symbols["counter"] = {kFakeMappedBase + (32 << 20), 4, true};
  REQUIRE(__cudaInitModule(module.handle) == 1);
  REQUIRE(slot == reinterpret_cast<void*>(kFakeMappedBase + (32 << 20)));
  *static_cast<int*>(slot) = 258;
  CHECK(device.memory(kFakeMappedBase + (32 << 20), 2) == std::vector<std::byte>{std::byte{2}, std::byte{1}});
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, slot) == cudaSuccess);
  CHECK(address == slot);
}
