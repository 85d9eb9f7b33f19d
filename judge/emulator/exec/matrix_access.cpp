// How this works. Every access goes through check_access, like any load or store: bounds, alignment, what was written,
// races, counters. ldmatrix and stmatrix are one request of 16 bytes for each lane that gives an address. A wmma
// fragment is moved one register at a time: 32 lanes want a word each where a register's elements are neighbours in
// memory; where they are not, the words that hold them, one element after another.

#include "judge/emulator/exec/matrix_access.h"

#include <bit>
#include <cstring>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/matrix_operand.h"

namespace judge::emulator {

namespace {

using matrixop::Element;
using matrixop::Fragment;
using matrixop::Place;
using matrixop::Tile;

constexpr unsigned kRowBytes = 16;  // of an 8 x 8 matrix of b16

const Instr* report_partial_warp(WarpState& w, const Instr* i, std::uint32_t missing) {
  Fault f;
  f.kind = FaultKind::sync_mask;
  const int lane = std::countr_zero(missing);
  f.message = "a matrix instruction needs all 32 lanes of the warp, and lane " + std::to_string(lane) +
              ((w.live >> lane & 1) != 0 ? " does not take part"
                                         : " has exited, or the block has too few threads to fill the warp");
  report(w, i, std::move(f), std::countr_zero(w.mask), true);
  return nullptr;
}

const Slot* operands(const WarpState& w, std::uint32_t at) {
  return w.worker->launch->program->operand_lists.data() + at;
}

// One access of all lanes, wherever each of them points.
template <class Visit>
bool access(WarpState& w, const Instr* i, const std::uint64_t* addresses, std::uint32_t mask, std::uint32_t bytes,
            const std::byte* value, Visit visit) {
  LaneAccess a;
  a.bytes = bytes;
  a.kind = value != nullptr ? AccessKind::write : AccessKind::read;
  for (std::uint32_t todo = mask; todo != 0;) {
    if (!next_space(w, i, addresses, todo, a) || !check_access(w, i, a, value)) return false;
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(m));
      visit(l, a.host[l]);
    }
  }
  return true;
}

Place place(const Tile& t, unsigned lane, unsigned r, unsigned e) {
  switch (t.fragment) {
    case Fragment::a:
      return matrixop::place_in_a(lane, r, e, t.rows, per_register(t.element));
    case Fragment::b:
      return matrixop::place_in_b(lane, r, e, t.rows, per_register(t.element));
    default:
      return matrixop::place_in_c(lane, r * per_register(t.element) + e, t.rows);
  }
}

// Registers that hold different elements.
unsigned distinct_registers(const Tile& t) {
  return t.rows * t.columns / (32 * per_register(t.element));
}

// Whether the elements of one register lie side by side in memory.
bool packed_in_memory(const Tile& t) {
  return per_register(t.element) == 1 || t.column_major == (t.fragment == Fragment::b);
}

struct FragmentAddresses {
  std::uint64_t base[kLanes];
  std::uint64_t stride[kLanes];  // in elements
  unsigned bits;

  std::uint64_t of(const Tile& t, unsigned lane, unsigned r, unsigned e) const {
    const Place p = place(t, lane, r, e);
    const std::uint64_t element = t.column_major ? p.column * stride[lane] + p.row : p.row * stride[lane] + p.column;
    return base[lane] + element * bits / 8;
  }
};

FragmentAddresses fragment_addresses(WarpState& w, const Instr* i, const Tile& t) {
  FragmentAddresses f;
  f.bits = matrixop::bits_of(t.element);
  gather_addresses(w, i, f.base);
  for (int l = 0; l < kLanes; ++l)
    f.stride[l] = i->b != kNoSlot ? slot<std::uint32_t>(w, i->b)[l] : t.column_major ? t.rows : t.columns;
  return f;
}

}  // namespace

bool gather_warp(WarpState& w, const Instr* i, const Instr** next) {
  // Lanes of this group whose guard does not hold will not come: they are here already.
  const std::uint32_t absent = (w.groups[w.current].mask | ~w.live) & ~w.mask;
  if (absent != 0) {
    *next = report_partial_warp(w, i, absent);
    return false;
  }
  std::uint32_t members[kLanes];
  for (auto& m : members) m = 0xffff'ffffu;
  return gather_lanes(w, i, members, next);
}

const Instr* load_matrices(WarpState& w, const Instr* i) {
  const Instr* next = nullptr;
  if (!gather_warp(w, i, &next)) return next;
  const unsigned count = i->c & 15;
  const bool transpose = (i->c & matrixop::kTranspose) != 0;
  const Slot* d = operands(w, i->d);
  std::uint64_t addresses[kLanes];
  gather_addresses(w, i, addresses);
  std::uint16_t element[4][8][8];
  const std::uint32_t rows = count == 4 ? 0xffff'ffffu : (1u << 8 * count) - 1;
  const bool ok = access(w, i, addresses, rows, kRowBytes, nullptr, [&](unsigned l, const std::byte* from) {
    std::memcpy(element[l / 8][l % 8], from, kRowBytes);
  });
  if (!ok) return nullptr;
  for (unsigned n = 0; n < count; ++n) {
    auto* to = slot<std::uint32_t>(w, d[n]);
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned row = l / 4, column = l % 4 * 2;
      const auto& m = element[n];
      const std::uint32_t low = transpose ? m[column][row] : m[row][column];
      const std::uint32_t high = transpose ? m[column + 1][row] : m[row][column + 1];
      to[l] = low | high << 16;
    }
  }
  return i + 1;
}

const Instr* store_matrices(WarpState& w, const Instr* i) {
  const Instr* next = nullptr;
  if (!gather_warp(w, i, &next)) return next;
  const unsigned count = i->c & 15;
  const bool transpose = (i->c & matrixop::kTranspose) != 0;
  const Slot* s = operands(w, i->d);
  std::uint64_t addresses[kLanes];
  gather_addresses(w, i, addresses);
  std::uint16_t element[4][8][8] = {};
  for (unsigned n = 0; n < count; ++n) {
    const auto* from = slot<std::uint32_t>(w, s[n]);
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned row = l / 4, column = l % 4 * 2;
      auto& m = element[n];
      (transpose ? m[column][row] : m[row][column]) = static_cast<std::uint16_t>(from[l]);
      (transpose ? m[column + 1][row] : m[row][column + 1]) = static_cast<std::uint16_t>(from[l] >> 16);
    }
  }
  std::byte value[32 * kLanes];
  for (unsigned l = 0; l < 8 * count; ++l) std::memcpy(value + 32 * l, element[l / 8][l % 8], kRowBytes);
  const std::uint32_t rows = count == 4 ? 0xffff'ffffu : (1u << 8 * count) - 1;
  return access(w, i, addresses, rows, kRowBytes, value, [](unsigned, std::byte*) {}) ? i + 1 : nullptr;
}

const Instr* load_fragment(WarpState& w, const Instr* i) {
  const Instr* next = nullptr;
  if (!gather_warp(w, i, &next)) return next;
  const Tile t = matrixop::unpack(i->c);
  const Slot* list = operands(w, i->d);
  const FragmentAddresses f = fragment_addresses(w, i, t);
  const unsigned distinct = distinct_registers(t), width = per_register(t.element), wide = f.bits == 64 ? 8 : 4;
  for (unsigned r = 0; r < distinct; ++r) {
    std::uint64_t addresses[kLanes], value[kLanes] = {};
    if (packed_in_memory(t)) {
      for (unsigned l = 0; l < kLanes; ++l) addresses[l] = f.of(t, l, r, 0);
      if (!access(w, i, addresses, 0xffff'ffffu, wide, nullptr,
                  [&](unsigned l, const std::byte* from) { std::memcpy(&value[l], from, wide); }))
        return nullptr;
    } else {
      const unsigned bytes = f.bits / 8;
      for (unsigned e = 0; e < width; ++e) {
        bool whole_words = true;
        for (unsigned l = 0; l < kLanes; ++l) {
          addresses[l] = f.of(t, l, r, e);
          whole_words &= f.base[l] % 4 == 0 && f.stride[l] * bytes % 4 == 0;
        }
        // Rows of a tile begin at words and have whole words: the rest of the word belongs to the tile too.
        std::uint64_t within[kLanes] = {};
        if (whole_words)
          for (unsigned l = 0; l < kLanes; ++l) {
            within[l] = addresses[l] & 3;
            addresses[l] -= within[l];
          }
        if (!access(w, i, addresses, 0xffff'ffffu, whole_words ? 4 : bytes, nullptr,
                    [&](unsigned l, const std::byte* from) {
                      std::uint64_t one = 0;
                      std::memcpy(&one, from + within[l], bytes);
                      value[l] |= one << (f.bits * e);
                    }))
          return nullptr;
      }
    }
    for (unsigned copy = r; copy < t.registers; copy += distinct)
      for (unsigned l = 0; l < kLanes; ++l) {
        if (wide == 8)
          slot<std::uint64_t>(w, list[copy])[l] = value[l];
        else
          slot<std::uint32_t>(w, list[copy])[l] = static_cast<std::uint32_t>(value[l]);
      }
  }
  return i + 1;
}

const Instr* store_fragment(WarpState& w, const Instr* i) {
  const Instr* next = nullptr;
  if (!gather_warp(w, i, &next)) return next;
  const Tile t = matrixop::unpack(i->c);
  const Slot* list = operands(w, i->d);
  const FragmentAddresses f = fragment_addresses(w, i, t);
  const unsigned wide = f.bits == 64 ? 8 : 4;
  const bool packed = packed_in_memory(t);
  const unsigned parts = packed ? 1 : per_register(t.element), bytes = packed ? wide : f.bits / 8;
  for (unsigned r = 0; r < distinct_registers(t); ++r) {
    for (unsigned e = 0; e < parts; ++e) {
      std::uint64_t addresses[kLanes];
      std::byte value[32 * kLanes];
      for (unsigned l = 0; l < kLanes; ++l) {
        addresses[l] = f.of(t, l, r, e);
        const std::uint64_t bits =
            wide == 8 ? slot<std::uint64_t>(w, list[r])[l] : slot<std::uint32_t>(w, list[r])[l] >> (f.bits % 32 * e);
        std::memcpy(value + 32 * l, &bits, 8);
      }
      if (!access(w, i, addresses, 0xffff'ffffu, bytes, value, [](unsigned, std::byte*) {})) return nullptr;
    }
  }
  return i + 1;
}

}  // namespace judge::emulator
