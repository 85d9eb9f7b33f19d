#pragma once
// Where each state space lies in the 64-bit generic address range that a kernel sees.
//
// Shared and local memory are windows (PTX ISA 5, "State Spaces"): the address in the space is the offset in the
// window. Global and constant variables and every cudaMalloc lie in the device range, where the generic address and the
// address in the space are the same number. Nothing of the ranges below is mapped in the host process, apart from the
// mapped window.

#include <cstdint>

namespace judge::emulator {

using Address = std::uint64_t;

inline constexpr Address kSharedWindow = 0x0100'0000'0000;  // 1 TiB
inline constexpr Address kLocalWindow = 0x0110'0000'0000;
inline constexpr Address kParamWindow = 0x0120'0000'0000;
inline constexpr std::uint64_t kWindowSpan = 0x0010'0000'0000;

inline constexpr Address kDeviceBase = 0x0200'0000'0000;  // 2 TiB: far from where Linux maps programs and libraries
inline constexpr std::uint64_t kDeviceSpan = 0x0040'0000'0000;
inline constexpr Address kMappedBase = 0x0300'0000'0000;  // managed and pinned memory, seen by host and device
inline constexpr std::uint64_t kMappedSpan = 0x0004'0000'0000;

// Linux places programs, heaps, libraries and stacks above this on x86-64 (position-independent programs start at
// 0x55…).
inline constexpr Address kHostLow = 0x1000'0000'0000;
inline constexpr Address kFirstPage = 0x1'0000;  // vm.mmap_min_addr: below it nothing is ever mapped

inline bool in_window(Address a, Address window) {
  return a - window < kWindowSpan;
}

}  // namespace judge::emulator
