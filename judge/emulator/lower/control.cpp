// Lowering of control flow, calls, barriers and warp-wide instructions.

#include "judge/emulator/exec/warp_operand.h"
#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

std::uint32_t Lowering::label_target(const ptx::Operand& o, const ptx::Instruction& i) {
  const auto it = function_.labels.find(o.name);
  if (it == function_.labels.end())
    unsupported(i, "its target " + std::string(o.name) + " is not a label of this function");
  return it->second;
}

void Lowering::skip_unless_guard(const ptx::Instruction& i, std::uint32_t at) {
  if (!i.guard) return;
  const bool barrier = i.opcode == "bar" || i.opcode == "barrier";
  Instr& skip = emit(barrier ? Op::bra_if_strict : Op::bra_if);
  skip.a = placement_.slots[*i.guard];
  if (skip.a == kNoSlot) unsupported(i, "its predicate is never set");
  if (!i.guard_negated) skip.flags |= kGuardNegated;
  fixups_.emplace_back(skip.index, at + 1);
  ++kernel_.program().blocks.back().length;
  emit_enter();
}

bool Lowering::lower_control(const ptx::Instruction& i, std::uint32_t at) {
  if (i.opcode == "bra") {
    if (i.operands.size() != 1) unsupported(i, "one target is expected");
    const std::uint32_t target = label_target(i.operands[0], i);
    Op op = Op::bra;
    if (i.guard) op = strict_[graph_.block_of(at)] ? Op::bra_if_strict : Op::bra_if;
    Instr& branch = emit(op);
    if (i.guard) {
      branch.a = placement_.slots[*i.guard];
      if (branch.a == kNoSlot) unsupported(i, "its predicate is never set");
      if (i.guard_negated) branch.flags |= kGuardNegated;
    }
    fixups_.emplace_back(branch.index, target);
    return true;
  }
  if (i.opcode == "brx") {
    if (i.operands.size() != 2) unsupported(i, "an index and a table are expected");
    const auto table = function_.branch_tables.find(i.operands[1].name);
    if (table == function_.branch_tables.end()) unsupported(i, "its table is not declared by .branchtargets");
    skip_unless_guard(i, at);
    // A chain of comparisons: one two-way branch per entry keeps divergence in one place.
    const Slot index = source(i.operands[0], ptx::Type::u32);
    for (std::size_t k = 0; k < table->second.size(); ++k) {
      ptx::Operand label;
      label.name = table->second[k];
      Instr& branch = emit(Op::brx);
      branch.a = index;
      branch.b = pool32(static_cast<std::uint32_t>(k));
      fixups_.emplace_back(branch.index, label_target(label, i));
      emit_enter();
    }
    emit(Op::trap);
    return true;
  }
  if (i.opcode == "ret" || i.opcode == "exit") {
    skip_unless_guard(i, at);
    emit(i.opcode == "exit" || function_.is_entry ? Op::exit : Op::ret);
    return true;
  }
  if (i.opcode == "trap" || i.opcode == "brkpt") {
    skip_unless_guard(i, at);
    emit(Op::trap);
    return true;
  }
  if (i.opcode == "call") {
    skip_unless_guard(i, at);
    lower_call(i);
    return true;
  }
  if ((i.opcode == "bar" || i.opcode == "barrier") && !i.has_modifier("warp")) {
    for (const auto m : i.modifiers)
      if (m == "cluster") unsupported(i, "thread block clusters");
    skip_unless_guard(i, at);
    if (i.has_modifier("red")) {
      if (i.operands.size() < 3) unsupported(i, "a destination, a barrier and a predicate are expected");
      const bool count = i.has_modifier("popc");
      const Slot id = source(i.operands[1], ptx::Type::u32);
      const Slot threads = i.operands.size() > 3 ? source(i.operands[2], ptx::Type::u32) : kNoSlot;
      const Slot value = predicate_source(i.operands.back());
      const Slot d = count ? destination(i.operands[0], ptx::Type::u32) : predicate_destination(i.operands[0]);
      Instr& bar = emit(Op::bar_red);
      bar.d = d;
      bar.a = id;
      bar.b = threads;
      bar.c = value;
      bar.aux = static_cast<std::uint32_t>(count                   ? warpop::BarReduction::popc
                                           : i.has_modifier("and") ? warpop::BarReduction::and_
                                                                   : warpop::BarReduction::or_);
    } else {
      const bool arrive = i.has_modifier("arrive");
      if (!arrive && !i.has_modifier("sync")) unsupported(i, "");
      if (i.operands.empty()) unsupported(i, "a barrier number is expected");
      const Slot id = source(i.operands[0], ptx::Type::u32);
      const Slot threads = i.operands.size() > 1 ? source(i.operands[1], ptx::Type::u32) : kNoSlot;
      Instr& bar = emit(arrive ? Op::bar_arrive : Op::bar_sync);
      bar.a = id;
      bar.b = threads;
      // `.aligned` (implied by bar): every thread of the warp executes the same barrier instruction.
      bar.aux = i.opcode == "bar" || i.has_modifier("aligned");
    }
    return true;
  }
  return false;
}

const ParamRegion& Lowering::call_region(const ptx::Operand& o, const ptx::Instruction& i) const {
  const ParamRegion* r = param_region(o.name);
  if (r == nullptr) const_cast<Lowering*>(this)->unsupported(i, "arguments that are not .param variables");
  return *r;
}

void Lowering::unsupported_call(const ptx::Instruction& i, std::string_view name) {
  const int at = kernel_.location(i.location);
  throw Unsupported(i.at, "call " + std::string(name), refusal_of_call(name),
                    at < 0 ? SourceLocation{} : kernel_.program().locations[static_cast<std::size_t>(at)]);
}

void Lowering::lower_call(const ptx::Instruction& i) {
  Program& p = kernel_.program();
  if (i.operands.empty()) unsupported(i, "no callee");
  const ptx::Operand& callee = i.operands[0];
  CallSite site;
  for (const auto& r : i.call_results) site.results.push_back(call_region(r, i));
  for (const auto& a : i.call_arguments) site.arguments.push_back(call_region(a, i));
  Op op = Op::call;
  if (callee.kind == ptx::Operand::Kind::reg) {
    site.target = source(callee, ptx::Type::u64);
  } else {
    const ptx::Function* f = kernel_.find_function(callee.name);
    if (f == nullptr) unsupported(i, "the function " + std::string(callee.name) + " is not in this module");
    if (f->is_extern) {
      if (f->name == "vprintf" && site.arguments.size() == 2)
        op = Op::vprintf;
      else if (f->name == "__assertfail" && site.arguments.size() >= 4)
        op = Op::assert_fail;
      else if (f->name == "malloc" && site.arguments.size() == 1 && site.results.size() == 1)
        op = Op::heap_malloc;
      else if (f->name == "free" && site.arguments.size() == 1)
        op = Op::heap_free;
      else
        unsupported_call(i, f->name);
    } else {
      if (f->is_entry) unsupported(i, "calling a kernel from a kernel (dynamic parallelism)");
      site.callee = static_cast<int>(kernel_.function_number(*f));
      if (site.arguments.size() != f->parameters.size() || site.results.size() != f->results.size())
        unsupported(i, "the number of arguments differs from the callee's");
    }
  }
  if (op == Op::heap_malloc || op == Op::heap_free) p.uses_heap = true;
  p.calls.push_back(std::move(site));
  Instr& call = emit(op);
  call.aux = static_cast<std::uint32_t>(p.calls.size()) - 1;
}

bool Lowering::lower_warp(const ptx::Instruction& i) {
  using Kind = ptx::Operand::Kind;
  const auto need = [&](std::size_t n) {
    if (i.operands.size() != n) unsupported(i, std::to_string(n) + " operands are expected");
  };
  // `d|p`: the second part is a predicate.
  const auto split = [&](const ptx::Operand& o, ptx::Type type, Slot* predicate) {
    if (o.kind != Kind::pair) {
      *predicate = scratch(1);
      return type == ptx::Type::pred ? predicate_destination(o) : destination(o, type);
    }
    *predicate = o.elements[1].kind == Kind::sink ? scratch(1) : predicate_destination(o.elements[1]);
    return destination(o.elements[0], type);
  };

  if (i.opcode == "shfl") {
    if (!i.has_modifier("sync")) unsupported(i, "shfl without .sync does not exist on sm_70 and newer");
    need(5);
    Slot predicate = kNoSlot;
    const Slot d = split(i.operands[0], ptx::Type::b32, &predicate);
    const Slot a = source(i.operands[1], ptx::Type::b32), b = source(i.operands[2], ptx::Type::b32),
               c = source(i.operands[3], ptx::Type::b32), members = source(i.operands[4], ptx::Type::b32);
    warpop::Shuffle mode;
    if (i.has_modifier("up"))
      mode = warpop::Shuffle::up;
    else if (i.has_modifier("down"))
      mode = warpop::Shuffle::down;
    else if (i.has_modifier("bfly"))
      mode = warpop::Shuffle::bfly;
    else if (i.has_modifier("idx"))
      mode = warpop::Shuffle::idx;
    else
      unsupported(i, "");
    const std::uint32_t extra = list({predicate, members});
    Instr& s = emit(Op::shfl);
    s.d = d;
    s.a = a;
    s.b = b;
    s.c = c;
    s.imm = extra;
    s.aux = static_cast<std::uint32_t>(mode);
    return true;
  }
  if (i.opcode == "vote") {
    if (!i.has_modifier("sync")) unsupported(i, "vote without .sync does not exist on sm_70 and newer");
    need(3);
    const bool ballot = i.has_modifier("ballot");
    const Slot value = predicate_source(i.operands[1]);
    const Slot members = source(i.operands[2], ptx::Type::b32);
    const Slot d = ballot ? destination(i.operands[0], ptx::Type::b32) : predicate_destination(i.operands[0]);
    Instr& v = emit(Op::vote);
    v.d = d;
    v.a = value;
    v.b = members;
    v.aux = static_cast<std::uint32_t>(ballot                  ? warpop::Vote::ballot
                                       : i.has_modifier("all") ? warpop::Vote::all
                                       : i.has_modifier("any") ? warpop::Vote::any
                                                               : warpop::Vote::uni);
    return true;
  }
  if (i.opcode == "match") {
    need(3);
    const bool wide = i.has_modifier("b64");
    Slot predicate = kNoSlot;
    const Slot d = split(i.operands[0], ptx::Type::b32, &predicate);
    const Slot a = source(i.operands[1], wide ? ptx::Type::b64 : ptx::Type::b32);
    const Slot members = source(i.operands[2], ptx::Type::b32);
    Instr& m = emit(i.has_modifier("all") ? Op::match_all : Op::match_any);
    m.d = d;
    m.a = a;
    m.b = members;
    m.c = predicate;
    m.aux = wide;
    return true;
  }
  if (i.opcode == "redux") {
    need(3);
    if (kernel_.module().sm < 80)
      unsupported(i, "it needs sm_80 or newer, the module is for " + std::string(kernel_.module().target));
    const Slot d = destination(i.operands[0], ptx::Type::b32), a = source(i.operands[1], ptx::Type::b32),
               members = source(i.operands[2], ptx::Type::b32);
    warpop::Redux op;
    if (i.has_modifier("add"))
      op = warpop::Redux::add;
    else if (i.has_modifier("min"))
      op = i.has_modifier("s32") ? warpop::Redux::min_s : warpop::Redux::min_u;
    else if (i.has_modifier("max"))
      op = i.has_modifier("s32") ? warpop::Redux::max_s : warpop::Redux::max_u;
    else if (i.has_modifier("and"))
      op = warpop::Redux::and_;
    else if (i.has_modifier("or"))
      op = warpop::Redux::or_;
    else if (i.has_modifier("xor"))
      op = warpop::Redux::xor_;
    else
      unsupported(i, "");
    if (i.has_modifier("f32")) unsupported(i, "floating-point redux");
    Instr& r = emit(Op::redux);
    r.d = d;
    r.a = a;
    r.b = members;
    r.aux = static_cast<std::uint32_t>(op);
    return true;
  }
  if (i.opcode == "activemask") {
    need(1);
    const Slot d = destination(i.operands[0], ptx::Type::b32);
    emit(Op::activemask).d = d;
    return true;
  }
  if (i.opcode == "bar" && i.has_modifier("warp")) {
    need(1);
    const Slot members = source(i.operands[0], ptx::Type::b32);
    emit(Op::bar_warp_sync).b = members;
    return true;
  }
  if (i.opcode == "elect") {
    need(2);
    Slot predicate = kNoSlot;
    const Slot d = split(i.operands[0], ptx::Type::b32, &predicate);
    const Slot members = source(i.operands[1], ptx::Type::b32);
    Instr& e = emit(Op::elect);
    e.d = d;
    e.b = members;
    e.c = predicate;
    return true;
  }
  if (i.opcode == "nanosleep") {
    need(1);
    const Slot ns = source(i.operands[0], ptx::Type::u32);
    emit(Op::nanosleep).a = ns;
    return true;
  }
  if (i.opcode == "alloca") {
    if (i.operands.size() < 2 || i.operands.size() > 3) unsupported(i, "a destination and a size are expected");
    if (!i.has_modifier("u64")) unsupported(i, "32-bit addresses");
    if (i.operands.size() == 3 && i.operands[2].kind != Kind::immediate) unsupported(i, "the alignment is a constant");
    const std::uint64_t align = i.operands.size() == 3 ? i.operands[2].bits : 8;
    if (align == 0 || align > 4096 || (align & (align - 1)) != 0) unsupported(i, "its alignment");
    const Slot bytes = source(i.operands[1], ptx::Type::u64), d = destination(i.operands[0], ptx::Type::u64);
    kernel_.program().uses_alloca = true;
    Instr& a = emit(Op::alloca_local);
    a.d = d;
    a.a = bytes;
    a.imm = align;
    return true;
  }
  if (i.opcode == "stacksave") {
    need(1);
    const Slot d = destination(i.operands[0], ptx::Type::u64);
    emit(Op::stack_save).d = d;
    return true;
  }
  if (i.opcode == "stackrestore") {
    need(1);
    const Slot a = source(i.operands[0], ptx::Type::u64);
    emit(Op::stack_restore).a = a;
    return true;
  }
  if (i.opcode == "pmevent" || i.opcode == "griddepcontrol") {
    emit(Op::nop);
    return true;
  }
  return false;
}

}  // namespace judge::emulator::lower
