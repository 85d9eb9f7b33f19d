// Launch limits at the limit and one past it, with the error that CUDA gives and the limit in words.

#include "catch.h"
#include "workbench.h"

using judge::device::Dim3;

namespace {
constexpr int kInvalidValue = 1, kInvalidConfiguration = 9;
}

TEST_CASE("threads a block, and along each axis") {
  Workbench w;
  CHECK(w.launch("nothing", {1, 1, 1}, {1024, 1, 1}, 0).ok());
  const auto over = w.launch("nothing", {1, 1, 1}, {1025, 1, 1}, 0);
  CHECK(over.code == kInvalidConfiguration);
  CHECK(over.detail.find("1024") != std::string::npos);
  CHECK(w.launch("nothing", {1, 1, 1}, {32, 32, 1}, 0).ok());
  CHECK(w.launch("nothing", {1, 1, 1}, {32, 33, 1}, 0).code == kInvalidConfiguration);
  CHECK(w.launch("nothing", {1, 1, 1}, {1, 1, 64}, 0).ok());
  CHECK(w.launch("nothing", {1, 1, 1}, {1, 1, 65}, 0).code == kInvalidConfiguration);
  CHECK(w.launch("nothing", {1, 1, 1}, {0, 1, 1}, 0).code == kInvalidConfiguration);
}

TEST_CASE("blocks a grid") {
  Workbench w;
  CHECK(w.launch("nothing", {1, 65535, 1}, {1, 1, 1}, 0).ok());
  const auto over = w.launch("nothing", {1, 65536, 1}, {1, 1, 1}, 0);
  CHECK(over.code == kInvalidConfiguration);
  CHECK(over.detail.find("65535") != std::string::npos);
  CHECK(w.launch("nothing", {1, 1, 65536}, {1, 1, 1}, 0).code == kInvalidConfiguration);
  CHECK(w.launch("nothing", {0, 1, 1}, {1, 1, 1}, 0).code == kInvalidConfiguration);
}

TEST_CASE("shared memory with and without the opt-in") {
  Workbench w;
  const auto out = w.unset(4096);
  CHECK(w.launch("past_shared", {1, 1, 1}, {32, 1, 1}, 49152, out).ok());
  const auto over = w.launch("past_shared", {1, 1, 1}, {32, 1, 1}, 49153, out);
  CHECK(over.code == kInvalidValue);
  CHECK(over.detail.find("49152") != std::string::npos);
  CHECK(over.detail.find("cudaFuncSetAttribute") != std::string::npos);
  const auto id = w.kernel("past_shared").id;
  CHECK(w.device->set_max_dynamic_shared(id, 65537).code == kInvalidValue);
  CHECK(w.device->set_max_dynamic_shared(id, 65536).ok());
  CHECK(w.launch("past_shared", {1, 1, 1}, {32, 1, 1}, 65536, out).ok());
  CHECK(w.launch("past_shared", {1, 1, 1}, {32, 1, 1}, 65537, out).code == kInvalidValue);
}

TEST_CASE("__launch_bounds__ is a promise") {
  Workbench w;
  CHECK(w.launch("bounded", {1, 1, 1}, {128, 1, 1}, 0).ok());
  CHECK(w.launch("bounded", {1, 1, 1}, {129, 1, 1}, 0).code != 0);
}

TEST_CASE("memory of a case is limited") {
  judge::device::RunOptions options;
  options.limits.memory_bytes = 1 << 20;
  Workbench w(options);
  const std::uint64_t left = (1 << 20) - w.device->bytes_in_use();
  judge::device::Address a = 0;
  CHECK(w.device->allocate({left + 1, judge::device::MemoryKind::device, "", "", 0, false}, a).code == 2);
  CHECK(w.device->allocate({left, judge::device::MemoryKind::device, "", "", 0, false}, a).ok());
  CHECK(w.device->allocate({1, judge::device::MemoryKind::device, "", "", 0, false}, a).code == 2);
}

TEST_CASE("freeing: once, and only what was allocated") {
  Workbench w;
  const auto a = w.unset(100);
  CHECK(w.device->free(a + 4).code == kInvalidValue);
  CHECK(w.device->free(a).ok());
  CHECK(w.device->free(a).code == kInvalidValue);
}

TEST_CASE("what was written is known to the byte") {
  Workbench w;
  const auto a = w.unset(12);
  const std::vector<std::byte> three(3, std::byte{1});
  REQUIRE(w.device->write(a + 2, three).ok());
  std::vector<std::uint8_t> bits;
  REQUIRE(w.device->written_map(a, 12, bits).ok());
  CHECK(bits == std::vector<std::uint8_t>{0b00011100, 0});
  REQUIRE(w.device->fill(a, 0, 4, 3).ok());
  REQUIRE(w.device->written_map(a, 12, bits).ok());
  CHECK(bits == std::vector<std::uint8_t>{0xff, 0x0f});
  REQUIRE(w.device->poison(a, 12).ok());
  REQUIRE(w.device->written_map(a, 12, bits).ok());
  CHECK(bits == std::vector<std::uint8_t>{0, 0});
}
