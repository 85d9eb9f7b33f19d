#pragma once
// Asynchronous copies to shared memory, and the barriers that wait for them. async.cpp.
//
// How this works. cp.async reads global memory at once but writes nothing: the bytes are kept until the thread waits
// for them (wait_group, wait_all) or somebody waits at the mbarrier that they complete. Whoever reads the destination
// earlier finds the old bytes there, in words that count as not written, and is told so. Races of the copy itself are
// looked for twice: where it is issued, against what has been done to the destination, and where it completes.

#include <cstdint>
#include <vector>

#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

// One cp.async of one warp.
struct PendingCopy {
  const Instr* instr = nullptr;
  std::uint32_t mask = 0;   // lanes whose copy is not complete
  std::uint32_t bytes = 0;  // of one lane
  std::uint64_t sequence = 0;
  std::uint32_t group[kLanes];  // how many groups the lane had committed before
  std::uint64_t address[kLanes];
  std::byte data[32 * kLanes];
};

struct CopyQueue {                  // of one warp
  std::vector<PendingCopy> copies;  // in the order of their issue
  std::uint32_t committed[kLanes] = {};
  PendingCopy next;                     // between the two halves of cp.async
  std::vector<std::byte> bulk[kLanes];  // and of cp.async.bulk
};

struct PendingArrival {  // cp.async.mbarrier.arrive
  WarpState* warp = nullptr;
  const Instr* instr = nullptr;
  int lane = 0;
  std::uint64_t barrier = 0, sequence = 0;
};

struct PendingBulk {
  WarpState* warp = nullptr;
  const Instr* instr = nullptr;
  int lane = 0;
  std::uint64_t destination = 0, barrier = 0;
  std::vector<std::byte> data;
};

struct AsyncState {  // of one block
  std::vector<CopyQueue> warps;
  std::vector<PendingArrival> arrivals;
  std::vector<PendingBulk> bulk;
  std::uint64_t sequence = 0;
  std::uint32_t idle_tests = 0;  // of mbarriers that were not complete, since any mbarrier of the block changed
};

// The copy that will write this byte of shared memory and has not been waited for; nullptr: none.
struct PendingWriter {
  const Instr* instr = nullptr;
  ThreadId who;
};
PendingWriter pending_writer(const BlockState& block, std::uint64_t address);

const Instr* read_copy_source(WarpState& w, const Instr* i);  // cp.async, first half
const Instr* issue_copy(WarpState& w, const Instr* i);        // second half
const Instr* commit_copies(WarpState& w, const Instr* i);
const Instr* wait_for_copies(WarpState& w, const Instr* i);
const Instr* arrive_after_copies(WarpState& w, const Instr* i);
const Instr* read_bulk_source(WarpState& w, const Instr* i);
const Instr* issue_bulk(WarpState& w, const Instr* i);
const Instr* update_barrier(WarpState& w, const Instr* i);                         // mbarrier.init, arrive, …
const Instr* test_barrier(WarpState& w, const Instr* i, std::uint32_t* complete);  // mbarrier.test_wait, try_wait

}  // namespace judge::emulator
