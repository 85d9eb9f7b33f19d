// validate(): each rule once broken, and its harmless neighbour.

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;

namespace {

const std::string registers = ".reg .pred p, q; .reg .b16 h; .reg .b32 r, s; .reg .b64 d; .reg .f32 f; .reg .f64 g;\n";

// Empty when valid, else the message; a body's first line is line 6 of the text.
std::string verdict(const std::string& body, const std::string& first_lines = header) {
  const Module module =
      parse(first_lines + ".func callee;\n.visible .entry k(.param .u64 a) {" + registers + body + "\n}");
  return error_of([&] { validate(module); });
}

}  // namespace

TEST_CASE("what nvcc and people write is valid") {
  const char* bodies[] = {
      "add.s32 r, s, -1;",
      "add.f32 f, f, 0f3F800000;",
      "add.f32 r, r, f;",
      "mul.wide.s32 d, r, 4;",
      "mad.wide.u32 d, r, s, d;",
      "mad.lo.s32 r, r, s, 1;",
      "shl.b64 d, d, r;",
      "shl.b64 d, d, 3;",
      "popc.b64 r, d;",
      "clz.b32 r, s;",
      "bfe.u64 d, d, r, 4;",
      "setp.lt.and.s32 p|q, r, s, !p;",
      "setp.eq.f64 p, g, 0d0000000000000000;",
      "set.lt.u32.f64 r, g, g;",
      "selp.b64 d, d, 0, p;",
      "selp.f32 f, f, f, !p;",
      "slct.u64.s32 d, d, d, r;",
      "and.pred p, p, !q;",
      "not.pred p, q;",
      "mov.pred p, -1;",
      "mov.b64 {r, s}, d;",
      "mov.b64 d, {r, _};",
      "mov.u64 d, a;",
      "mov.u32 r, %tid.x;",
      "mov.b32 r, {h, h};",
      "cvt.u16.u32 h, r;",
      "cvt.s64.s8 d, r;",
      "cvt.rn.f32.f64 f, g;",
      "cvt.rn.f16x2.f32 r, f, f;",
      "cvt.u8.u32 r, r;",
      "ld.param.u64 d, [a];",
      "ld.global.u8 h, [d+1];",
      "ld.global.u8 r, [d];",
      "ld.v2.u32 {r, s}, [d];",
      "st.shared.u32 [r], s;",
      "st.global.v2.f32 [d], {f, 0f00000000};",
      "st.u8 [d], 5;",
      "atom.global.add.u32 r, [d], 1;",
      "atom.cas.b64 d, [d], d, d;",
      "red.global.add.f32 [d], f;",
      "shfl.sync.down.b32 r|p, r, 1, 31, -1;",
      "shfl.sync.bfly.b32 r, f, s, 31, r;",
      "vote.sync.ballot.b32 r, p, -1;",
      "vote.sync.any.pred p, p, r;",
      "match.all.sync.b32 r|p, s, -1;",
      "activemask.b32 r;",
      "redux.sync.add.s32 r, s, -1;",
      "bar.sync 0;",
      "bar.red.popc.u32 r, 0, p;",
      "bra L; L:",
      "T: .branchtargets L; L: brx.idx r, T;",
      "call callee;",
      "call callee, (r);",
      "P: .callprototype _ (); call d, P;",
      "lop3.b32 r, r, s, r, 0x96;",
      "lop3.or.b32 r|p, r, s, r, 0x96, q;",
      "prmt.b32 r, r, s, 0x5140;",
      "shf.l.wrap.b32 r, r, s, 7;",
      "dp4a.u32.s32 r, r, s, r;",
      "sad.u16 h, h, h, h;",
      "cvta.to.global.u64 d, d;",
      "isspacep.shared p, d;",
      "testp.number.f32 p, f;",
      "fma.rn.f64 g, g, g, g;",
      "add.cc.u32 r, r, s;",
      "addc.u32 r, r, 0;",
      "madc.hi.u32 r, r, s, r;",
      "min.s32 r, r, s;",
      "nanosleep.u32 100;",
      "trap;",
      "setp.lt.f16x2 p|q, r, s;",
      "fma.rn.f16x2 r, r, s, r;",
      "no.such.instruction r, [d], {f};",
      "cp.async.ca.shared.global [r], [d], 16;",
      "bfind.shiftamt.u64 r, d;",
      "membar.gl;",
      "vote.sync.ballot.b32 r, 1, -1;",
  };
  for (const char* body : bodies) {
    INFO(body);
    CHECK(verdict(body) == "");
  }
}

TEST_CASE("what is wrong is named at the instruction") {
  struct Row {
    const char* body;
    const char* message;
  };
  const Row rows[] = {
      {"@r ret;", "guard r is not a predicate"},
      {"bra nowhere;", "bra: there is no label 'nowhere' in this function"},
      {"bra a;", "expected a label"},
      {"T: .branchtargets L; brx.idx r, T;", "no label 'L', which the table names"},
      {"brx.idx r, L; L:", "'L' is not the label of a .branchtargets list"},
      {"mov.u64 d, nothing;", "mov.u64: 'nothing' is not declared"},
      {"ld.u32 r, [nothing+4];", "'nothing' is not declared"},
      {"call nothing;", "'nothing' is not declared"},
      {"call a;", "'a' is a variable, not a function"},
      {"call d, (r);", "an indirect call needs a .callprototype"},
      {"call d, (r), L; L:", "'L' is not the label of a .callprototype"},
      {"call h, (r), L; L:", "a function's address is 32 or 64 bits wide"},
      {"add.s32 r, s;", "expected 3 operands, found 2"},
      {"add.s32 r, s, s, s;", "expected 3 operands, found 4"},
      {"ret r;", "expected 0 operands, found 1"},
      {"setp.lt.s32 p, r;", "expected 3 to 4 operands, found 2"},
      {"add.s32 d, r, s;", "operand 1, d, has 64 bits and should have 32"},
      {"add.s64 d, d, r;", "operand 3, r, has 32 bits and should have 64"},
      {"add.s32 5, r, s;", "operand 1 is written and must be a register"},
      {"add.s32 -r, r, s;", "operand 1 is written"},
      {"add.s32 r, s, 1.5;", "operand 3 is a floating-point constant, the type .s32 is an integer"},
      {"add.s32 r, s, [d];", "operand 3 cannot be an address in brackets here"},
      {"add.s32 r, s, L; L:", "operand 3 is a label and not a value"},
      {"mul.wide.s32 r, r, s;", "operand 1, r, has 32 bits and should have 64"},
      {"mad.wide.s32 d, r, s, r;", "operand 4, r, has 32 bits and should have 64"},
      {"shl.b64 d, d, d;", "operand 3, d, has 64 bits and should have 32"},
      {"popc.b64 d, d;", "operand 1, d, has 64 bits and should have 32"},
      {"setp.lt.s32 r, r, s;", "operand 1 is written and must be a predicate register"},
      {"setp.lt.s32 p|r, r, s;", "r is not a predicate"},
      {"selp.b32 r, r, s, s;", "operand 4 must be a predicate"},
      {"and.pred p, p, r;", "operand 3, r, has 32 bits and should have 1"},
      {"mov.b64 {r, h}, d;", "have 48 bits together, the type has 64"},
      {"mov.b32 r, d;", "operand 2, d, has 64 bits and should have 32"},
      {"mov.b32 r;", "expected 2 operands"},
      {"mov r, s;", "expected one type"},
      {"cvt.u32.u64 r, r;", "r has 32 bits, the type has 64"},
      {"cvt.u64.u32 r, r;", "r has 32 bits, the type has 64"},
      {"cvt.u32 r, r;", "expected two types"},
      {"ld.u64 r, [d];", "r has 32 bits, the type has 64"},
      {"ld.u8 p, [d];", "p has 1 bits, the type has 8"},
      {"ld.u32 r, d;", "operand 2 must be an address in brackets"},
      {"ld.u32 r, [h];", "the base of an address has 32 or 64 bits, h has 16"},
      {"ld.u32 7, [d];", "operand 1 is written and must be a register"},
      {"ld.v4.u32 {r, s}, [d];", "expected 4 values, found 2"},
      {"st.v2.u32 [d], r;", "expected 2 values, found 1"},
      {"st.u32 r, [d];", "operand 1 must be an address in brackets"},
      {"griddepcontrol.wait;", "needs .target sm_90 or higher, this module is for sm_80"},
      {"wgmma.fence.sync.aligned;", "needs .target sm_90a"},
      {"add.rn.bf16 h, h, h;", ".bf16 needs .target sm_90"},
  };
  for (const Row& row : rows) {
    const std::string message = verdict(std::string("\n") + row.body);
    INFO(row.body);
    INFO(message);
    CHECK(has(message, row.message));
    CHECK(has(message, "PTX line 7, column "));
  }
}

TEST_CASE("targets and versions at their edges") {
  const auto under = [](const std::string& version, const std::string& target, const std::string& body) {
    return verdict(body, ".version " + version + "\n.target " + target + "\n.address_size 64\n");
  };
  CHECK(has(under("7.0", "sm_75", "redux.sync.add.s32 r, s, -1;"),
            "needs .target sm_80 or higher, this module is for sm_75"));
  CHECK(under("7.0", "sm_80", "redux.sync.add.s32 r, s, -1;") == "");
  CHECK(
      has(under("6.5", "sm_80", "redux.sync.add.s32 r, s, -1;"), "needs .version 7.0 or higher, this module says 6.5"));
  CHECK(under("8.0", "sm_90a", "wgmma.fence.sync.aligned;") == "");
  CHECK(has(under("8.0", "sm_90", "wgmma.fence.sync.aligned;"), "needs .target sm_90a, this module is for sm_90"));
  CHECK(has(under("9.0", "sm_100a", "wgmma.fence.sync.aligned;"), "needs .target sm_90a"));
}

TEST_CASE("initialisers name what exists") {
  CHECK_NOTHROW(validate(parse_module(".func f;\n.global .u64 x = f;")));
  const std::string message = error_of([] { validate(parse_module("\n.global .u64 x = nothing;")); });
  CHECK(has(message, "line 5, column 14"));
  CHECK(has(message, "names 'nothing', which is not declared"));
}
