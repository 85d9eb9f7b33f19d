#pragma once
// What a kernel did wrong, as data: kind, source line, thread, address, and whose memory that address is.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace judge::emulator {

// X(enumerator, "stable name used in JSON")
#define JUDGE_FAULT_KINDS(X)                                                                    \
  X(out_of_bounds, "an address outside every allocation, in a guard zone, or past an array")    \
  X(use_after_free, "an address inside memory that was freed")                                  \
  X(invalid_free, "free of memory that malloc did not give, or of the same memory twice")       \
  X(misaligned, "an address that is not a multiple of the access width")                        \
  X(wrong_space, "an address of one space used through another")                                \
  X(host_pointer, "a host address used in a kernel")                                            \
  X(null_pointer, "an address below the first page")                                            \
  X(read_only, "a write to constant memory or to a kernel parameter")                           \
  X(uninitialized_read, "a read of memory that nothing has written")                            \
  X(race, "two threads, one of them writing, with nothing that orders them")                    \
  X(barrier_divergence, "a barrier that part of a block or of a warp cannot reach")             \
  X(sync_mask, "a *_sync operation that names a lane which is not there, or is not named")      \
  X(trap, "the kernel executed trap")                                                           \
  X(assertion, "a device assert failed")                                                        \
  X(stack_overflow, "device call stack or heap exhausted")                                      \
  X(step_limit, "more instructions than the step limit allows")                                 \
  X(illegal_instruction, "an instruction the hardware refuses, e.g. a jump to no function")

enum class FaultKind : std::uint8_t {
#define X(name, meaning) name,
  JUDGE_FAULT_KINDS(X)
#undef X
};
std::string_view to_string(FaultKind kind);                          // "out_of_bounds", …
std::optional<FaultKind> fault_kind_from(std::string_view name);     // the inverse; nullopt when unknown

enum class MemorySpace : std::uint8_t { generic, global, shared, local, constant, param };
std::string_view to_string(MemorySpace space);

enum class AccessKind : std::uint8_t { read, write, atomic };
std::string_view to_string(AccessKind kind);

// line and column count from 1; line 0: not known. `function` is the demangled device function.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string function;
};

struct ThreadId {
  std::array<std::uint32_t, 3> block{};   // blockIdx x, y, z
  std::array<std::uint32_t, 3> thread{};  // threadIdx x, y, z
};

struct FaultParty {  // the other side of a race
  SourceLocation where;
  ThreadId who;
  AccessKind access = AccessKind::write;
};

struct Fault {
  FaultKind kind{};
  std::string kernel;              // demangled name
  SourceLocation where;
  ThreadId who;
  MemorySpace space = MemorySpace::generic;
  AccessKind access = AccessKind::read;
  std::uint64_t address = 0;       // device address; for shared: byte offset in the block's shared memory
  std::uint32_t bytes = 0;         // width of the access
  std::string owner;               // whose memory: "x (float[10007], 40028 bytes)", "__shared__ tile", "" when nobody's
  std::optional<std::int64_t> element;  // index into the owner in units of its element; may be negative or past the end
  std::optional<FaultParty> other;
  std::string message;             // one sentence: what happened (no location; the report adds it)
  std::uint64_t occurrences = 1;   // same kind at the same line (and same other line)
  std::uint32_t threads_gone = 0;  // uninitialized_read of shared memory: threads of the block that had exited by then
};

}  // namespace judge::emulator
