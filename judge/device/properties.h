#pragma once
// Properties of the GPUs that the emulator can stand for, and their JSON between device process and judge.

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "judge/device/device.h"

namespace judge::device {

// Values as cudaGetDeviceProperties reports them on that GPU; nullopt for a name that is not known.
std::optional<DeviceProperties> known_gpu(std::string_view gpu);
std::vector<std::string> known_gpu_names();         // "t4", the default, first
DeviceProperties named_gpu(std::string_view gpu);   // throws std::invalid_argument, which lists the names

// 75 for compute_75: what device code for this GPU is compiled to.
inline int compile_target(const DeviceProperties& p) {
  return p.major * 10 + p.minor;
}

std::string to_json(const DeviceProperties& properties);
DeviceProperties properties_from_json(std::string_view text);  // throws std::runtime_error

}  // namespace judge::device
