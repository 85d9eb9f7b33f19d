// *_sync operations under a guard: the lanes that the guard leaves out are not there, and do not come by waiting for.

#include <string>

#include "catch.h"
#include "judge/device/device.h"

using namespace judge::device;
using judge::emulator::FaultKind;

namespace {

constexpr const char* kOperations[] = {
    "shfl.sync.idx.b32 %r1|%q3, %r0, 0, 31, 0xffffffff;",
    "vote.sync.ballot.b32 %r1, %q1, 0xffffffff;",
    "vote.sync.all.pred %q3, %q1, 0xffffffff;",
    "match.any.sync.b32 %r1, %r0, 0xffffffff;",
    "match.all.sync.b32 %r1|%q3, %r0, 0xffffffff;",
    "redux.sync.add.u32 %r1, %r0, 0xffffffff;",
    "elect.sync %r1|%q3, 0xffffffff;",
    "bar.warp.sync 0xffffffff;",
};

// %r0: the thread; %q1: whether it is one of the first 16; %r1: 0. What %r1 is at the end goes to p.
std::string kernel(const std::string& body) {
  return ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %q<4>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
         "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nmov.u32 %r4, 0;\nsetp.lt.u32 %q1, %r0, 16;\n" +
         body + "\nmad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r1;\nret;\n}\n";
}

LaunchRecord run(const std::string& body, std::uint64_t schedule_seed, std::vector<std::uint32_t>* out = nullptr,
                 std::uint64_t step_limit = 50'000'000) {
  const auto device = make_emulated_device();
  RunOptions options;
  options.schedule_seed = schedule_seed;
  options.limits.step_limit = step_limit;
  device->reset(options);
  std::uint64_t module = 0;
  const Status loaded = device->load_module(kernel(body), module);
  INFO(loaded.detail);
  REQUIRE(loaded.ok());
  KernelInfo info;
  const Status found = device->find_kernel(module, "k", info);
  INFO(found.detail);
  REQUIRE(found.ok());
  Address to = 0;
  REQUIRE(device->allocate({128, MemoryKind::device, "out", "int32", 4, false}, to).ok());
  device->launch({info.id, {1, 1, 1}, {32, 1, 1}, 0, std::as_bytes(std::span(&to, 1))});
  if (out != nullptr) {
    out->resize(32);
    REQUIRE(device->read(to, std::as_writable_bytes(std::span(*out))).ok());
  }
  return device->record().launches.back();
}

}  // namespace

TEST_CASE("guarded *_sync: lanes that the guard leaves out and that wait elsewhere are named") {
  for (const std::string operation : kOperations) {
    INFO(operation);
    for (const std::uint64_t seed : {0, 7}) {
      const LaunchRecord r = run("@%q1 " + operation + "\nbar.sync 0;", seed);
      REQUIRE(r.faults.size() == 1);
      CHECK(r.faults[0].kind == FaultKind::sync_mask);
      CHECK(r.faults[0].message.find("names lane 16 ") != std::string::npos);
      CHECK(r.faults[0].who.thread[0] == 0);
      REQUIRE(r.faults[0].other.has_value());
      CHECK(r.faults[0].other->who.thread[0] == 16);
      CHECK_FALSE(r.finished);
    }
  }
}

TEST_CASE("guarded *_sync: lanes that never end are met by the step limit") {
  for (const std::string operation : kOperations) {
    INFO(operation);
    const LaunchRecord r = run("@%q1 " + operation + "\nLOOP:\n@!%q1 bra LOOP;", 0);
    REQUIRE(r.faults.size() == 1);
    CHECK(r.faults[0].kind == FaultKind::step_limit);
  }
}

TEST_CASE("guarded *_sync: lanes that have exited are waited for by nobody") {
  const LaunchRecord r =
      run("@%q1 bar.warp.sync 0xffffffff;\n@!%q1 exit;\n@%q1 vote.sync.ballot.b32 %r1, %q1, 0xffff;", 0);
  CHECK(r.faults.empty());
  CHECK(r.finished);
}

TEST_CASE("guarded *_sync: lanes that come in another round of a loop are waited for") {
  const struct {
    std::string operation;
    std::uint32_t low, high;  // %r1 of lanes 3 and 20
  } cases[] = {
      {"shfl.sync.idx.b32 %r1|%q3, %r0, 25, 31, 0xffffffff;", 25, 25},
      {"vote.sync.ballot.b32 %r1, %q1, 0xffffffff;", 0xffff, 0xffff},
      {"match.any.sync.b32 %r1, %r4, 0xffffffff;", 0xffff, 0xffff0000},
      {"redux.sync.add.u32 %r1, %r0, 0xffffffff;", 496, 496},
      {"elect.sync %r1|%q3, 0xffffffff;", 0, 0},
      {"bar.warp.sync 0xffffffff;", 0, 0},
  };
  for (const auto& c : cases) {
    INFO(c.operation);
    for (const std::uint64_t seed : {0, 3, 4, 5}) {
      // Lanes below 16 come in round 0, the others in round 1.
      std::vector<std::uint32_t> out;
      const LaunchRecord r = run("shr.u32 %r2, %r0, 4;\nLOOP:\nsetp.eq.u32 %q2, %r2, %r4;\n@%q2 " + c.operation +
                                     "\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %q2, %r4, 2;\n@%q2 bra LOOP;",
                                 seed, &out);
      CHECK(r.faults.empty());
      CHECK(r.finished);
      CHECK(out[3] == c.low);
      CHECK(out[20] == c.high);
    }
  }
}

TEST_CASE("guarded *_sync: a complete mask of a part of the warp leaves the others alone") {
  std::vector<std::uint32_t> out;
  const LaunchRecord r = run("@%q1 redux.sync.add.u32 %r1, %r0, 0xffff;\nadd.u32 %r1, %r1, 1;", 0, &out);
  CHECK(r.faults.empty());
  CHECK(out[0] == 121);
  CHECK(out[31] == 1);
  // All go on together: one store for the warp.
  CHECK(r.counters.global_store_requests == 1);
}

TEST_CASE("*_sync: lanes at a barrier that does not need the waiting ones may still come") {
  // Lanes 16 to 31 meet alone at barrier 1, then come to the shuffle.
  std::vector<std::uint32_t> out;
  const LaunchRecord r =
      run("@%q1 bra MEET;\nbarrier.sync 1, 16;\nMEET:\nshfl.sync.idx.b32 %r1|%q3, %r0, 25, 31, 0xffffffff;", 0, &out);
  CHECK(r.faults.empty());
  CHECK(r.finished);
  CHECK(out[0] == 25);
}
