#pragma once
// What the record tells about streams: which copies could run while a kernel runs.
//
// How this works. The emulator finishes every operation before its call returns, so nothing overlaps here. What a GPU
// may do at the same time follows from CUDA's rules of order alone (CUDA C++ Programming Guide, "Streams"):
//   - operations of one stream run one after another
//   - an operation of the default stream waits for all earlier ones of other streams, and later ones wait for it;
//   streams
//     made with cudaStreamNonBlocking take no part in this
//   - cudaStreamWaitEvent makes a stream wait for what had been issued to the event's stream when it was recorded
//   - what the program issues after it waited (a synchronisation, cudaFree, a copy that is not asynchronous) comes
//   after
//     what it waited for
// Two operations that these rules leave unordered could overlap. The order is kept as vector clocks: for each
// operation, how many operations of every stream are known to be done before it begins.

#include <cstdint>
#include <vector>

#include "judge/device/record.h"

namespace judge::device {

struct Overlap {
  std::uint64_t streams = 0;           // other than the default one, in which a copy or a kernel ran
  std::uint64_t async_copy_bytes = 0;  // between pinned host memory and the device, by an asynchronous call
  std::uint64_t overlapped_bytes = 0;  // of these: copies that some kernel of another stream is unordered with
  std::uint64_t unwaited_copies = 0;   // asynchronous copies to the host that no synchronisation of the host waited for
  // Copies that are unordered with an earlier one of the same memory, where one of the two writes it.
  std::uint64_t clashing_copies = 0;
};

// Streams beyond kMaxStreams are treated as the default stream, which orders more and so counts less.
inline constexpr std::size_t kMaxStreams = 64;

Overlap overlap_of(const std::vector<Operation>& operations);

}  // namespace judge::device
