#pragma once
// Which variable an address belongs to, as far as a function's code tells.
//
// PTX computes the address of an element from the name of its array, so the arrays an address register can come from are
// found by following values through registers, without regard to the order of instructions. Values loaded from memory count
// as indices where they are added to an address of a known variable, and as pointers to anywhere where they stand alone.
//
// nvcc puts all local variables of a function into one (`__local_depot`), and takes the address of each by adding its
// place: those places are where one variable ends and the next begins. The padding between two belongs to the first.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/emulator/lower/program.h"
#include "judge/emulator/ptx/module.h"

namespace judge::emulator::lower {

class AddressOrigins {
 public:
  // Where a shared or local variable of the kernel lies. Sizes that only the launch knows: high is UINT32_MAX.
  using Lookup = std::function<std::optional<AddressBounds>(std::string_view name)>;
  AddressOrigins() = default;
  AddressOrigins(const ptx::Function& function, const Lookup& lookup);

  // What an access may touch; space generic: not known.
  AddressBounds bounds(const ptx::Operand& address) const;
  // Whether the function compares and swaps at this very address: then a plain load of it is only a guess that the
  // atomic verifies (CUDA C++ Programming Guide, "Atomic Functions": any atomic operation from atomicCAS).
  bool is_verified_by_swap(const ptx::Operand& address) const;

 private:
  using Set = std::uint64_t;  // bit k: variables_[k]
  int number(std::string_view name, const Lookup& lookup);
  void split_local(const ptx::Function& f, const Lookup& lookup);
  void follow(const ptx::Function& f, const Lookup& lookup);
  void find_swaps(const ptx::Function& f);
  std::uint32_t root(std::uint32_t reg) const;
  AddressBounds hull(Set set) const;

  struct Name {
    std::string_view name;
    int number;
  };
  struct Place {  // a variable of the module, or what a register holds; and an offset
    std::uint32_t reg = UINT32_MAX;
    std::string_view name;
    std::int64_t offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  Place place_of(const ptx::Operand& address) const;
  std::vector<AddressBounds> variables_;
  std::vector<Name> names_;
  std::vector<Set> of_;            // by register
  std::vector<bool> elsewhere_;    // by register: may also be a pointer from memory or a parameter
  std::vector<std::int32_t> copy_of_;  // by register: the register it copies; -1: none, -2: several definitions
  std::vector<int> local_part_;    // by instruction: number of the local variable whose address it takes, or -1
  std::vector<std::string_view> symbol_in_;  // by register: the variable whose address it is set to, once
  std::vector<Place> swaps_;
};

}  // namespace judge::emulator::lower
