// Textures and surfaces through the device: what kernels get, what is a fault and where, what the device refuses.

#include "judge/device/textures.h"

#include <cmath>
#include <random>

#include "catch.h"
#include "judge/device/error_name.h"
#include "workbench.h"

using judge::device::ArrayInfo;
using judge::device::ArrayRequest;
using judge::device::TextureRequest;
using judge::device::TextureResource;
using judge::emulator::FaultKind;

namespace {

constexpr judge::device::ChannelFormat kFloat{{32, 0, 0, 0}, 2}, kFloat4{{32, 32, 32, 32}, 2}, kInt{{32, 0, 0, 0}, 0},
    kByte4{{8, 8, 8, 8}, 1};
constexpr std::uint32_t kWrap = 0, kClamp = 1, kBorder = 3, kForSurfaces = 2;

struct Bench : Workbench {
  judge::device::Textures& textures() { return *device->textures(); }
  ArrayInfo array(const ArrayRequest& r) {
    ArrayInfo info;
    const auto status = textures().create_array(r, info);
    INFO(status.detail);
    REQUIRE(status.ok());
    return info;
  }
  template <class T>
  void fill(const ArrayInfo& a, const std::vector<T>& texels, std::uint64_t width, std::uint64_t rows = 1) {
    REQUIRE(textures()
                .write(a.id, {0, 0, 0, width * sizeof(T), rows, texels.size() / width / rows},
                       std::as_bytes(std::span(texels)))
                .ok());
  }
  std::uint64_t texture(const TextureRequest& r) {
    std::uint64_t handle = 0;
    const auto status = textures().create_texture(r, handle);
    INFO(status.detail);
    REQUIRE(status.ok());
    return handle;
  }
  std::uint64_t linear(judge::device::Address at, std::uint64_t bytes, judge::device::ChannelFormat format) {
    TextureRequest r;
    r.resource = TextureResource::linear;
    r.address = at;
    r.bytes = bytes;
    r.format = format;
    return texture(r);
  }
  std::uint64_t surface(const ArrayInfo& a) {
    std::uint64_t handle = 0;
    REQUIRE(textures().create_surface(a.id, handle).ok());
    return handle;
  }
};

TextureRequest of(const ArrayInfo& a, std::uint32_t mode, bool linear = false, bool normalized = false) {
  TextureRequest r;
  r.array = a.id;
  r.address_modes = {mode, mode, mode};
  r.filter = linear ? 1 : 0;
  r.normalized_coordinates = normalized ? 1 : 0;
  return r;
}

const judge::emulator::Fault& only(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults) UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message);
  REQUIRE(r.faults.size() == 1);
  return r.faults[0];
}

int line(const char* text) {
  return line_of(text, "texture_kernels.cu");
}

struct Float4 {
  float x, y, z, w;
};

}  // namespace

TEST_CASE("a 2D fetch blends four texels of all channels, and a level of detail changes nothing") {
  Bench b;
  const int width = 7, height = 5, n = 300;
  std::vector<Float4> texels(width * height);
  for (std::size_t i = 0; i < texels.size(); ++i) {
    const auto v = static_cast<float>(i);
    texels[i] = {v, v * v, -v, 1000 - v};
  }
  const ArrayInfo a = b.array({width, height, 0, kFloat4, 0});
  b.fill(a, texels, width, height);
  std::mt19937 random(5);
  std::vector<float> at(2 * n);
  for (float& x : at) x = static_cast<float>(static_cast<int>(random() % (14 * 256)) - 3 * 256) / 256.0f;
  TextureRequest request = of(a, kBorder, true);
  request.border = {1, 2, 3, 4};
  const auto t = b.texture(request);
  const auto where = b.buffer(at);
  const auto out = b.unset(n * 16), out2 = b.unset(n * 32);
  CHECK(b.run("sample_2d", {10, 32}, t, where, out, n).faults.empty());
  CHECK(b.run("levels_2d", {10, 32}, t, where, out2, n).faults.empty());
  const auto got = b.read<Float4>(out, n);
  const auto got2 = b.read<Float4>(out2, 2 * n);
  const Float4 border{1, 2, 3, 4};
  for (int k = 0; k < n; ++k) {
    const double x = at[2 * k] - 0.5, y = at[2 * k + 1] - 0.5;
    double want[4] = {};
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) {
        const int i = static_cast<int>(std::floor(x)) + dx, j = static_cast<int>(std::floor(y)) + dy;
        const double fx = x - std::floor(x), fy = y - std::floor(y);
        const double weight = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy);
        const bool inside = i >= 0 && i < width && j >= 0 && j < height;
        const Float4& texel = inside ? texels[j * width + i] : border;
        want[0] += weight * texel.x;
        want[1] += weight * texel.y;
        want[2] += weight * texel.z;
        want[3] += weight * texel.w;
      }
    INFO("at " << at[2 * k] << ", " << at[2 * k + 1]);
    CHECK(got[k].x == static_cast<float>(want[0]));
    CHECK(got[k].y == static_cast<float>(want[1]));
    CHECK(got[k].z == static_cast<float>(want[2]));
    CHECK(got[k].w == static_cast<float>(want[3]));
    CHECK(std::memcmp(&got[k], &got2[2 * k], 16) == 0);
    CHECK(std::memcmp(&got[k], &got2[2 * k + 1], 16) == 0);
  }
}

TEST_CASE("a gather returns one channel of the four texels, against the clock from below left") {
  Bench b;
  const ArrayInfo a = b.array({3, 2, 0, kFloat4, 8});
  std::vector<Float4> texels(6);
  for (int i = 0; i < 6; ++i) texels[i] = {static_cast<float>(i), static_cast<float>(10 * i), 0, 0};
  b.fill(a, texels, 3, 2);
  const auto t = b.texture(of(a, kClamp));
  const auto out = b.unset(32);
  b.run("gather_2d", {1, 1}, t, 2.0f, 1.0f, out);  // between texels 1 and 2, rows 0 and 1
  const auto v = b.read<float>(out, 8);
  CHECK(v == std::vector<float>{4, 5, 2, 1, 40, 50, 20, 10});
}

TEST_CASE("requests and sectors of fetches are counted") {
  Bench b;
  const auto x = b.buffer(std::vector<float>(64, 2));
  const auto t = b.linear(x, 256, kFloat);
  const auto out = b.unset(256);
  const auto& r = b.run("fetch_1d", {1, 64}, t, out);
  CHECK(r.counters.texture_requests == 2);
  CHECK(r.counters.texture_sectors == 8);
  CHECK(r.counters.global_load_requests == 0);
  CHECK(r.faults.empty());
}

TEST_CASE("a lane may bring its own handle") {
  Bench b;
  std::vector<std::uint64_t> handles(32);
  for (int i = 0; i < 32; ++i)
    handles[static_cast<std::size_t>(i)] = b.linear(b.buffer(std::vector<float>{0, static_cast<float>(i)}), 8, kFloat);
  const auto out = b.unset(128);
  CHECK(b.run("per_lane", {1, 32}, b.buffer(handles), out).faults.empty());
  const auto v = b.read<float>(out, 32);
  for (int i = 0; i < 32; ++i) CHECK(v[static_cast<std::size_t>(i)] == static_cast<float>(i));
}

TEST_CASE("no number is a handle unless the device made it") {
  for (const std::uint64_t wild : {0ull, 1ull, 0x1'0000'0001ull, 0x200'0010'0000ull, ~0ull}) {
    Bench b;
    const auto out = b.unset(128);
    const auto& r = b.run("fetch_1d", {1, 32}, wild, out);
    const auto& f = only(r);
    CHECK(f.kind == FaultKind::illegal_instruction);
    CHECK(f.where.line == line("// the fetch"));
    CHECK(f.message.find("not the handle of a texture object") != std::string::npos);
    CHECK_FALSE(r.finished);
  }
}

TEST_CASE("memory and objects that went away are used after free") {
  {
    Bench b;
    const auto x = b.buffer(std::vector<float>(32, 1));
    const auto t = b.linear(x, 128, kFloat);
    REQUIRE(b.device->free(x).ok());
    const auto& f = only(b.run("fetch_1d", {1, 32}, t, b.unset(128)));
    CHECK(f.kind == FaultKind::use_after_free);
    CHECK(f.where.line == line("// the fetch"));
  }
  {
    Bench b;
    const auto t = b.linear(b.buffer(std::vector<float>(32, 1)), 128, kFloat);
    REQUIRE(b.textures().destroy(t, false).ok());
    CHECK(only(b.run("fetch_1d", {1, 32}, t, b.unset(128))).kind == FaultKind::use_after_free);
  }
  {
    Bench b;
    const ArrayInfo a = b.array({8, 8, 0, kInt, kForSurfaces});
    const auto s = b.surface(a);
    ArrayInfo freed;
    REQUIRE(b.textures().free_array(a.id, freed).ok());
    CHECK(only(b.run("store_2d", {8, 8}, s, 0, 0)).kind == FaultKind::use_after_free);
  }
}

TEST_CASE("texels that nothing has written are found, but not those of weight 0") {
  Bench b;
  const auto t = b.linear(b.unset(128), 128, kFloat);
  const auto& f = only(b.run("fetch_1d", {1, 32}, t, b.unset(128)));
  CHECK(f.kind == FaultKind::uninitialized_read);
  CHECK(f.where.line == line("// the fetch"));

  Bench c;  // the first column is written, the second is not; the sample is at the first's centre
  const ArrayInfo a = c.array({2, 1, 0, kFloat4, 0});
  c.fill(a, std::vector<Float4>{{5, 0, 0, 0}}, 1);
  const auto out = c.unset(16);
  CHECK(c.run("sample_2d", {1, 1}, c.texture(of(a, kClamp, true)), c.buffer(std::vector<float>{0.5f, 0.5f}), out, 1)
            .faults.empty());
  CHECK(c.read<float>(out, 1)[0] == 5);
}

TEST_CASE("a surface store outside is a fault at its line, at N and not at N - 1") {
  for (const bool last : {false, true}) {
    Bench b;
    const ArrayInfo a = b.array({32, 4, 0, kInt, kForSurfaces});
    const auto& r = b.run("store_2d", {4, 32}, b.surface(a), last ? 4 : 0, 0);
    if (!last) {
      CHECK(r.faults.empty());
      CHECK(r.counters.surface_store_requests == 4);
      CHECK(r.counters.surface_store_sectors == 4 * 8);  // 128 bytes of one row: 8 tiles of 16 bytes
      std::vector<int> rows(128);
      REQUIRE(b.textures().read(a.id, {0, 0, 0, 128, 4, 1}, std::as_writable_bytes(std::span(rows))).ok());
      for (int k = 0; k < 128; ++k) CHECK(rows[static_cast<std::size_t>(k)] == k % 32 + 100 * (k / 32));
      continue;
    }
    const auto& f = only(r);
    CHECK(f.kind == FaultKind::out_of_bounds);
    CHECK(f.where.line == line("surf2Dwrite(static_cast<int>(threadIdx.x + 100"));
    CHECK(f.owner.find("a CUDA array of int32, 32 x 4") != std::string::npos);
    CHECK_FALSE(r.finished);
  }
  Bench b;
  const ArrayInfo a = b.array({32, 4, 0, kInt, kForSurfaces});
  const auto& f = only(b.run("store_2d", {4, 32}, b.surface(a), 0, 1));
  CHECK(f.kind == FaultKind::out_of_bounds);
  CHECK(f.message == "writes row 4 of a surface that has 4 rows");
  Bench m;
  const ArrayInfo c = m.array({32, 4, 0, kInt, kForSurfaces});
  CHECK(only(m.run("store_2d", {1, 8}, m.surface(c), 2, 0)).kind == FaultKind::misaligned);
}

TEST_CASE("threads that store different values to one texel race") {
  Bench b;
  const ArrayInfo a = b.array({8, 8, 0, kInt, kForSurfaces});
  const auto& f = only(b.run("collide", {1, 32}, b.surface(a)));
  CHECK(f.kind == FaultKind::race);
  CHECK(f.where.line == line("// everybody"));
}

TEST_CASE("objects of another shape or kind are refused in the kernel") {
  Bench b;
  const ArrayInfo row = b.array({8, 0, 0, kFloat4, kForSurfaces});
  b.fill(row, std::vector<Float4>(8), 8);
  const auto t = b.texture(of(row, kClamp));
  const auto& f = only(b.run("sample_2d", {1, 1}, t, b.buffer(std::vector<float>{0, 0}), b.unset(16), 1));
  CHECK(f.kind == FaultKind::illegal_instruction);
  CHECK(f.message == "a 2D access through a texture object of a 1D CUDA array");
  Bench c;
  const ArrayInfo a = c.array({8, 8, 0, kInt, kForSurfaces});
  CHECK(only(c.run("store_2d", {1, 8}, c.texture(of(a, kClamp)), 0, 0)).message ==
        "a surface write through a handle of a texture object");
}

TEST_CASE("an array of one row is one-dimensional as well; integers come extended") {
  Bench b;
  const ArrayInfo a = b.array({4, 1, 0, {{16, 16, 0, 0}, 0}, 0});
  b.fill(a, std::vector<std::uint32_t>{0x0001'ffff, 0x8000'0002, 3, 4}, 4);
  const auto out = b.unset(64);
  CHECK(b.run("sample_1d", {1, 4}, b.texture(of(a, kWrap, false, true)),
              b.buffer(std::vector<float>{0.0f, 0.25f, 1.75f, -0.25f}), out)
            .faults.empty());
  CHECK(b.read<int>(out, 16) == std::vector<int>{-1, 1, 0, 1, 2, -32768, 0, 1, 4, 0, 0, 1, 4, 0, 0, 1});
}

TEST_CASE("wide and narrow surface loads, formatted stores, queries, residency") {
  Bench b;
  const ArrayInfo a = b.array({48, 2, 0, kInt, kForSurfaces});
  std::vector<int> texels(96);
  for (int i = 0; i < 96; ++i) texels[static_cast<std::size_t>(i)] = i * 0x01010101;
  b.fill(a, texels, 48, 2);
  const auto wide = b.unset(12 * 16), small = b.unset(12);
  CHECK(b.run("load_wide", {1, 12}, b.surface(a), wide, small).faults.empty());
  CHECK(b.read<int>(wide, 48) == std::vector<int>(texels.begin(), texels.begin() + 48));
  const auto bytes = b.read<std::uint8_t>(small, 12);
  for (std::size_t k = 0; k < 12; ++k) CHECK(bytes[k] == 48 + 3 * k / 4);

  const ArrayInfo c = b.array({4, 4, 0, kByte4, kForSurfaces});
  CHECK(b.run("formatted", {1, 1}, b.surface(c)).faults.empty());
  std::uint8_t pixel[4];
  REQUIRE(b.textures().read(c.id, {4, 2, 0, 4, 1, 1}, std::as_writable_bytes(std::span(pixel))).ok());
  CHECK((pixel[0] == 7 && pixel[1] == 255 && pixel[2] == 0 && pixel[3] == 255));  // 300 saturates

  const auto out = b.unset(20);
  CHECK(b.run("ask", {1, 1}, b.texture(of(a, kClamp, false, true)), b.surface(c), out).faults.empty());
  CHECK(b.read<int>(out, 5) == std::vector<int>{48, 2, 1, 4, 1});
  const ArrayInfo d = b.array({1, 1, 0, kFloat4, 0});
  b.fill(d, std::vector<Float4>{{9, 0, 0, 0}}, 1);
  CHECK(b.run("resident", {1, 1}, b.texture(of(d, kClamp)), out).faults.empty());
  CHECK(b.read<int>(out, 2) == std::vector<int>{1, 9});
}

TEST_CASE("what cannot be an array, a texture, a surface or a copy is refused with CUDA's error") {
  Bench b;
  ArrayInfo made;
  const auto code = [&](const ArrayRequest& r) { return b.textures().create_array(r, made).code; };
  CHECK(code({16384, 16384, 0, kByte4, 0}) == 0);
  CHECK(code({131072, 0, 0, kFloat, 0}) == 0);
  CHECK(code({131073, 0, 0, kFloat, 0}) == judge::device::cuda_invalid_value);
  CHECK(code({32769, 0, 0, kFloat, kForSurfaces}) == judge::device::cuda_invalid_value);
  CHECK(code({0, 4, 0, kFloat, 0}) == judge::device::cuda_invalid_value);
  CHECK(code({4, 0, 4, kFloat, 0}) == judge::device::cuda_invalid_value);
  CHECK(code({4, 4, 2049, kFloat, 1}) == judge::device::cuda_invalid_value);
  CHECK(code({~0ull, ~0ull, ~0ull, kFloat, 1}) == judge::device::cuda_invalid_value);
  CHECK(code({131072, 65536, 0, kFloat4, 0}) == judge::device::cuda_memory_allocation);
  CHECK(code({4, 4, 0, {{32, 32, 32, 0}, 2}, 0}) == judge::device::cuda_invalid_channel_descriptor);
  CHECK(code({4, 4, 0, {{8, 16, 0, 0}, 1}, 0}) == judge::device::cuda_invalid_channel_descriptor);
  CHECK(code({4, 4, 0, {{-8, 0, 0, 0}, 1}, 0}) == judge::device::cuda_invalid_channel_descriptor);
  CHECK(code({4, 4, 0, {{8, 0, 0, 0}, 2}, 0}) == judge::device::cuda_invalid_channel_descriptor);
  CHECK(code({4, 4, 6, kFloat, 4}) == judge::device::cuda_not_supported);

  const ArrayInfo a = b.array({8, 4, 0, kInt, 0});
  std::vector<std::byte> row(32);
  const auto write = [&](judge::device::ArrayBox box) { return b.textures().write(a.id, box, row).code; };
  CHECK(write({0, 3, 0, 32, 1, 1}) == 0);
  CHECK(write({4, 3, 0, 32, 1, 1}) == judge::device::cuda_invalid_value);
  CHECK(write({0, 4, 0, 32, 1, 1}) == judge::device::cuda_invalid_value);
  CHECK(write({0, 0, 1, 32, 1, 1}) == judge::device::cuda_invalid_value);
  CHECK(write({~0ull - 3, 0, 0, 32, 1, 1}) == judge::device::cuda_invalid_value);
  CHECK(write({0, 0, 0, 16, 1, 1}) == judge::device::cuda_invalid_value);  // less than the data
  CHECK(b.textures().write(a.id + 1, {}, {}).code == judge::device::cuda_invalid_resource_handle);
  const auto x = b.buffer(std::vector<int>(64, 1));
  const auto copy = [&](std::uint64_t pitch, std::uint64_t rows) {
    return b.textures().copy({a.id, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, x, pitch, 0}, 32, rows, 1).code;
  };
  CHECK(copy(64, 4) == 0);  // 3 * 64 + 32 of 256 bytes
  CHECK(copy(80, 4) == judge::device::cuda_invalid_value);
  CHECK(copy(16, 4) == judge::device::cuda_invalid_pitch_value);
  CHECK(copy(~0ull, 4) == judge::device::cuda_invalid_value);

  std::uint64_t handle = 0;
  const auto make = [&](const TextureRequest& r) { return b.textures().create_texture(r, handle).code; };
  CHECK(make(of(a, kClamp)) == 0);
  CHECK(make(of(a, kClamp, true)) == judge::device::cuda_invalid_filter_setting);  // integers are not blended
  CHECK(make(of(a, 4)) == judge::device::cuda_invalid_value);
  TextureRequest r;
  r.resource = TextureResource::linear;
  r.format = kFloat;
  r.address = x;
  r.bytes = 256;
  CHECK(make(r) == 0);
  r.bytes = 260;
  CHECK(make(r) == judge::device::cuda_invalid_value);
  r.bytes = 3;
  CHECK(make(r) == judge::device::cuda_invalid_value);
  r.bytes = 64;
  r.address = x + 4;
  CHECK(make(r) == judge::device::cuda_invalid_value);
  TextureRequest p;
  p.resource = TextureResource::pitch2d;
  p.format = kFloat;
  p.address = x;
  p.width = 8;
  p.height = 4;
  p.pitch = 64;
  CHECK(make(p) == 0);
  p.pitch = 48;  // not a multiple of 32
  CHECK(make(p) == judge::device::cuda_invalid_value);
  p.pitch = 96;  // past the end
  CHECK(make(p) == judge::device::cuda_invalid_value);
  p.height = ~0ull;
  CHECK(make(p) == judge::device::cuda_invalid_value);
  CHECK(b.textures().create_surface(a.id, handle).code == judge::device::cuda_invalid_value);
  CHECK(b.textures().destroy(12345, false).code == judge::device::cuda_invalid_value);
}
