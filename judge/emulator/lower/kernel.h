#pragma once
// A kernel of a module -> Program.

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/emulator/lower/program.h"
#include "judge/emulator/memory/global_memory.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

// Where a module-scope .global or .const variable lies; nullptr when it is not of this module.
using SymbolLookup = std::function<const Allocation*(std::string_view name)>;

struct ParameterLayout {
  std::uint32_t offset = 0, bytes = 0, align = 0;
};
// Offsets of an entry's parameters (PTX ISA 7.1: each aligned to its own alignment, in order). total: bytes of all.
std::vector<ParameterLayout> parameter_layout(const ptx::Function& entry, std::uint32_t& total);

// Throws Unsupported; std::out_of_range when the module has no such entry.
std::shared_ptr<const Program> lower_kernel(const ptx::Module& module, std::string_view entry,
                                            const SymbolLookup& symbols);

// The address that a pointer to a device function holds, the same for every kernel of the module; 0 for any other name.
std::uint64_t function_address(const ptx::Module& module, std::string_view name);

// "void k<16>(float const*, int)" -> "k<16>"; names that are not mangled stay.
std::string display_name(std::string_view mangled);

}  // namespace judge::emulator::lower
