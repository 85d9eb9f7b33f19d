// Recorded accesses: which lanes, which addresses; and that a launch that records does the same as one that does not.

#include <string>

#include "catch.h"
#include "judge/device/device.h"

using namespace judge::device;
using judge::emulator::AccessKind;
using judge::emulator::MemorySpace;

namespace {

// Line 10: a guarded load by the first 8 lanes, every 16 bytes. Line 11: a store to shared memory. Line 12, three times
// in a loop: a load from there. Line 13: the store of the result.
const std::string kKernel = R"(.version 8.8
.target sm_90
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 p)
{
.reg .pred %q<4>;
.reg .b32 %r<9>;
.reg .b64 %d<9>;
.shared .align 4 .b8 tile[256];
ld.param.u64 %d0, [p];
cvta.to.global.u64 %d0, %d0;
mov.u32 %r0, %tid.x;
setp.lt.u32 %q1, %r0, 8;
mul.wide.u32 %d1, %r0, 16;
add.s64 %d1, %d0, %d1;
mov.u32 %r1, 5;
.loc 1 10 1
@%q1 ld.global.u32 %r1, [%d1];
mov.u32 %r2, tile;
shl.b32 %r3, %r0, 3;
add.s32 %r3, %r2, %r3;
.loc 1 11 1
st.shared.u32 [%r3], %r1;
mov.u32 %r4, 0;
again:
.loc 1 12 1
ld.shared.u32 %r5, [%r3];
.loc 1 1 1
add.u32 %r4, %r4, 1;
add.u32 %r1, %r1, %r5;
setp.lt.u32 %q2, %r4, 3;
@%q2 bra again;
mul.wide.u32 %d2, %r0, 4;
add.s64 %d2, %d0, %d2;
.loc 1 13 1
st.global.u32 [%d2], %r1;
ret;
}
)";

struct Outcome {
  LaunchRecord record;
  std::vector<std::uint32_t> memory;
  Address at = 0;
};

Outcome run(std::vector<int> lines) {
  const auto device = make_emulated_device();
  RunOptions options;
  options.traced_lines = std::move(lines);
  device->reset(options);
  std::uint64_t module = 0;
  const Status loaded = device->load_module(kKernel, module);
  INFO(loaded.detail);
  REQUIRE(loaded.ok());
  KernelInfo info;
  REQUIRE(device->find_kernel(module, "k", info).ok());
  Outcome out;
  REQUIRE(device->allocate({128, MemoryKind::device, "x", "int32", 4, false}, out.at).ok());
  out.memory.resize(32);
  for (std::uint32_t k = 0; k < 32; ++k) out.memory[k] = 100 + k;
  REQUIRE(device->write(out.at, std::as_bytes(std::span(out.memory))).ok());
  REQUIRE(device->launch({info.id, {1, 1, 1}, {32, 1, 1}, 0, std::as_bytes(std::span(&out.at, 1))}).ok());
  REQUIRE(device->read(out.at, std::as_writable_bytes(std::span(out.memory))).ok());
  out.record = device->record().launches.back();
  return out;
}

}  // namespace

TEST_CASE("accesses of the lines that are asked for are recorded, lane by lane") {
  const Outcome out = run({10, 12});
  REQUIRE(out.record.accesses.size() == 4);
  const TracedAccess& guarded = out.record.accesses[0];
  CHECK(guarded.where.line == 10);
  CHECK(guarded.space == MemorySpace::global);
  CHECK(guarded.kind == AccessKind::read);
  CHECK(guarded.bytes == 4);
  CHECK(guarded.mask == 0xff);
  for (std::uint64_t lane = 0; lane < 32; ++lane) CHECK(guarded.address[lane] == (lane < 8 ? out.at + 16 * lane : 0));
  for (std::size_t k = 1; k < 4; ++k) {
    const TracedAccess& shared = out.record.accesses[k];
    CHECK(shared.where.line == 12);
    CHECK(shared.space == MemorySpace::shared);
    CHECK(shared.mask == 0xffff'ffff);
    for (std::uint64_t lane = 0; lane < 32; ++lane) CHECK(shared.address[lane] == 8 * lane);
  }
}

TEST_CASE("stores are recorded as such") {
  const Outcome out = run({11, 13});
  REQUIRE(out.record.accesses.size() == 2);
  CHECK(out.record.accesses[0].space == MemorySpace::shared);
  CHECK(out.record.accesses[0].kind == AccessKind::write);
  CHECK(out.record.accesses[1].space == MemorySpace::global);
  CHECK(out.record.accesses[1].address[31] == out.at + 124);
}

TEST_CASE("recording changes neither results nor counters") {
  const Outcome plain = run({}), traced = run({10, 11, 12, 13});
  CHECK(plain.record.accesses.empty());
  CHECK(traced.record.accesses.size() == 6);
  CHECK(plain.memory == traced.memory);
  CHECK(plain.memory[1] == 4 * 104);  // the element 16 bytes on, once and three times more
  CHECK(plain.memory[9] == 4 * 5);
  CHECK(plain.record.counters == traced.record.counters);
  CHECK(plain.record.faults.size() == traced.record.faults.size());
}
