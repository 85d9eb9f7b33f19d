#pragma once
// Properties of the GPUs that the emulator can stand for, and their JSON between device process and judge.

#include <optional>
#include <string>
#include <string_view>

#include "judge/device/device.h"

namespace judge::device {

// "t4"; nullopt for a name that is not known. Values as cudaGetDeviceProperties reports them on that GPU.
std::optional<DeviceProperties> known_gpu(std::string_view gpu);

std::string to_json(const DeviceProperties& properties);
DeviceProperties properties_from_json(std::string_view text);  // throws std::runtime_error

}  // namespace judge::device
