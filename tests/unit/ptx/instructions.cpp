// Instructions and operands.

#include <bit>

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;
using Kind = Operand::Kind;

namespace {

const char* registers = ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 %f<99>;\n";

// The module is kept: its instructions point into it.
struct One {
  explicit One(const std::string& text) : module(parse_kernel(registers + text)) {}
  const Instruction& operator*() const { return module.functions[0].body.at(0); }
  const Instruction* operator->() const { return &module.functions[0].body.at(0); }
  const Operand& operand(std::size_t i) const { return (**this).operands.at(i); }
  std::string_view name(const Operand& o) const { return module.functions[0].register_names.at(o.reg); }
  Module module;
};

using Words = std::vector<std::string_view>;

}  // namespace

TEST_CASE("modifiers are split at single dots") {
  const One copy(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%rd1], [%rd2], 16, [%rd3], "
      "%rd4;");
  CHECK(copy->opcode == "cp");
  CHECK(copy->modifiers ==
        Words{"async", "bulk", "shared::cluster", "global", "mbarrier::complete_tx::bytes", "L2::cache_hint"});
  CHECK(One("ld.global.nc.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];")->modifiers ==
        Words{"global", "nc", "L2::128B", "v4", "f32"});
  CHECK(One("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];")->modifiers == Words{"2d", "v4", "f32", "f32"});
  CHECK(One("ret;")->modifiers.empty());
}

TEST_CASE("guards") {
  CHECK_FALSE(One("ret;")->guard.has_value());
  const One plain("@%p2 ret;");
  CHECK(*plain->guard == 2);
  CHECK_FALSE(plain->guard_negated);
  CHECK(plain->at.line == 6);
  CHECK(plain->at.column == 1);
  CHECK(One("@!%p3 bra L; L:")->guard_negated);
}

TEST_CASE("registers, negation, pairs and sinks") {
  const One compare("setp.lt.f32 %p1|%p2, %f1, %f2;");
  REQUIRE(compare.operand(0).kind == Kind::pair);
  CHECK(compare.operand(0).elements.at(0).reg == 1);
  CHECK(compare.operand(0).elements.at(1).reg == 2);
  CHECK(One("setp.lt.f32 %p1|_, %f1, %f2;").operand(0).elements.at(1).kind == Kind::sink);
  CHECK(One("setp.lt.f32 _|%p1, %f1, %f2;").operand(0).elements.at(0).kind == Kind::sink);
  CHECK(One("mbarrier.arrive.shared.b64 _, [%r1];").operand(0).kind == Kind::sink);
  const One both("and.pred %p1, !%p2, %p3;");
  CHECK(both.operand(1).negated);
  CHECK(both.operand(1).reg == 2);
  CHECK_FALSE(both.operand(2).negated);
  CHECK(One("add.s32 %r1, -%r2, 1;").operand(1).negated);
}

TEST_CASE("constants as operands") {
  const auto last = [](const std::string& text) { return One("mov.b64 %rd1, " + text + ";").operand(1); };
  CHECK(last("5").bits == 5);
  CHECK(last("-1").bits == ~0ull);
  CHECK(last("!0").bits == 1);
  CHECK(last("- 2 + 3").bits == 1);
  CHECK(last("0xffffffffffffffff").bits == ~0ull);
  CHECK(last("WARP_SZ").bits == 32);
  CHECK(last("(1<<4)|3").bits == 19);
  CHECK(last("0f3F800000").literal == Operand::Literal::f32);
  CHECK(last("0f3F800000").bits == 0x3f800000);
  CHECK(last("-0f3F800000").bits == 0xbf800000);
  CHECK(last("0d7FF0000000000000").literal == Operand::Literal::f64);
  CHECK(last("0.5").bits == std::bit_cast<std::uint64_t>(0.5));
  CHECK(last("-.5e1").bits == std::bit_cast<std::uint64_t>(-5.0));
}

TEST_CASE("special registers") {
  CHECK(One("mov.u32 %r1, %tid.x;").operand(1).name == "%tid.x");
  CHECK(One("mov.u32 %r1, %cluster_nctarank;").operand(1).kind == Kind::special);
  CHECK(One("mov.u64 %rd1, %clock64;").operand(1).name == "%clock64");
  CHECK(One("mov.b32 %r1, %envreg31;").operand(1).kind == Kind::special);
  CHECK_THROWS_AS(One("mov.b32 %r1, %envreg32;"), ParseError);
}

TEST_CASE("addresses") {
  const auto address = [](const std::string& text) { return One("ld.u32 %r1, " + text + ";").operand(1); };
  const Operand reg = address("[%rd3+16]");
  CHECK(reg.kind == Kind::address);
  CHECK(reg.base_is_reg);
  CHECK_FALSE(reg.base_is_symbol);
  CHECK(reg.offset == 16);
  CHECK(address("[%rd3]").offset == 0);
  CHECK(address("[%rd3+-4]").offset == -4);
  CHECK(address("[%rd3-4]").offset == -4);
  CHECK(address("[%rd3-4+2]").offset == -2);
  CHECK(address("[%rd3+(1<<4)*2]").offset == 32);
  const One named("ld.u32 %r1, [a+4];");  // kept: the operand's name is a view into its module
  const Operand& symbol = named.operand(1);
  CHECK(symbol.base_is_symbol);
  CHECK(symbol.name == "a");
  CHECK(symbol.offset == 4);
  const Operand absolute = address("[0x20]");
  CHECK_FALSE(absolute.base_is_reg);
  CHECK_FALSE(absolute.base_is_symbol);
  CHECK(absolute.offset == 32);
  const One texture("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5,%f6}];");
  REQUIRE(texture.operand(1).elements.size() == 2);
  CHECK(texture.name(texture.operand(1).elements[0]) == "%rd2");
  CHECK(texture.operand(1).elements[1].kind == Kind::vector);
}

TEST_CASE("symbols as values") {
  const One moved("mov.u64 %rd1, a+8;");
  CHECK(moved.operand(1).kind == Kind::symbol);
  CHECK(moved.operand(1).name == "a");
  CHECK(moved.operand(1).offset == 8);
}

TEST_CASE("vectors and matrix operands") {
  const One mma(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r4,%r5}, {%r6}, {%f0,%f1,_,1.0};");
  REQUIRE(mma->operands.size() == 4);
  CHECK(mma.operand(0).elements.size() == 4);
  CHECK(mma.operand(2).elements.size() == 1);
  CHECK(mma.operand(3).elements[2].kind == Kind::sink);
  CHECK(mma.operand(3).elements[3].kind == Kind::immediate);
  const One whole(".reg .v4 .f32 v; st.v4.f32 [a], v;");
  REQUIRE(whole.operand(1).kind == Kind::vector);
  CHECK(whole.operand(1).elements.size() == 4);
}

TEST_CASE("calls") {
  const One full(".param .b32 r, x; call.uni (r), f, (x, %r1, 3);");
  CHECK(full->call_results.at(0).name == "r");
  CHECK(full->operands.at(0).name == "f");
  CHECK(full->call_arguments.size() == 3);
  CHECK(full->call_arguments[1].kind == Kind::reg);
  const One arguments("call f, (%r1);");
  CHECK(arguments->call_results.empty());
  CHECK(arguments->call_arguments.size() == 1);
  const One bare("call f;");
  CHECK(bare->operands.size() == 1);
  CHECK(One("call f, ();")->call_arguments.empty());

  const One indirect(
      "{ P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;\n"
      " call (%r1), %rd1, (%rd2, %rd3), P; } { P: .callprototype _ (); call %rd1, P; }");
  CHECK(indirect.operand(0).kind == Kind::reg);
  CHECK(indirect.operand(1).kind == Kind::label);
  const Function& k = indirect.module.functions[0];
  const Prototype& prototype = indirect.module.prototypes.at(k.prototypes.at(indirect.operand(1).name));
  CHECK(prototype.results.size() == 1);
  CHECK(prototype.parameters.at(1).bytes == 16);
  CHECK(k.body.at(1).operands.at(1).name == "P.2");
  CHECK(k.prototypes.count("P.2") == 1);
}

TEST_CASE("tables of branch and call targets") {
  const One jump("T: .branchtargets L1, L2, L1;\nF: .calltargets g, h;\nbrx.idx %r1, T; L1: L2: call %rd1, (%r1), F;");
  const Function& k = jump.module.functions[0];
  CHECK(jump.operand(1).kind == Kind::label);
  CHECK(k.branch_tables.at(jump.operand(1).name) == Words{"L1", "L2", "L1"});
  CHECK(k.branch_tables.at("F") == Words{"g", "h"});
  CHECK(k.labels.at("L1") == 1);
  CHECK(k.labels.at("L2") == 1);
}

TEST_CASE("empty statements, pragmas and labels at the end") {
  const One end(";; .pragma \"nounroll\"; ret;; L:");
  CHECK(end.module.functions[0].body.size() == 1);
  CHECK(end.module.functions[0].labels.at("L") == 1);
}
