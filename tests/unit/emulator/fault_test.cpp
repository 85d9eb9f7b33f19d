// Each kind of fault, at its line, with the second party; and right programs beside them that must raise none.

#include "catch.h"
#include "workbench.h"

using judge::emulator::FaultKind;

namespace {

std::vector<int> zeros(std::size_t n) {
  return std::vector<int>(n, 0);
}

const judge::emulator::Fault& only(const judge::device::LaunchRecord& r) {
  for (const auto& f : r.faults) UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message);
  REQUIRE(r.faults.size() == 1);
  return r.faults[0];
}

}  // namespace

TEST_CASE("shared memory: a missing barrier is a race, named with both lines") {
  Workbench w;
  const auto in = w.buffer(zeros(64)), out = w.unset(256);
  CHECK(w.run("reverse", {1, 64}, in, out, 1).faults.empty());
  Workbench broken;
  const auto x = broken.buffer(std::vector<int>(64, 3)), y = broken.unset(256);
  const auto& r = broken.run("reverse", {1, 64}, x, y, 0);
  REQUIRE(!r.faults.empty());
  bool found = false;
  for (const auto& f : r.faults) {
    if (f.kind != FaultKind::race) continue;
    REQUIRE(f.other);
    const int a = line_of("s[t] = in[t];"), b = line_of("out[t] = s[63 - t];");
    CHECK(((f.where.line == a && f.other->where.line == b) || (f.where.line == b && f.other->where.line == a)));
    CHECK(f.who.thread != f.other->who.thread);
    CHECK(f.owner.find("s (256 bytes)") != std::string::npos);
    found = true;
  }
  CHECK(found);
}

TEST_CASE("shared memory: a race that only the second tile has") {
  Workbench w;
  std::vector<int> in(192);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<int>(k);
  const auto x = w.buffer(in), y = w.unset(256);
  CHECK(w.run("reuse_without_second_barrier", {1, 64}, x, y, 1).faults.empty());
  const auto& r = w.run("reuse_without_second_barrier", {1, 64}, x, y, 3);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == FaultKind::race);
}

TEST_CASE("storing one value from many threads is harmless, different values are a race") {
  Workbench w;
  const auto flag = w.buffer(zeros(1));
  CHECK(w.run("same_value", {4, 64}, flag).faults.empty());
  const auto& r = w.run("different_values", {1, 64}, flag);
  CHECK(only(r).kind == FaultKind::race);
}

TEST_CASE("threads that write neighbouring bytes do not race") {
  Workbench w;
  const auto out = w.unset(64);
  CHECK(w.run("neighbouring_bytes", {1, 64}, out).faults.empty());
}

TEST_CASE("lanes of one warp need __syncwarp") {
  Workbench w;
  const auto in = w.buffer(std::vector<int>(32, 2)), out = w.unset(4);
  CHECK(w.run("warp_sum", {}, in, out, 1).faults.empty());
  CHECK(w.read<int>(out, 1)[0] == 64);
  const auto& r = w.run("warp_sum", {}, in, out, 0);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == FaultKind::race);
}

TEST_CASE("global memory: races inside a block and between blocks") {
  Workbench w;
  std::vector<int> v(65);
  for (int k = 0; k < 65; ++k) v[static_cast<std::size_t>(k)] = k;
  const auto x = w.buffer(v);
  const auto& inside = w.run("shift_in_place", {1, 64}, x);
  REQUIRE(!inside.faults.empty());
  CHECK(inside.faults[0].kind == FaultKind::race);
  const auto y = w.buffer(std::vector<int>(128, -1)), out = w.unset(512);
  const auto& between = w.run("read_other_block", {4, 32}, y, out);
  REQUIRE(!between.faults.empty());
  CHECK(between.faults[0].kind == FaultKind::race);
  REQUIRE(between.faults[0].other);
  CHECK(between.faults[0].who.block != between.faults[0].other->who.block);
}

TEST_CASE("a barrier that some threads go around") {
  Workbench w;
  const auto out = w.unset(512);
  const auto& branch = only(w.run("barrier_in_branch", {}, out));
  CHECK(branch.kind == FaultKind::barrier_divergence);
  CHECK(branch.where.line == line_of("if (t < 16) __syncthreads();"));
  const auto& loop = only(w.run("barrier_in_uneven_loop", {1, 64}, out));
  CHECK(loop.kind == FaultKind::barrier_divergence);
}

TEST_CASE("threads that returned early do not count at a barrier") {
  Workbench w;
  const auto out = w.unset(256);
  const auto& r = w.run("early_return", {1, 64}, out, 40);
  for (const auto& f : r.faults)
    UNSCOPED_INFO(to_string(f.kind) << " line " << f.where.line << ": " << f.message << " " << f.who.thread[0]);
  CHECK(r.faults.empty());
  CHECK(w.read<float>(out, 1)[0] == 39.0f);
}

TEST_CASE("a shuffle from a lane that is not there") {
  Workbench w;
  const auto out = w.unset(128);
  const auto& r = w.run("shuffles", {}, out, 1);
  REQUIRE(!r.faults.empty());
  CHECK(r.faults[0].kind == FaultKind::sync_mask);
}

TEST_CASE("reads of what nothing has written") {
  Workbench w;
  const auto out = w.unset(256), in = w.unset(256, "in");
  const auto& shared = only(w.run("read_shared_unset", {1, 64}, out));
  CHECK(shared.kind == FaultKind::uninitialized_read);
  CHECK(shared.who.thread[0] == 5);
  CHECK(shared.element == 5);
  CHECK(shared.where.line == line_of("out[threadIdx.x] = s[threadIdx.x];"));
  const auto& global = only(w.run("copy", {1, 64}, in, out, 64, 0));
  CHECK(global.kind == FaultKind::uninitialized_read);
  CHECK(global.owner.find("in (") == 0);
}

TEST_CASE("bounds: at the last element, one past it, one before it, far away") {
  struct Row {
    int offset;
    std::optional<std::int64_t> element;
  };
  for (const Row row : {Row{0, std::nullopt}, Row{1, 64}, Row{-1, -1}}) {
    Workbench w;
    const auto in = w.buffer(zeros(64), "input"), out = w.unset(256);
    const auto& r = w.run("copy", {1, 64}, in, out, 64, row.offset);
    CHECK(r.finished == !row.element.has_value());
    CHECK(r.faults.empty() == !row.element.has_value());
    if (!row.element) continue;
    CHECK(r.faults[0].kind == FaultKind::out_of_bounds);
    CHECK(r.faults[0].element == row.element);
    CHECK(r.faults[0].owner.find("input (") == 0);
    CHECK(r.faults[0].where.line == line_of("out[t] = in[t + offset];"));
    CHECK(w.device->sticky() == 700);
  }
}

TEST_CASE("pointers that are not device memory") {
  const auto kind = [](judge::device::Address in) {
    Workbench w;
    const auto out = w.unset(256);
    return w.run("copy", {1, 32}, in, out, 32, 0).faults.at(0).kind;
  };
  CHECK(kind(0) == FaultKind::null_pointer);
  CHECK(kind(0x7ffe'1234'5000) == FaultKind::host_pointer);
  CHECK(kind(0x0210'0000'0000) == FaultKind::out_of_bounds);
  Workbench w;
  const auto in = w.buffer(zeros(64)), out = w.unset(256);
  REQUIRE(w.device->free(in).ok());
  CHECK(w.run("copy", {1, 32}, in, out, 32, 0).faults.at(0).kind == FaultKind::use_after_free);
}

TEST_CASE("a vector access needs its alignment") {
  Workbench w;
  const auto in = w.buffer(zeros(256)), out = w.unset(1024);
  CHECK(w.run("copy4", {}, in, out).faults.empty());
  const auto& f = only(w.run("copy4", {}, in + 4, out));
  CHECK(f.kind == FaultKind::misaligned);
  CHECK(w.device->sticky() == 716);
}

TEST_CASE("dynamic shared memory ends where the launch says") {
  Workbench w;
  const auto out = w.unset(256);
  CHECK(w.run("past_shared", {1, 64, 256}, out).faults.empty());
  const auto& f = only(w.run("past_shared", {1, 64, 252}, out));
  CHECK(f.kind == FaultKind::out_of_bounds);
  CHECK(f.space == judge::emulator::MemorySpace::shared);
  CHECK(f.who.thread[0] == 63);
}

TEST_CASE("assert, trap, endless recursion, endless loop") {
  {
    Workbench w;
    CHECK(w.run("asserts", {1, 32}, 32).faults.empty());
    const auto& f = only(w.run("asserts", {1, 32}, 31));
    CHECK(f.kind == FaultKind::assertion);
    CHECK(f.message.find("threadIdx.x < n") != std::string::npos);
    CHECK(w.device->sticky() == 710);
  }
  {
    Workbench w;
    CHECK(only(w.run("traps", {})).kind == FaultKind::trap);
  }
  {
    Workbench w;
    const auto out = w.unset(4);
    CHECK(only(w.run("endless_recursion", {1, 1}, out)).kind == FaultKind::stack_overflow);
  }
  judge::device::RunOptions options;
  options.limits.step_limit = 100'000'000;
  Workbench w(options);
  const auto& f = only(w.run("endless", {1, 32}));
  CHECK(f.kind == FaultKind::step_limit);
  CHECK(w.device->record().launches[0].finished == false);
}

TEST_CASE("of several lanes with bad addresses the lowest is named, whatever the others' addresses are") {
  Workbench w;
  const auto p = w.buffer(zeros(32));
  const auto& f = only(w.run("two_bad_lanes", {1, 32}, p));
  CHECK(f.kind == FaultKind::out_of_bounds);
  CHECK(f.who.thread[0] == 5);
}

TEST_CASE("a read of what threads that left early did not store says how many had left") {
  Workbench w;
  const auto& f = only(w.run("early_leavers", {1, 64}, w.unset(256)));
  CHECK(f.kind == FaultKind::uninitialized_read);
  CHECK(f.threads_gone == 24);
}

TEST_CASE("what the host copied is remembered byte by byte until a kernel, a copy or a set overwrites it") {
  judge::device::RunOptions options;
  options.track_host_data = true;
  Workbench w(options);
  const auto a = w.buffer(zeros(32)), b = w.unset(128);
  const auto marks = [&](judge::device::Address at) {
    std::vector<std::uint8_t> bits;
    w.device->host_data_map(at, 128, bits);
    int count = 0;
    for (const std::uint8_t byte : bits) count += __builtin_popcount(byte);
    return count;
  };
  CHECK(marks(a) == 0);  // filled by the judge
  w.device->mark_host_data(a + 4, 102);
  CHECK(marks(a) == 102);
  REQUIRE(w.device->copy(b, a, 128).ok());
  CHECK(marks(b) == 102);
  CHECK(w.run("store_bytes", {1, 32}, a, 7).faults.empty());  // bytes 0 to 6; the copy keeps its own marks
  CHECK(marks(a) == 99);
  CHECK(marks(b) == 102);
  REQUIRE(w.device->fill(b + 8, 0, 1, 8).ok());
  CHECK(marks(b) == 94);
  CHECK(w.run("add_to_each", {1, 16}, b).faults.empty());  // bytes 0 to 63
  CHECK(marks(b) == 42);
}

TEST_CASE("a store to an input is recorded with its line, a store of the same value too") {
  Workbench w;
  judge::device::AllocationRequest request;
  request.bytes = 128;
  request.label = "x";
  request.element_bytes = 4;
  request.input = true;
  judge::device::Address x = 0;
  REQUIRE(w.device->allocate(request, x).ok());
  REQUIRE(w.device->write(x, std::vector<std::byte>(128)).ok());
  CHECK(w.run("add_to_each", {1, 32}, w.buffer(zeros(32))).faults.empty());
  CHECK(w.device->record().input_writes.empty());
  w.run("store_bytes", {1, 32}, x, 7);
  REQUIRE(w.device->record().input_writes.size() == 1);
  CHECK(w.device->record().input_writes[0].buffer == "x");
  CHECK(w.device->record().input_writes[0].where.line == line_of("p[threadIdx.x] = 7;"));
}

TEST_CASE("a race between blocks is found however far they are apart") {
  for (const unsigned apart : {1u, 16383u, 16384u, 32768u, 49153u, 65536u}) {
    Workbench w;
    const auto y = w.buffer(zeros(32));
    const auto& r = w.run("far_increment", {apart + 1, 32}, y, apart);
    INFO(apart);
    REQUIRE(!r.faults.empty());
    CHECK(r.faults[0].kind == FaultKind::race);
    REQUIRE(r.faults[0].other);
    const auto a = r.faults[0].who.block[0], b = r.faults[0].other->who.block[0];
    CHECK(std::min(a, b) == 0);
    CHECK(std::max(a, b) == apart);
    CHECK(w.run("far_increment", {apart + 1, 32}, y, apart + 1).faults.empty());
  }
}

TEST_CASE(
    "many launches of many blocks: no race with an earlier launch, none missed when the count of epochs begins anew") {
  Workbench w;
  const auto y = w.buffer(zeros(32));
  for (int k = 0; k < 70; ++k) CHECK(w.run("far_increment", {70000, 32}, y, 70000u).faults.empty());
  CHECK(!w.run("far_increment", {70000, 32}, y, 16384u).faults.empty());
}

TEST_CASE("names of one letter are names, not types") {
  Workbench w;
  const auto& f = only(w.run("f", {1, 32, 128}, w.unset(128)));
  CHECK(f.kind == FaultKind::uninitialized_read);
  CHECK(f.owner.find("short") == std::string::npos);
  CHECK(w.device->record().launches.back().kernel == "f");
}
