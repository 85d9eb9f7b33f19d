#include "harness.h"

#include <array>
#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/lower/lower.h"
#include "judge/emulator/ptx/module.h"

namespace ops_test {

using namespace judge::emulator;

namespace {

ptx::Module parse_one(const std::string& instruction) {
  return ptx::parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry test()\n{\n"
      ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n" +
      instruction + "\nret;\n}\n");
}

// Every register and scratch has 256 bytes of its own; constants lie in the pool.
class OneInstruction final : public lower::FunctionLowering {
 public:
  explicit OneInstruction(const ptx::Module& module) : module_(module) {
    lower::lower_arithmetic(function().body.at(0), *this);
  }

  Slot source(const ptx::Operand& o, ptx::Type type) override {
    if (o.kind == ptx::Operand::Kind::reg) return at(o.reg);
    if (o.kind != ptx::Operand::Kind::immediate) throw std::runtime_error("the harness knows registers and constants");
    const unsigned bits = ptx::bits_of(type);
    return constant(bits < 64 ? o.bits & ((std::uint64_t{1} << bits) - 1) : o.bits, bits == 64);
  }
  Slot predicate_source(const ptx::Operand& o) override {
    if (!o.negated) return at(o.reg);
    const Slot s = scratch(1);
    Instr& i = emit(Op::not_pred);
    i.d = s;
    i.a = at(o.reg);
    return s;
  }
  Slot destination(const ptx::Operand& o, ptx::Type) override {
    return o.kind == ptx::Operand::Kind::sink ? scratch(64) : at(o.reg);
  }
  Slot predicate_destination(const ptx::Operand& o) override { return destination(o, ptx::Type::pred); }
  std::array<Slot, 2> wide_register(const ptx::Operand&, bool) override {
    throw std::logic_error("the harness has no 128-bit registers");
  }
  Slot scratch(unsigned) override { return at(static_cast<std::uint32_t>(function().registers.size()) + scratch_++); }
  Slot pool32(std::uint32_t v) override { return constant(v, false); }
  Slot pool64(std::uint64_t v) override { return constant(v, true); }
  Slot carry_flag() override { return slot_of("p7"); }  // so that tests can see it
  Instr& emit(Op op) override {
    code_.emplace_back();
    code_.back().op = static_cast<std::uint16_t>(op);
    return code_.back();
  }
  [[noreturn]] void unsupported(const ptx::Instruction& i, const std::string& why) override {
    throw std::runtime_error(std::string(i.opcode) + ": " + why);
  }
  const ptx::Module& module() const override { return module_; }
  const ptx::Function& function() const override { return module_.functions.at(0); }

  static Slot at(std::uint32_t n) { return n * 256; }
  // A register that the instruction does not name gets a slot too.
  Slot slot_of(const std::string& name) {
    const auto& names = function().register_names;
    for (std::uint32_t n = 0; n < names.size(); ++n)
      if (names[n] == "%" + name) return at(n);
    const auto [it, is_new] = others_.try_emplace(name, 0);
    if (is_new) it->second = scratch(64);
    return it->second;
  }
  const std::vector<Instr>& code() const { return code_; }
  std::size_t frame_bytes() const { return (function().registers.size() + scratch_ + 1) * 256; }
  const std::vector<std::pair<std::uint64_t, bool>>& constants() const { return constants_; }

 private:
  Slot constant(std::uint64_t v, bool wide) {
    constants_.emplace_back(v, wide);
    return static_cast<Slot>((constants_.size() - 1) * 256) | kPoolBit;
  }

  const ptx::Module& module_;
  std::vector<Instr> code_;
  std::vector<std::pair<std::uint64_t, bool>> constants_;
  std::uint32_t scratch_ = 0;
  std::map<std::string, Slot> others_;
};

class Bytes {
 public:
  explicit Bytes(std::size_t n) : data_(static_cast<std::byte*>(::operator new (n, std::align_val_t{64}))) {
    std::memset(data_, 0xcd, n);
  }
  ~Bytes() { ::operator delete (data_, std::align_val_t{64}); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  std::byte* data() { return data_; }

 private:
  std::byte* data_;
};

std::uint64_t get(std::byte* base, Slot s, char kind, int lane) {
  if (kind == 'd') {
    std::uint64_t v;
    std::memcpy(&v, base + (s & ~kPoolBit) + 8 * lane, 8);
    return v;
  }
  std::uint32_t v;
  std::memcpy(&v, base + (s & ~kPoolBit) + (kind == 'p' ? 0 : 4 * lane), 4);
  return kind == 'p' ? v >> lane & 1 : v;
}

void put(std::byte* base, Slot s, char kind, int lane, std::uint64_t v) {
  std::byte* const p = base + (s & ~kPoolBit);
  if (kind == 'd') return void(std::memcpy(p + 8 * lane, &v, 8));
  auto word = static_cast<std::uint32_t>(v);
  if (kind != 'p') return void(std::memcpy(p + 4 * lane, &word, 4));
  std::memcpy(&word, p, 4);
  word = (word & ~(1u << lane)) | static_cast<std::uint32_t>(v & 1) << lane;
  std::memcpy(p, &word, 4);
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : judge::emulator::instruction_sets()) names.emplace_back(set.name);
  return names;
}

std::string refusal(const std::string& instruction) {
  const ptx::Module module = parse_one(instruction);
  try {
    OneInstruction lowered(module);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

Values evaluate(const std::string& instruction, const std::string& result, const std::vector<Input>& inputs) {
  const ptx::Module module = parse_one(instruction);
  OneInstruction lowered(module);
  std::size_t rows = inputs.empty() ? 1 : inputs[0].values.size();
  for (const auto& in : inputs)
    if (in.values.size() != rows) throw std::runtime_error("inputs of different lengths");
  const Slot out = lowered.slot_of(result);
  std::vector<Slot> slots;
  for (const auto& in : inputs) slots.push_back(lowered.slot_of(in.reg));
  Bytes frame(lowered.frame_bytes()), pool(lowered.constants().size() * 256 + 64);
  for (std::size_t c = 0; c < lowered.constants().size(); ++c)
    for (int l = 0; l < kLanes; ++l)
      put(pool.data(), static_cast<Slot>(c * 256), lowered.constants()[c].second ? 'd' : 'r', l,
          lowered.constants()[c].first);

  Values values(rows);
  bool first = true;
  for (const InstructionSet& t : judge::emulator::instruction_sets()) {
    for (const std::uint32_t mask : {0xffffffffu, 0x9d4b27a6u, 0x62b4d859u}) {
      for (std::size_t from = 0; from < rows; from += kLanes) {
        alignas(64) Warp w{};
        w.base[0] = frame.data();
        w.base[1] = pool.data();
        w.mask = mask;
        w.partial = mask != 0xffffffffu;
        for (int l = 0; l < kLanes; ++l) w.lanes.lane[l] = mask >> l & 1 ? 0xffffffffu : 0;
        const auto row = [&](int l) { return std::min(from + static_cast<std::size_t>(l), rows - 1); };
        for (int l = 0; l < kLanes; ++l)
          put(frame.data(), out, result[0], l, 0x5a5a5a5a5a5a5a5aull + static_cast<unsigned>(l));
        for (std::size_t k = 0; k < inputs.size(); ++k)
          for (int l = 0; l < kLanes; ++l) put(frame.data(), slots[k], inputs[k].reg[0], l, inputs[k].values[row(l)]);
        Values before(kLanes);
        for (int l = 0; l < kLanes; ++l) before[static_cast<std::size_t>(l)] = get(frame.data(), out, result[0], l);
        for (const Instr& i : lowered.code()) {
          const OpHandlers& h = t.table[i.op];
          if ((w.partial ? h.masked : h.full)(w, &i) != &i + 1) throw std::runtime_error("a handler went elsewhere");
        }
        for (int l = 0; l < kLanes; ++l) {
          const std::uint64_t v = get(frame.data(), out, result[0], l);
          if (!(mask >> l & 1)) {
            if (v != before[static_cast<std::size_t>(l)])
              throw std::runtime_error(instruction + ": " + t.name + " wrote an inactive lane");
            continue;
          }
          if (first)
            values[row(l)] = v;
          else if (values[row(l)] != v)
            throw std::runtime_error(instruction + ": " + t.name + " gives " + std::to_string(v) + " in row " +
                                     std::to_string(row(l)) + ", another " + std::to_string(values[row(l)]));
        }
      }
      first = false;
    }
  }
  return values;
}

}  // namespace ops_test
