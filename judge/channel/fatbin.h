#pragma once
// Picks the PTX for a device out of a fat binary, as nvcc embeds it. The bytes come from the untrusted host process.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace judge::channel {

// what(): a sentence for a person that says what is wrong with the fat binary and what to do.
class FatbinError : public std::runtime_error {
 public:
  // malformed: bytes that no nvcc writes. no_ptx: a proper fat binary without PTX that this device can run.
  // unsupported: a form that is not read (-rdc=true, an unknown compression).
  enum class Kind : std::uint8_t { malformed, no_ptx, unsupported };
  FatbinError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

inline constexpr std::size_t kFatbinHeaderBytes = 16;
inline constexpr std::size_t kMaxPtxBytes = 64u << 20;  // of one decompressed entry; guards against a zstd bomb

// The PTX text with the highest architecture not above `target` (75 for sm_75), decompressed, without trailing NULs.
// Throws FatbinError.
std::string select_ptx(std::span<const std::byte> fatbin, int target);

// How many bytes a fat binary has, from its 16-byte header; 0 when the header is not one. For the library, which is
// given a pointer only.
std::uint64_t fatbin_bytes(std::span<const std::byte, kFatbinHeaderBytes> header);

}  // namespace judge::channel
