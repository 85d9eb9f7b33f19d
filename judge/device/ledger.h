#pragma once
// The server's own account of one case: which memory is whose, and the plain list of what the host asked for. The
// device checks every address itself; the ledger is evidence (leaks, operations, errors) and protects the exercise's
// buffers.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "judge/device/device.h"

namespace judge::device {

enum class MemoryOwner : std::uint8_t { exercise, student, symbol };

struct OwnedMemory {
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  MemoryOwner owner = MemoryOwner::student;
  std::string name;    // of an exercise's buffer
  bool input = false;  // that the entry may only read
};

// Far above any exercise, and small enough that a host which allocates without end cannot fill the device process.
inline constexpr std::size_t kMaxLiveAllocations = 1u << 16;
inline constexpr std::size_t kMaxApiErrors = 16;
inline constexpr std::size_t kMaxUnsupported = 16;

struct HostCopy {  // a copy from host memory
  std::string call;
  CallSite call_site = 0;
};

class Ledger {
 public:
  explicit Ledger(Device& device) : device_(device) {}
  void clear();

  bool full() const { return memory_.size() >= kMaxLiveAllocations; }
  void add(Address address, OwnedMemory memory) { memory_[address] = std::move(memory); }
  void remove(Address address) { memory_.erase(address); }
  const OwnedMemory* at(Address address) const;      // an allocation that begins here
  const OwnedMemory* around(Address address) const;  // an allocation that holds this byte
  std::uint64_t leaked_bytes() const;                // device and managed memory the student has not freed

  void operation(const Operation& operation);
  // A copy may come in chunks: the first announces the whole, later ones announce 0. What is recorded is what came.
  void copy_chunk(const Operation& chunk, std::uint64_t announced);
  // A call of the host program wrote to [address, …): noted when that is a buffer of the exercise.
  void wrote(Address address, std::string_view call, bool from_host);
  const HostCopy* last_host_copy() const { return last_copy_ ? &*last_copy_ : nullptr; }
  const HostCopy* host_copy_into(Address buffer) const;  // the last one into the exercise's buffer that begins here
  // Of the call being served; errors and writes are recorded with it.
  void set_call_site(CallSite site) { call_site_ = site; }
  void error(std::string_view call, const Status& status, bool is_launch = false);
  void unsupported(const std::string& what);

 private:
  Device& device_;
  std::map<Address, OwnedMemory> memory_;
  std::uint64_t copy_bytes_to_come_ = 0;
  CallSite call_site_ = 0;
  std::optional<HostCopy> last_copy_;
  std::map<Address, HostCopy> copies_into_;
};

}  // namespace judge::device
