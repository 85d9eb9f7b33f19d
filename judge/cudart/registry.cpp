#include "judge/cudart/registry.h"

#include <algorithm>
#include <cstring>

#include "judge/channel/fatbin.h"

namespace judge::cudart {
namespace {

// What nvcc passes to __cudaRegisterFatBinary.
struct Wrapper {
  std::int32_t magic;
  std::int32_t version;
  const std::byte* fatbin;
  const void* unused;
};
constexpr std::int32_t kWrapperMagic = 0x466243B1;
constexpr std::int32_t kRelocatableVersion = 2;  // -rdc=true: the code is in a list that the device linker makes

std::span<const std::byte> name_bytes(const std::string& name) {
  return std::as_bytes(std::span(name));
}

}  // namespace

void** Registry::add_module(const void* wrapper_address) {
  const std::lock_guard lock(mutex_);
  Module& module = modules_.emplace_back();
  const auto* wrapper = static_cast<const Wrapper*>(wrapper_address);
  if (wrapper != nullptr && wrapper->magic == kWrapperMagic && wrapper->fatbin != nullptr) {
    module.relocatable = wrapper->version == kRelocatableVersion;
    module.fatbin = wrapper->fatbin;
    module.fatbin_bytes = channel::fatbin_bytes(
        std::span<const std::byte, channel::kFatbinHeaderBytes>(wrapper->fatbin, channel::kFatbinHeaderBytes));
  }
  return reinterpret_cast<void**>(&module);
}

Module* Registry::module_of(void** handle) {
  for (Module& module : modules_) {
    if (reinterpret_cast<void**>(&module) == handle && module.registered) return &module;
  }
  return nullptr;
}

void Registry::remove_module(void** handle) {
  const std::lock_guard lock(mutex_);
  Module* const module = module_of(handle);
  if (module == nullptr) return;
  module->registered = false;
  std::erase_if(kernel_of_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(variable_of_, [&](const auto& entry) { return entry.second->module == module; });
  if (module->id != 0) {
    channel::UnregisterModuleRequest request;
    request.module = module->id;
    Connection::get().call<channel::Call::unregister_module>(request);
  }
}

void Registry::add_kernel(void** handle, const void* stub, const char* name) {
  const std::lock_guard lock(mutex_);
  Module* const module = module_of(handle);
  if (module == nullptr || name == nullptr) return;
  Kernel& kernel = kernels_.emplace_back();
  kernel.module = module;
  kernel.name = name;
  kernel_of_[stub] = &kernel;
}

void Registry::add_variable(void** handle, const void* shadow, const char* name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  Module* const module = module_of(handle);
  if (module == nullptr || name == nullptr) return;
  Variable& variable = variables_.emplace_back();
  variable.module = module;
  variable.name = name;
  variable.declared_bytes = bytes;
  variable_of_[shadow] = &variable;
}

void Registry::add_managed(void** handle, void** slot, const char* name, std::uint64_t bytes) {
  add_variable(handle, slot, name, bytes);
  const std::lock_guard lock(mutex_);
  const auto found = variable_of_.find(slot);
  if (found == variable_of_.end()) return;
  found->second->managed_slot = slot;
  found->second->module->managed.push_back(found->second);
}

cudaError_t Registry::load(const ApiCall& call, void** handle) {
  const std::lock_guard lock(mutex_);
  Module* const module = module_of(handle);
  return module == nullptr ? cudaErrorInvalidResourceHandle : load_locked(call, *module);
}

cudaError_t Registry::load_locked(const ApiCall& call, Module& module) {
  if (module.loaded) return module.load_status;
  module.loaded = true;
  if (module.relocatable) {
    return module.load_status =
               call.unsupported("-rdc=true (compile without it, with each kernel's device code in one source file)");
  }
  if (module.fatbin_bytes == 0 || module.fatbin_bytes > channel::kMaxModuleBytes) {
    return module.load_status = call.fail(cudaErrorInvalidKernelImage,
                                          "the device code embedded in the program is empty, damaged or larger than "
                                          "64 MiB; compile it again with nvcc");
  }

  channel::RegisterModuleRequest request;
  request.total_bytes = module.fatbin_bytes;
  channel::ModuleReply reply;
  while (request.offset < module.fatbin_bytes && module.load_status == cudaSuccess) {
    const std::size_t bytes = std::min<std::size_t>(module.fatbin_bytes - request.offset, channel::kBulkBytes);
    module.load_status = call.device().call<channel::Call::register_module>(
        request, &reply, std::span(module.fatbin + request.offset, bytes));
    request.offset += bytes;
  }
  if (module.load_status != cudaSuccess) return module.load_status;
  module.id = reply.module;

  for (Variable* variable : module.managed) {
    if (find_locked(call, *variable) != cudaSuccess) return variable->find_status;
    if (!call.device().map_window()) {
      return module.load_status = call.fail(cudaErrorMemoryAllocation,
                                            "the address range of managed memory is already in use in this process");
    }
    *variable->managed_slot = reinterpret_cast<void*>(variable->info.address);
  }
  return cudaSuccess;
}

cudaError_t Registry::find_locked(const ApiCall& call, Variable& variable) {
  if (variable.found) return variable.find_status;
  variable.find_status = load_locked(call, *variable.module);
  if (variable.find_status == cudaSuccess) {
    channel::FindRequest request;
    request.module = variable.module->id;
    variable.find_status =
        call.device().call<channel::Call::find_symbol>(request, &variable.info, name_bytes(variable.name));
  }
  variable.found = true;
  return variable.find_status;
}

Kernel* Registry::kernel(const void* stub_or_handle) {
  const std::lock_guard lock(mutex_);
  const auto found = kernel_of_.find(stub_or_handle);
  if (found != kernel_of_.end()) return found->second;
  for (Kernel& kernel : kernels_) {
    if (&kernel == stub_or_handle && kernel.module->registered) return &kernel;
  }
  return nullptr;
}

cudaError_t Registry::resolve(const ApiCall& call, Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  if (kernel.found) return kernel.find_status;
  kernel.find_status = load_locked(call, *kernel.module);
  if (kernel.find_status == cudaSuccess) {
    channel::FindRequest request;
    request.module = kernel.module->id;
    std::vector<channel::ParameterLayout> parameters(channel::kMaxParameters);
    std::size_t bytes = 0;
    kernel.find_status = call.device().call<channel::Call::find_kernel>(
        request, &kernel.info, name_bytes(kernel.name), std::as_writable_bytes(std::span(parameters)), &bytes);
    parameters.resize(bytes / sizeof(channel::ParameterLayout));
    kernel.parameters = std::move(parameters);
  }
  kernel.found = true;
  return kernel.find_status;
}

cudaError_t Registry::resolve(const ApiCall& call, const void* shadow, Variable*& variable) {
  const std::lock_guard lock(mutex_);
  auto found = variable_of_.find(shadow);
  if (found == variable_of_.end()) {
    // The program may name a managed variable by its own address, which is what its slot holds.
    found = std::find_if(variable_of_.begin(), variable_of_.end(), [&](const auto& entry) {
      return entry.second->managed_slot != nullptr && *entry.second->managed_slot == shadow;
    });
  }
  if (shadow == nullptr || found == variable_of_.end()) {
    variable = nullptr;
    return cudaErrorInvalidSymbol;
  }
  variable = found->second;
  return find_locked(call, *variable);
}

}  // namespace judge::cudart

// What nvcc's generated code calls. The prototypes are those of the toolkit's crt/host_runtime.h, which can only be
// included by that generated code.
#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  return judge::cudart::Registry::get().add_module(wrapper);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  judge::cudart::Registry::get().remove_module(handle);
}

void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  judge::cudart::Registry::get().add_kernel(handle, stub, name);
}

void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, size_t bytes, int, int) {
  judge::cudart::Registry::get().add_variable(handle, shadow, name, bytes);
}

void __cudaRegisterManagedVar(void** handle, void** slot, char*, const char* name, int, size_t bytes, int, int) {
  judge::cudart::Registry::get().add_managed(handle, slot, name, bytes);
}

// Called before the program's first use of a managed variable; the answer becomes "done".
char __cudaInitModule(void** handle) {
  const judge::cudart::ApiCall call("__cudaInitModule");
  const cudaError_t status = call.done(judge::cudart::Registry::get().load(call, handle));
  if (status != cudaSuccess) {
    judge::cudart::give_up(std::string("the program's __managed__ variables cannot be placed: ") +
                           cudaGetErrorString(status));
  }
  return 1;
}

}  // extern "C"
#pragma GCC visibility pop
