#include "judge/channel/fatbin.h"

#include <zstd.h>

#include <cstring>
#include <string>
#include <vector>

#include "catch.h"

using namespace judge::channel;

namespace {

using Bytes = std::vector<std::byte>;

void append_bytes(Bytes& to, const void* from, std::size_t count) {
  const std::size_t before = to.size();
  to.resize(before + count);
  if (count != 0) std::memcpy(to.data() + before, from, count);
}

template <class T>
void append(Bytes& to, T value) {
  append_bytes(to, &value, sizeof value);
}

struct EntrySpec {
  std::uint16_t kind = 1;  // 1 PTX, 2 machine code
  std::uint32_t sm = 75;
  std::string payload;
  std::uint32_t header_bytes = 80;
  std::uint32_t compressed_bytes = 0;
  std::uint64_t flags = 0;
  std::uint64_t uncompressed_bytes = 0;
};

Bytes entry(const EntrySpec& spec) {
  Bytes out;
  append<std::uint16_t>(out, spec.kind);
  append<std::uint16_t>(out, 0x0101);
  append<std::uint32_t>(out, spec.header_bytes);
  append<std::uint64_t>(out, spec.payload.size());
  append<std::uint32_t>(out, spec.compressed_bytes);
  append<std::uint32_t>(out, 0);  // offset of the options
  append<std::uint16_t>(out, 0);  // PTX ISA 9.0
  append<std::uint16_t>(out, 9);
  append<std::uint32_t>(out, spec.sm);
  append<std::uint32_t>(out, 0);  // name
  append<std::uint32_t>(out, 0);
  append<std::uint64_t>(out, spec.flags);
  append<std::uint64_t>(out, 0);
  append<std::uint64_t>(out, spec.uncompressed_bytes);
  out.resize(spec.header_bytes);
  append_bytes(out, spec.payload.data(), spec.payload.size());
  return out;
}

Bytes fatbin(const std::vector<EntrySpec>& entries) {
  Bytes body;
  for (const EntrySpec& spec : entries) {
    const Bytes bytes = entry(spec);
    append_bytes(body, bytes.data(), bytes.size());
  }
  Bytes out;
  append<std::uint32_t>(out, 0xBA55ED50);
  append<std::uint16_t>(out, 1);
  append<std::uint16_t>(out, 16);
  append<std::uint64_t>(out, body.size());
  append_bytes(out, body.data(), body.size());
  return out;
}

EntrySpec compressed(std::uint32_t sm, const std::string& text, std::uint64_t claimed_bytes) {
  EntrySpec spec;
  spec.sm = sm;
  spec.payload.resize(ZSTD_compressBound(text.size()));
  const std::size_t bytes = ZSTD_compress(spec.payload.data(), spec.payload.size(), text.data(), text.size(), 3);
  spec.payload.resize(bytes);
  spec.compressed_bytes = static_cast<std::uint32_t>(bytes);
  spec.payload.resize((bytes + 7) / 8 * 8);
  spec.flags = 0x8000 | 0x11;
  spec.uncompressed_bytes = claimed_bytes;
  return spec;
}

EntrySpec plain(std::uint32_t sm, const std::string& text) {
  EntrySpec spec;
  spec.sm = sm;
  spec.payload = text;
  return spec;
}

void check_error(const Bytes& bytes, FatbinError::Kind kind, const std::string& fragment) {
  INFO(fragment);
  try {
    select_ptx(bytes, 75);
    FAIL("nothing was thrown");
  } catch (const FatbinError& error) {
    CHECK(error.kind() == kind);
    CHECK(std::string(error.what()).find(fragment) != std::string::npos);
  }
}

constexpr auto kMalformed = FatbinError::Kind::malformed;
constexpr auto kNoPtx = FatbinError::Kind::no_ptx;
constexpr auto kUnsupported = FatbinError::Kind::unsupported;

}  // namespace

TEST_CASE("the newest PTX that the device can run is selected") {
  const Bytes bytes = fatbin({plain(52, "for 52"), plain(75, "for 75"), plain(90, "for 90"), plain(70, "for 70")});
  CHECK(select_ptx(bytes, 75) == "for 75");
  CHECK(select_ptx(bytes, 74) == "for 70");
  CHECK(select_ptx(bytes, 52) == "for 52");
  CHECK(select_ptx(bytes, 120) == "for 90");
}

TEST_CASE("machine code is passed over, and a header may have any size from 64 bytes") {
  EntrySpec machine;
  machine.kind = 2;
  machine.header_bytes = 64;
  machine.payload = "ELF of some GPU.";
  EntrySpec with_lines = plain(75, "text");
  with_lines.header_bytes = 112;
  CHECK(select_ptx(fatbin({machine, with_lines}), 75) == "text");
}

TEST_CASE("padding and the text's own NUL are dropped") {
  CHECK(select_ptx(fatbin({plain(75, std::string("ret;\n\0\0\0\0", 9))}), 75) == "ret;\n");
}

TEST_CASE("zstd payloads are decompressed") {
  const std::string text(100000, 'x');
  CHECK(select_ptx(fatbin({compressed(75, text + '\0', 100001)}), 75) == text);
}

TEST_CASE("a payload that is larger than it claims, or claims too much, is refused") {
  const std::string text(1000, 'x');
  check_error(fatbin({compressed(75, text, 999)}), kMalformed, "does not decompress");
  check_error(fatbin({compressed(75, text, (64u << 20) + 1)}), kMalformed, "more than 64 MiB");
  EntrySpec garbage = compressed(75, text, 1000);
  garbage.payload[0] ^= 1;
  check_error(fatbin({garbage}), kMalformed, "does not decompress");
}

TEST_CASE("what is not there is named, with the remedy") {
  EntrySpec machine;
  machine.kind = 2;
  machine.payload = "ELF";
  check_error(fatbin({machine}), kNoPtx, "compiled without PTX");
  check_error(fatbin({machine}), kNoPtx, "-gencode arch=compute_75,code=compute_75");
  check_error(fatbin({plain(90, "x"), plain(80, "x")}), kNoPtx, "compute_80, newer than this device (sm_75)");
  check_error(fatbin({}), kUnsupported, "-rdc=true is not supported");
  check_error({}, kUnsupported, "-rdc=true is not supported");
  EntrySpec lz4 = plain(75, "x");
  lz4.compressed_bytes = 1;
  lz4.flags = 0x2000;
  check_error(fatbin({lz4}), kUnsupported, "LZ4");
}

TEST_CASE("a fat binary cut short anywhere is refused") {
  const Bytes whole = fatbin({plain(75, "some text"), compressed(70, std::string(100, 'y'), 100)});
  REQUIRE(select_ptx(whole, 75) == "some text");
  for (std::size_t length = 1; length < whole.size(); ++length) {
    CHECK_THROWS_AS(select_ptx(std::span(whole).first(length), 75), FatbinError);
  }
}

TEST_CASE("sizes that lie are refused") {
  const Bytes good = fatbin({plain(75, "some text")});
  const auto with = [&](std::size_t offset, auto value) {
    Bytes bytes = good;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
  };
  check_error(with(0, std::uint32_t{0}), kMalformed, "does not begin");
  check_error(with(4, std::uint16_t{2}), kMalformed, "unknown version");
  check_error(with(6, std::uint16_t{15}), kMalformed, "does not begin");
  check_error(with(8, ~std::uint64_t{0}), kMalformed, "does not begin");
  check_error(with(8, std::uint64_t{90}), kMalformed, "longer than the bytes given");
  check_error(with(16 + 4, std::uint32_t{63}), kMalformed, "header has no valid size");
  check_error(with(16 + 4, std::uint32_t{0xFFFFFFF0}), kMalformed, "header has no valid size");
  check_error(with(16 + 8, std::uint64_t{10}), kMalformed, "longer than what contains it");
  check_error(with(16 + 8, ~std::uint64_t{0}), kMalformed, "longer than what contains it");
  check_error(with(16 + 16, std::uint32_t{10}), kMalformed, "compressed size exceeds");
}

TEST_CASE("the length of a fat binary is read from its header") {
  const Bytes bytes = fatbin({plain(75, "some text")});
  CHECK(fatbin_bytes(std::span(bytes).first<16>()) == 16 + 80 + 9);
  const Bytes zeros(16);
  CHECK(fatbin_bytes(std::span(zeros).first<16>()) == 0);
}
