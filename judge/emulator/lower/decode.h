#pragma once
// Reading one arithmetic instruction: its modifiers are taken one by one, and whatever is left at the end is not
// supported. Internal to lower/arithmetic*.cpp.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/emulator/exec/arithmetic_operand.h"
#include "judge/emulator/lower/lower.h"

namespace judge::emulator::lower {

using arithmetic::Rounding;
using ptx::Type;

class Decode {
 public:
  Decode(const ptx::Instruction& instruction, FunctionLowering& out);

  bool take(std::string_view modifier);     // true once for each time it is written
  std::optional<Rounding> take_rounding();  // .rn .rz .rm .rp
  std::optional<Type> take_type();          // the next type among the modifiers, in their order
  Type type();                              // as take_type; there must be one
  bool last_is_float() const;               // whether the last type is a floating-point type
  std::size_t operands() const { return instruction_.operands.size(); }
  void finish(std::size_t operands);  // nothing is left over, and so many operands are there
  [[noreturn]] void fail(const std::string& why);

  const ptx::Operand& operand(std::size_t k) const { return instruction_.operands[k]; }
  Slot source(std::size_t k, Type t) { return out.source(operand(k), t); }
  Slot predicate_source(std::size_t k) { return out.predicate_source(operand(k)); }
  Slot destination(Type t) { return out.destination(operand(0), t); }
  Slot predicate_destination() { return out.predicate_destination(operand(0)); }
  // Operands a slot does not name are given as `a`, so that a handler may read them.
  void emit(Op op, Slot d, Slot a, Slot b = kNoSlot, Slot c = kNoSlot, std::uint32_t aux = 0, std::uint64_t imm = 0);
  // op on a new slot of so many bits.
  Slot computed(unsigned bits, Op op, Slot a, Slot b = kNoSlot, Slot c = kNoSlot, std::uint32_t aux = 0);

  FunctionLowering& out;

 private:
  const ptx::Instruction& instruction_;
  std::vector<std::string_view> left_;
};

inline constexpr Op kNone = Op::count_;

std::string dotted(std::string_view modifier);  // ".ftz"

bool is_half(Type t);     // f16, bf16, f16x2, bf16x2
bool is_packed(Type t);   // f16x2, bf16x2
bool is_bfloat(Type t);   // bf16, bf16x2
Type element_of(Type t);  // f16 of f16x2

// The operation for an integer type, by width or by type; kNone: not supported for that type.
Op by_width(Decode& d, Type t, Op b16, Op b32, Op b64);
struct IntegerOps {
  Op u16, s16, u32, s32, u64, s64;
};
Op by_type(Decode& d, Type t, const IntegerOps& ops);

// A half-precision operand as f32, and back.
Slot widened(Decode& d, Slot half, Type element);
Slot half_of(Decode& d, Slot packed, bool high);

// Families, by the file that holds them.
namespace integer {
void add(Decode& d);
void sub(Decode& d);
void addc(Decode& d);
void subc(Decode& d);
void mul(Decode& d);
void mad(Decode& d);
void madc(Decode& d);
void mul24(Decode& d);
void mad24(Decode& d);
void sad(Decode& d);
void div(Decode& d);
void rem(Decode& d);
void abs(Decode& d);
void neg(Decode& d);
void min(Decode& d);
void max(Decode& d);
void dp4a(Decode& d);
void dp2a(Decode& d);
}  // namespace integer

namespace bits {
void and_(Decode& d);
void or_(Decode& d);
void xor_(Decode& d);
void not_(Decode& d);
void cnot(Decode& d);
void shl(Decode& d);
void shr(Decode& d);
void shf(Decode& d);
void lop3(Decode& d);
void popc(Decode& d);
void clz(Decode& d);
void bfind(Decode& d);
void fns(Decode& d);
void brev(Decode& d);
void bfe(Decode& d);
void bfi(Decode& d);
void bmsk(Decode& d);
void szext(Decode& d);
void prmt(Decode& d);
}  // namespace bits

namespace floating {
void add(Decode& d);
void sub(Decode& d);
void mul(Decode& d);
void fma(Decode& d);
void div(Decode& d);
void rcp(Decode& d);
void sqrt(Decode& d);
void rsqrt(Decode& d);
void abs(Decode& d);
void neg(Decode& d);
void min(Decode& d);
void max(Decode& d);
void copysign(Decode& d);
void testp(Decode& d);
void ex2(Decode& d);
void lg2(Decode& d);
void sin(Decode& d);
void cos(Decode& d);
void tanh(Decode& d);
}  // namespace floating

namespace compare {
void setp(Decode& d);
void set(Decode& d);
void selp(Decode& d);
void slct(Decode& d);
}  // namespace compare

namespace convert {
void mov(Decode& d);
void cvt(Decode& d);
void cvt_pack(Decode& d);
}  // namespace convert

}  // namespace judge::emulator::lower
