#pragma once
// How a load, store or atomic is described in Instr: shared by lowering and the handlers.
//
//   a          slot of the base address (32 or 64 bits wide, see kAddress64), kNoSlot: absolute, imm is the address
//   imm        byte offset added to the base
//   d          ld, atom: destination; st: source. Vectors: index of the first operand in Program::operand_lists
//   b, c       atom: operands; of vectors and 128-bit types, like d: index of the first in Program::operand_lists
//              ld, st of shared memory: the access must stay within these offsets (0 and UINT32_MAX: anywhere)
//   aux        the fields below

#include <cstdint>

namespace judge::emulator::memop {

enum Space : std::uint32_t { generic, global, shared, local, constant, param };

inline constexpr std::uint32_t kSpaceMask = 7;
inline constexpr int kWidthShift = 3;       // log2 of the element's bytes: 0..4 (16 bytes: b128)
inline constexpr int kVectorShift = 6;      // log2 of the number of elements: 0..3
inline constexpr std::uint32_t kSigned = 1u << 9;       // sign-extend into the register
inline constexpr std::uint32_t kRegister64 = 1u << 10;  // the element's register is 64 bits wide
inline constexpr std::uint32_t kAddress64 = 1u << 11;
inline constexpr std::uint32_t kStrong = 1u << 12;      // volatile, relaxed, acquire, release: not a plain access
inline constexpr std::uint32_t kCounted = 1u << 13;     // ld.const from memory, as opposed to a kernel parameter
inline constexpr std::uint32_t kRegister16 = 1u << 14;  // the register has 16 bits (kept zero-extended in its slot)
inline constexpr std::uint32_t kCountsOne = 1u << 15;  // atom: adds the constant 1 and nobody reads the result
inline constexpr std::uint32_t kQuiet = 1u << 29;  // ld.shared: between the barriers around it nothing stores to shared memory
inline constexpr std::uint32_t kReleases = 1u << 30;  // a strong store or atomic that is a fence as well, before it
inline constexpr std::uint32_t kBeyondBlock = 1u << 31;  // with kReleases, and of a fence: the scope is more than the block
inline constexpr int kMergedShift = 16;                 // ld, st of shared memory: Merged, 2 bits
inline constexpr int kAtomShift = 16;                   // AtomOp
inline constexpr std::uint32_t kNoResult = 1u << 24;    // red, or atom whose result nobody reads
inline constexpr int kAtomTypeShift = 25;               // AtomType, 4 bits

inline constexpr std::uint32_t kOneLane = kCounted;    // atom (kCounted is a load's): ptxas lets one lane act for the warp

inline constexpr std::uint32_t kReadOnlyPath = kNoResult;  // ld (kNoResult is an atom's): ld.global.nc

// What ptxas makes of an access beside neighbouring ones (lower/assembler.h): how many bytes of a lane the hardware sees it
// take, or none because they come with another instruction's.
enum class Merged : std::uint32_t { no, into_8, into_16, with_another };

enum class AtomOp : std::uint32_t { add, min, max, and_, or_, xor_, exch, cas, inc, dec };
enum class AtomType : std::uint32_t { u32, s32, u64, s64, f32, f64, f16, bf16, f16x2, bf16x2, b16, b128 };

inline Space space_of(std::uint32_t aux) { return static_cast<Space>(aux & kSpaceMask); }
inline unsigned width_of(std::uint32_t aux) { return 1u << (aux >> kWidthShift & 7); }
inline unsigned vector_of(std::uint32_t aux) { return 1u << (aux >> kVectorShift & 3); }
inline Merged merged(std::uint32_t aux) { return static_cast<Merged>(aux >> kMergedShift & 3); }
// Of one lane, in the instruction that the hardware executes. Not with_another.
inline unsigned bytes_seen(std::uint32_t aux) {
  return merged(aux) == Merged::into_16 ? 16u : merged(aux) == Merged::into_8 ? 8u : width_of(aux) * vector_of(aux);
}
inline AtomOp atom_op(std::uint32_t aux) { return static_cast<AtomOp>(aux >> kAtomShift & 15); }
inline AtomType atom_type(std::uint32_t aux) { return static_cast<AtomType>(aux >> kAtomTypeShift & 15); }

}  // namespace judge::emulator::memop
