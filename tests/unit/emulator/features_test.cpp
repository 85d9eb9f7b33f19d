// Calls, the heap, the stack, clocks, printf and the rest of what device code may do beside arithmetic.

#include <cstring>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "judge/device/device.h"

using namespace judge::device;
using judge::emulator::FaultKind;

namespace {

class Bench {
 public:
  explicit Bench(const std::string& text = "", RunOptions options = {}) : device(make_emulated_device()) {
    device->reset(options);
    std::stringstream file;
    file << std::ifstream(FEATURES_PTX).rdbuf();
    loaded = device->load_module(text.empty() ? file.str() : text, module_);
  }
  Address buffer(std::uint64_t bytes) {
    AllocationRequest r;
    r.bytes = bytes;
    Address a = 0;
    if (!device->allocate(r, a).ok() || !device->fill(a, 0, 1, bytes).ok()) throw std::runtime_error("no buffer");
    return a;
  }
  template <class... A>
  Status launch(const char* name, unsigned threads, A... arguments) {
    KernelInfo info;
    if (Status s = device->find_kernel(module_, name, info); !s.ok()) return s;
    std::vector<std::byte> bytes(info.parameter_bytes);
    std::size_t k = 0;
    [[maybe_unused]] const auto put = [&](auto v) {
      std::memcpy(bytes.data() + info.parameters.at(k++).offset, &v, sizeof v);
    };
    (put(arguments), ...);
    LaunchRequest r;
    r.kernel = info.id;
    r.grid = {1, 1, 1};
    r.block = {threads, 1, 1};
    r.parameters = bytes;
    return device->launch(r);
  }
  const std::vector<judge::emulator::Fault>& faults() { return device->record().launches.back().faults; }
  template <class T>
  std::vector<T> read(Address a, std::size_t n) {
    std::vector<T> v(n);
    if (!device->read(a, std::as_writable_bytes(std::span(v))).ok()) throw std::runtime_error("not readable");
    return v;
  }
  std::unique_ptr<Device> device;
  Status loaded;

 private:
  std::uint64_t module_ = 0;
};

int line_of(const std::string& text) {
  std::ifstream in(JUDGE_SOURCE_DIR "/tests/unit/emulator/features.cu");
  std::string line;
  for (int n = 1; std::getline(in, line); ++n)
    if (line.find(text) != std::string::npos) return n;
  throw std::runtime_error("features.cu has no line with: " + text);
}

std::string ptx(const std::string& body, const std::string& before = "", const char* target = "sm_90a") {
  return std::string(".version 8.8\n.target ") + target + "\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %q<4>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
         "ld.param.u64 %d0, [out];\n" +
         body + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("virtual functions, also when lanes call different ones") {
  Bench b;
  const Address out = b.buffer(4 * 64);
  REQUIRE(b.launch("virtuals", 64, out).ok());
  CHECK(b.faults().empty());
  const auto v = b.read<int>(out, 64);
  for (int t = 0; t < 64; ++t) CHECK(v[static_cast<std::size_t>(t)] == (t % 2 == 1 ? t * t : 3 * t));
}

TEST_CASE("functions through a table of pointers") {
  Bench b;
  const Address out = b.buffer(4 * 32);
  REQUIRE(b.launch("pointers", 32, out).ok());
  const auto v = b.read<int>(out, 32);
  for (int t = 0; t < 32; ++t)
    CHECK(v[static_cast<std::size_t>(t)] == (t % 3 == 0 ? t + 1 : t % 3 == 1 ? 2 * t : t * t));
}

TEST_CASE("recursion, and where it has no end") {
  Bench b;
  const Address out = b.buffer(4 * 32);
  REQUIRE(b.launch("recursion", 32, out).ok());
  const int expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  const auto v = b.read<int>(out, 32);
  for (int t = 0; t < 32; ++t) CHECK(v[static_cast<std::size_t>(t)] == expected[t % 12]);
  REQUIRE(b.launch("endless_recursion", 1, out).ok());
  REQUIRE(b.faults().size() == 1);
  CHECK(b.faults()[0].kind == FaultKind::stack_overflow);
  CHECK(b.faults()[0].where.line == line_of("line of the call that finds no room"));
}

TEST_CASE("a linked list on the heap, by every thread") {
  Bench b;
  const Address out = b.buffer(4 * 64);
  REQUIRE(b.launch("linked_list", 64, out, 6).ok());
  CHECK(b.faults().empty());
  int sum = 0;
  for (int k = 5; k >= 0; --k) sum = 3 * sum + k;
  for (const int v : b.read<int>(out, 64)) CHECK(v == sum);
}

TEST_CASE("the heap runs out at its limit, and what is freed can be had again") {
  Bench b;
  const Address out = b.buffer(16);
  REQUIRE(b.launch("exhaust", 1, out, std::uint64_t{5} << 20).ok());  // of 8 MB
  CHECK(b.read<int>(out, 3) == std::vector<int>{1, 0, 1});
  REQUIRE(b.launch("exhaust", 1, out, std::uint64_t{9} << 20).ok());
  CHECK(b.read<int>(out, 3) == std::vector<int>{0, 0, 0});
  REQUIRE(b.launch("exhaust", 1, out, std::uint64_t{3} << 20).ok());
  CHECK(b.read<int>(out, 3) == std::vector<int>{1, 1, 1});
  CHECK(b.faults().empty());
}

TEST_CASE("a heap used over and over does not run out") {
  Bench b;
  const Address out = b.buffer(4 * 32);
  for (int k = 0; k < 12; ++k) REQUIRE(b.launch("linked_list", 32, out, 800).ok());
  CHECK(b.faults().empty());
}

TEST_CASE("wrong frees are faults at their line") {
  struct Case {
    const char *kernel, *line, *says;
  };
  for (const Case& c : {Case{"free_twice", "the second time", "freed before"},
                        Case{"free_inside", "not where it begins", "4 bytes after its beginning"}}) {
    Bench b;
    REQUIRE(b.launch(c.kernel, 1).ok());
    REQUIRE(b.faults().size() == 1);
    CHECK(b.faults()[0].kind == FaultKind::invalid_free);
    CHECK(b.faults()[0].where.line == line_of(c.line));
    CHECK(b.faults()[0].message.find(c.says) != std::string::npos);
    CHECK(b.device->sticky() == 719);
  }
  Bench b;
  const Address out = b.buffer(16);
  REQUIRE(b.launch("free_foreign", 1, out).ok());
  REQUIRE(b.faults().size() == 1);
  CHECK(b.faults()[0].kind == FaultKind::invalid_free);
}

TEST_CASE("blocks of the heap are checked like any memory") {
  struct Case {
    const char *kernel, *line;
    FaultKind kind;
  };
  for (const Case& c : {Case{"use_after_free", "// after free", FaultKind::use_after_free},
                        Case{"past_block", "one past the block", FaultKind::out_of_bounds},
                        Case{"unset_block", "nobody wrote it", FaultKind::uninitialized_read}}) {
    INFO(c.kernel);
    Bench b;
    const Address out = b.buffer(16);
    REQUIRE(b.launch(c.kernel, 1, out).ok());
    REQUIRE(b.faults().size() == 1);
    CHECK(b.faults()[0].kind == c.kind);
    CHECK(b.faults()[0].where.line == line_of(c.line));
    CHECK(b.faults()[0].owner.find("malloc at features.cu:") != std::string::npos);
  }
}

TEST_CASE("the heap outlives a kernel, and the host cannot copy from it") {
  Bench b;
  const Address kept = b.buffer(8), out = b.buffer(4);
  REQUIRE(b.launch("keep", 1, kept).ok());
  REQUIRE(b.launch("look", 1, kept, out).ok());
  CHECK(b.faults().empty());
  CHECK(b.read<int>(out, 1)[0] == 77);
  const Address block = b.read<Address>(kept, 1)[0];
  int v = 0;
  CHECK(b.device->read(block, std::as_writable_bytes(std::span(&v, 1))).code == 1);
  CHECK(b.device->free(block).code == 1);
}

TEST_CASE("alloca gives memory of the stack, and says when there is none") {
  Bench b;
  const Address out = b.buffer(4 * 32);
  REQUIRE(b.launch("dynamic_array", 32, out, 10).ok());
  CHECK(b.faults().empty());
  for (const int v : b.read<int>(out, 32)) CHECK(v == 285);  // 0 + 1 + 4 + … + 81: 7 and 10 have no common divisor
  REQUIRE(b.launch("dynamic_array", 1, out, 1 << 20).ok());
  REQUIRE(b.faults().size() == 1);
  CHECK(b.faults()[0].kind == FaultKind::stack_overflow);
}

TEST_CASE("clocks go forward, the same way every time") {
  std::vector<long long> first;
  for (int run = 0; run < 2; ++run) {
    Bench b;
    const Address out = b.buffer(40);
    REQUIRE(b.launch("clocks", 64, out).ok());
    const auto v = b.read<long long>(out, 5);
    CHECK(v[0] > 0);
    CHECK(v[1] > 500);
    CHECK(v[2] >= 1000);
    if (run == 0) first = v;
    CHECK(v == first);
    REQUIRE(b.launch("clocks", 64, out).ok());
    const auto later = b.read<long long>(out, 5);
    CHECK(later[3] > v[3]);
    CHECK(later[4] > v[4]);
  }
}

TEST_CASE("a thread that sleeps until others have written makes room for them") {
  Bench b;
  const Address flag = b.buffer(8), out = b.buffer(4);
  REQUIRE(b.launch("sleepers", 64, flag, out).ok());
  CHECK(b.read<int>(out, 1)[0] == 1);
}

TEST_CASE("printf has CUDA's conversions, limits and results") {
  Bench b;
  const Address p = b.buffer(64);
  REQUIRE(b.launch("formats", 1, p).ok());
  CHECK(b.device->record().kernel_output ==
        "-7|   -7|-7   |-0007|+7|ff|FF|0xff|10|4000000000\n"
        "-9000000000|18000000000000000000|abcdef0123|-5|12|A|%|    B|\n"
        "1.500000|3.14|   2.500|1.234568e+04|0.0001|1E+20|0x1p+0|2\n"
        "text|   right|left    |cu|\n"
        "    42|42    |\n"
        "0x1234|(nil)\n"
        "plain\n"
        "01234567890123456789012345678901|%d|%s\n");
  CHECK(b.read<int>(p, 7) == std::vector<int>{10, 7, 8, 4, 4, 2, 0});
}

TEST_CASE("assert prints what CUDA prints, for each thread that fails") {
  Bench b;
  const Address x = b.buffer(16);
  const int values[] = {1, 2, 0, 3};
  REQUIRE(b.device->write(x, std::as_bytes(std::span(values))).ok());
  REQUIRE(b.launch("asserts", 4, x).ok());
  REQUIRE(b.faults().size() == 1);
  CHECK(b.faults()[0].kind == FaultKind::assertion);
  CHECK(b.device->sticky() == 710);
  const std::string line = std::to_string(line_of("void asserts"));
  const std::string& text = b.device->record().kernel_output;
  for (const char* thread : {"[1,0,0]", "[3,0,0]"})
    CHECK(text.find("features.cu:" + line + ": void asserts(const int *): block: [0,0,0], thread: " + thread +
                    " Assertion `x[threadIdx.x] < 2` failed.\n") != std::string::npos);
  CHECK(text.find("[0,0,0] Assertion") == std::string::npos);
}

TEST_CASE("trap ends the kernel, exit a thread") {
  Bench b;
  const Address out = b.buffer(4 * 8);
  REQUIRE(b.launch("leaves", 8, out).ok());
  CHECK(b.read<int>(out, 8) == std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1});
  REQUIRE(b.device->fill(out, 0, 4, 8).ok());
  REQUIRE(b.launch("traps", 8, out).ok());
  CHECK(b.faults().at(0).kind == FaultKind::trap);
}

TEST_CASE("variables of struct type hold pointers to strings and other variables") {
  Bench b;
  const Address out = b.buffer(16);
  REQUIRE(b.launch("structures", 1, out).ok());
  CHECK(b.read<int>(out, 4) == std::vector<int>{5, 'e', 3, 9});
}

TEST_CASE("L<4> in .branchtargets stands for L0 to L3") {
  Bench b(
      ptx("mov.u32 %r0, %tid.x;\nts: .branchtargets L<4>;\nmov.u32 %r1, 7;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, "
          "%d0, %d1;\n"
          "brx.idx %r0, ts;\nL0: mov.u32 %r1, 10; bra.uni E;\nL1: mov.u32 %r1, 11; bra.uni E;\n"
          "L2: mov.u32 %r1, 12; bra.uni E;\nL3: mov.u32 %r1, 13;\nE: st.global.u32 [%d1], %r1;"));
  REQUIRE(b.loaded.detail == "");
  const Address out = b.buffer(16);
  REQUIRE(b.launch("k", 4, out).detail == "");
  CHECK(b.read<int>(out, 4) == std::vector<int>{10, 11, 12, 13});
}

TEST_CASE("an indexed array is its element, in scalars") {
  // ptxas gives y[2] the address y+8, and v[1] of .v2 .u32 the address v+4.
  Bench b(
      ptx("ld.global.u32 %r0, y[2];\nmov.u64 %d1, y[1];\nld.global.u32 %r1, [%d1];\nld.global.u32 %r2, v[1];\n"
          "st.global.v4.u32 [%d0], {%r0, %r1, %r2, %r2};\nmov.u32 %r3, 50;\nst.global.u32 y[0], %r3;\n"
          "ld.global.u32 %r4, [y];\nst.global.u32 [%d0+12], %r4;",
          ".global .u32 y[4] = {1, 2, 3, 4};\n.global .v2 .u32 v[2] = {{5, 6}, {7, 8}};\n"));
  REQUIRE(b.loaded.detail == "");
  const Address out = b.buffer(16);
  REQUIRE(b.launch("k", 1, out).detail == "");
  CHECK(b.read<int>(out, 4) == std::vector<int>{3, 2, 6, 50});
  CHECK(Bench(ptx("ld.global.u32 %r0, y[%r1];", ".global .u32 y[4];\n")).loaded.detail.find("register as an index") !=
        std::string::npos);
}

TEST_CASE("a 32-bit element may hold the low half of an address") {
  Bench b(
      ptx("mov.u64 %d1, y;\ncvt.u32.u64 %r0, %d1;\nld.global.u32 %r1, [x];\nsetp.eq.u32 %q0, %r0, %r1;\n"
          "selp.u32 %r2, 1, 0, %q0;\nst.global.u32 [%d0], %r2;",
          ".global .u32 y = 3;\n.global .u32 x = y;\n"));
  REQUIRE(b.loaded.detail == "");
  const Address out = b.buffer(4);
  REQUIRE(b.launch("k", 1, out).detail == "");
  CHECK(b.read<int>(out, 1)[0] == 1);
}

TEST_CASE("what is left out is refused by name, with its line and the reason") {
  struct Case {
    const char *text, *name, *reason;
  };
  const Case cases[] = {
      {"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned", "wgmma"},
      {"multimem.ld_reduce.global.add.f32 %r0, [%d0];", "multimem.ld_reduce.global.add.f32", "several GPUs"},
      {"cp.async.bulk.prefetch.tensor.2d.L2.global [%d0, {%r0, %r1}];", "tensor", "tensor map"},
  };
  for (const Case& c : cases) {
    Bench b(ptx(".loc 1 12 3\n" + std::string(c.text), ".file 1 \"/home/me/kernel.cu\"\n"));
    const Address out = b.buffer(4);
    const std::string why = b.loaded.ok() ? b.launch("k", 1, out).detail : b.loaded.detail;
    INFO(why);
    CHECK(why.find(c.name) != std::string::npos);
    CHECK(why.find(c.reason) != std::string::npos);
    CHECK(why.find("kernel.cu:12") != std::string::npos);
  }
  Bench b(ptx("call.uni launch;", ".extern .func launch;\n.extern .func __cudaCDP2LaunchDeviceV2;\n"));
  CHECK(b.launch("k", 1, Address{0}).detail.find("launch") != std::string::npos);
  Bench dynamic(ptx("call.uni __cudaCDP2LaunchDeviceV2;", ".extern .func __cudaCDP2LaunchDeviceV2;\n"));
  CHECK(dynamic.launch("k", 1, Address{0}).detail.find("dynamic parallelism") != std::string::npos);
}
