// PTX made to break the device process: it is refused with a sentence, or runs with its damage kept to device memory.

#include <chrono>
#include <string>

#include "catch.h"
#include "judge/device/device.h"

using namespace judge::device;

namespace {

constexpr const char* kHead = ".version 8.8\n.target sm_90\n.address_size 64\n";

struct Outcome {
  Status load, find, launch;
  bool refused() const { return !load.ok() || !find.ok(); }
  std::string why() const { return load.ok() ? find.detail : load.detail; }
};

Outcome run(const std::string& text, bool launch = true) {
  static const auto device = make_emulated_device();
  device->reset({});
  Outcome o;
  std::uint64_t module = 0;
  o.load = device->load_module(text, module);
  if (!o.load.ok()) return o;
  KernelInfo kernel;
  o.find = device->find_kernel(module, "k", kernel);
  if (!o.find.ok() || !launch) return o;
  LaunchRequest r;
  r.kernel = kernel.id;
  r.grid = {1, 1, 1};
  r.block = {32, 1, 1};
  const std::vector<std::byte> parameters(kernel.parameter_bytes);
  r.parameters = parameters;
  o.launch = device->launch(r);
  return o;
}

std::string kernel(const std::string& body, const std::string& parameters = ".param .u64 p",
                   const std::string& before = "") {
  return kHead + before + ".visible .entry k(" + parameters +
         ")\n{\n.reg .pred %q<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<9>;\n" + ".reg .b64 %d<9>;\n.reg .b128 %w<4>;\n" +
         body + "\nret;\n}\n";
}

std::string repeated(const std::string& what, int times) {
  std::string s;
  for (int k = 0; k < times; ++k) s += what;
  return s;
}

}  // namespace

TEST_CASE("a parameter is not read outside its bytes") {
  CHECK_FALSE(run(kernel("ld.param.u64 %d0, [p];")).refused());
  CHECK_FALSE(run(kernel("ld.param.u32 %r0, [p+4];")).refused());
  for (const char* where : {"p+8", "p+4", "p+-8", "p-8", "p-4", "p+0x7fffffffffffffff", "p+-0x7fffffffffffffff"}) {
    const Outcome o = run(kernel("ld.param.u64 %d0, [" + std::string(where) + "];"));
    INFO(where);
    CHECK(o.refused());
    CHECK(o.why().find("outside the parameter") != std::string::npos);
  }
  const Outcome vector = run(kernel("ld.param.v2.u64 {%d0, %d1}, [p];"));
  CHECK(vector.refused());
}

TEST_CASE("a function's .param variable is not written outside its bytes") {
  const std::string callee = ".func f(.param .b32 a) { ret; }\n";
  const auto with = [&](const std::string& where) {
    return run(
        kernel("{ .param .b32 x; st.param.b32 [" + where + "], %r0; call.uni f, (x); }", ".param .u64 p", callee));
  };
  CHECK_FALSE(with("x").refused());
  for (const char* where : {"x+4", "x+1", "x-4", "x-1"}) {
    INFO(where);
    CHECK(with(where).refused());
  }
}

TEST_CASE("accesses wider than 16 bytes are refused, they need sm_100") {
  const Outcome o = run(kernel("ld.param.u64 %d0, [p]; st.global.v4.b64 [%d0], {%d1, %d2, %d3, %d4};"));
  CHECK(o.refused());
  CHECK(o.why().find("sm_100") != std::string::npos);
  const Outcome v8 =
      run(kernel("ld.param.u64 %d0, [p]; ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%d0];"));
  CHECK(v8.refused());
  CHECK(v8.why().find("sm_100") != std::string::npos);
}

TEST_CASE("registers of one vector access have one width") {
  CHECK_FALSE(run(kernel("ld.param.u64 %d0, [p]; @%q0 ld.global.v2.b32 {%d1, %d2}, [%d0];"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; ld.global.v2.b32 {%r1, %d2}, [%d0];"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; st.global.v2.b16 [%d0], {%h1, %r2};"), false).refused());
}

TEST_CASE("operands of an atomic have the width of its type") {
  CHECK(run(kernel("ld.param.u64 %d0, [p]; atom.global.add.u64 %d1, [%d0], %r1;"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; atom.global.add.u32 %d1, [%d0], %r1;"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; atom.global.cas.b64 %d1, [%d0], %d1, %r1;"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; red.global.add.u64 [%d0], %q0;"), false).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [p]; atom.global.exch.b128 %w1, [%d0], %d1;"), false).refused());
  CHECK_FALSE(run(kernel("ld.param.u64 %d0, [p]; atom.global.exch.b128 %w1, [%d0], %w0;"), false).refused());
}

TEST_CASE("combinations that PTX does not have are refused, not guessed") {
  for (const char* what :
       {"atom.global.add.s64 %d1, [%d0], %d1", "atom.global.exch.b16 %h1, [%d0], %h1",
        "atom.global.add.f16 %h1, [%d0], %h1", "atom.global.inc.u64 %d1, [%d0], %d1",
        "atom.local.add.u32 %r1, [%d0], %r1", "atom.shared.add.noftz.v2.f16 {%h1, %h2}, [%r0], {%h1, %h2}",
        "atom.global.and.u32 %r1, [%d0], %r1", "atom.global.min.f32 %r1, [%d0], %r1"}) {
    INFO(what);
    CHECK(run(kernel("ld.param.u64 %d0, [p]; " + std::string(what) + ";"), false).refused());
  }
}

TEST_CASE("sizes that overflow 32 bits together are refused") {
  CHECK(run(kernel("mov.u32 %r0, a; mov.u32 %r1, b; mov.u32 %r2, c; mov.u32 %r3, e; mov.u32 %r4, g;", ".param .u64 p",
                   ".shared .b8 a[1073741824];\n.shared .b8 b[1073741824];\n.shared .b8 c[1073741824];\n"
                   ".shared .b8 e[1073741824];\n.shared .b8 g[16];\n"))
            .refused());
  CHECK(run(kernel(".local .b8 a[400000]; .local .b8 b[400000]; mov.u64 %d1, a; mov.u64 %d2, b;")).refused());
  CHECK_FALSE(run(kernel(".local .b8 a[400000]; mov.u64 %d1, a;")).refused());
  std::string many;
  for (int k = 0; k < 200; ++k) many += ".param .b8 x" + std::to_string(k) + "[1000000];";
  CHECK(run(kernel("{" + many + "}")).refused());
  CHECK(run(kernel("ld.param.u64 %d0, [z];", ".param .b8 a[4294967288], .param .u64 z")).refused());
  CHECK(run(kernel("ld.param.u8 %r0, [a+32763];", ".param .b8 a[32764]")).refused() == false);
  CHECK(run(kernel("", ".param .b8 a[40000]")).refused());
}

TEST_CASE("absurd declarations are refused by their limit") {
  const Outcome registers = run(kernel(".reg .b32 %x<4000000000>;"));
  CHECK(registers.refused());
  CHECK(registers.why().find("registers") != std::string::npos);
  CHECK(run(kernel("", ".param .u64 p", ".global .b8 a[99999999999999];\n")).refused());
  CHECK(run(kernel("", ".param .u64 p", ".global .b8 a[4][1073741824][1073741824][1073741824];\n")).refused());
  CHECK(run(kernel("", ".param .u64 p", ".global .align 1073741824 .b8 a[4];\n")).refused());
  CHECK(run(kernel("", ".param .u64 p", ".global .align 3 .b8 a[4];\n")).refused());
  CHECK(run(kernel("", ".param .u64 p", ".global .u32 a;\n.global .u32 a;\n")).refused());
  CHECK(run(kernel("", ".param .u64 p", ".func k() { ret; }\n")).refused());
  CHECK(run(kernel("x: x: bra x;")).refused());
  CHECK(run(kernel("bra nowhere;")).refused());
  CHECK(run(kernel("mov.u32 %r0, " + repeated("(", 100000) + "1" + repeated(")", 100000) + ";")).refused());
  CHECK(run(kernel("mov.u32 %r0, " + repeated("-", 100000) + "1;")).refused());
  CHECK(run(kernel(repeated("{", 100000))).refused());
}

TEST_CASE("registers that are all alive at once have a limit") {
  // 40,000 registers, each used twice with every other in between.
  std::string body = ".reg .b32 %x<40000>;\n";
  for (const char* round : {"1", "2"})
    for (int k = 0; k < 40000; ++k)
      body += "add.u32 %x" + std::to_string(k) + ", %x" + std::to_string(k) + ", " + round + ";\n";
  const Outcome o = run(kernel(body));
  CHECK(o.refused());
  CHECK(o.why().find("registers") != std::string::npos);
}

TEST_CASE("a large table used by many branches neither fills memory nor takes minutes") {
  std::string targets, branches;
  for (int k = 0; k < 3000; ++k) targets += (k == 0 ? "" : ", ") + ("L" + std::to_string(k));
  for (int k = 0; k < 3000; ++k) branches += "L" + std::to_string(k) + ": brx.idx %r0, table;\n";
  const auto start = std::chrono::steady_clock::now();
  const Outcome o = run(kernel("table: .branchtargets " + targets + ";\nmov.u32 %r0, 0;\n" + branches));
  CHECK(o.refused());
  CHECK(o.why().find("operations") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("many blocks and registers are lowered in bounded time") {
  // Without a bound the lifetimes alone would take blocks x registers bits: 20,000 x 20,000 / 8 x 4 = 200 MB and more.
  std::string body = ".reg .b32 %x<20000>;\nmov.u32 %x0, 0;\n";
  for (int k = 1; k < 20000; ++k)
    body += "L" + std::to_string(k) + ": add.u32 %x" + std::to_string(k) + ", %x" + std::to_string(k - 1) + ", 1;\n" +
            "setp.eq.u32 %q0, %x" + std::to_string(k) + ", 0; @%q0 bra L" + std::to_string(20000 - k) + ";\n";
  const auto start = std::chrono::steady_clock::now();
  run(kernel(body), false);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a guarded brkpt ends only the lanes whose predicate holds") {
  const Outcome o = run(kernel("setp.ne.u32 %q0, 1, 1;\n@%q0 brkpt;\nmov.u32 %r0, 1;"));
  CHECK_FALSE(o.refused());
  CHECK(o.launch.ok());
}
