// Any text as a module: its kernels are lowered and run. Whatever they do stays on the device: a status, a fault in the
// record, never a crash, an exception or an access outside (with AddressSanitizer, Pages end in poisoned bytes).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "judge/device/device.h"
#include "judge/emulator/ptx/module.h"

namespace {

constexpr int kMaxKernels = 4;

std::vector<std::string> kernels_of(const std::string& text) {
  using namespace judge::emulator::ptx;
  std::vector<std::string> names;
  try {
    const Module module = parse(text);
    for (const auto& f : module.functions)
      if (f.is_entry && names.size() < kMaxKernels) names.emplace_back(f.name);
  } catch (const ParseError&) {
  }
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace judge::device;
  static const auto device = make_emulated_device();
  const std::string text(reinterpret_cast<const char*>(data), size);
  RunOptions options;
  options.limits.step_limit = 1 << 20;
  options.limits.memory_bytes = 64 << 20;
  options.limits.output_bytes = 1 << 16;
  options.workers = 1;
  device->reset(options);
  std::uint64_t module = 0;
  if (!device->load_module(text, module).ok()) return 0;
  for (const std::string& name : kernels_of(text)) {
    KernelInfo kernel;
    if (!device->find_kernel(module, name, kernel).ok()) continue;
    AllocationRequest request;
    request.bytes = 4096;
    request.initialized = true;
    Address buffer = 0;
    if (!device->allocate(request, buffer).ok()) return 0;
    // Parameters that are pointers get a buffer to work in.
    std::vector<std::byte> parameters(kernel.parameter_bytes);
    for (const auto& p : kernel.parameters)
      if (p.bytes == sizeof buffer) __builtin_memcpy(parameters.data() + p.offset, &buffer, sizeof buffer);
    LaunchRequest launch;
    launch.kernel = kernel.id;
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.dynamic_shared_bytes = 256;
    launch.parameters = parameters;
    device->launch(launch);
  }
  return 0;
}
