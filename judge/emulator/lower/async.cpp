// Decoding of cp.async, cp.async.bulk, mbarrier, and of instructions that only advise the hardware (PTX ISA, "Data
// Movement and Conversion Instructions: Asynchronous copy", "mbarrier").

#include <algorithm>
#include <bit>

#include "judge/emulator/exec/async_operand.h"
#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

namespace {

using asyncop::Action;
using Kind = ptx::Operand::Kind;

constexpr std::uint32_t kWidth8 = 3u << memop::kWidthShift;

// A cluster of one block is all there is: an address of the cluster's shared memory is one of the block's own.
bool is_shared(std::string_view m) {
  return m == "shared" || m == "shared::cta" || m == "shared::cluster";
}

bool is_order(std::string_view m) {
  return m == "release" || m == "acquire" || m == "relaxed" || m == "cta" || m == "cluster" || m == "sem";
}

}  // namespace

void Lowering::lower_async_copy(const ptx::Instruction& i) {
  if (i.has_modifier("commit_group")) {
    emit(Op::cp_async_commit);
    return;
  }
  if (i.has_modifier("wait_all") || i.has_modifier("wait_group")) {
    const bool all = i.has_modifier("wait_all");
    if (!all && (i.operands.size() != 1 || i.operands[0].kind != Kind::immediate))
      unsupported(i, "the number of groups must be a constant");
    emit(Op::cp_async_wait).imm = all ? asyncop::kEverything : i.operands[0].bits;
    return;
  }
  if (i.has_modifier("mbarrier")) {
    if (i.operands.size() != 1) unsupported(i, "the address of an mbarrier is expected");
    const bool shared = std::any_of(i.modifiers.begin(), i.modifiers.end(), is_shared);
    const AddressOperand at = address(i.operands[0], i);
    Instr& a = emit(Op::cp_async_arrive);
    a.a = at.base;
    a.imm = at.offset;
    a.aux = (shared ? memop::shared : memop::generic) | kWidth8 | (at.wide ? memop::kAddress64 : 0) |
            (i.has_modifier("noinc") ? asyncop::kNoIncrement : 0);
    note_unit(memop::shared, 8);
    return;
  }
  bool policy = false;
  for (const auto m : i.modifiers) {
    if (m == "L2::cache_hint")
      policy = true;
    else if (m != "async" && m != "ca" && m != "cg" && m != "shared" && m != "shared::cta" && m != "global" &&
             !m.starts_with("L2::"))
      unsupported(i, "modifier ." + std::string(m));
  }
  const std::size_t count = i.operands.size() - (policy ? 1 : 0);
  if (count < 3 || count > 4 || i.operands[2].kind != Kind::immediate)
    unsupported(i, "a destination, a source and a constant size are expected");
  const std::uint64_t bytes = i.operands[2].bits;
  const bool known = i.has_modifier("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!known) unsupported(i, "a size of " + std::to_string(bytes) + " bytes");
  Slot size = kNoSlot, ignore = kNoSlot;
  if (count == 4) {
    const ptx::Operand& o = i.operands[3];
    const bool predicate = o.kind == Kind::reg && slot_bits(function_.registers[o.reg].type) == 1;
    (predicate ? ignore : size) = predicate ? predicate_source(o) : source(o, ptx::Type::u32);
  }
  const auto width = static_cast<std::uint32_t>(std::countr_zero(bytes)) << memop::kWidthShift;
  const AddressOperand to = address(i.operands[0], i), from = address(i.operands[1], i);
  note_unit(memop::shared, static_cast<unsigned>(bytes));
  note_unit(memop::global, static_cast<unsigned>(bytes));
  Instr& load = emit(Op::cp_async_load);
  load.a = from.base;
  load.imm = from.offset;
  load.b = size;
  load.c = ignore;
  load.aux = memop::global | width | (from.wide ? memop::kAddress64 : 0);
  Instr& store = emit(Op::cp_async_store);
  store.a = to.base;
  store.imm = to.offset;
  store.aux = memop::shared | width | (to.wide ? memop::kAddress64 : 0);
  note_bounds(i.operands[0], true);
}

void Lowering::lower_bulk_copy(const ptx::Instruction& i) {
  if (i.has_modifier("commit_group") || i.has_modifier("wait_group")) {
    emit(Op::nop);  // copies to global memory are complete at once
    return;
  }
  if (i.has_modifier("tensor")) unsupported(i, "tensor maps (TMA)");
  if (i.opcode != "cp" || i.has_modifier("reduce")) unsupported(i, "reductions in bulk");
  if (i.has_modifier("prefetch")) {
    emit(Op::prefetch);
    return;
  }
  std::vector<std::uint32_t> spaces;
  bool policy = false;
  for (const auto m : i.modifiers) {
    if (is_shared(m))
      spaces.push_back(memop::shared);
    else if (m == "global")
      spaces.push_back(memop::global);
    else if (m == "L2::cache_hint")
      policy = true;
    else if (m != "async" && m != "bulk" && m != "mbarrier::complete_tx::bytes" && m != "bulk_group")
      unsupported(i, "modifier ." + std::string(m));
  }
  if (spaces.size() != 2) unsupported(i, "the spaces of its destination and its source are expected");
  const bool to_shared = spaces[0] == memop::shared;
  if (i.operands.size() != (to_shared ? 4u : 3u) + (policy ? 1 : 0))
    unsupported(i, "another number of operands is expected");
  const AddressOperand to = address(i.operands[0], i), from = address(i.operands[1], i);
  const Slot size = source(i.operands[2], ptx::Type::u32);
  Slot barrier = kNoSlot;
  bool wide_barrier = false;
  if (to_shared) {
    const AddressOperand at = address(i.operands[3], i);
    wide_barrier = at.wide;
    if (at.base == kNoSlot) {
      barrier = pool32(static_cast<std::uint32_t>(at.offset));
    } else if (at.offset == 0) {
      barrier = at.base;
    } else {
      barrier = scratch(at.wide ? 64 : 32);
      const Slot offset = at.wide ? pool64(at.offset) : pool32(static_cast<std::uint32_t>(at.offset));
      Instr& sum = emit(at.wide ? Op::add_b64 : Op::add_b32);
      sum.d = barrier;
      sum.a = sum.c = at.base;
      sum.b = offset;
    }
  }
  for (const auto s : spaces) note_unit(s, 16);
  Instr& load = emit(Op::bulk_load);
  load.a = from.base;
  load.imm = from.offset;
  load.b = size;
  load.aux = spaces[1] | (from.wide ? memop::kAddress64 : 0);
  Instr& store = emit(Op::bulk_store);
  store.a = to.base;
  store.imm = to.offset;
  store.b = size;
  store.c = barrier;
  store.aux = spaces[0] | (to.wide ? memop::kAddress64 : 0) | (wide_barrier ? asyncop::kBarrier64 : 0);
}

void Lowering::lower_mbarrier(const ptx::Instruction& i) {
  if (i.has_modifier("pending_count")) {
    // The state that arrive gives is the object's word before: its pending count is in bits 19:0.
    if (i.operands.size() != 2) unsupported(i, "a count and a state are expected");
    const Slot state = source(i.operands[1], ptx::Type::b64), d = destination(i.operands[0], ptx::Type::b32);
    const Slot low = scratch(32);
    Instr& cut = emit(Op::low_b64);
    cut.d = low;
    cut.a = cut.b = cut.c = state;
    const Slot mask = pool32(asyncop::kMostArrivals);
    Instr& keep = emit(Op::and_b32);
    keep.d = d;
    keep.a = keep.c = low;
    keep.b = mask;
    return;
  }
  const bool test = i.has_modifier("test_wait") || i.has_modifier("try_wait");
  const bool expects = i.has_modifier("expect_tx");
  bool shared = false, parity = false, arrives = false;
  std::optional<Action> action;
  for (const auto m : i.modifiers) {
    if (m == "init")
      action = Action::init;
    else if (m == "inval")
      action = Action::invalidate;
    else if (m == "arrive" || m == "arrive_drop") {
      arrives = true;
      action = m == "arrive" ? Action::arrive : Action::arrive_drop;
    } else if (m == "complete_tx")
      action = Action::complete;
    else if (m == "expect_tx") {
      if (!arrives) action = Action::expect;
    } else if (is_shared(m))
      shared = true;
    else if (m == "parity")
      parity = true;
    else if (m != "b64" && m != "noComplete" && m != "test_wait" && m != "try_wait" && !is_order(m))
      unsupported(i, "modifier ." + std::string(m));
  }
  const auto place = [&](Instr& to, const AddressOperand& at) {
    to.a = at.base;
    to.imm = at.offset;
    to.aux |= (shared ? memop::shared : memop::generic) | kWidth8 | (at.wide ? memop::kAddress64 : 0);
  };
  note_unit(memop::shared, 8);
  if (test) {
    if (i.operands.size() < 3 || i.operands.size() > 4)
      unsupported(i, "a predicate, the address of an mbarrier and a state are expected");
    const AddressOperand at = address(i.operands[1], i);
    const Slot phase = source(i.operands[2], parity ? ptx::Type::u32 : ptx::Type::b64);
    const Slot d = predicate_destination(i.operands[0]);
    Instr& t = emit(Op::mbarrier_wait);
    t.d = d;
    t.b = phase;
    t.aux = parity ? asyncop::kParity : 0;
    place(t, at);
    return;
  }
  if (!action) unsupported(i, "");
  // arrive may have a state before the address; counts come behind it.
  const std::size_t where = i.operands.empty() || i.operands[0].kind == Kind::address ? 0 : 1;
  if (i.operands.size() <= where || i.operands.size() > where + 2 || (where == 1 && !arrives))
    unsupported(i, "the address of an mbarrier is expected");
  const AddressOperand at = address(i.operands[where], i);
  const Slot value = i.operands.size() > where + 1 ? source(i.operands[where + 1], ptx::Type::u32) : kNoSlot;
  const bool needs_value = expects || *action == Action::init || *action == Action::complete;
  if (needs_value && value == kNoSlot) unsupported(i, "a count is expected");
  Slot state = kNoSlot;
  if (where == 1 && i.operands[0].kind != Kind::sink) state = destination(i.operands[0], ptx::Type::b64);
  Instr& m = emit(Op::mbarrier);
  m.d = state;
  m.aux = static_cast<std::uint32_t>(*action) << asyncop::kActionShift;
  if (i.has_modifier("noComplete")) m.aux |= asyncop::kNoComplete;
  (expects || *action == Action::complete ? m.c : m.b) = value;
  place(m, at);
}

bool Lowering::lower_async(const ptx::Instruction& i) {
  if (i.opcode == "cp") {
    if (!i.has_modifier("async")) unsupported(i, "");
    i.has_modifier("bulk") ? lower_bulk_copy(i) : lower_async_copy(i);
    return true;
  }
  if (i.opcode == "mbarrier") {
    lower_mbarrier(i);
    return true;
  }
  if (i.opcode == "createpolicy") {
    // A policy is a hint: any value stands for it.
    if (i.operands.empty()) unsupported(i, "");
    const Slot zero = pool64(0), d = destination(i.operands[0], ptx::Type::b64);
    Instr& m = emit(Op::mov_b64);
    m.d = d;
    m.a = m.b = m.c = zero;
    return true;
  }
  if (i.opcode == "setmaxnreg") {
    emit(Op::nop);
    return true;
  }
  return false;
}

}  // namespace judge::emulator::lower
