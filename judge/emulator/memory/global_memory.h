#pragma once
// Device memory: allocations with their data, and shadow state per 4-byte word.
//
// Each allocation owns its pages, so that translation needs the allocation and a bounds check is part of it. Between
// allocations lie at least kGap unmapped addresses: an index that runs off one buffer does not land in the next.
//
// Shadow of an allocation:
//   init   one byte a word, bit i set when byte i of the word was written; absent once the whole allocation is written.
//   races  two 8-byte entries a unit (observe/race.h), allocated when a kernel first touches the allocation.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/emulator/memory/address_space.h"
#include "judge/emulator/memory/device_heap.h"
#include "judge/emulator/memory/pages.h"
#include "judge/emulator/memory/textures.h"

namespace judge::emulator {

enum class AllocationKind : std::uint8_t { device, managed, pinned, variable, constant, heap /* of device-side malloc */ };

struct Allocation {
  Address base = 0;
  std::uint64_t bytes = 0;
  AllocationKind kind = AllocationKind::device;
  bool freed = false;
  bool fully_initialized = false;  // init is not looked at
  bool tracked = false;            // this launch may write here, so its accesses leave race entries
  bool input = false;              // kernels are not to write here: Launcher records which line did
  std::string label, element_type;
  std::uint32_t element_bytes = 0;

  std::byte* data = nullptr;
  std::uint8_t* init = nullptr;           // (bytes + 3) / 4 entries: four bits "written", four "by the host program"
  std::uint64_t* write_shadow = nullptr;  // (bytes >> shadow_shift) + 1 entries
  std::uint64_t* read_shadow = nullptr;
  unsigned shadow_shift = 2;

  Pages data_pages, init_pages, write_pages, read_pages;

  bool contains(Address a, std::uint64_t n) const { return a >= base && n <= bytes && a - base <= bytes - n; }
};

inline constexpr std::uint8_t kWordWritten = 0x0f;
inline constexpr int kHostDataShift = 4;         // from a byte's "written" bit to its "by the host program" bit
inline constexpr int kPoisonByte = 0xff;         // as float and double: NaN
inline constexpr std::size_t kVectorSlack = 32;  // entries past the end that a 32-lane access may read

// What a person should be told about an address.
struct AddressDescription {
  const Allocation* allocation = nullptr;  // the one that contains it, or the nearest
  bool inside = false;
  std::string owner;                    // "x (float32[10007], 40028 bytes)"
  std::optional<std::int64_t> element;  // in units of the owner's element
  std::int64_t bytes_past_end = 0;      // > 0 past the end, < 0 before the start
};

class GlobalMemory {
 public:
  explicit GlobalMemory(std::uint64_t limit_bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  // nullptr: over the limit, or no address space left.
  Allocation* allocate(std::uint64_t bytes, AllocationKind kind, std::uint32_t align = 256);
  bool free(Address base);            // false: not the base of a live allocation
  Allocation* find(Address a) const;  // live or freed, containing a; nullptr
  // The live allocation that contains [a, a + bytes), nullptr otherwise.
  Allocation* find_live(Address a, std::uint64_t bytes) const;
  AddressDescription describe(Address a, std::uint32_t access_bytes) const;

  void mark_written(Allocation& in, std::uint64_t offset, std::uint64_t bytes);
  void mark_unwritten(Allocation& in, std::uint64_t offset, std::uint64_t bytes);
  bool is_written(const Allocation& in, std::uint64_t offset, std::uint64_t bytes) const;
  // The bytes were written by the host program. Whatever writes them later takes the mark away.
  void mark_host_data(Allocation& in, std::uint64_t offset, std::uint64_t bytes);
  bool is_host_data(const Allocation& in, std::uint64_t offset) const;  // one byte
  // Carries the state of source bytes over to a copy of them.
  void copy_written(Allocation& to, std::uint64_t to_offset, const Allocation& from, std::uint64_t from_offset,
                    std::uint64_t bytes);

  // For a launch: makes sure that tracked allocations have race entries at this granularity (shift 0, 1 or 2); finer
  // ones than before start empty.
  void prepare_race_shadow(unsigned shift);
  void track_all(bool tracked);
  // Tracks the allocation that holds a. False: a is not in one, although it may lie near one.
  bool track(Address a);
  void clear_race_shadow();

  DeviceHeap& heap() { return heap_; }
  const DeviceHeap& heap() const { return heap_; }

  int mapped_window_fd() const { return window_fd_; }
  std::uint64_t bytes_in_use() const { return in_use_; }
  std::uint64_t limit() const { return limit_; }
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  // Allocations from now on lie at other addresses and hold other contents than without a seed (0: none).
  void set_schedule_seed(std::uint64_t seed) { seed_ = seed; }
  TextureTable& textures() { return textures_; }
  void reset();  // forgets everything

  template <class Visitor>
  void for_each_live(Visitor&& visit) const {
    for (const auto& [base, a] : allocations_)
      if (!a->freed) visit(*a);
  }

 private:
  friend class DeviceHeap;
  Address reserve(std::uint64_t bytes) { return place(bytes, 4096); }  // a range of addresses; 0: none is left
  Allocation* adopt(std::unique_ptr<Allocation> a);
  Allocation* at(Address base) const;  // live or freed, beginning there; nullptr
  void forget(Address base) { allocations_.erase(base); }

  Address place(std::uint64_t bytes, std::uint32_t align);

  std::map<Address, std::unique_ptr<Allocation>> allocations_;
  std::uint64_t limit_, in_use_ = 0;
  std::uint64_t seed_ = 0, allocated_ = 0;  // allocated_: how many so far
  Address next_ = kDeviceBase, mapped_next_ = kMappedBase;
  int window_fd_ = -1;
  std::byte* window_ = nullptr;  // kMappedSpan bytes
  TextureTable textures_;
  DeviceHeap heap_{*this};
};

}  // namespace judge::emulator
