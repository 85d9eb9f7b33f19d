#include "judge/emulator/lower/registers.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>

namespace judge::emulator::lower {

namespace {

// Opcodes whose first operand is read. Everything else writes it; an opcode missing here only costs a slot.
bool reads_first_operand(std::string_view opcode) {
  static constexpr std::string_view kNames[] = {
      "st",      "red",     "bra",           "brx",      "ret",       "exit",     "trap",      "bar",
      "barrier", "membar",  "fence",         "prefetch", "prefetchu", "cp",       "nanosleep", "sust",
      "sured",   "discard", "applypriority", "call",     "wmma",      "mbarrier", "stmatrix",  "griddepcontrol",
      "brkpt",   "pmevent", "setmaxnreg",    "stackrestore"};
  return std::find(std::begin(kNames), std::end(kNames), opcode) != std::end(kNames);
}

struct Uses {
  std::vector<std::uint32_t> reads, writes;
};

void collect(const ptx::Operand& o, std::vector<std::uint32_t>& out) {
  switch (o.kind) {
    case ptx::Operand::Kind::reg:
      out.push_back(o.reg);
      break;
    case ptx::Operand::Kind::address:
      if (o.base_is_reg) out.push_back(o.reg);
      for (const auto& e : o.elements) collect(e, out);
      break;
    case ptx::Operand::Kind::vector:
    case ptx::Operand::Kind::pair:
      for (const auto& e : o.elements) collect(e, out);
      break;
    default:
      break;
  }
}

Uses uses_of(const ptx::Instruction& i) {
  Uses u;
  // A destination that the opcode also reads (tied operands, unknown opcodes) is covered by treating the destination of
  // those as read: only these well-known ones start a fresh lifetime.
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    // Of wmma only store reads its first operand.
    const bool writes = k == 0 && (i.opcode == "wmma" ? !i.has_modifier("store") : !reads_first_operand(i.opcode));
    collect(i.operands[k], writes ? u.writes : u.reads);
  }
  // bar.red and mbarrier.arrive write their first operand although the rest of their family reads it.
  if (!i.operands.empty() && (i.opcode == "bar" || i.opcode == "barrier" || i.opcode == "mbarrier"))
    collect(i.operands[0], u.writes);
  for (const auto& r : i.call_results) collect(r, u.writes);
  for (const auto& a : i.call_arguments) collect(a, u.reads);
  if (i.guard) {
    u.reads.push_back(*i.guard);
    // Lanes whose predicate is false keep the old value.
    u.reads.insert(u.reads.end(), u.writes.begin(), u.writes.end());
  }
  return u;
}

using Bits = std::vector<std::uint64_t>;
bool test(const Bits& b, std::uint32_t i) {
  return b[i / 64] >> (i % 64) & 1;
}
void set(Bits& b, std::uint32_t i) {
  b[i / 64] |= 1ull << (i % 64);
}

constexpr std::uint64_t kMaxLivenessWords = 16u << 20;
constexpr int kMaxRounds = 200;  // loops inside each other need one each

RegisterPlacement place_apart(const ptx::Function& f) {
  RegisterPlacement placement;
  placement.slots.resize(f.registers.size());
  std::uint64_t bytes = 0;
  for (const bool predicates : {false, true}) {  // these 4 bytes each, after the others, which must be aligned
    for (std::size_t r = 0; r < f.registers.size(); ++r) {
      const unsigned bits = slot_bits(f.registers[r].type);
      if ((bits == 1) != predicates) continue;
      placement.slots[r] = static_cast<Slot>(bytes);
      bytes += predicates ? 4 : std::uint64_t{bits / 8} * kLanes;
    }
  }
  placement.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes + 63) / 64 * 64, UINT32_MAX / 64 * 64));
  return placement;
}

}  // namespace

unsigned slot_bits(ptx::Type type) {
  const unsigned bits = ptx::bits_of(type);
  return bits == 1 ? 1 : bits <= 32 ? 32 : bits <= 64 ? 64 : bits;
}

RegisterPlacement place_registers(const ptx::Function& f, const FlowGraph& graph) {
  const std::uint32_t n = graph.body_size, blocks = graph.blocks();
  const auto registers = static_cast<std::uint32_t>(f.registers.size());
  std::vector<Uses> uses(n);
  for (std::uint32_t i = 0; i < n; ++i) uses[i] = uses_of(f.body[i]);

  // Liveness, backwards to a fixed point. A module made to be costly gets a slot for each register instead.
  const std::size_t words = (registers + 63) / 64;
  if (std::uint64_t{blocks} * words > kMaxLivenessWords) return place_apart(f);
  std::vector<Bits> live_in(blocks, Bits(words)), live_out(blocks, Bits(words)), use(blocks, Bits(words)),
      def(blocks, Bits(words));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::uint32_t i = graph.starts[b]; i < graph.end(b); ++i) {
      for (const auto r : uses[i].reads)
        if (!test(def[b], r)) set(use[b], r);
      for (const auto r : uses[i].writes) set(def[b], r);
    }
  }
  int rounds_left = kMaxRounds;
  for (bool changed = true; changed;) {
    if (--rounds_left == 0) return place_apart(f);
    changed = false;
    for (std::uint32_t b = blocks; b-- > 0;) {
      for (std::size_t k = 0; k < words; ++k) {
        std::uint64_t out = 0;
        for (const auto s : graph.next[b])
          if (s != graph.exit()) out |= live_in[s][k];
        const std::uint64_t in = use[b][k] | (out & ~def[b][k]);
        live_out[b][k] = out;
        if (in != live_in[b][k]) {
          live_in[b][k] = in;
          changed = true;
        }
      }
    }
  }

  // One interval a register: from its first to its last position at which it is live or named.
  struct Interval {
    std::uint32_t reg, first, last;
  };
  std::vector<std::uint32_t> first(registers, UINT32_MAX), last(registers, 0);
  const auto extend = [&](std::uint32_t r, std::uint32_t from, std::uint32_t to) {
    first[r] = std::min(first[r], from);
    last[r] = std::max(last[r], to);
  };
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t begin = graph.starts[b], end = graph.end(b);
    for (std::size_t k = 0; k < words; ++k) {
      for (std::uint64_t bits = live_in[b][k]; bits != 0; bits &= bits - 1)
        extend(static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(std::countr_zero(bits)), begin, begin);
      for (std::uint64_t bits = live_out[b][k]; bits != 0; bits &= bits - 1)
        extend(static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(std::countr_zero(bits)),
               end == 0 ? 0 : end - 1, end);
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      for (const auto r : uses[i].reads) extend(r, i, i);
      for (const auto r : uses[i].writes) extend(r, i, i);
    }
  }
  std::vector<Interval> intervals;
  for (std::uint32_t r = 0; r < registers; ++r)
    if (first[r] != UINT32_MAX) intervals.push_back({r, first[r], last[r]});
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.first != b.first ? a.first < b.first : a.reg < b.reg;
  });

  // Linear scan. A slot is free again only after the last position, never at it: one instruction may lower to several
  // operations, the first of which must not overwrite what a later one still reads.
  RegisterPlacement placement;
  placement.slots.assign(registers, kNoSlot);
  struct Class {
    unsigned bits;
    std::uint32_t stride;
    std::vector<Slot> free;
    std::vector<std::pair<std::uint32_t, Slot>> active;  // (last, slot)
  };
  Class classes[] = {{32, 4 * kLanes, {}, {}}, {64, 8 * kLanes, {}, {}}, {128, 16 * kLanes, {}, {}}};
  std::uint32_t bytes = 0;
  std::vector<std::uint32_t> predicates;
  for (const Interval& v : intervals) {
    const unsigned bits = slot_bits(f.registers[v.reg].type);
    if (bits == 1) {
      predicates.push_back(v.reg);
      continue;
    }
    Class& c = classes[bits == 128 ? 2 : bits == 64 ? 1 : 0];
    std::erase_if(c.active, [&](const auto& a) {
      if (a.first >= v.first) return false;
      c.free.push_back(a.second);
      return true;
    });
    Slot s;
    if (!c.free.empty()) {
      s = c.free.back();
      c.free.pop_back();
    } else {
      s = bytes;
      bytes += c.stride;
    }
    c.active.emplace_back(v.last, s);
    placement.slots[v.reg] = s;
  }
  for (const auto r : predicates) {  // 4 bytes each: sharing would gain nothing
    placement.slots[r] = bytes;
    bytes += 4;
  }
  placement.bytes = (bytes + 63) / 64 * 64;
  return placement;
}

}  // namespace judge::emulator::lower
