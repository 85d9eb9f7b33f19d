// Atomic operations: read, modify, write, one lane after another (PTX ISA, "atom"). Where an address is and whether it
// may be touched is decided in access.cpp.

#include <bit>
#include <cstring>

#include "judge/emulator/exec/access.h"

namespace judge::emulator {

namespace {

using memop::AtomOp;
using memop::AtomType;

template <class T>
T apply(AtomOp op, T old, T b, T c) {
  switch (op) {
    case AtomOp::add:
      return static_cast<T>(old + b);
    case AtomOp::min:
      return b < old ? b : old;
    case AtomOp::max:
      return b > old ? b : old;
    case AtomOp::and_:
      return static_cast<T>(old & b);
    case AtomOp::or_:
      return static_cast<T>(old | b);
    case AtomOp::xor_:
      return static_cast<T>(old ^ b);
    case AtomOp::exch:
      return b;
    case AtomOp::cas:
      return old == b ? c : old;
    case AtomOp::inc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomOp::dec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
  return old;
}

// A subnormal becomes zero of its sign.
float flushed(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7f80'0000u) == 0 ? std::bit_cast<float>(bits & 0x8000'0000u) : x;
}

struct Half {
  static float widen(std::uint16_t x) {
    const std::uint32_t sign = static_cast<std::uint32_t>(x & 0x8000) << 16, magnitude = x & 0x7fffu;
    if (magnitude < 0x400)  // subnormal: a multiple of 2^-24
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f) | sign);
    const std::uint32_t rebias = magnitude < 0x7c00 ? 112u << 23 : 224u << 23;
    return std::bit_cast<float>(((magnitude << 13) + rebias) | sign);
  }
  // To nearest even. The sum of two halves is exact in float up to one rounding, and 24 bits are enough for this second
  // one to be harmless.
  static std::uint16_t narrow(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fff'ffff;
    if (magnitude >= 0x4780'0000) return static_cast<std::uint16_t>(sign | 0x7c00);  // 65536 and more
    std::uint32_t half = 0;
    if (magnitude < 0x3880'0000) {  // below 2^-14: adding 0.5 rounds to multiples of 2^-24
      half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    } else {
      const std::uint32_t rebiased = magnitude - (112u << 23);
      half = (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
    }
    return static_cast<std::uint16_t>(sign | half);
  }
};

struct Bfloat {
  static float widen(std::uint16_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }
  static std::uint16_t narrow(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

// Minimum and maximum as min.f16 and max.f16 have them: a NaN loses against a number, and -0 lies below +0.
template <class Format>
std::uint16_t modify16(AtomOp op, std::uint16_t old, std::uint16_t b) {
  constexpr std::uint16_t kNan = 0x7fff;
  const float x = Format::widen(old), y = Format::widen(b);
  if (op == AtomOp::add) {
    const float sum = x + y;
    return sum != sum ? kNan : Format::narrow(sum);
  }
  if (x != x) return y != y ? kNan : b;
  if (y != y) return old;
  const bool old_is_less = x < y || (x == y && (old & 0x8000) != 0);
  return old_is_less == (op == AtomOp::min) ? old : b;
}

template <class Format>
std::uint32_t modify16x2(AtomOp op, std::uint32_t old, std::uint32_t b) {
  const std::uint32_t low = modify16<Format>(op, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
  const std::uint32_t high =
      modify16<Format>(op, static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16));
  return low | high << 16;
}

// atom.add.f32 flushes subnormal inputs and results on global memory and keeps them on shared memory (PTX ISA, "atom").
std::uint32_t add_f32(std::uint32_t old, std::uint32_t b, bool flushes) {
  float x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
  if (flushes) x = flushed(x), y = flushed(y);
  float sum = x + y;
  if (flushes) sum = flushed(sum);
  return sum != sum ? 0x7fff'ffffu : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t modify(AtomOp op, AtomType type, std::uint64_t old, std::uint64_t b, std::uint64_t c, bool flushes) {
  const auto o32 = static_cast<std::uint32_t>(old), b32 = static_cast<std::uint32_t>(b);
  const auto o16 = static_cast<std::uint16_t>(old), b16 = static_cast<std::uint16_t>(b);
  switch (type) {
    case AtomType::u32:
      return apply<std::uint32_t>(op, o32, b32, static_cast<std::uint32_t>(c));
    case AtomType::s32:
      if (op == AtomOp::add) return o32 + b32;
      return static_cast<std::uint32_t>(
          apply<std::int32_t>(op, static_cast<std::int32_t>(o32), static_cast<std::int32_t>(b32), 0));
    case AtomType::u64:
      return apply<std::uint64_t>(op, old, b, c);
    case AtomType::s64:
      if (op == AtomOp::add) return old + b;
      return static_cast<std::uint64_t>(
          apply<std::int64_t>(op, static_cast<std::int64_t>(old), static_cast<std::int64_t>(b), 0));
    case AtomType::f32:
      return add_f32(o32, b32, flushes);
    case AtomType::f64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
    case AtomType::f16:
      return modify16<Half>(op, o16, b16);
    case AtomType::bf16:
      return modify16<Bfloat>(op, o16, b16);
    case AtomType::f16x2:
      return modify16x2<Half>(op, o32, b32);
    case AtomType::bf16x2:
      return modify16x2<Bfloat>(op, o32, b32);
    case AtomType::b16:
      return apply<std::uint16_t>(op, o16, b16, static_cast<std::uint16_t>(c));
    case AtomType::b128:
      break;
  }
  return old;
}

std::uint64_t lane_value(WarpState& w, Slot s, int lane, unsigned width) {
  return width == 8 ? slot<std::uint64_t>(w, s)[lane] : slot<std::uint32_t>(w, s)[lane];
}

// exch and cas of 16 bytes; the operands are pairs of 64-bit halves.
void modify_pair(WarpState& w, const Instr* i, int lane, std::byte* at) {
  const Slot* lists = w.worker->launch->program->operand_lists.data();
  std::uint64_t old[2], b[2];
  std::memcpy(old, at, sizeof old);
  for (int k = 0; k < 2; ++k) b[k] = slot<std::uint64_t>(w, lists[i->b + static_cast<Slot>(k)])[lane];
  if (memop::atom_op(i->aux) == AtomOp::exch) {
    std::memcpy(at, b, sizeof b);
  } else if (old[0] == b[0] && old[1] == b[1]) {
    std::uint64_t c[2];
    for (int k = 0; k < 2; ++k) c[k] = slot<std::uint64_t>(w, lists[i->c + static_cast<Slot>(k)])[lane];
    std::memcpy(at, c, sizeof c);
  }
  if (i->d == kNoSlot) return;
  for (int k = 0; k < 2; ++k) slot<std::uint64_t>(w, lists[i->d + static_cast<Slot>(k)])[lane] = old[k];
}

}  // namespace

const Instr* atomic(WarpState& w, const Instr* i) {
  const unsigned width = memop::width_of(i->aux), vector = memop::vector_of(i->aux);
  const AtomOp op = memop::atom_op(i->aux);
  const AtomType type = memop::atom_type(i->aux);
  const Slot* lists = w.worker->launch->program->operand_lists.data();
  const auto element = [&](Slot s, unsigned v) { return vector > 1 ? lists[s + v] : s; };
  alignas(64) std::uint64_t generic[kLanes];
  gather_addresses(w, i, generic);
  release(w, i);
  LaneAccess a;
  a.bytes = width * vector;
  a.kind = AccessKind::atomic;
  a.unread = (i->aux & memop::kNoResult) != 0;
  for (std::uint32_t todo = w.mask; todo != 0;) {
    if (!next_space(w, i, generic, todo, a) || !check_access(w, i, a, nullptr)) return nullptr;
    const bool flushes = a.space == memop::global;
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if (type == AtomType::b128) {
        modify_pair(w, i, l, a.host[l]);
        continue;
      }
      for (unsigned v = 0; v < vector; ++v) {
        std::byte* at = a.host[l] + v * width;
        std::uint64_t old = 0;
        std::memcpy(&old, at, width);
        const std::uint64_t b = lane_value(w, element(i->b, v), l, width);
        const std::uint64_t c = i->c == kNoSlot ? 0 : lane_value(w, element(i->c, v), l, width);
        const std::uint64_t now = modify(op, type, old, b, c, flushes);
        std::memcpy(at, &now, width);
        if (i->d != kNoSlot)
          put_register(w, element(i->d, v), l, reinterpret_cast<const std::byte*>(&old), width, i->aux);
      }
    }
  }
  return i + 1;
}

}  // namespace judge::emulator
