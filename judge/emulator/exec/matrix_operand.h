#pragma once
// How matrix instructions are described in Instr, and where the elements of their fragments lie: shared by lowering and
// the handlers.
//
// Fragments. The PTX ISA draws a picture for each shape of mma ("Matrix Fragments for mma.m16n8k16 …"); they are one
// pattern. Lane l has g = l / 4 and t = l % 4. A 32-bit register (64-bit for f64) holds E neighbours along k: 1 tf32 or
// f64, 2 halves, 4 bytes, 8 nibbles, 32 bits. Register r holds, for e = 0 … E - 1,
//   A (m x k):  row g + 8 (r mod m/8), column t E + e + 4 E (r div m/8)
//   B (k x n):  row t E + e + 4 E (r mod k/4E), column g + 8 (r div k/4E)
// and of the accumulators, counted in elements i (two to a register for f16),
//   C (m x n):  row g + 8 (i/2 mod m/8), column 2 t + i mod 2 + 8 (i/2 div m/8).
// wmma leaves the layout open; the same pattern serves, which is also what sm_75 and newer do for m16n16k16. Its
// fragments of f16 have 16 elements whatever the shape needs: what is left over repeats the first registers.

#include <cstdint>

namespace judge::emulator::matrixop {

// Always inlined: code of one instruction set must not be the copy that the others link to.

enum class Element : std::uint32_t { f16, bf16, tf32, f64, s8, u8, s4, u4, b1, e4m3, e5m2, f32, s32 };

[[gnu::always_inline]] constexpr inline unsigned bits_of(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::s4:
    case Element::u4:
      return 4;
    case Element::b1:
      return 1;
    default:
      return 8;
  }
}

// Neighbours along k in one register.
[[gnu::always_inline]] constexpr inline unsigned per_register(Element e) {
  return e == Element::f64 ? 1 : 32 / bits_of(e);
}

// mma and wmma.mma. Instr: imm = index into Program::operand_lists of D's registers, then A's, B's, C's | k << 32; aux
// as follows.
inline constexpr int kAShift = 0, kBShift = 4, kCShift = 8, kDShift = 12;  // Element
inline constexpr int kRowsShift = 16, kColumnsShift = 18;                  // log2 of m/8, n/8
inline constexpr std::uint32_t kSaturate = 1u << 20;                       // .satfinite: clamp to s32
inline constexpr std::uint32_t kAnd = 1u << 21;                            // b1: popc(a & b) instead of popc(a ^ b)
inline constexpr int kRoundingShift = 22;                                  // arithmetic::Rounding, f64
// m8n8k4 of f16 has four products, one for each pair of quads, and layouts that depend on how A and B are stored.
inline constexpr std::uint32_t kQuadPairs = 1u << 25, kColumnA = 1u << 26, kRowB = 1u << 27;

[[gnu::always_inline]] constexpr inline Element element(std::uint32_t aux, int shift) {
  return static_cast<Element>(aux >> shift & 15);
}
[[gnu::always_inline]] constexpr inline unsigned rows(std::uint32_t aux) {
  return 8u << (aux >> kRowsShift & 3);
}
[[gnu::always_inline]] constexpr inline unsigned columns(std::uint32_t aux) {
  return 8u << (aux >> kColumnsShift & 3);
}

// wmma.load and wmma.store. Instr: a, imm, aux as in memory_operand.h; b = slot of the stride in elements or kNoSlot; d
// = index into Program::operand_lists; c = what follows.
enum class Fragment : std::uint32_t { a, b, accumulator };
struct Tile {
  Fragment fragment;
  Element element;
  bool column_major;
  unsigned rows, columns;  // of this matrix: A is m x k, B is k x n, C is m x n
  unsigned registers;      // operands listed
};
[[gnu::always_inline]] constexpr inline std::uint32_t pack(const Tile& t) {
  return static_cast<std::uint32_t>(t.fragment) | static_cast<std::uint32_t>(t.element) << 2 |
         static_cast<std::uint32_t>(t.column_major) << 6 | t.registers << 7 | t.rows << 12 | t.columns << 20;
}
[[gnu::always_inline]] constexpr inline Tile unpack(std::uint32_t c) {
  return {static_cast<Fragment>(c & 3),
          static_cast<Element>(c >> 2 & 15),
          (c >> 6 & 1) != 0,
          c >> 12 & 0xff,
          c >> 20 & 0xfff,
          c >> 7 & 31};
}

struct Place {
  unsigned row, column;
};
[[gnu::always_inline]] constexpr inline Place place_in_a(unsigned lane, unsigned r, unsigned e, unsigned m,
                                                         unsigned width) {
  return {lane / 4 + 8 * (r % (m / 8)), lane % 4 * width + e + 4 * width * (r / (m / 8))};
}
[[gnu::always_inline]] constexpr inline Place place_in_b(unsigned lane, unsigned r, unsigned e, unsigned k,
                                                         unsigned width) {
  const unsigned along = k / (4 * width);
  return {lane % 4 * width + e + 4 * width * (r % along), lane / 4 + 8 * (r / along)};
}
[[gnu::always_inline]] constexpr inline Place place_in_c(unsigned lane, unsigned i, unsigned m) {
  return {lane / 4 + 8 * (i / 2 % (m / 8)), 2 * (lane % 4) + i % 2 + 8 * (i / 2 / (m / 8))};
}

// ldmatrix, stmatrix. Instr: a, imm, aux as in memory_operand.h; d = index into Program::operand_lists; c = number of
// matrices | kTranspose.
inline constexpr std::uint32_t kTranspose = 16;

}  // namespace judge::emulator::matrixop
