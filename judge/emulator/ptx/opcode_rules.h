#pragma once
// What validate() knows of single opcodes: how many operands, how wide, and from which target on.

#include <span>
#include <string_view>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::ptx {

// One letter per operand:
//   D  destination, as wide as the type          d  destination of 32 bits
//   W  destination, as wide as the type, twice that with .wide
//   P  destination predicate, or p|q             F  destination, as wide as the first of two types
//   t  source, as wide as the type               w  source, as wide as W
//   f  source, as wide as the first of two types r  source of 32 bits (32-bit integer: counts, masks, lanes)
//   p  source predicate                          a  address [ ]
//   x  anything                                  ?  what follows may be left out
// "The type" is the last type among the modifiers. With modifiers that name several types of different width only
// the letters that say which one are checked.
struct OperandRule {
  std::string_view opcode;
  std::string_view operands;
};
const OperandRule* operand_rule(std::string_view opcode);

// An instruction with this modifier (empty: any) needs this target and PTX version (PTX ISA, "Target ISA Notes").
struct FeatureRule {
  std::string_view opcode;  // empty: any
  std::string_view modifier;
  int sm;
  int version;              // 78 is 7.8
  bool exact_architecture;  // sm_90a only: features that later targets do not have
};
std::span<const FeatureRule> feature_rules();

}  // namespace judge::emulator::ptx
