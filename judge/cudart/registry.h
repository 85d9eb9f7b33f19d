#pragma once
// What the program's modules registered before main: kernels by the address of their host stub, variables by the
// address of their host shadow. The device sees a module when something of it is first used, as with CUDA's lazy
// loading.

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "judge/cudart/api_call.h"

namespace judge::cudart {

struct Variable;

struct Module {
  const std::byte* fatbin = nullptr;
  std::size_t fatbin_bytes = 0;
  bool relocatable = false;  // built with -rdc=true
  bool registered = true;
  bool loaded = false;
  cudaError_t load_status = cudaSuccess;  // of the one attempt
  std::uint64_t id = 0;                   // the device's
  std::vector<Variable*> managed;
};

struct Kernel {
  Module* module = nullptr;
  std::string name;  // mangled
  bool found = false;
  cudaError_t find_status = cudaSuccess;
  channel::KernelReply info;
  std::vector<channel::ParameterLayout> parameters;
  std::uint32_t max_dynamic_shared_bytes = 0;  // as set; 0: not set
  int preferred_carveout = -1;
};

struct Variable {
  Module* module = nullptr;
  std::string name;
  std::uint64_t declared_bytes = 0;
  void** managed_slot = nullptr;  // where the program keeps a managed variable's address
  bool found = false;
  cudaError_t find_status = cudaSuccess;
  channel::SymbolReply info;
};

class Registry {
 public:
  static Registry& get() { return immortal<Registry>(); }

  void** add_module(const void* wrapper);
  void remove_module(void** handle);
  void add_kernel(void** handle, const void* stub, const char* name);
  void add_variable(void** handle, const void* shadow, const char* name, std::uint64_t bytes);
  void add_managed(void** handle, void** slot, const char* name, std::uint64_t bytes);
  // Loads the module on the device and fills in its managed variables' addresses.
  cudaError_t load(const ApiCall& call, void** handle);

  // The kernel of a host stub, or of a handle that this function returned before; null when there is none.
  Kernel* kernel(const void* stub_or_handle);
  // Both ask the device at the first use only.
  cudaError_t resolve(const ApiCall& call, Kernel& kernel);
  cudaError_t resolve(const ApiCall& call, const void* shadow, Variable*& variable);

 private:
  Module* module_of(void** handle);
  cudaError_t load_locked(const ApiCall& call, Module& module);
  cudaError_t find_locked(const ApiCall& call, Variable& variable);

  std::mutex mutex_;
  std::deque<Module> modules_;  // deques: addresses stay, and are the handles
  std::deque<Kernel> kernels_;
  std::deque<Variable> variables_;
  std::unordered_map<const void*, Kernel*> kernel_of_;
  std::unordered_map<const void*, Variable*> variable_of_;
};

}  // namespace judge::cudart
