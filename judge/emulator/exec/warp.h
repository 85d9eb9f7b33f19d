#pragma once
// The state of running warps and blocks.
//
// A warp is a set of groups of lanes. The lanes of a group share one program counter; divergence splits a group, and groups
// that meet at the same place (same instruction, same call stack) merge. Of the groups that can run, the deepest in calls
// with the lowest program counter runs first, which makes diverged lanes wait for the others where paths join; a group that
// has run long while others wait gives way, so that a lane spinning on a lock held by another lane of its warp makes
// progress (independent thread scheduling).
//
// A worker (one per core) runs blocks one after another. A warp runs until all its lanes wait or have exited. A block that
// runs too long is set aside and others are started: blocks that wait for each other make progress too.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/lower/program.h"
#include "judge/emulator/memory/global_memory.h"
#include "judge/emulator/observe/counters.h"
#include "judge/emulator/observe/fault.h"
#include "judge/emulator/observe/ordering.h"

namespace judge::emulator {

struct ReturnFrame {
  std::uint32_t site;        // index into Program::calls
  std::uint32_t function;    // the caller
  std::uint32_t frame;       // the caller's frame, byte offset
  std::uint32_t local;       // the caller's local memory, byte offset
  std::uint32_t taken;       // by the caller's alloca
  const Instr* next;
  // Where lanes took different amounts they may still go on together.
  friend bool operator==(const ReturnFrame& a, const ReturnFrame& b) {
    return a.site == b.site && a.function == b.function && a.frame == b.frame && a.local == b.local && a.next == b.next;
  }
};

enum class GroupState : std::uint8_t { ready, barrier, lanes /* waits for lanes named in a membermask */ };

struct Group {
  std::uint32_t mask = 0;
  GroupState state = GroupState::ready;
  const Instr* pc = nullptr;       // next instruction; a waiting group's own barrier or *_sync instruction
  std::uint32_t function = 0, frame = 0, local = 0;
  std::uint32_t taken = 0;         // local memory that alloca took in this activation
  std::uint32_t members = 0;       // state lanes: whom it waits for
  std::uint64_t last_run = 0;
  std::vector<ReturnFrame> calls;
};

struct BlockState;
struct BlockStorage;
struct AsyncState;
struct Worker;

// What the first of several loads from one base register found out about it, for those that follow in its basic block.
struct SharedBase {
  std::uint64_t shape = 0;  // AccessPattern::id of the register's 32 values; 0: not known
  std::uint32_t first = 0;  // lane 0's
};

struct WarpState : Warp {
  // Groups; groups[current] is running while the interpreter loop is in this warp.
  std::vector<Group> groups;
  std::uint32_t current = 0;
  std::uint32_t live = 0;          // lanes that have not exited
  std::uint32_t index = 0;         // in the block
  std::uint32_t skipped_barrier = 0;  // lanes that passed a branch around a barrier since their last barrier
  std::uint32_t turns = 0;         // scheduling decisions since the last forced change of group
  std::uint32_t slice = 0;         // decisions for which fairness keeps the current group
  std::uint64_t clock = 0;
  const Instr* poll = nullptr;     // the last strong load, what it read, and how often in a row
  std::uint64_t poll_value = 0;
  std::uint32_t polls = 0;

  std::uint64_t shared_stamp = 0;  // race::SharedLayout entry of lane 0 without the instruction
  std::uint64_t global_stamp = 0;
  std::uint32_t warp_epoch = 0;

  BlockState* block = nullptr;
  Worker* worker = nullptr;
  std::byte* frames = nullptr;     // register file: frames of the call stack, one after another
  std::uint32_t frames_bytes = 0;
  std::byte* local = nullptr;      // lane l at l * local_stride
  std::uint8_t* local_init = nullptr;  // one byte per byte
  std::uint32_t local_stride = 0;
  SharedBase shared_bases[kSharedBases];
  alignas(64) std::uint32_t thread[3][kLanes];
};

struct BlockState {
  std::uint64_t linear = 0;
  std::uint32_t index[3] = {0, 0, 0};
  std::vector<WarpState*> warps;
  std::uint32_t live_warps = 0;
  std::uint32_t threads = 0;
  std::uint32_t next_warp = 0;
  std::uint32_t barrier_epoch = 0;
  bool skipped_barrier = false;    // a thread exited after passing by a barrier
  ThreadId skipper;
  // Shared memory of this block.
  std::byte* shared = nullptr;
  std::uint64_t* shared_writes = nullptr;  // race entries, also "written" for the initialisation check
  std::uint64_t* shared_reads = nullptr;
  std::uint64_t shared_epoch = 0;       // current, shifted into place
  std::uint64_t shared_born = 0;        // epoch in which the block began: lower entries are from earlier blocks
  std::int64_t written_begin = 0, written_end = 0;  // bytes of shared memory that are known to be written
  std::uint32_t written_tries = 0;      // left, at making that longer
  Ordering::Block* order = nullptr;     // kernels with fences: who knows of whose accesses
  std::uint32_t arrived[16] = {};       // threads that came by bar.arrive
  std::uint64_t passes = 0;             // over its warps, where a schedule seed orders them
  std::uint32_t rounds = 0;             // since it last ran undisturbed
  std::unique_ptr<struct BlockStorage> storage;
  std::shared_ptr<AsyncState> async;  // copies on their way; nullptr until the first
};

// Counts of one instruction with a memory access, one worker.
struct AccessCounts {
  std::uint64_t contiguous = 0;    // 32 lanes, 32 neighbouring words: aligned to a sector (global) or anywhere (shared)
  std::uint64_t straddling = 0;    // the same, not aligned to a sector: one more sector
  // Everything else, counted in full.
  std::uint64_t executions = 0;    // warps with an active lane
  std::uint64_t sectors = 0;       // global, local
  std::uint64_t bytes = 0;         // asked for by active lanes
  std::uint64_t wavefronts = 0;    // shared; constant: different words that the lanes want
  std::uint64_t conflicts = 0;     // shared
};

struct AccessPattern;

struct AccessCache {               // of an instruction's last access
  Allocation* allocation = nullptr;  // where it went
  AccessPattern* pattern = nullptr;  // what it looked like (exec/pattern.h)
};

struct BlockCounts {               // of a basic block
  std::uint64_t warps = 0, threads = 0;
};

struct FaultKey {
  FaultKind kind;
  std::uint32_t instr, other;
  friend bool operator==(const FaultKey&, const FaultKey&) = default;
};

struct RecordedFault {
  FaultKey key;
  std::uint64_t block;             // linear, for a stable order
  std::uint64_t sequence;
  Fault fault;
};

struct DevicePrint {
  std::uint64_t block;
  std::string text;
};

struct alignas(64) BlockRange {
  std::atomic<std::uint64_t> next{0};
  std::uint64_t end = 0;
};

class AccessTrace;

// What all workers of a launch share.
struct LaunchContext {
  const Program* program = nullptr;
  GlobalMemory* memory = nullptr;
  const OpHandlers* ops = nullptr;
  AccessTrace* trace = nullptr;    // of a launch that records accesses
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t block_threads = 1, block_warps = 1;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  const std::byte* parameters = nullptr;
  std::uint64_t launch_epoch = 1, last_epoch = 1;  // race::GlobalLayout, not shifted; 1..255
  std::uint64_t schedule_seed = 0;
  std::atomic<std::uint64_t> stop_at{UINT64_MAX};  // blocks from here on need not run: an earlier one died
  std::atomic<bool> out_of_steps{false};           // or out of time
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::uint64_t blocks = 1;
  std::uint64_t max_running_blocks = 64;  // of one worker, when blocks wait for each other
  std::uint64_t grid_workspace = 0;       // of a cooperative launch
  std::uint64_t output_cap = 0;
  std::uint64_t clock_base = 0;    // ticks of earlier launches
  // One warp's register file and stack.
  std::uint32_t frames_bytes = 0;
  std::uint32_t local_stride = 0;
  // What workers write all the time lies apart from what every access reads.
  alignas(64) std::atomic<std::int64_t> steps_left{0};  // warp instructions
  // One for each worker: neighbouring blocks go to one core, and with them the pages that they touch first. Whoever has
  // finished its own takes from the others.
  std::vector<BlockRange> ranges;
};

struct alignas(64) Worker {
  LaunchContext* launch = nullptr;
  std::size_t range = 0;                // in LaunchContext::ranges: where it takes blocks from
  std::vector<AccessCounts> accesses;   // by instruction
  std::vector<BlockCounts> block_counts;
  std::vector<std::uint64_t> divergences;  // by instruction
  std::vector<AccessCache> caches;  // by instruction
  std::vector<std::unique_ptr<AccessPattern>> patterns;
  std::vector<RecordedFault> faults;
  std::vector<DevicePrint> prints;
  std::uint64_t printed_bytes = 0;
  bool output_truncated = false;
  std::uint64_t fault_sequence = 0;
  std::int64_t steps = 0;               // warp instructions left of the share taken from LaunchContext::steps_left
  std::uint64_t shared_epoch = 1;       // not shifted
  std::uint64_t shapes_learnt = 0;
  std::uint64_t slept_ticks = 0;        // of the clock, beside instructions
  std::int64_t steps_taken = 0;         // all shares so far: taken - left is the clock that kernels read
  bool dead = false;                    // the running block's kernel died
  bool preempted = false;               // a warp of the running block used up its share
  bool polled = false;                  // a warp of the running block waits for memory to change
  std::vector<std::unique_ptr<BlockStorage>> free_storage;
  Ordering ordering;                    // kernels with fences
  Worker();
  AccessPattern* new_pattern();
  ~Worker();
};


inline WarpState& state(Warp& w) { return static_cast<WarpState&>(w); }

// scheduler.cpp. All return the instruction to go on with, nullptr when the warp cannot go on now.
void set_mask(WarpState& w, std::uint32_t mask);
const Instr* reconverge(WarpState& w, const Instr* at);          // at a block start while other groups exist
const Instr* diverge(WarpState& w, std::uint32_t taken, const Instr* target, const Instr* fall_through);
const Instr* exit_lanes(WarpState& w);                           // the current group's lanes exit
const Instr* call_function(WarpState& w, const Instr* i);
const Instr* return_from(WarpState& w, const Instr* i);
const Instr* arrive_at_barrier(WarpState& w, const Instr* i);
// Whether the current group holds every live lane that any of its lanes names in `members` (one mask a lane); otherwise it
// is made to wait, or the kernel dies, and *next says how to go on.
bool gather_lanes(WarpState& w, const Instr* i, const std::uint32_t* members, const Instr** next);
// A *_sync operation with a guard: `lanes` of the current group execute it, the others are past it at once.
const Instr* gather_apart(WarpState& w, const Instr* i, std::uint32_t lanes);
const Instr* sleep_lanes(WarpState& w, const Instr* i, std::uint32_t ns);  // nanosleep
const Instr* take_steps(WarpState& w, const Instr* at);          // the share of steps is used up
void note_poll(WarpState& w, const Instr* i);                    // after a strong load of one element
const Instr* stop_warp(WarpState& w);                            // after a fault that ends the kernel

// device_print.cpp
const Instr* print(WarpState& w, const Instr* i);
const Instr* fail_assertion(WarpState& w, const Instr* i);

// heap.cpp
const Instr* allocate_on_heap(WarpState& w, const Instr* i);
const Instr* free_on_heap(WarpState& w, const Instr* i);

// stack.cpp: memory that a function takes while it runs
std::uint64_t stack_top(const WarpState& w);  // offset in local memory
const Instr* allocate_on_stack(WarpState& w, const Instr* i);
const Instr* restore_stack(WarpState& w, const Instr* i);

// report_fault.cpp
ThreadId thread_id(const WarpState& w, int lane);
void report(WarpState& w, const Instr* i, Fault fault, int lane, bool ends_kernel, std::uint32_t other_instr = 0xffff'ffff);

// Out of line also because the handlers, built once per instruction set, must not bring along Fault's own functions.
const Instr* report_trap(WarpState& w, const Instr* i);
// A lane whose value was asked for does not take part: what hardware returns is undefined.
void report_absent_source(WarpState& w, const Instr* i, int lane, int from);

void run_blocks(LaunchContext& launch, Worker& worker);          // until none is left

}  // namespace judge::emulator
