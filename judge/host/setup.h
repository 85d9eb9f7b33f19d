#pragma once
// What the judge tells the host runner, and what the runner answers, on descriptor kJudgeFd (SOCK_SEQPACKET).
//
// The judge sends one datagram: SetupHeader, `arguments` times SetupArgument, `scalar_bytes` bytes of scalars, the
// library's path. For a program the scalars are its argv, each ended by a NUL, and there are no arguments. The runner
// answers with HostMessages. After the submission is loaded any of its code may write HostMessages too, so the judge
// takes them as hints and believes the kernel and the device.

#include <cstddef>
#include <cstdint>

#include "judge/channel/protocol.h"

namespace judge::host {

inline constexpr int kJudgeFd = channel::kJudgeFd;
inline constexpr int kBuffersFd = 7;  // memory with the arguments that live on the host

inline constexpr std::uint32_t kSetupMagic = 0x4a485332;    // "JHS2"
inline constexpr std::uint32_t kMessageMagic = 0x4a484d31;  // "JHM1"
inline constexpr std::size_t kMaxSetupBytes = 64 * 1024;
inline constexpr std::uint32_t kMaxArguments = 256;
inline constexpr int kExitLostJudge = 97;  // the runner could not tell the judge that the entry returned

enum class ArgumentKind : std::uint32_t { scalar = 0, device = 1, host = 2 };

enum class RunMode : std::uint32_t {
  entry = 0,   // judge_entry(void** args), then wait to be killed
  program = 1  // main(argc, argv, envp), then exit as a program does
};

struct SetupHeader {
  std::uint32_t magic = kSetupMagic;
  RunMode mode = RunMode::entry;
  std::uint32_t arguments = 0;
  std::uint32_t scalar_bytes = 0;
  std::uint32_t library_bytes = 0;
};

// scalar: `value` is its offset among the scalars, `bytes` its size. device: `value` is the address that the entry
// gets. host: the pages [region_offset, region_offset + region_bytes) of the buffers' memory are mapped between two
// pages without access, and the entry gets the address of the byte at data_offset of the region. Zero region_bytes:
// null.
struct SetupArgument {
  ArgumentKind kind = ArgumentKind::scalar;
  std::uint32_t bytes = 0;
  std::uint64_t value = 0;
  std::uint64_t region_offset = 0;
  std::uint64_t region_bytes = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t writable = 0;  // 0: mapped read-only, so that a write through a cast-away const shows
};

enum class MessageKind : std::uint32_t {
  setup_failed = 1,  // text: what; our fault, never after `loading`
  loading = 2,       // the last message that is certainly ours: the library is loaded next
  load_failed = 3,   // text: the loader's sentence
  returned = 4,
  fault = 5,    // value: address of a memory fault, from the signal handler
  uncaught = 6  // text: type and what() of an exception that nothing caught; abort() follows
};

struct HostMessage {
  std::uint32_t magic = kMessageMagic;
  MessageKind kind{};
  std::uint64_t value = 0;
  char text[1008] = {};
};
static_assert(sizeof(HostMessage) == 1024);

}  // namespace judge::host
