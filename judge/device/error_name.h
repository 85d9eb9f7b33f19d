#pragma once
// cudaError_t values that the device process uses or records, with their names in the CUDA runtime's header.

#include <string_view>

namespace judge::device {

// X(enumerator, value, "name in driver_types.h")
#define JUDGE_CUDA_ERRORS(X)                                                     \
  X(success, 0, "cudaSuccess")                                                   \
  X(invalid_value, 1, "cudaErrorInvalidValue")                                   \
  X(memory_allocation, 2, "cudaErrorMemoryAllocation")                           \
  X(initialization_error, 3, "cudaErrorInitializationError")                     \
  X(invalid_configuration, 9, "cudaErrorInvalidConfiguration")                   \
  X(invalid_pitch_value, 12, "cudaErrorInvalidPitchValue")                       \
  X(invalid_symbol, 13, "cudaErrorInvalidSymbol")                                \
  X(invalid_device_pointer, 17, "cudaErrorInvalidDevicePointer")                 \
  X(invalid_channel_descriptor, 20, "cudaErrorInvalidChannelDescriptor")         \
  X(invalid_memcpy_direction, 21, "cudaErrorInvalidMemcpyDirection")             \
  X(invalid_filter_setting, 26, "cudaErrorInvalidFilterSetting")                 \
  X(missing_configuration, 52, "cudaErrorMissingConfiguration")                  \
  X(invalid_device_function, 98, "cudaErrorInvalidDeviceFunction")               \
  X(no_device, 100, "cudaErrorNoDevice")                                         \
  X(invalid_device, 101, "cudaErrorInvalidDevice")                               \
  X(invalid_kernel_image, 200, "cudaErrorInvalidKernelImage")                    \
  X(no_kernel_image, 209, "cudaErrorNoKernelImageForDevice")                     \
  X(invalid_ptx, 218, "cudaErrorInvalidPtx")                                     \
  X(unsupported_ptx_version, 222, "cudaErrorUnsupportedPtxVersion")              \
  X(unsupported_limit, 215, "cudaErrorUnsupportedLimit")                         \
  X(symbol_not_found, 500, "cudaErrorSymbolNotFound")                            \
  X(invalid_resource_handle, 400, "cudaErrorInvalidResourceHandle")              \
  X(illegal_state, 401, "cudaErrorIllegalState")                                 \
  X(not_ready, 600, "cudaErrorNotReady")                                         \
  X(illegal_address, 700, "cudaErrorIllegalAddress")                             \
  X(launch_out_of_resources, 701, "cudaErrorLaunchOutOfResources")               \
  X(launch_timeout, 702, "cudaErrorLaunchTimeout")                               \
  X(peer_access_already_enabled, 704, "cudaErrorPeerAccessAlreadyEnabled")       \
  X(peer_access_not_enabled, 705, "cudaErrorPeerAccessNotEnabled")               \
  X(assert_triggered, 710, "cudaErrorAssert")                                    \
  X(host_memory_already_registered, 712, "cudaErrorHostMemoryAlreadyRegistered") \
  X(host_memory_not_registered, 713, "cudaErrorHostMemoryNotRegistered")         \
  X(hardware_stack_error, 714, "cudaErrorHardwareStackError")                    \
  X(illegal_instruction, 715, "cudaErrorIllegalInstruction")                     \
  X(misaligned_address, 716, "cudaErrorMisalignedAddress")                       \
  X(invalid_address_space, 717, "cudaErrorInvalidAddressSpace")                  \
  X(invalid_pc, 718, "cudaErrorInvalidPc")                                       \
  X(launch_failure, 719, "cudaErrorLaunchFailure")                               \
  X(cooperative_launch_too_large, 720, "cudaErrorCooperativeLaunchTooLarge")     \
  X(not_permitted, 800, "cudaErrorNotPermitted")                                 \
  X(not_supported, 801, "cudaErrorNotSupported")                                 \
  X(capture_unsupported, 900, "cudaErrorStreamCaptureUnsupported")               \
  X(capture_invalidated, 901, "cudaErrorStreamCaptureInvalidated")               \
  X(capture_merge, 902, "cudaErrorStreamCaptureMerge")                           \
  X(capture_unmatched, 903, "cudaErrorStreamCaptureUnmatched")                   \
  X(capture_unjoined, 904, "cudaErrorStreamCaptureUnjoined")                     \
  X(capture_isolation, 905, "cudaErrorStreamCaptureIsolation")                   \
  X(capture_implicit, 906, "cudaErrorStreamCaptureImplicit")                     \
  X(captured_event, 907, "cudaErrorCapturedEvent")                               \
  X(capture_wrong_thread, 908, "cudaErrorStreamCaptureWrongThread")              \
  X(graph_exec_update_failure, 910, "cudaErrorGraphExecUpdateFailure")           \
  X(unknown, 999, "cudaErrorUnknown")

enum CudaError : int {
#define X(enumerator, value, name) cuda_##enumerator = value,
  JUDGE_CUDA_ERRORS(X)
#undef X
};

// "cudaErrorInvalidValue"; "unrecognized error code" as the runtime says for others.
constexpr std::string_view error_name(int code) {
  switch (code) {
#define X(enumerator, value, name) \
  case value:                      \
    return name;
    JUDGE_CUDA_ERRORS(X)
#undef X
    default:
      return "unrecognized error code";
  }
}

}  // namespace judge::device
