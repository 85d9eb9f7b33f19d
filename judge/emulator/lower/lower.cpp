// How lowering works.
//
// KernelLowering walks the functions an entry can reach, gives every __shared__ variable its place, then lowers each
// function into one code array. Lowering of a function finds basic blocks, places registers (registers.cpp), finds
// branches that lead around a barrier, and then goes through the body: control flow and warp-wide instructions
// (control.cpp), memory (memory.cpp), everything else (arithmetic*.cpp). Each PTX instruction becomes one or a few
// operations; its guard is put on all of them. Each block starts with Op::enter.

#include "judge/emulator/lower/lower.h"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <set>

#include "judge/emulator/lower/lowering.h"
#include "judge/emulator/lower/special.h"

namespace judge::emulator::lower {

namespace {

// What a hostile module may ask for; real kernels stay far below. A GPU has 255 registers a thread (32 KB a warp), 512
// KB of local memory a thread, 32764 bytes of parameters.
constexpr std::uint32_t kMaxFrameBytes = 4u << 20;  // of one function and warp
constexpr std::uint32_t kMaxLocalBytes = 512u << 10;
constexpr std::uint32_t kMaxSharedBytes = 1u << 30;
constexpr std::uint32_t kMaxParameterBytes = 32764;
constexpr std::size_t kMaxOperations = 4u << 20;  // of one kernel: a table may be used by many branches

std::uint32_t align_up(std::uint32_t x, std::uint32_t a) {
  return (x + a - 1) / a * a;
}

// Frames that inlining shows to be library code are not the student's: the nearest call site outside counts.
bool is_library_file(std::string_view path) {
  return path.find("/include/") != std::string_view::npos || path.find("/targets/") != std::string_view::npos;
}

}  // namespace

std::string spelled(const ptx::Instruction& i) {
  std::string s(i.opcode);
  for (const auto m : i.modifiers) s += "." + std::string(m);
  return s;
}

Unsupported::Unsupported(ptx::Position where, std::string spelling, const std::string& why,
                         const SourceLocation& source)
    : std::runtime_error((source.line > 0 ? source.file.substr(source.file.rfind('/') + 1) + ":" +
                                                std::to_string(source.line) + " (PTX line "
                                          : "PTX line ") +
                         std::to_string(where.line) + (source.line > 0 ? "): " : ": ") + spelling +
                         " is not supported" + (why.empty() ? "" : ": " + why)),
      at(where),
      instruction(std::move(spelling)) {}

std::string display_name(std::string_view mangled) {
  // Names of extern "C" are not mangled, and the demangler would take "f" for the type that it stands for.
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  int status = 0;
  char* text = abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status);
  if (status != 0 || text == nullptr) return std::string(mangled);
  std::string name(text);
  std::free(text);
  static constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (auto at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
    name.erase(at, kAnonymous.size());
  // Of "float k<(Mode)1>(float const*)::tile" the parameter lists go, and the result type that templates carry.
  std::string out;
  int angle = 0, round = 0;
  for (const char c : name) {
    if (c == '<' && round == 0) ++angle;
    if (c == '(' && angle == 0) ++round;
    if (round == 0) {
      if (c == ' ' && angle == 0)
        out.clear();
      else
        out += c;
    }
    if (c == '>' && round == 0 && angle > 0) --angle;
    if (c == ')' && angle == 0) --round;
  }
  return out.empty() ? name : out;
}

Slot Pool::add32(std::uint32_t value) {
  const auto [it, fresh] = slots32_.try_emplace(value, 0);
  if (fresh) {
    it->second = bytes_ | kPoolBit;
    values32_.emplace_back(bytes_, value);
    bytes_ += 4 * kLanes;
  }
  return it->second;
}

Slot Pool::add64(std::uint64_t value) {
  const auto [it, fresh] = slots64_.try_emplace(value, 0);
  if (fresh) {
    it->second = bytes_ | kPoolBit;
    values64_.emplace_back(bytes_, value);
    bytes_ += 8 * kLanes;
  }
  return it->second;
}

AlignedBytes Pool::finish() const {
  AlignedBytes out;
  out.resize(bytes_ + 64);
  for (const auto& [at, value] : values32_)
    for (int l = 0; l < kLanes; ++l) std::memcpy(out.data() + at + 4 * static_cast<unsigned>(l), &value, 4);
  for (const auto& [at, value] : values64_)
    for (int l = 0; l < kLanes; ++l) std::memcpy(out.data() + at + 8 * static_cast<unsigned>(l), &value, 8);
  return out;
}

std::uint64_t address_of(const ptx::Module& module, const ptx::Function& f) {
  return kFunctionAddressBase + 16 * static_cast<std::uint64_t>(&f - module.functions.data());
}

std::uint64_t function_address(const ptx::Module& module, std::string_view name) {
  if (const auto alias = module.aliases.find(name); alias != module.aliases.end()) name = alias->second;
  for (const ptx::Function& f : module.functions)
    if (f.name == name && !f.is_entry && !f.is_extern) return address_of(module, f);
  return 0;
}

std::vector<ParameterLayout> parameter_layout(const ptx::Function& entry, std::uint32_t& total) {
  std::vector<ParameterLayout> out;
  std::uint32_t at = 0;
  for (const auto& p : entry.parameters) {
    const std::uint32_t align = std::max<std::uint32_t>(p.align, 1);
    at = align_up(at, align);
    out.push_back({at, static_cast<std::uint32_t>(p.bytes), align});
    at += static_cast<std::uint32_t>(p.bytes);
  }
  total = at;
  return out;
}

KernelLowering::KernelLowering(const ptx::Module& module, const SymbolLookup& symbols)
    : module_(module), symbols_(symbols) {
  for (const auto& f : module_.functions) functions_by_name_.emplace(f.name, &f);
  for (const auto& v : module_.variables) variables_by_name_.emplace(v.name, &v);
}

const ptx::Function* KernelLowering::find_function(std::string_view name) const {
  auto it = functions_by_name_.find(name);
  if (it == functions_by_name_.end()) {
    const auto alias = module_.aliases.find(name);
    if (alias == module_.aliases.end()) return nullptr;
    it = functions_by_name_.find(alias->second);
  }
  return it == functions_by_name_.end() ? nullptr : it->second;
}

const ptx::Variable* KernelLowering::find_variable(std::string_view name) const {
  const auto it = variables_by_name_.find(name);
  return it == variables_by_name_.end() ? nullptr : it->second;
}

std::uint32_t KernelLowering::function_number(const ptx::Function& f) {
  const auto [it, fresh] = numbers_.try_emplace(&f, static_cast<std::uint32_t>(functions_.size()));
  if (fresh) functions_.push_back(&f);
  return it->second;
}

std::uint32_t KernelLowering::shared_offset(const ptx::Variable& v) {
  const auto it = shared_offsets_.find(&v);
  if (it == shared_offsets_.end()) throw std::logic_error("shared variable without a place");
  return it->second;
}

int KernelLowering::location(int module_location) {
  if (module_location < 0) return -1;
  const auto known = locations_.find(module_location);
  if (known != locations_.end()) return known->second;
  int at = module_location;
  const auto file_of = [&](int location) -> std::string {
    const auto f = module_.files.find(module_.locations[static_cast<std::size_t>(location)].file);
    return f == module_.files.end() ? std::string() : f->second;
  };
  for (int depth = 0; depth < 64 && is_library_file(file_of(at)); ++depth) {
    const int up = module_.locations[static_cast<std::size_t>(at)].inlined_at;
    if (up < 0 || static_cast<std::size_t>(up) >= module_.locations.size()) break;
    at = up;
  }
  const ptx::Location& l = module_.locations[static_cast<std::size_t>(at)];
  SourceLocation s;
  s.file = file_of(at);
  s.line = l.line;
  s.column = l.column;
  if (!l.inlined_function.empty()) s.function = display_name(l.inlined_function);
  program_->locations.push_back(std::move(s));
  const int number = static_cast<int>(program_->locations.size()) - 1;
  locations_.emplace(module_location, number);
  return number;
}

void KernelLowering::reach(std::string_view name) {
  if (const ptx::Function* f = find_function(name); f != nullptr && !f->is_entry && !f->is_extern) function_number(*f);
}

void KernelLowering::reach_all_addresses() {
  for (const auto& v : module_.variables)
    for (const auto& r : v.relocations) reach(r.symbol);
  for (const auto& f : module_.functions) {
    for (const auto& [label, targets] : f.branch_tables)
      for (const auto target : targets) reach(target);
    for (const auto& i : f.body)
      for (std::size_t k = i.opcode == "call" ? 1 : 0; k < i.operands.size(); ++k)
        if (i.operands[k].kind == ptx::Operand::Kind::symbol) reach(i.operands[k].name);
  }
}

std::shared_ptr<Program> KernelLowering::run(std::string_view entry_name) {
  const ptx::Function* entry = find_function(entry_name);
  if (entry == nullptr || !entry->is_entry) throw std::out_of_range("no kernel " + std::string(entry_name));
  program_ = std::make_shared<Program>();
  Program& p = *program_;
  p.kernel = std::string(entry_name);
  p.display_name = display_name(entry_name);
  std::uint64_t parameter_bytes = 0;
  for (const auto& v : entry->parameters) parameter_bytes += v.bytes + v.align;
  if (parameter_bytes > kMaxParameterBytes + 16 * entry->parameters.size())
    throw Unsupported(entry->at, ".entry " + std::string(entry_name),
                      "more than " + std::to_string(kMaxParameterBytes) + " bytes of parameters");
  parameter_layout(*entry, p.parameter_bytes);

  // Everything the entry can reach, and the names it uses.
  function_number(*entry);
  std::set<std::string_view> names;
  const auto note = [&](const auto& self, const ptx::Operand& o) -> void {
    if (!o.name.empty()) names.insert(o.name);
    for (const auto& e : o.elements) self(self, e);
  };
  bool by_address = false;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    for (const auto& i : functions_[k]->body) {
      for (const auto& o : i.operands) {
        note(note, o);
        if (o.kind == ptx::Operand::Kind::symbol || o.kind == ptx::Operand::Kind::label) reach(o.name);
      }
      // A pointer may hold the address of any function that the module takes the address of.
      const bool indirect = i.opcode == "call" && !i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::reg;
      if (indirect && !by_address) {
        by_address = true;
        reach_all_addresses();
      }
    }
  }

  std::uint32_t shared = 0;
  std::vector<const ptx::Variable*> dynamic;
  const auto place = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::shared) return;
    std::string name = display_name(v.name);
    if (const auto colon = name.rfind("::"); colon != std::string::npos) name = name.substr(colon + 2);
    if (v.bytes == 0) {
      dynamic.push_back(&v);
      dynamic_align_ = std::max(dynamic_align_, v.align);
      return;
    }
    if (v.bytes > kMaxSharedBytes || shared + v.align > kMaxSharedBytes - v.bytes)
      throw Unsupported(v.at, ".shared " + std::string(v.name),
                        "with it the kernel has more than " + std::to_string(kMaxSharedBytes) + " bytes");
    shared = align_up(shared, std::max<std::uint32_t>(v.align, 1));
    shared_offsets_[&v] = shared;
    p.shared_variables.push_back({std::move(name), shared, static_cast<std::uint32_t>(v.bytes),
                                  std::max(1u, v.type == ptx::Type::b8 ? v.align : ptx::bits_of(v.type) / 8)});
    shared += static_cast<std::uint32_t>(v.bytes);
  };
  for (const auto& v : module_.variables)
    if (names.count(v.name) != 0) place(v);
  for (const ptx::Function* f : functions_)
    for (const auto& v : f->variables) place(v);
  p.static_shared_bytes = shared;
  p.dynamic_shared_offset = align_up(shared, dynamic_align_);
  for (const ptx::Variable* v : dynamic) {
    shared_offsets_[v] = p.dynamic_shared_offset;
    std::string name = display_name(v->name);
    if (const auto colon = name.rfind("::"); colon != std::string::npos) name = name.substr(colon + 2);
    p.shared_variables.push_back(
        {std::move(name), p.dynamic_shared_offset, 0, std::max(1u, ptx::bits_of(v->type) / 8)});
  }

  p.functions.resize(functions_.size());
  p.function_of_address.assign(module_.functions.size(), -1);
  for (std::size_t k = 1; k < functions_.size(); ++k)
    p.function_of_address[static_cast<std::size_t>(functions_[k] - module_.functions.data())] =
        static_cast<std::int32_t>(k);
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    Lowering one(*this, *functions_[k], static_cast<std::uint32_t>(k));
    one.run();
  }

  if (p.has_strong_loads && (p.has_strong_stores || p.has_global_atomics)) p.has_fences = p.orders_across_blocks = true;
  if (entry->required_threads[0] != 0) {
    for (int d = 0; d < 3; ++d) p.required_threads[d] = std::max(1u, entry->required_threads[d]);
  }
  if (entry->max_threads[0] != 0) {
    std::uint64_t n = 1;
    for (const auto d : entry->max_threads) n *= std::max(1u, d);
    p.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 1024));
  }

  if (functions_.size() == 1) find_written_parameters(*entry, p);
  p.pool = pool_.finish();
  const OpHandlers* table = op_table();
  for (std::uint32_t k = 0; k < p.code.size(); ++k) {
    Instr& i = p.code[k];
    i.index = k;
    const auto op = i.guard != kNoSlot ? static_cast<std::uint16_t>(Op::guarded) : i.op;
    if (i.op == static_cast<std::uint16_t>(Op::enter)) i.imm = p.blocks[i.aux].length;
    i.run[0] = table[op].full;
    i.run[1] = table[op].masked;
    const auto is_branch = [&](Op o) { return i.op == static_cast<std::uint16_t>(o); };
    if (is_branch(Op::bra) || is_branch(Op::bra_if) || is_branch(Op::bra_if_strict) || is_branch(Op::brx))
      i.imm = reinterpret_cast<std::uint64_t>(p.code.data() + i.imm);
  }
  return program_;
}

std::shared_ptr<const Program> lower_kernel(const ptx::Module& module, std::string_view entry,
                                            const SymbolLookup& symbols) {
  return KernelLowering(module, symbols).run(entry);
}

Lowering::Lowering(KernelLowering& kernel, const ptx::Function& function, std::uint32_t number)
    : kernel_(kernel), function_(function), number_(number) {}

const ptx::Module& Lowering::module() const {
  return kernel_.module();
}

void Lowering::unsupported(const ptx::Instruction& i, const std::string& why) {
  const int at = kernel_.location(i.location);
  const SourceLocation where = at < 0 ? SourceLocation{} : kernel_.program().locations[static_cast<std::size_t>(at)];
  throw Unsupported(i.at, spelled(i), why.empty() ? refusal(i) : why, where);
}

void Lowering::find_read_registers() {
  read_.assign(function_.registers.size(), false);
  const auto note = [&](const auto& self, const ptx::Operand& o) -> void {
    if (o.kind == ptx::Operand::Kind::reg || (o.kind == ptx::Operand::Kind::address && o.base_is_reg))
      read_[o.reg] = true;
    for (const auto& e : o.elements) self(self, e);
  };
  for (const auto& i : function_.body) {
    if (i.guard) read_[*i.guard] = true;
    // Only what atom writes is asked about later: counting other destinations as read does no harm.
    for (std::size_t k = i.opcode == "atom" ? 1 : 0; k < i.operands.size(); ++k) note(note, i.operands[k]);
    for (const auto& a : i.call_arguments) note(note, a);
  }
}

void Lowering::layout_variables() {
  frame_bytes_ = align_up(placement_.bytes, 64);
  check_frame();
  carry_ = frame_bytes_;
  frame_bytes_ += 64;
  FunctionCode& code = kernel_.program().functions[number_];
  const auto region = [&](const ptx::Variable& v) {
    ParamRegion r;
    r.name = std::string(v.name);
    r.bytes = std::max<std::uint32_t>(static_cast<std::uint32_t>(v.bytes), ptx::bits_of(v.type) / 8);
    if (v.bytes > (1u << 20)) throw Unsupported(v.at, ".param", "a parameter of " + std::to_string(v.bytes) + " bytes");
    r.stride = align_up(r.bytes, 16);
    r.frame_offset = frame_bytes_;
    frame_bytes_ += align_up(r.stride * kLanes, 64);
    check_frame();
    region_numbers_[v.name] = regions_.size();
    regions_.push_back(r);
    return r;
  };
  if (function_.is_entry) {
    std::uint32_t total = 0;
    const auto layout = parameter_layout(function_, total);
    for (std::size_t k = 0; k < layout.size(); ++k)
      entry_parameters_.emplace(function_.parameters[k].name, layout[k].offset);
  }
  for (const auto& v : function_.variables)
    if (v.space == ptx::Space::shared) shared_variables_.emplace(v.name, &v);
  if (!function_.is_entry) {
    for (const auto& v : function_.parameters) code.parameters.push_back(region(v));
    for (const auto& v : function_.results) code.results.push_back(region(v));
  }
  for (const auto& v : function_.variables) {
    if (v.space == ptx::Space::param) region(v);
    if (v.space == ptx::Space::local) {
      if (v.bytes > kMaxLocalBytes || local_bytes_ + v.align > kMaxLocalBytes - v.bytes)
        throw Unsupported(v.at, ".local " + std::string(v.name), "more than 512 KB of local memory a thread");
      local_bytes_ = align_up(local_bytes_, std::max<std::uint32_t>(v.align, 1));
      local_offsets_[v.name] = local_bytes_;
      local_bytes_ += static_cast<std::uint32_t>(v.bytes);
    }
  }
}

void Lowering::check_frame() const {
  if (frame_bytes_ > kMaxFrameBytes)
    throw Unsupported(function_.at, std::string(function_.name),
                      "it needs more than " + std::to_string(kMaxFrameBytes) + " bytes of registers a warp");
}

void Lowering::find_origins() {
  origins_ = AddressOrigins(function_, [&](std::string_view name) -> std::optional<AddressBounds> {
    const auto place = [](memop::Space space, std::uint64_t low, std::uint64_t bytes) {
      return AddressBounds{space, static_cast<std::uint32_t>(low),
                           bytes == 0 ? UINT32_MAX : static_cast<std::uint32_t>(low + bytes)};
    };
    for (const auto& v : function_.variables) {
      if (v.name != name) continue;
      if (v.space == ptx::Space::shared) return place(memop::shared, kernel_.shared_offset(v), v.bytes);
      if (v.space == ptx::Space::local) return place(memop::local, local_offsets_.at(v.name), v.bytes);
      return std::nullopt;
    }
    for (const auto& v : kernel_.module().variables)
      if (v.name == name && v.space == ptx::Space::shared)
        return place(memop::shared, kernel_.shared_offset(v), v.bytes);
    return std::nullopt;
  });
}

void Lowering::note_bounds(const ptx::Operand& address, bool has_operands) {
  Program& p = kernel_.program();
  const AddressBounds bounds = origins_.bounds(address);
  p.info.back().bounds = bounds;
  Instr& i = p.code.back();
  if (has_operands) return;
  const bool shared = bounds.space == memop::shared;
  i.b = shared ? bounds.low : 0;
  i.c = shared ? bounds.high : UINT32_MAX;
}

void Lowering::emit_enter() {
  Program& p = kernel_.program();
  Instr& i = emit(Op::enter);
  p.blocks.push_back({i.index, 0});
  i.aux = static_cast<std::uint32_t>(p.blocks.size()) - 1;
  p.info.back().block = i.aux;
}

void Lowering::run() {
  Program& p = kernel_.program();
  FunctionCode& code = p.functions[number_];
  code.name = std::string(function_.name);
  code.entry = static_cast<std::uint32_t>(p.code.size());
  graph_ = make_flow_graph(function_);
  find_read_registers();
  placement_ = place_registers(function_, graph_);
  mark_strict_branches();
  mark_quiet_blocks();
  layout_variables();
  find_origins();
  assembler_ = find_assembler_rules(function_, graph_, [&](std::string_view name) -> std::optional<std::uint32_t> {
    const auto own = shared_variables_.find(name);
    const ptx::Variable* v = own != shared_variables_.end() ? own->second : kernel_.find_variable(name);
    if (v == nullptr || v->space != ptx::Space::shared) return std::nullopt;
    return kernel_.shared_offset(*v);
  });
  const std::uint32_t scratch_base = frame_bytes_;
  std::uint32_t frame_max = frame_bytes_;
  const auto n = static_cast<std::uint32_t>(function_.body.size());
  std::uint32_t block = 0;
  for (std::uint32_t at = 0; at < n; ++at) {
    if (block < graph_.blocks() && graph_.starts[block] == at) {
      block_code_.push_back(static_cast<std::uint32_t>(p.code.size()));
      emit_enter();
      shared_bases_.begin_block();
      if (const std::int32_t by = assembler_.predicated_by[block]; by >= 0)
        p.blocks.back().predicated_by =
            static_cast<std::int32_t>(p.blocks.size()) - 1 - (static_cast<std::int32_t>(block) - by);
      ++block;
    }
    now_ = &function_.body[at];
    frame_bytes_ = scratch_base;
    const auto before = p.code.size();
    lower_one(function_.body[at], at);
    shared_bases_.forget_written(function_.body[at]);
    frame_max = std::max(frame_max, frame_bytes_);
    // A PTX instruction counts once, however many operations it took.
    if (p.code.size() > before) ++p.blocks.back().length;
  }
  frame_bytes_ = scratch_base;
  now_ = nullptr;
  // The end of the body: reached by falling through, or by a branch to a label there.
  const auto end_code = static_cast<std::uint32_t>(p.code.size());
  emit_enter();
  emit(function_.is_entry ? Op::exit : Op::ret);
  for (const auto& [instr, target] : fixups_) {
    p.code[instr].imm = target >= n ? end_code : block_code_[graph_.block_of(target)];
  }
  code.frame_bytes = align_up(frame_max, 64);
  code.local_bytes = align_up(local_bytes_, 16);
}

// Waits for the lanes that its membermask names.
static bool gathers(Op op) {
  switch (op) {
    case Op::shfl:
    case Op::vote:
    case Op::match_any:
    case Op::match_all:
    case Op::redux:
    case Op::elect:
    case Op::bar_warp_sync:
      return true;
    default:
      return false;
  }
}

void Lowering::lower_one(const ptx::Instruction& i, std::uint32_t at) {
  Program& p = kernel_.program();
  if (lower_control(i, at)) return;
  const auto first = p.code.size();
  Slot guard = kNoSlot;
  if (i.guard) {
    guard = placement_.slots[*i.guard];
    if (guard == kNoSlot) unsupported(i, "its predicate is never set");
  }
  if (!lower_memory(i) && !lower_warp(i) && !lower_matrix(i) && !lower_async(i) && !lower_video(i) &&
      !lower_texture(i) && !lower_arithmetic(i, *this))
    unsupported(i, "");
  if (guard == kNoSlot) return;
  for (auto k = first; k < p.code.size(); ++k) {
    p.code[k].guard = guard;
    if (i.guard_negated) p.code[k].flags |= kGuardNegated;
    if (gathers(static_cast<Op>(p.code[k].op))) p.code[k].flags |= kGathers;
  }
}

Instr& Lowering::emit(Op op) {
  Program& p = kernel_.program();
  if (p.code.size() >= kMaxOperations)
    throw Unsupported(function_.at, std::string(function_.name),
                      "the kernel has more than " + std::to_string(kMaxOperations) + " operations");
  Instr& i = p.code.emplace_back();
  i.op = static_cast<std::uint16_t>(op);
  i.index = static_cast<std::uint32_t>(p.code.size()) - 1;
  InstrInfo info;
  if (now_ != nullptr) {
    info.location = kernel_.location(now_->location);
    info.ptx_line = now_->at.line;
  }
  if (!p.blocks.empty()) info.block = static_cast<std::uint32_t>(p.blocks.size()) - 1;
  p.info.push_back(info);
  return i;
}

Slot Lowering::scratch(unsigned bits) {
  const Slot s = align_up(frame_bytes_, 64);
  frame_bytes_ = s + (bits == 1 ? 64 : bits <= 32 ? 4 * kLanes : 8 * kLanes);
  return s;
}

Slot Lowering::local_address(std::uint64_t offset, bool wide) {
  const Slot d = scratch(wide ? 64 : 32);
  Instr& i = emit(Op::local_address);
  i.d = d;
  i.imm = offset;
  i.aux = wide;
  return d;
}

Slot Lowering::pool32(std::uint32_t value) {
  return kernel_.pool().add32(value);
}
Slot Lowering::pool64(std::uint64_t value) {
  return kernel_.pool().add64(value);
}
Slot Lowering::carry_flag() {
  return carry_;
}

std::uint32_t Lowering::list(const std::vector<Slot>& slots) {
  auto& lists = kernel_.program().operand_lists;
  const auto at = static_cast<std::uint32_t>(lists.size());
  lists.insert(lists.end(), slots.begin(), slots.end());
  return at;
}

std::uint64_t Lowering::symbol_value(std::string_view name, const ptx::Instruction* i, const Allocation** variable) {
  if (const auto it = local_offsets_.find(name); it != local_offsets_.end()) return it->second;
  if (const auto it = shared_variables_.find(name); it != shared_variables_.end())
    return kernel_.shared_offset(*it->second);
  std::uint32_t offset = 0;
  if (is_entry_parameter(name, &offset)) return offset;
  if (const ptx::Variable* v = kernel_.find_variable(name); v != nullptr) {
    if (v->space == ptx::Space::shared) return kernel_.shared_offset(*v);
    if (const Allocation* a = kernel_.symbols()(name); a != nullptr) {
      if (variable != nullptr) *variable = a;
      return a->base;
    }
  }
  if (const ptx::Function* f = kernel_.find_function(name); f != nullptr && !f->is_entry && !f->is_extern)
    return address_of(kernel_.module(), *f);
  if (i != nullptr) unsupported(*i, "the symbol " + std::string(name) + " is not defined in this module");
  throw std::out_of_range(std::string(name));
}

bool Lowering::is_entry_parameter(std::string_view name, std::uint32_t* offset) const {
  const auto it = entry_parameters_.find(name);
  if (it == entry_parameters_.end()) return false;
  *offset = it->second;
  return true;
}

const ParamRegion* Lowering::param_region(std::string_view name) const {
  const auto it = region_numbers_.find(name);
  return it == region_numbers_.end() ? nullptr : &regions_[it->second];
}

Slot Lowering::source(const ptx::Operand& o, ptx::Type type) {
  const unsigned bits = ptx::bits_of(type);
  if (bits > 64) unsupported(*now_, "128-bit registers");
  switch (o.kind) {
    case ptx::Operand::Kind::reg: {
      const Slot s = placement_.slots[o.reg];
      const unsigned have = slot_bits(function_.registers[o.reg].type);
      if (have > 64) unsupported(*now_, "128-bit registers");
      if (s == kNoSlot || have != slot_bits(type))
        unsupported(*now_, "operand " + std::string(function_.register_names[o.reg]) + " does not have the width of ." +
                               std::string(ptx::to_string(type)));
      return s;
    }
    case ptx::Operand::Kind::immediate: {
      std::uint64_t v = o.bits;
      using Literal = ptx::Operand::Literal;
      if (type == ptx::Type::f32) {
        if (o.literal == Literal::f64)
          v = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits)));
        else if (o.literal == Literal::integer)
          v = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits)));
      } else if (type == ptx::Type::f64) {
        if (o.literal == Literal::f32)
          v = std::bit_cast<std::uint64_t>(
              static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits))));
        else if (o.literal == Literal::integer)
          v = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits)));
      } else if (bits == 16 && o.literal != Literal::integer) {
        unsupported(*now_, "a floating-point literal for a 16-bit operand");
      }
      if (bits == 64) return pool64(v);
      if (bits < 32) v &= (1ull << std::max(8u, bits)) - 1;
      return pool32(static_cast<std::uint32_t>(v));
    }
    case ptx::Operand::Kind::special: {
      if (o.name == "WARP_SZ") return bits == 64 ? pool64(kLanes) : pool32(kLanes);
      const Special s = special_from(o.name);
      if (s == Special::none) unsupported(*now_, "special register " + std::string(o.name));
      if (is_clock(s)) kernel_.program().reads_clock = true;
      const Slot d = scratch(is_wide(s) && bits == 64 ? 64 : 32);
      if (bits == 64 && !is_wide(s)) unsupported(*now_, std::string(o.name) + " as a 64-bit operand");
      Instr& i = emit(Op::mov_special);
      i.d = d;
      i.imm = static_cast<std::uint64_t>(s);
      i.aux = bits == 64;
      return d;
    }
    case ptx::Operand::Kind::symbol:
    case ptx::Operand::Kind::label: {
      if (const auto it = local_offsets_.find(o.name); it != local_offsets_.end() && !function_.is_entry)
        return local_address(it->second + static_cast<std::uint64_t>(o.offset), bits == 64);
      const std::uint64_t v = symbol_value(o.name, now_) + static_cast<std::uint64_t>(o.offset);
      return bits == 64 ? pool64(v) : pool32(static_cast<std::uint32_t>(v));
    }
    default:
      unsupported(*now_, "an operand of this form");
  }
}

Slot Lowering::predicate_source(const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::immediate) {
    const Slot s = pool32(o.bits != 0 ? 0xffff'ffffu : 0);  // its first word serves as a predicate
    return s;
  }
  if (o.kind != ptx::Operand::Kind::reg || slot_bits(function_.registers[o.reg].type) != 1)
    unsupported(*now_, "a predicate is expected here");
  const Slot s = placement_.slots[o.reg];
  if (!o.negated) return s;
  const Slot d = scratch(1);
  Instr& i = emit(Op::not_predicate);
  i.d = d;
  i.a = s;
  return d;
}

Slot Lowering::destination(const ptx::Operand& o, ptx::Type type) {
  if (o.kind == ptx::Operand::Kind::sink) return scratch(slot_bits(type));
  if (o.kind != ptx::Operand::Kind::reg) unsupported(*now_, "a register is expected as destination");
  const unsigned have = slot_bits(function_.registers[o.reg].type);
  if (have != slot_bits(type) || have > 64)
    unsupported(*now_, "destination " + std::string(function_.register_names[o.reg]) + " does not have the width of ." +
                           std::string(ptx::to_string(type)));
  return placement_.slots[o.reg];
}

std::array<Slot, 2> Lowering::wide_register(const ptx::Operand& o, bool is_destination) {
  if (o.kind == ptx::Operand::Kind::sink && is_destination) return {scratch(64), scratch(64)};
  if (o.kind == ptx::Operand::Kind::immediate && !is_destination) return {pool64(o.bits), pool64(0)};
  if (o.kind != ptx::Operand::Kind::reg || ptx::bits_of(function_.registers[o.reg].type) != 128)
    unsupported(*now_, "a .b128 register is expected");
  const Slot low = placement_.slots[o.reg];
  return {low, low + 8 * kLanes};
}

Slot Lowering::predicate_destination(const ptx::Operand& o) {
  return destination(o, ptx::Type::pred);
}

}  // namespace judge::emulator::lower
