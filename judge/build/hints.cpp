#include <array>
#include <string_view>

#include "judge/build/diagnostics.h"

namespace judge::build {
namespace {

struct Hint {
  std::string_view identifier;
  std::string_view text;
};

// From the CUDA 13.0 release notes and the runtime API's list of removed functions; the warp intrinsics went with CUDA
// 9's deprecation for sm_70 and newer.
constexpr auto kHints = std::to_array<Hint>({
    {"clockRate",
     "CUDA 13 removed cudaDeviceProp::clockRate; use cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device)"},
    {"memoryClockRate",
     "CUDA 13 removed cudaDeviceProp::memoryClockRate; use cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, "
     "device)"},
    {"deviceOverlap", "CUDA 13 removed cudaDeviceProp::deviceOverlap; asyncEngineCount > 0 says the same"},
    {"kernelExecTimeoutEnabled",
     "CUDA 13 removed this cudaDeviceProp member; use cudaDeviceGetAttribute with cudaDevAttrKernelExecTimeout"},
    {"computeMode",
     "CUDA 13 removed cudaDeviceProp::computeMode; use cudaDeviceGetAttribute with cudaDevAttrComputeMode"},
    {"singleToDoublePrecisionPerfRatio",
     "CUDA 13 removed this cudaDeviceProp member; use cudaDeviceGetAttribute with "
     "cudaDevAttrSingleToDoublePrecisionPerfRatio"},
    {"cooperativeMultiDeviceLaunch", "CUDA 13 removed cooperative launches over several devices"},
    {"cudaLaunchCooperativeKernelMultiDevice", "CUDA 13 removed cooperative launches over several devices"},
    {"cudaMemPrefetchAsync",
     "since CUDA 13: cudaMemPrefetchAsync(pointer, bytes, location, flags, stream), with cudaMemLocation "
     "location{cudaMemLocationTypeDevice, device} and flags 0"},
    {"cudaMemAdvise",
     "since CUDA 13: cudaMemAdvise(pointer, bytes, advice, location), with cudaMemLocation "
     "location{cudaMemLocationTypeDevice, device}"},
    {"cudaThreadSynchronize", "cudaThreadSynchronize was removed; use cudaDeviceSynchronize()"},
    {"cudaThreadExit", "cudaThreadExit was removed; use cudaDeviceReset()"},
    {"cudaBindTexture",
     "texture references were removed in CUDA 12; use texture objects (cudaCreateTextureObject, tex1Dfetch)"},
    {"cudaBindTextureToArray",
     "texture references were removed in CUDA 12; use texture objects (cudaCreateTextureObject)"},
    {"texture", "texture references were removed in CUDA 12; use texture objects (cudaCreateTextureObject)"},
    {"__shfl", "the intrinsics without a mask were removed; use __shfl_sync(mask, …)"},
    {"__shfl_up", "the intrinsics without a mask were removed; use __shfl_up_sync(mask, …)"},
    {"__shfl_down", "the intrinsics without a mask were removed; use __shfl_down_sync(mask, …)"},
    {"__shfl_xor", "the intrinsics without a mask were removed; use __shfl_xor_sync(mask, …)"},
    {"__ballot", "the intrinsics without a mask were removed; use __ballot_sync(mask, …)"},
    {"__any", "the intrinsics without a mask were removed; use __any_sync(mask, …)"},
    {"__all", "the intrinsics without a mask were removed; use __all_sync(mask, …)"},
});

bool names(const std::string& text, std::string_view identifier) {
  return text.find("\"" + std::string(identifier) + "\"") != std::string::npos;
}

}  // namespace

std::string replacement_hint(const std::string& error_text, const std::string& source_line) {
  for (const Hint& hint : kHints)
    if (names(error_text, hint.identifier)) return std::string(hint.text);
  // A call with the old parameters is an error about an argument that does not name the function.
  const bool about_arguments = error_text.find("argument") != std::string::npos;
  for (const std::string_view changed : {"cudaMemPrefetchAsync", "cudaMemAdvise"})
    if (about_arguments && line_of_identifier(source_line, std::string(changed), true) != 0)
      for (const Hint& hint : kHints)
        if (hint.identifier == changed) return std::string(hint.text);
  return {};
}

}  // namespace judge::build
