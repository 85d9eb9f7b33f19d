// Matrix products of a warp: mma, wmma.mma, movmatrix. Loads and stores of matrices are in matrix_access.cpp.
//
// Arithmetic (PTX ISA, "mma": precision is "at least" single for f16, bf16 and tf32, the order of the sum is open).
// Products of these types are exact in f64, and their sum with the accumulator is formed in f64 and rounded once, to
// nearest. Real tensor cores cut bits while they sum, so that their last bits differ, also from one GPU to the next.
// f64 is a chain of fused operations over k; integers are exact.

#include "judge/emulator/exec/matrix_access.h"
#include "judge/emulator/exec/matrix_operand.h"
#include "judge/emulator/exec/narrow.h"
#include "judge/emulator/exec/rounding.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator::JUDGE_ISA {

namespace {

using matrixop::Element;
using matrixop::Place;

constexpr unsigned kMaxSide = 32;   // m, n
constexpr unsigned kMaxDepth = 64;  // k, of everything but b1

// bits: the element in the low bits.
[[gnu::always_inline]] inline f64 number(Element type, u32 bits) {
  switch (type) {
    case Element::f16:
      return static_cast<f64>(F16::widen(bits & 0xffffu));
    case Element::bf16:
      return static_cast<f64>(BF16::widen(bits & 0xffffu));
    case Element::tf32:  // the low 13 bits of the register do not count
      return static_cast<f64>(f32_of(bits & 0xffffe000u));
    case Element::e5m2:  // the upper half of an f16
      return static_cast<f64>(F16::widen(bits << 8 & 0xff00u));
    case Element::e4m3: {
      const u32 exponent = bits >> 3 & 15, fraction = bits & 7;
      f64 v = exponent == 0 ? fraction / 512.0 : (8 + fraction) * static_cast<f64>(1u << exponent) / 1024.0;
      if (exponent == 15 && fraction == 7) v = __builtin_nan("");
      return bits & 0x80 ? -v : v;
    }
    default:
      return 0;
  }
}

[[gnu::always_inline]] inline s32 integer(Element type, u32 bits) {
  switch (type) {
    case Element::s8:
      return static_cast<s8>(bits);
    case Element::u8:
      return static_cast<s32>(bits & 0xff);
    case Element::s4:
      return static_cast<s32>(bits << 28) >> 28;
    case Element::u4:
      return static_cast<s32>(bits & 15);
    default:
      return 0;
  }
}

struct Registers {
  const Slot *d, *a, *b, *c;
};

// Operands of an instruction, one list after another.
struct Product {
  unsigned m, n, k;
  Element a, b, c, d;
  Registers r;

  Product(Warp& w, const Instr* i)
      : m(matrixop::rows(i->aux)),
        n(matrixop::columns(i->aux)),
        k(static_cast<unsigned>(i->imm >> 32)),
        a(matrixop::element(i->aux, matrixop::kAShift)),
        b(matrixop::element(i->aux, matrixop::kBShift)),
        c(matrixop::element(i->aux, matrixop::kCShift)),
        d(matrixop::element(i->aux, matrixop::kDShift)) {
    const Slot* list = state(w).worker->launch->program->operand_lists.data() + static_cast<u32>(i->imm);
    // D, A, B, C begin where the list's head says.
    r.d = list + 4;
    r.a = r.d + list[0];
    r.b = r.a + list[1];
    r.c = r.b + list[2];
  }
  unsigned a_registers() const { return m * k / (32 * matrixop::per_register(a)); }
  unsigned b_registers() const { return n * k / (32 * matrixop::per_register(b)); }
  unsigned accumulators() const { return m * n / 32; }
};

// A as rows of k, B as rows of n, both with a fixed pitch.
template <class T, class Convert>
[[gnu::always_inline]] inline void gather_factors(Warp& w, const Product& p, T* a, T* b, Convert convert) {
  const unsigned ea = matrixop::per_register(p.a), eb = matrixop::per_register(p.b);
  const unsigned bits_a = matrixop::bits_of(p.a), bits_b = matrixop::bits_of(p.b);
  for (unsigned r = 0; r < p.a_registers(); ++r) {
    const u32* from = lanes<u32>(w, p.r.a[r]);
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned e = 0; e < ea; ++e) {
        const Place at = matrixop::place_in_a(l, r, e, p.m, ea);
        a[at.row * kMaxDepth + at.column] = convert(p.a, from[l] >> (bits_a % 32 * e));
      }
  }
  for (unsigned r = 0; r < p.b_registers(); ++r) {
    const u32* from = lanes<u32>(w, p.r.b[r]);
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned e = 0; e < eb; ++e) {
        const Place at = matrixop::place_in_b(l, r, e, p.k, eb);
        b[at.row * kMaxSide + at.column] = convert(p.b, from[l] >> (bits_b % 32 * e));
      }
  }
}

// sum[row][column] of the products, eight columns at a time.
template <class T>
[[gnu::always_inline]] inline void multiply(const Product& p, const T* a, const T* b, T* sum) {
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; column += 8) {
      T s[8] = {};
      for (unsigned k = 0; k < p.k; ++k) {
        const T x = a[row * kMaxDepth + k];
        for (unsigned n = 0; n < 8; ++n) s[n] += x * b[k * kMaxSide + column + n];
      }
      for (unsigned n = 0; n < 8; ++n) sum[row * kMaxSide + column + n] = s[n];
    }
}

[[gnu::always_inline]] inline f64 accumulator(Warp& w, Element type, const Slot* list, unsigned i, unsigned lane) {
  if (type == Element::f32) return static_cast<f64>(lanes<f32>(w, list[i])[lane]);
  return static_cast<f64>(F16::widen(lanes<u32>(w, list[i / 2])[lane] >> (i % 2 * 16) & 0xffffu));
}

// All accumulators are read before the first result is written: they may be the same registers.
template <class Value>
[[gnu::always_inline]] inline void put_floats(Warp& w, const Product& p, unsigned count, Value value) {
  alignas(64) u32 out[kMaxSide * kMaxSide / kLanes][kLanes];
  for (unsigned i = 0; i < count; ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      const f64 x = value(i, l) + accumulator(w, p.c, p.r.c, i, l);
      out[i][l] = p.d == Element::f32 ? bits_of(canonical(static_cast<f32>(x)))
                                      : narrow<F16>(f32_of(static_cast<u32>(odd_f32_bits(bits_of(x)))));
    }
  const bool halves = p.d == Element::f16;
  for (unsigned r = 0; r < (halves ? count / 2 : count); ++r) {
    u32* to = lanes<u32>(w, p.r.d[r]);
    for (unsigned l = 0; l < kLanes; ++l) to[l] = halves ? out[2 * r][l] | out[2 * r + 1][l] << 16 : out[r][l];
  }
}

void floats(Warp& w, const Product& p) {
  alignas(64) f64 a[kMaxSide * kMaxDepth], b[kMaxDepth * kMaxSide], sum[kMaxSide * kMaxSide];
  gather_factors(w, p, a, b, [](Element type, u32 bits) { return number(type, bits); });
  multiply(p, a, b, sum);
  put_floats(w, p, p.accumulators(), [&](unsigned i, unsigned l) {
    const Place at = matrixop::place_in_c(l, i, p.m);
    return sum[at.row * kMaxSide + at.column];
  });
}

// m8n8k4 of f16: lanes 4q … 4q + 3 and 16 + 4q … 16 + 4q + 3 make product q ("Matrix Fragments for mma.m8n8k4 with
// .f16").
void quad_pairs(Warp& w, const Instr* i, const Product& p) {
  const bool column_a = (i->aux & matrixop::kColumnA) != 0, row_b = (i->aux & matrixop::kRowB) != 0;
  f64 a[4][8][4], b[4][4][8], sum[4][8][8];
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned pair = l / 4 % 4, upper = l / 16, own = l % 4 + 4 * upper;
    for (unsigned e = 0; e < 4; ++e) {
      const f64 x = number(Element::f16, lanes<u32>(w, p.r.a[e / 2])[l] >> (e % 2 * 16));
      const f64 y = number(Element::f16, lanes<u32>(w, p.r.b[e / 2])[l] >> (e % 2 * 16));
      (column_a ? a[pair][e + 4 * upper][l % 4] : a[pair][own][e]) = x;
      (row_b ? b[pair][l % 4][e + 4 * upper] : b[pair][e][own]) = y;
    }
  }
  for (unsigned q = 0; q < 4; ++q)
    for (unsigned m = 0; m < 8; ++m)
      for (unsigned n = 0; n < 8; ++n) {
        sum[q][m][n] = 0;
        for (unsigned k = 0; k < 4; ++k) sum[q][m][n] += a[q][m][k] * b[q][k][n];
      }
  // The layout of the accumulators depends on their type. Where C and D differ, each has its own.
  f64 c[4][8][8];
  const auto place = [](Element type, unsigned l, unsigned e) {
    const unsigned upper = l / 16;
    if (type == Element::f16) return Place{l % 4 + 4 * upper, e};
    return Place{(l & 1) + (e & 2) + 4 * upper, (e & 4) + (l & 2) + (e & 1)};
  };
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned e = 0; e < 8; ++e) {
      const Place at = place(p.c, l, e);
      c[l / 4 % 4][at.row][at.column] = accumulator(w, p.c, p.r.c, e, l);
    }
  for (unsigned l = 0; l < kLanes; ++l) {
    u32 out[8];
    for (unsigned e = 0; e < 8; ++e) {
      const Place at = place(p.d, l, e);
      const f64 x = sum[l / 4 % 4][at.row][at.column] + c[l / 4 % 4][at.row][at.column];
      out[e] = p.d == Element::f32 ? bits_of(canonical(static_cast<f32>(x)))
                                   : narrow<F16>(f32_of(static_cast<u32>(odd_f32_bits(bits_of(x)))));
    }
    if (p.d == Element::f32)
      for (unsigned e = 0; e < 8; ++e) lanes<u32>(w, p.r.d[e])[l] = out[e];
    else
      for (unsigned e = 0; e < 4; ++e) lanes<u32>(w, p.r.d[e])[l] = out[2 * e] | out[2 * e + 1] << 16;
  }
}

void put_integers(Warp& w, const Product& p, const s32* sum, bool saturate) {
  alignas(64) u32 out[kMaxSide * kMaxSide / kLanes][kLanes];
  for (unsigned i = 0; i < p.accumulators(); ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_c(l, i, p.m);
      s64 x = s64{sum[at.row * kMaxSide + at.column]} + lanes<s32>(w, p.r.c[i])[l];
      if (saturate) x = x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
      out[i][l] = static_cast<u32>(x);
    }
  for (unsigned i = 0; i < p.accumulators(); ++i) {
    u32* to = lanes<u32>(w, p.r.d[i]);
    for (unsigned l = 0; l < kLanes; ++l) to[l] = out[i][l];
  }
}

void integers(Warp& w, const Instr* i, const Product& p) {
  alignas(64) s32 a[kMaxSide * kMaxDepth], b[kMaxDepth * kMaxSide], sum[kMaxSide * kMaxSide];
  gather_factors(w, p, a, b, [](Element type, u32 bits) { return integer(type, bits); });
  multiply(p, a, b, sum);
  put_integers(w, p, sum, (i->aux & matrixop::kSaturate) != 0);
}

// b1: one word of 32 bits stands where other types have one element.
void single_bits(Warp& w, const Instr* i, const Product& p) {
  alignas(64) s32 sum[kMaxSide * kMaxSide];
  u32 a[16][8], b[8][8];
  for (unsigned r = 0; r < p.a_registers(); ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_a(l, r, 0, p.m, 1);
      a[at.row][at.column] = lanes<u32>(w, p.r.a[r])[l];
    }
  for (unsigned r = 0; r < p.b_registers(); ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_b(l, r, 0, p.k / 32, 1);
      b[at.row][at.column] = lanes<u32>(w, p.r.b[r])[l];
    }
  const bool both = (i->aux & matrixop::kAnd) != 0;
  for (unsigned m = 0; m < p.m; ++m)
    for (unsigned n = 0; n < p.n; ++n) {
      s32 count = 0;
      for (unsigned k = 0; k < p.k / 32; ++k) count += __builtin_popcount(both ? a[m][k] & b[k][n] : a[m][k] ^ b[k][n]);
      sum[m * kMaxSide + n] = count;
    }
  put_integers(w, p, sum, false);
}

void doubles(Warp& w, const Instr* i, const Product& p) {
  const auto mode = static_cast<Rounding>(i->aux >> matrixop::kRoundingShift & 7);
  constexpr unsigned kMost = 16 * 8;  // m16n8k16 is the largest shape
  alignas(64) f64 a[16][16], b[16][8], x[kMost], y[kMost], sum[kMost];
  for (unsigned r = 0; r < p.a_registers(); ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_a(l, r, 0, p.m, 1);
      a[at.row][at.column] = lanes<f64>(w, p.r.a[r])[l];
    }
  for (unsigned r = 0; r < p.b_registers(); ++r)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_b(l, r, 0, p.k, 1);
      b[at.row][at.column] = lanes<f64>(w, p.r.b[r])[l];
    }
  for (unsigned e = 0; e < p.accumulators(); ++e)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_c(l, e, p.m);
      sum[at.row * 8 + at.column] = lanes<f64>(w, p.r.c[e])[l];
    }
  for (unsigned k = 0; k < p.k; ++k) {
    for (unsigned m = 0; m < p.m; ++m)
      for (unsigned n = 0; n < 8; ++n) {
        x[m * 8 + n] = a[m][k];
        y[m * 8 + n] = b[k][n];
      }
    for (unsigned at = 0; at < p.m * 8; at += kLanes) compute<Operation::fma>(mode, x + at, y + at, sum + at, sum + at);
  }
  for (unsigned e = 0; e < p.accumulators(); ++e)
    for (unsigned l = 0; l < kLanes; ++l) {
      const Place at = matrixop::place_in_c(l, e, p.m);
      lanes<f64>(w, p.r.d[e])[l] = sum[at.row * 8 + at.column];
    }
}

}  // namespace

JUDGE_OP(mma) {
  const Instr* next = nullptr;
  if (!gather_warp(state(w), i, &next)) return next;
  const Product p(w, i);
  if ((i->aux & matrixop::kQuadPairs) != 0) {
    quad_pairs(w, i, p);
    return i + 1;
  }
  switch (p.a) {
    case Element::f64:
      doubles(w, i, p);
      break;
    case Element::b1:
      single_bits(w, i, p);
      break;
    case Element::s8:
    case Element::u8:
    case Element::s4:
    case Element::u4:
      integers(w, i, p);
      break;
    default:
      floats(w, p);
      break;
  }
  return i + 1;
}

JUDGE_OP(movmatrix) {
  const Instr* next = nullptr;
  if (!gather_warp(state(w), i, &next)) return next;
  // Row and column of an 8 x 8 matrix change places: lane l holds elements 2 (l % 4) and the next of row l / 4.
  const u32* a = lanes<u32>(w, i->a);
  u32 out[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned row = l / 4, column = l % 4 * 2, shift = row % 2 * 16;
    out[l] = (a[column * 4 + row / 2] >> shift & 0xffffu) | (a[(column + 1) * 4 + row / 2] >> shift & 0xffffu) << 16;
  }
  u32* d = lanes<u32>(w, i->d);
  for (unsigned l = 0; l < kLanes; ++l) d[l] = out[l];
  return i + 1;
}

JUDGE_OP(ldmatrix) {
  return load_matrices(state(w), i);
}
JUDGE_OP(stmatrix) {
  return store_matrices(state(w), i);
}
JUDGE_OP(wmma_load) {
  return load_fragment(state(w), i);
}
JUDGE_OP(wmma_store) {
  return store_fragment(state(w), i);
}

}  // namespace judge::emulator::JUDGE_ISA
