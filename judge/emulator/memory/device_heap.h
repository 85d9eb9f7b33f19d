#pragma once
// The heap of malloc() and free() in device code (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and
// Operations").
//
// One range of device addresses, with its data and shadow in a few large mappings, because a kernel may hold a hundred
// thousand blocks. Each block is an Allocation of its own in GlobalMemory, whose pointers lead into those mappings:
// bounds, use after free, reads of what was never written and races come out as for any other memory. Between blocks
// lie unused bytes. Addresses of freed blocks are used again only when the range has been handed out once, so that a
// late use of a freed block is recognised.

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "judge/emulator/memory/address_space.h"
#include "judge/emulator/memory/pages.h"

namespace judge::emulator {

class GlobalMemory;
struct Allocation;

class DeviceHeap {
 public:
  static constexpr std::uint64_t kDefaultLimit = 8u << 20;  // as CUDA has it

  explicit DeviceHeap(GlobalMemory& memory) : memory_(memory) {}

  // cudaLimitMallocHeapSize; takes effect until the first malloc, as in CUDA. False: too late.
  bool set_limit(std::uint64_t bytes);
  std::uint64_t limit() const { return limit_; }
  std::uint64_t bytes_in_use() const { return in_use_; }
  std::uint64_t blocks_in_use() const { return live_blocks_; }

  // nullptr: the heap is exhausted. `label` says whose it is in messages.
  Allocation* allocate(std::uint64_t bytes, std::string label);
  enum class Freed : std::uint8_t { yes, twice, unknown };
  Freed free(Address base);

  Address end() const { return base_ + span_; }

  void prepare_race_shadow(unsigned shift);
  void clear_race_shadow();
  void reset();

 private:
  std::uint64_t place(std::uint64_t bytes);  // offset in the range; UINT64_MAX: no room
  std::uint64_t gap(std::uint64_t from, std::uint64_t wanted) const;
  void forget_oldest();
  void point_shadow(Allocation& a) const;

  GlobalMemory& memory_;
  std::uint64_t limit_ = kDefaultLimit, in_use_ = 0, live_blocks_ = 0;
  Address base_ = 0;  // 0: no malloc yet
  std::uint64_t span_ = 0, next_ = 0, scan_ = 0;
  bool wrapped_ = false;  // next_ has reached the end once: room is found between blocks
  std::deque<Address> freed_;
  std::map<std::uint64_t, std::uint64_t> taken_;  // offset -> end, of live and remembered blocks
  Pages data_, init_, writes_, reads_;
  unsigned shadow_shift_ = 2;
};

}  // namespace judge::emulator
