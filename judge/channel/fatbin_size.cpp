#include <cstring>

#include "judge/channel/fatbin.h"

namespace judge::channel {

std::uint64_t fatbin_bytes(std::span<const std::byte, kFatbinHeaderBytes> header) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  std::uint32_t magic = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t following = 0, total = 0;
  std::memcpy(&magic, header.data(), sizeof magic);
  std::memcpy(&header_bytes, header.data() + 6, sizeof header_bytes);
  std::memcpy(&following, header.data() + 8, sizeof following);
  if (magic != kMagic || header_bytes < kFatbinHeaderBytes) return 0;
  return __builtin_add_overflow(following, header_bytes, &total) ? 0 : total;
}

}  // namespace judge::channel
