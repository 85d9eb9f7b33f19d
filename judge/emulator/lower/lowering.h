#pragma once
// The state of lowering one kernel, and of the function at hand. Internal to lower/.

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/lower/assembler.h"
#include "judge/emulator/lower/graph.h"
#include "judge/emulator/lower/kernel.h"
#include "judge/emulator/lower/lower.h"
#include "judge/emulator/lower/origins.h"
#include "judge/emulator/lower/registers.h"
#include "judge/emulator/lower/shared_bases.h"

namespace judge::emulator::lower {

// Constants of the whole program, each distinct value once.
class Pool {
 public:
  Slot add32(std::uint32_t value);
  Slot add64(std::uint64_t value);
  AlignedBytes finish() const;

 private:
  std::unordered_map<std::uint32_t, Slot> slots32_;
  std::unordered_map<std::uint64_t, Slot> slots64_;
  std::vector<std::pair<Slot, std::uint64_t>> values64_;
  std::vector<std::pair<Slot, std::uint32_t>> values32_;
  std::uint32_t bytes_ = 0;
};

class KernelLowering;

class Lowering final : public FunctionLowering {
 public:
  Lowering(KernelLowering& kernel, const ptx::Function& function, std::uint32_t number);
  void run();

  Slot source(const ptx::Operand& operand, ptx::Type type) override;
  Slot predicate_source(const ptx::Operand& operand) override;
  Slot destination(const ptx::Operand& operand, ptx::Type type) override;
  Slot predicate_destination(const ptx::Operand& operand) override;
  Slot scratch(unsigned bits) override;
  Slot pool32(std::uint32_t value) override;
  Slot pool64(std::uint64_t value) override;
  Slot carry_flag() override;
  Instr& emit(Op op) override;
  [[noreturn]] void unsupported(const ptx::Instruction& instruction, const std::string& why) override;
  const ptx::Module& module() const override;
  const ptx::Function& function() const override { return function_; }

  // An address operand as (base slot or kNoSlot, byte offset) in `space`; sets kAddress64 in aux where the base is
  // wide. A symbol is resolved; `static_allocation` receives it when it is a global or constant variable.
  struct AddressOperand {
    Slot base = kNoSlot;
    std::uint64_t offset = 0;
    bool wide = false;
    const Allocation* variable = nullptr;
  };
  AddressOperand address(const ptx::Operand& operand, const ptx::Instruction& i);
  const ParamRegion* param_region(std::string_view name) const;
  bool is_entry_parameter(std::string_view name, std::uint32_t* offset) const;
  std::uint64_t symbol_value(std::string_view name, const ptx::Instruction* i, const Allocation** variable = nullptr);
  // The two 64-bit halves of a .b128 register, the low one first.
  std::array<Slot, 2> wide_register(const ptx::Operand& operand, bool is_destination) override;
  std::uint32_t list(const std::vector<Slot>& slots);  // into Program::operand_lists

  KernelLowering& kernel() { return kernel_; }
  std::uint32_t number() const { return number_; }

 private:
  void find_read_registers();
  void find_origins();
  // Tells exec what the access just emitted may touch. Instr::b and c say it too, unless they hold operands.
  void note_bounds(const ptx::Operand& address, bool has_operands = false);
  // Slot of a memory instruction's data operand and the aux bits that say how wide its register is.
  Slot data_slot(const ptx::Operand& operand, ptx::Type type, bool is_destination, std::uint32_t* aux);
  std::vector<Slot> data_slots(const ptx::Operand& operand, ptx::Type type, unsigned vector, bool is_destination,
                               std::uint32_t* aux);
  void check_parameter_range(const ptx::Instruction& i, std::int64_t offset, std::uint64_t bytes, std::uint64_t begins,
                             std::uint64_t end);
  void mark_strict_branches();
  void mark_quiet_blocks();
  bool is_quiet(const ptx::Instruction& i) const;
  std::uint32_t merged_bits(const ptx::Instruction& i) const;  // of Instr::aux
  bool has_one_address(const ptx::Instruction& i) const;
  void layout_variables();
  void check_frame() const;
  void lower_one(const ptx::Instruction& i, std::uint32_t at);
  void emit_enter();
  bool lower_control(const ptx::Instruction& i, std::uint32_t at);
  bool lower_warp(const ptx::Instruction& i);
  bool lower_memory(const ptx::Instruction& i);
  void lower_load(const ptx::Instruction& i);
  void lower_store(const ptx::Instruction& i);
  void lower_atomic(const ptx::Instruction& i, bool has_result);
  void lower_call(const ptx::Instruction& i);
  bool lower_matrix(const ptx::Instruction& i);
  void lower_mma(const ptx::Instruction& i);
  void lower_wmma_transfer(const ptx::Instruction& i);
  void lower_matrix_transfer(const ptx::Instruction& i);
  void require_form(const ptx::Instruction& i, bool found, int sm, const std::string& what);
  bool lower_async(const ptx::Instruction& i);
  bool lower_video(const ptx::Instruction& i);
  void lower_async_copy(const ptx::Instruction& i);
  void lower_bulk_copy(const ptx::Instruction& i);
  void lower_mbarrier(const ptx::Instruction& i);
  bool lower_texture(const ptx::Instruction& i);
  void lower_texture_fetch(const ptx::Instruction& i);
  void lower_surface_access(const ptx::Instruction& i);
  void lower_texture_query(const ptx::Instruction& i);
  void texture_place(const ptx::Instruction& i, const ptx::Operand& o, unsigned dimensions, bool layered,
                     ptx::Type coordinate, Slot& handle, std::uint32_t& coordinates);
  [[noreturn]] void unsupported_call(const ptx::Instruction& i, std::string_view name);
  std::uint32_t label_target(const ptx::Operand& operand, const ptx::Instruction& i);
  // For control instructions: lanes whose guard does not hold branch to the next instruction.
  void skip_unless_guard(const ptx::Instruction& i, std::uint32_t at);
  Slot local_address(std::uint64_t offset, bool wide);
  void note_unit(std::uint32_t space, unsigned width);
  void note_order(bool beyond_block);  // a fence, or an access that acquires or releases
  const ParamRegion& call_region(const ptx::Operand& operand, const ptx::Instruction& i) const;

  KernelLowering& kernel_;
  const ptx::Function& function_;
  std::uint32_t number_;
  RegisterPlacement placement_;
  FlowGraph graph_;
  AddressOrigins origins_;
  std::vector<bool> read_;    // registers that something reads
  std::vector<bool> strict_;  // by block: its last branch leads around a barrier
  AssemblerRules assembler_;
  SharedBases shared_bases_;
  std::vector<bool> quiet_;   // by block: shared memory is only read between the barriers around it
  std::uint32_t frame_bytes_ = 0;
  Slot carry_ = kNoSlot;
  std::vector<ParamRegion> regions_;
  std::unordered_map<std::string_view, std::size_t> region_numbers_;      // of the last of each name
  std::unordered_map<std::string_view, std::uint32_t> entry_parameters_;  // offsets
  std::unordered_map<std::string_view, const ptx::Variable*> shared_variables_;
  std::unordered_map<std::string_view, std::uint64_t> local_offsets_;
  std::uint32_t local_bytes_ = 0;
  const ptx::Instruction* now_ = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixups_;  // code index -> body index of the target
  std::vector<std::uint32_t> block_code_;                        // code index of each block's enter
  friend class KernelLowering;
};

class KernelLowering {
 public:
  KernelLowering(const ptx::Module& module, const SymbolLookup& symbols);
  std::shared_ptr<Program> run(std::string_view entry);

  const ptx::Module& module() const { return module_; }
  const SymbolLookup& symbols() const { return symbols_; }
  Program& program() { return *program_; }
  Pool& pool() { return pool_; }
  // Number of a function in the program; schedules it for lowering at its first use. nullptr body: declaration only.
  std::uint32_t function_number(const ptx::Function& f);
  const ptx::Function* find_function(std::string_view name) const;  // by an alias too; nullptr
  const ptx::Variable* find_variable(std::string_view name) const;
  bool has_barrier(const ptx::Function& f);  // in its own body
  void reach(std::string_view function);     // lowers it too; a name that is no device function is passed over
  void reach_all_addresses();                // every function whose address is taken somewhere
  std::uint32_t shared_offset(const ptx::Variable& v);
  int location(int module_location);  // index into Program::locations, from the module's

 private:
  const ptx::Module& module_;
  const SymbolLookup& symbols_;
  std::shared_ptr<Program> program_;
  Pool pool_;
  std::vector<const ptx::Function*> functions_;
  std::map<const ptx::Function*, std::uint32_t> numbers_;
  std::map<const void*, std::uint32_t> shared_offsets_;
  std::unordered_map<int, int> locations_;
  std::unordered_map<std::string_view, const ptx::Function*> functions_by_name_;
  std::unordered_map<std::string_view, const ptx::Variable*> variables_by_name_;
  std::unordered_map<const ptx::Function*, bool> has_barrier_;
  std::uint32_t dynamic_align_ = 16;
};

std::uint64_t address_of(const ptx::Module& module, const ptx::Function& f);

// Fills Program::written_parameters. written_parameters.cpp
void find_written_parameters(const ptx::Function& entry, Program& program);

// Why an instruction that nothing here lowers is left out, for those that deserve a reason; "" otherwise. refused.cpp
std::string refusal(const ptx::Instruction& i);
std::string refusal_of_call(std::string_view function);

std::string spelled(const ptx::Instruction& i);  // "ld.global.nc.f32"

}  // namespace judge::emulator::lower
