// Layout: a 16-byte header (magic, version, header bytes, bytes that follow), then entries. Each entry has a header of
// its own stated size, 64 bytes or more, of which the first 64 are read here, and a payload: PTX text or machine code,
// plain or compressed with zstd (or, by older toolkits, LZ4).

#include "judge/channel/fatbin.h"

#include <zstd.h>

#include <cstring>
#include <memory>
#include <optional>

namespace judge::channel {
namespace {

constexpr std::uint16_t kFatbinVersion = 1;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::size_t kEntryHeaderBytes = 64;  // the shortest that nvcc writes
constexpr std::size_t kMaxEntries = 1024;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagLz4 = 0x2000;

constexpr const char* kRelocatable =
    "-rdc=true is not supported: compile without -rdc, with each kernel's device code in one source file";

[[noreturn]] void malformed(const std::string& what) {
  throw FatbinError(FatbinError::Kind::malformed,
                    "the CUDA code embedded in the program is damaged: " + what + "; compile it again with nvcc");
}

template <class T>
T load(std::span<const std::byte> from, std::size_t offset) {
  T value;
  std::memcpy(&value, from.data() + offset, sizeof value);
  return value;
}

struct Entry {
  std::uint16_t kind = 0;
  std::uint32_t sm = 0;
  std::uint64_t flags = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint64_t uncompressed_bytes = 0;
  std::span<const std::byte> payload;
};

// The entry at the front of `rest`, which it shortens.
Entry take_entry(std::span<const std::byte>& rest) {
  if (rest.size() < kEntryHeaderBytes) malformed("an entry is cut short");
  Entry entry;
  entry.kind = load<std::uint16_t>(rest, 0);
  const auto header_bytes = load<std::uint32_t>(rest, 4);
  const auto payload_bytes = load<std::uint64_t>(rest, 8);
  entry.compressed_bytes = load<std::uint32_t>(rest, 16);
  entry.sm = load<std::uint32_t>(rest, 28);
  entry.flags = load<std::uint64_t>(rest, 40);
  entry.uncompressed_bytes = load<std::uint64_t>(rest, 56);
  if (header_bytes < kEntryHeaderBytes || header_bytes > rest.size()) malformed("an entry's header has no valid size");
  if (payload_bytes > rest.size() - header_bytes) malformed("an entry is longer than what contains it");
  if (entry.compressed_bytes > payload_bytes) malformed("an entry's compressed size exceeds its size");
  entry.payload = rest.subspan(header_bytes, payload_bytes);
  rest = rest.subspan(header_bytes + payload_bytes);
  return entry;
}

std::string decompress(const Entry& entry) {
  if ((entry.flags & kFlagZstd) == 0) {
    const std::string method = (entry.flags & kFlagLz4) != 0 ? "LZ4" : "an unknown method";
    throw FatbinError(FatbinError::Kind::unsupported,
                      "the PTX is compressed with " + method +
                          ", which is not supported: compile with CUDA 12.4 or newer, or "
                          "with -no-compress");
  }
  if (entry.uncompressed_bytes > kMaxPtxBytes) malformed("its PTX claims more than 64 MiB");
  std::string text(entry.uncompressed_bytes, '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.compressed_bytes);
  if (ZSTD_isError(got) != 0) malformed(std::string("its PTX does not decompress (") + ZSTD_getErrorName(got) + ")");
  text.resize(got);
  return text;
}

std::string text_of(const Entry& entry) {
  std::string text;
  if (entry.compressed_bytes != 0) {
    text = decompress(entry);
  } else {
    if (entry.payload.size() > kMaxPtxBytes) malformed("its PTX is larger than 64 MiB");
    text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  }
  // Padding to eight bytes, and the string's own NUL.
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

[[noreturn]] void no_ptx(int target, std::optional<std::uint32_t> lowest_above, bool has_machine_code) {
  const std::string wanted = std::to_string(target);
  std::string what;
  if (lowest_above) {
    what = "the PTX in the program is for compute_" + std::to_string(*lowest_above) + ", newer than this device (sm_" +
           wanted + ")";
  } else if (has_machine_code) {
    what = "the program was compiled without PTX: it has only machine code for particular GPUs";
  } else {
    what = "the program has no device code at all";
  }
  throw FatbinError(FatbinError::Kind::no_ptx,
                    what + "; compile with -gencode arch=compute_" + wanted + ",code=compute_" + wanted);
}

}  // namespace

std::string select_ptx(std::span<const std::byte> fatbin, int target) {
  if (fatbin.size() < kFatbinHeaderBytes) {
    if (fatbin.empty()) throw FatbinError(FatbinError::Kind::unsupported, kRelocatable);
    malformed("it is shorter than its header");
  }
  const std::uint64_t total = fatbin_bytes(fatbin.first<kFatbinHeaderBytes>());
  if (total == 0) malformed("it does not begin as a fat binary");
  if (load<std::uint16_t>(fatbin, 4) != kFatbinVersion) malformed("it is of an unknown version");
  if (total > fatbin.size()) malformed("it is longer than the bytes given");

  const std::size_t header_bytes = load<std::uint16_t>(fatbin, 6);
  std::span<const std::byte> rest = fatbin.subspan(header_bytes, total - header_bytes);
  if (rest.empty()) throw FatbinError(FatbinError::Kind::unsupported, kRelocatable);

  std::optional<Entry> best;
  std::optional<std::uint32_t> lowest_above;
  bool has_machine_code = false;
  for (std::size_t count = 0; !rest.empty(); ++count) {
    if (count == kMaxEntries) malformed("it has more than 1024 entries");
    const Entry entry = take_entry(rest);
    if (entry.kind != kKindPtx) {
      has_machine_code = true;
    } else if (entry.sm > static_cast<std::uint32_t>(target)) {
      if (!lowest_above || entry.sm < *lowest_above) lowest_above = entry.sm;
    } else if (!best || entry.sm > best->sm) {
      best = entry;
    }
  }
  if (!best) no_ptx(target, lowest_above, has_machine_code);
  return text_of(*best);
}

}  // namespace judge::channel
