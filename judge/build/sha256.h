#pragma once
// SHA-256 (FIPS 180-4), for cache keys and digests of cache entries.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace judge::build {

class Sha256 {
 public:
  void update(std::string_view bytes);
  void field(std::string_view bytes);  // with its length before it, so that neighbouring fields cannot run together
  std::string hex();                   // ends the computation

 private:
  void compress(const unsigned char* block);
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t length_ = 0;
};

std::string sha256(std::string_view bytes);

}  // namespace judge::build
