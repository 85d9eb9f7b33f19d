#pragma once
// Who knows of whose accesses, beyond what barriers order: hand-over through fences and atomics.
//
// How this works. Kernels that contain a fence, or an acquire or release operation, carry this account; others do not
// need it. Every warp counts ticks: one at each block barrier, __syncwarp and fence. Race entries of these kernels name
// the thread and its tick. A history tells for each tick of a warp how many barriers and __syncwarps lay before it.
//
// A fence covers what its thread did before it, and what barriers had ordered before that. A later strong write of that
// thread (an atomic, a volatile or relaxed store), or of another thread of its block behind a barrier, publishes the cover
// in the log of the address written. A strong read of the address learns the log so far; its whole warp knows it from then
// on, its block after the next barrier. What a publisher knows is inherited by those who learn from it. An access is
// ordered before the current one if a barrier lies between, or a cover that the current warp knows includes it
// (PTX ISA, "Memory Consistency Model": release and acquire patterns, causality order).
//
// Reads need no fence: a value that a thread reads and what it then stores strongly come before what the observer of that
// store writes, by way of the values themselves (PTX ISA, "Memory Consistency Model": no value out of thin air). So each
// strong write also publishes what its warp has read so far, and its block before the last barrier. In-place scans and
// compactions with decoupled look-back rest on this: their tiles' sums are handed on by relaxed stores alone.
//
// Where this is coarser than the model it lets a race pass, and never invents one: an acquire needs no fence of its own
// (many a textbook's last-block reduction has none), and knowledge belongs to warps, not to lanes.

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace judge::emulator {

class Ordering {
  struct Sync;
  using Knowledge = std::map<const Sync*, std::uint32_t>;  // how much of its log is known

 public:
  struct Epochs {
    std::uint32_t barrier = 0, warp = 0;  // block barriers so far; __syncwarps since the last one
    friend auto operator<=>(const Epochs&, const Epochs&) = default;
  };

  // One running block's part.
  class Block {
   public:
    void block_barrier();
    void warp_barrier(std::uint32_t warp);
    std::uint32_t tick(std::uint32_t warp) const { return static_cast<std::uint32_t>(history_->at(warp).size()) - 1; }
    // The first tick since the block's last barrier.
    std::uint32_t first_tick(std::uint32_t warp) const { return warps_[warp].first_tick; }
    // `lanes` of a warp execute a fence. Begins a new tick.
    void fence(std::uint32_t warp, std::uint32_t lanes, bool beyond_block);
    // A strong write (publish) or read (learn) of one thread.
    void publish(std::uint32_t thread, std::uint64_t address);
    void learn(std::uint32_t thread, std::uint64_t address);
    // The instruction that published is over: what the warp reads from now on was not published by it. Begins a new tick,
    // unless the warp has had many.
    void end_publishing(std::uint32_t warp);
    // Whether what `thread` of `block` did in `tick`, a read or a write, comes before what this warp does now.
    bool is_ordered(std::uint32_t warp, std::uint64_t block, std::uint32_t thread, std::uint32_t tick, bool read) const;
    // Whether anything was learned: if not, only barriers can have ordered anything.
    bool has_learned(std::uint32_t warp) const { return !knows_.empty() || !warps_[warp].knows.empty(); }

   private:
    friend class Ordering;
    struct Fenced {  // by one thread: the tick after its last fence; 0: none
      std::uint32_t beyond_block = 0, any = 0;
    };
    struct LastFences {  // by any thread of a group: the epochs of the last fence, and of the last in an earlier epoch
      bool has_last = false, has_previous = false;
      Epochs last, previous;
      void add(Epochs at);
      // The epochs up to which fences made before `now` cover the group: all before the result.
      Epochs cover(Epochs now, bool by_barrier) const;
    };
    struct Warp {
      std::uint32_t first_tick = 0;
      Knowledge knows;
      LastFences beyond_block, any;
    };
    bool publish_reads(Sync& s, std::uint32_t warp, std::uint32_t position);
    Epochs now(std::uint32_t warp) const { return history_->at(warp).back(); }
    void begin_tick(std::uint32_t warp, Epochs epochs) { history_->at(warp).push_back(epochs); }

    Ordering* all_ = nullptr;
    std::uint64_t number_ = 0;
    std::uint32_t barriers_ = 0;
    std::vector<std::vector<Epochs>>* history_ = nullptr;
    std::vector<Warp> warps_;
    std::vector<Fenced> fenced_;
    LastFences beyond_block_, any_;
    Knowledge knows_;
  };

  // nullptr: too many blocks to keep account of; then nothing can be said.
  Block* begin_block(std::uint64_t number, std::uint32_t warps);
  void end_block(std::uint64_t number);
  bool has_begun(std::uint64_t number) const { return histories_.count(number) != 0; }

 private:
  struct Cover {
    std::uint32_t ticks = 0;     // of the thread itself: ticks below
    Epochs warp;                 // of its warp: epochs below
    std::uint32_t barriers = 0;  // of its block: barrier epochs below
    bool empty() const { return ticks == 0 && barriers == 0 && warp == Epochs{}; }
    friend bool operator==(const Cover&, const Cover&) = default;
  };
  struct Entry {
    std::uint32_t position = 0;  // among all that was published here
    std::uint32_t thread = 0;
    Cover beyond_block, any;
  };
  struct Inherited {
    std::uint32_t at = 0;  // positions from here on know it
    std::uint32_t length = 0;
  };
  using Inheritance = std::map<const Sync*, std::vector<Inherited>>;
  struct Reads {
    std::uint32_t position = 0;
    std::uint32_t below = 0;  // ticks of a warp, or barrier epochs of a block
  };
  struct Sync {
    std::uint32_t length = 0;
    std::vector<Entry> log;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_block;  // places in the log, ascending
    std::unordered_map<std::uint64_t, std::uint32_t> last_of_thread;         // block and thread -> place
    std::unordered_map<std::uint64_t, std::vector<Reads>> reads_of_warp;     // by block and warp; ascending
    std::unordered_map<std::uint64_t, std::vector<Reads>> reads_of_block;
    Inheritance inherited, inherited_reads;  // the latter without a fence too
  };
  // What was published by a position below `length`.
  static std::uint32_t reads_below(const std::vector<Reads>& steps, std::uint32_t length);
  using History = std::vector<std::vector<Epochs>>;  // by warp, by tick

  std::map<std::uint64_t, Block> running_;
  std::unordered_map<std::uint64_t, History> histories_;
  std::unordered_map<std::uint64_t, Sync> syncs_;
  bool complete_ = true;
  std::size_t reads_kept_ = 0;
  bool reads_complete_ = true;
};

}  // namespace judge::emulator
