#include "judge/doctor.h"

#include <fstream>
#include <thread>

#include "judge/build/build.h"
#include "judge/build/programs.h"
#include "judge/device/properties.h"
#include "judge/emulator/exec/state.h"

namespace judge {

namespace {

// "Model:           NVIDIA H200" in /proc/driver/nvidia/gpus/<bus>/information, which the driver gives to everyone.
std::vector<std::string> driver_gpus() {
  std::vector<std::string> gpus;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    std::ifstream information(entry.path() / "information");
    for (std::string line; std::getline(information, line);) {
      if (!line.starts_with("Model:")) continue;
      const auto at = line.find_first_not_of(" \t", 6);
      if (at != std::string::npos) gpus.push_back(line.substr(at));
    }
  }
  return gpus;
}

}  // namespace

std::string version() {
  return JUDGE_VERSION;
}

Doctor doctor(const std::filesystem::path& program_dir) {
  Doctor d;
  d.version = version();
  try {
    const build::Toolchain toolchain = build::find_toolchain();
    d.nvcc = toolchain.nvcc.string();
    d.cuda_version = std::to_string(toolchain.major) + "." + std::to_string(toolchain.minor);
    d.host_compiler = toolchain.host_compiler;
  } catch (const build::ToolchainError& e) {
    d.toolchain_error = e.what();
  }
  d.instruction_set = emulator::instruction_set();
  d.cores = std::thread::hardware_concurrency();
  d.gpus = driver_gpus();
  d.emulated_gpus = device::known_gpu_names();
  // With what every box has to reach, so that the answer is that of the boxes in which submissions are compiled.
  std::vector<std::filesystem::path> readable;
  if (!d.nvcc.empty()) readable.push_back(build::toolkit_root(d.nvcc));
  d.layers = sandbox::probe(readable);
  for (const char* name : {"judge-device", "judge-host", "libcudart.so.13"})
    d.programs[name] = std::filesystem::exists(program_dir / name);
  return d;
}

}  // namespace judge
