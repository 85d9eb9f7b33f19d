// Decoding of the SIMD video instructions, vadd2 to vset4. Their selectors (d.h0, a.h10, b.b3210) and the scalar video
// instructions (vadd, vmad, …) do not come from CUDA C++ and are not supported.

#include "judge/emulator/exec/video_operand.h"
#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

bool Lowering::lower_video(const ptx::Instruction& i) {
  using video::Operation;
  static constexpr std::pair<std::string_view, Operation> kOperations[] = {
      {"vadd", Operation::add}, {"vsub", Operation::sub}, {"vavrg", Operation::avrg}, {"vabsdiff", Operation::absdiff},
      {"vmin", Operation::min}, {"vmax", Operation::max}, {"vset", Operation::set}};
  static constexpr std::string_view kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  if (i.opcode.size() < 5 || (i.opcode.back() != '2' && i.opcode.back() != '4')) return false;
  std::uint32_t aux = i.opcode.back() == '4' ? video::kBytes : 0;
  bool found = false, compares = false;
  for (const auto& [name, operation] : kOperations) {
    if (i.opcode.substr(0, i.opcode.size() - 1) != name) continue;
    aux |= static_cast<std::uint32_t>(operation);
    found = true;
    compares = operation == Operation::set;
  }
  if (!found) return false;
  std::vector<bool> is_signed;
  std::uint32_t comparison = 6;
  for (const auto m : i.modifiers) {
    if (m == "u32" || m == "s32") {
      is_signed.push_back(m == "s32");
    } else if (m == "sat" && !compares) {
      aux |= video::kSaturate;
    } else if (m == "add") {
      aux |= video::kAccumulate;
    } else {
      std::uint32_t at = 0;
      while (at < 6 && kComparisons[at] != m) ++at;
      if (at == 6 || !compares) unsupported(i, "modifier ." + std::string(m));
      comparison = at;
    }
  }
  if (compares) is_signed.insert(is_signed.begin(), false);  // the result of a comparison is unsigned
  if (is_signed.size() != 3) unsupported(i, "the types of D, A and B are expected");
  if (compares && comparison == 6) unsupported(i, "a comparison is expected");
  if ((aux & video::kSaturate) != 0 && (aux & video::kAccumulate) != 0)
    unsupported(i, ".sat and .add exclude each other");
  if (i.operands.size() != 4) unsupported(i, "4 operands are expected");
  if (compares) aux |= comparison << video::kComparisonShift;
  if (is_signed[0]) aux |= video::kSignedD;
  if (is_signed[1]) aux |= video::kSignedA;
  if (is_signed[2]) aux |= video::kSignedB;
  const Slot a = source(i.operands[1], ptx::Type::u32), b = source(i.operands[2], ptx::Type::u32),
             c = source(i.operands[3], ptx::Type::u32), d = destination(i.operands[0], ptx::Type::u32);
  Instr& v = emit(Op::video_simd);
  v.d = d;
  v.a = a;
  v.b = b;
  v.c = c;
  v.aux = aux;
  return true;
}

}  // namespace judge::emulator::lower
