// Kernel launches: the <<<>>> protocol of nvcc's stubs, the explicit launch calls, function attributes and occupancy.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "judge/cudart/capture.h"
#include "judge/cudart/launch.h"

namespace judge::cudart {
namespace {

struct Configuration {  // between __cudaPushCallConfiguration and __cudaPopCallConfiguration
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  const void* caller = nullptr;  // the line with <<<>>>
};

// A launch inside the argument list of another nests; nothing that people write nests deeper.
constexpr std::size_t kMaxNesting = 64;
thread_local std::array<Configuration, kMaxNesting> configurations;
thread_local std::size_t configuration_count = 0;
// nvcc's stub takes the configuration back and then launches: the launch's line is that of the configuration, not the
// stub's own.
thread_local const void* stub_called_from = nullptr;

const void* launching_line(const void* return_address) {
  const void* const from = std::exchange(stub_called_from, nullptr);
  return from != nullptr ? from : return_address;
}

cudaError_t unknown_kernel(const ApiCall& call) {
  return call.fail(cudaErrorInvalidDeviceFunction,
                   "the function is not a __global__ function of this program, or its device code could not be loaded",
                   channel::ReportKind::launch_error);
}

cudaError_t launch(const ApiCall& call, const void* function, const LaunchShape& shape, cudaStream_t stream,
                   void** arguments) {
  PackedLaunch packed;
  if (const cudaError_t status = pack(call, function, shape, arguments, packed); status != cudaSuccess) return status;
  if (!Streams::get().valid(stream)) {
    return call.fail(cudaErrorInvalidResourceHandle, "the kernel did not run: its stream does not exist",
                     channel::ReportKind::launch_error);
  }
  if (const auto captured = capture(call, stream, KernelWork{packed, {}})) return *captured;
  return issue(call, packed, stream);
}

// For the calls that ask about a kernel. The caller has the error to return when this gives null.
Kernel* known_kernel(const ApiCall& call, const void* function, cudaError_t& status) {
  Registry& registry = Registry::get();
  Kernel* const kernel = registry.kernel(function);
  if (kernel == nullptr) {
    status = call.fail(cudaErrorInvalidDeviceFunction, "the function is not a __global__ function of this program");
    return nullptr;
  }
  status = call.done(registry.resolve(call, *kernel));
  return status == cudaSuccess ? kernel : nullptr;
}

cudaError_t occupancy(const ApiCall& call, int* blocks, const void* function, int block_threads,
                      std::size_t shared_bytes) {
  if (blocks == nullptr || block_threads <= 0 || shared_bytes > std::numeric_limits<std::uint32_t>::max()) {
    return call.fail(cudaErrorInvalidValue, "the block size must be positive and the result needs a place to go");
  }
  cudaError_t status = cudaSuccess;
  Kernel* const kernel = known_kernel(call, function, status);
  if (kernel == nullptr) return status;
  channel::OccupancyRequest request;
  request.kernel = kernel->info.kernel;
  request.block_threads = static_cast<std::uint32_t>(block_threads);
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  channel::OccupancyReply reply;
  status = call.device().call<channel::Call::occupancy>(request, &reply);
  if (status == cudaSuccess) *blocks = reply.blocks;
  return call.done(status);
}

}  // namespace

cudaError_t pack(const ApiCall& call, const void* function, const LaunchShape& shape, void** arguments,
                 PackedLaunch& out) {
  Registry& registry = Registry::get();
  Kernel* const kernel = registry.kernel(function);
  if (kernel == nullptr) return unknown_kernel(call);
  if (const cudaError_t status = registry.resolve(call, *kernel); status != cudaSuccess) {
    return call.fail(status, "the kernel did not run: its device code could not be loaded",
                     channel::ReportKind::launch_error);
  }
  if (shape.shared_bytes > std::numeric_limits<std::uint32_t>::max()) {
    return call.fail(cudaErrorInvalidValue,
                     "the kernel did not run: " + std::to_string(shape.shared_bytes) +
                         " bytes of dynamic shared memory are more than any device has",
                     channel::ReportKind::launch_error);
  }

  out.function = function;
  out.kernel = kernel;
  out.shape = shape;
  out.values.assign(kernel->info.parameter_bytes, std::byte{});
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    if (arguments == nullptr || arguments[i] == nullptr) {
      return call.fail(cudaErrorInvalidValue,
                       "the kernel did not run: there is no value for its parameter " + std::to_string(i),
                       channel::ReportKind::launch_error);
    }
    const channel::ParameterLayout& parameter = kernel->parameters[i];
    if (parameter.offset > out.values.size() || parameter.bytes > out.values.size() - parameter.offset) {
      give_up("the CUDA device process described a kernel's parameters wrongly");
    }
    std::memcpy(out.values.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  return cudaSuccess;
}

cudaError_t issue(const ApiCall& call, const PackedLaunch& launch, cudaStream_t stream) {
  channel::LaunchRequest request;
  request.kernel = launch.kernel->info.kernel;
  request.stream = reinterpret_cast<std::uintptr_t>(stream);
  request.grid = {launch.shape.grid.x, launch.shape.grid.y, launch.shape.grid.z};
  request.block = {launch.shape.block.x, launch.shape.block.y, launch.shape.block.z};
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shape.shared_bytes);
  request.cooperative = launch.shape.cooperative ? 1 : 0;
  const cudaError_t status = call.device().call<channel::Call::launch>(request, nullptr, launch.values);
  return status == cudaSuccess ? cudaSuccess : call.done(status);
}

}  // namespace judge::cudart

namespace channel = judge::channel;
using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  if (configuration_count == kMaxNesting) return cudaErrorInvalidConfiguration;
  configurations[configuration_count++] = {grid, block, shared_bytes, stream, __builtin_return_address(0)};
  return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configuration_count == 0) return cudaErrorMissingConfiguration;
  const Configuration& configuration = configurations[--configuration_count];
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  stub_called_from = configuration.caller;
  return cudaSuccess;
}

// The stub keeps the handle for good, so a module that does not load must not fail here: the launch says why, each
// time.
cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* stub) {
  Kernel* const kernel = Registry::get().kernel(stub);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  *handle = reinterpret_cast<cudaKernel_t>(kernel);
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  const ApiCall call("cudaLaunchKernel", launching_line(__builtin_return_address(0)));
  return launch(call, kernel, {grid, block, shared_bytes}, stream, arguments);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  const ApiCall call("cudaLaunchKernel", launching_line(__builtin_return_address(0)));
  return launch(call, function, {grid, block, shared_bytes}, stream, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  const ApiCall call("cudaLaunchCooperativeKernel");
  return launch(call, function, {grid, block, shared_bytes, true}, stream, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  const ApiCall call("cudaLaunchKernelExC");
  if (config == nullptr) return call.fail(cudaErrorInvalidValue, "the launch configuration is null");
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    switch (config->attrs[i].id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
      case cudaLaunchAttributeProgrammaticStreamSerialization:  // launches here never overlap, which it permits
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeMemSyncDomain:
        break;
      case cudaLaunchAttributeCooperative:
        cooperative = config->attrs[i].val.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension: {  // a cluster of one block is no cluster
        const auto& cluster = config->attrs[i].val.clusterDim;
        if (cluster.x == 1 && cluster.y == 1 && cluster.z == 1) break;
        return call.unsupported("cudaLaunchKernelEx with thread block clusters");
      }
      default:
        return call.unsupported("cudaLaunchKernelEx with launch attribute " + std::to_string(config->attrs[i].id));
    }
  }
  return launch(call, function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, cooperative},
                config->stream, arguments);
}

cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* function) {
  const ApiCall call("cudaGetKernel");
  if (handle == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const cudaError_t status = __cudaGetKernel(handle, function);
  return status == cudaSuccess ? call.done(status) : unknown_kernel(call);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const ApiCall call("cudaFuncGetAttributes");
  if (attributes == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  cudaError_t status = cudaSuccess;
  const Kernel* const kernel = known_kernel(call, function, status);
  if (kernel == nullptr) return status;
  const channel::HelloReply& device = call.device().device();
  const std::uint32_t usual_shared =
      device.shared_bytes_per_block - std::min(device.shared_bytes_per_block, kernel->info.static_shared_bytes);
  *attributes = {};
  attributes->sharedSizeBytes = kernel->info.static_shared_bytes;
  attributes->constSizeBytes = kernel->info.constant_bytes;
  attributes->localSizeBytes = kernel->info.local_bytes;
  attributes->numRegs = static_cast<int>(kernel->info.registers);
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->info.max_threads);
  attributes->ptxVersion = kernel->info.target;
  attributes->binaryVersion = device.major * 10 + device.minor;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(kernel->max_dynamic_shared_bytes != 0 ? kernel->max_dynamic_shared_bytes : usual_shared);
  attributes->preferredShmemCarveout = kernel->preferred_carveout;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const ApiCall call("cudaFuncSetAttribute");
  cudaError_t status = cudaSuccess;
  Kernel* const kernel = known_kernel(call, function, status);
  if (kernel == nullptr) return status;
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (value < -1 || value > 100) return call.fail(cudaErrorInvalidValue, "a carveout is a percentage, or -1");
    kernel->preferred_carveout = value;
    return call.done(cudaSuccess);
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
    return call.unsupported("cudaFuncSetAttribute with attribute " + std::to_string(attribute) + " (clusters)");
  }
  channel::FunctionAttributeRequest request;
  request.kernel = kernel->info.kernel;
  request.attribute = attribute;
  request.value = value;
  status = call.device().call<channel::Call::set_function_attribute>(request);
  if (status == cudaSuccess) kernel->max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
  return call.done(status);
}

// A hint; the emulated device has no cache to split.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  const ApiCall call("cudaFuncSetCacheConfig");
  cudaError_t status = cudaSuccess;
  known_kernel(call, function, status);
  return status;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_threads,
                                                          size_t shared_bytes) {
  const ApiCall call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return occupancy(call, blocks, function, block_threads, shared_bytes);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_threads,
                                                                   size_t shared_bytes, unsigned flags) {
  const ApiCall call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
  if ((flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride)) != 0) {
    return call.fail(cudaErrorInvalidValue, "the flags are not occupancy flags");
  }
  return occupancy(call, blocks, function, block_threads, shared_bytes);
}

}  // extern "C"
JUDGE_PER_THREAD(__cudaLaunchKernel, _ptsz);
JUDGE_PER_THREAD(cudaLaunchKernel, _ptsz);
JUDGE_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);
JUDGE_PER_THREAD(cudaLaunchKernelExC, _ptsz);
#pragma GCC visibility pop
