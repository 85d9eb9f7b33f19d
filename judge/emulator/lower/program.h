#pragma once
// One kernel, decoded: what exec runs. Contains the entry and every function it can reach.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/state.h"
#include "judge/emulator/memory/address_space.h"
#include "judge/emulator/observe/fault.h"

namespace judge::emulator {

// 64-byte aligned bytes that live as long as the program (constant pools).
class AlignedBytes {
 public:
  void resize(std::size_t bytes) { storage_.resize((bytes + 63) / 64); }
  std::byte* data() { return reinterpret_cast<std::byte*>(storage_.data()); }
  std::size_t bytes() const { return storage_.size() * 64; }

 private:
  struct alignas(64) Line {
    std::byte b[64];
  };
  std::vector<Line> storage_;
};

// A formal parameter or a .param variable of a function body: lane-major bytes in the frame.
struct ParamRegion {
  std::string name;
  std::uint32_t frame_offset = 0;  // of lane 0
  std::uint32_t bytes = 0;
  std::uint32_t stride = 0;  // bytes from lane to lane
};

struct FunctionCode {
  std::string name;               // mangled
  std::uint32_t entry = 0;        // index into Program::code
  std::uint32_t frame_bytes = 0;  // multiple of 64
  std::uint32_t local_bytes = 0;  // .local variables of one activation
  bool has_barrier = false;
  std::vector<ParamRegion> parameters, results;
};

struct CallCopy {  // caller's region <-> callee's region
  std::uint32_t from_offset = 0, from_stride = 0, to_offset = 0, to_stride = 0, bytes = 0;
};

struct CallSite {
  int callee = -1;  // index into Program::functions; -1: indirect, address in slot `target`
  Slot target = kNoSlot;
  std::vector<ParamRegion> arguments, results;  // in the caller's frame
};

// Straight code between two places where control can join or leave; starts with Op::enter.
struct BasicBlock {
  std::uint32_t first = 0, length = 0;  // instructions, Op::enter not counted
  std::int32_t predicated_by = -1;      // the block whose branch around this one ptxas replaces by predicates
};

// The variable that an access belongs to, where its address tells (lower/origins.h). Offsets in the block's shared memory, or
// in the function's local memory; space generic: not known. high is UINT32_MAX where the launch decides.
struct AddressBounds {
  memop::Space space = memop::generic;
  std::uint32_t low = 0, high = UINT32_MAX;
};

struct InstrInfo {
  AddressBounds bounds;
  int location = -1;  // index into Program::locations
  int ptx_line = 0;
  std::uint32_t block = 0;  // basic block
};

struct SharedVariable {                 // a __shared__ variable's place in the block's shared memory
  std::string name;                     // as the student wrote it
  std::uint32_t offset = 0, bytes = 0;  // bytes 0: extern __shared__
  std::uint32_t element_bytes = 1;
};

struct Program {
  std::string kernel;        // mangled
  std::string display_name;  // demangled, without parameters
  std::vector<Instr> code;
  std::vector<InstrInfo> info;  // one per instruction
  std::vector<BasicBlock> blocks;
  std::vector<FunctionCode> functions;  // [0] is the kernel
  std::vector<std::int32_t>
      function_of_address;  // by (address - kFunctionAddressBase) / 16; -1: not reachable from here
  std::vector<CallSite> calls;
  std::vector<Slot> operand_lists;  // vectors of operands, addressed by index
  std::vector<SourceLocation> locations;
  std::vector<SharedVariable> shared_variables;
  AlignedBytes pool;

  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;  // where extern __shared__ begins
  unsigned shared_unit_shift = 2;           // log2 of the smallest shared access, at most 2
  unsigned global_unit_shift = 2;
  // Volatile or relaxed accesses of global memory, by which threads may wait for each other.
  bool has_strong_loads = false, has_strong_stores = false;
  // Fences, acquire or release operations of any scope, or such waiting: races need observe/ordering.h.
  bool has_fences = false;
  bool orders_across_blocks = false;  // at gpu scope: blocks may hand over data
  // The kernel's parameters that addresses of global stores and atomics come from, when that can be told from its code:
  // what the other parameters point to is only read.
  struct ParameterRange {
    std::uint32_t offset = 0, bytes = 0;
  };
  bool written_parameters_known = false;
  std::vector<ParameterRange> written_parameters;
  bool uses_heap = false;           // malloc or free: one worker, so that addresses repeat
  bool uses_alloca = false;
  bool reads_clock = false;         // likewise
  bool has_global_atomics = false;  // results may depend on the order of blocks
  std::uint32_t max_threads = 1024;
  std::uint32_t required_threads[3] = {0, 0, 0};
};

inline constexpr Address kFunctionAddressBase =
    0x0130'0000'0000;  // a function's address is this plus 16 * its index in the module

}  // namespace judge::emulator
