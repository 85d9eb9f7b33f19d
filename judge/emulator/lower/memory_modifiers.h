#pragma once
// Modifiers that loads, stores and atomics share. Internal to lower/.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "judge/emulator/exec/memory_operand.h"

namespace judge::emulator::lower {

// Cache and eviction hints change speed on hardware, never the result (PTX ISA 9.7.9, "Cache Operators").
inline bool is_hint(std::string_view m) {
  static constexpr std::string_view kHints[] = {"ca", "cg", "cs",   "lu",   "cv",     "wb",
                                                "wt", "weak", "mmio", "unified"};
  return std::find(std::begin(kHints), std::end(kHints), m) != std::end(kHints) || m.starts_with("L1::") ||
         m.starts_with("L2::");
}

inline bool is_scope(std::string_view m) {
  return m == "cta" || m == "cluster" || m == "gpu" || m == "sys";
}

inline std::optional<std::uint32_t> space_from(std::string_view m) {
  if (m == "global") return memop::global;
  if (m == "shared" || m == "shared::cta") return memop::shared;
  if (m == "local") return memop::local;
  if (m == "const") return memop::constant;
  if (m == "param" || m == "param::entry" || m == "param::func") return memop::param;
  return std::nullopt;
}

}  // namespace judge::emulator::lower
