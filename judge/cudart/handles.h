#pragma once
// Streams and events exist only here: a launch runs to completion before the call returns, so a stream orders nothing
// more, and an event is the device's clock at the time it was recorded.

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "judge/cudart/api_call.h"

namespace judge::cudart {

struct Stream {
  unsigned flags = 0;
  int priority = 0;
};

struct Event {
  unsigned flags = 0;
  std::optional<std::uint64_t> nanoseconds;  // nothing: never recorded
};

// Handles are small numbers that look like low pointers, so a program that uses one as memory faults.
template <class Value, class Handle>
class HandleTable {
 public:
  Handle add(const Value& value) {
    const std::lock_guard lock(mutex_);
    next_ += 16;
    values_[next_] = value;
    return reinterpret_cast<Handle>(next_);
  }
  std::optional<Value> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  bool replace(Handle handle, const Value& value) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == values_.end()) return false;
    found->second = value;
    return true;
  }
  bool remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    return values_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    values_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, Value> values_;
  std::uintptr_t next_ = 0x1000;  // clear of cudaStreamLegacy (1) and cudaStreamPerThread (2)
};

class Streams : public HandleTable<Stream, cudaStream_t> {
 public:
  static Streams& get() { return immortal<Streams>(); }
  // The default streams are always there: null, cudaStreamLegacy, cudaStreamPerThread.
  static bool is_default(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  }
  bool valid(cudaStream_t stream) const { return is_default(stream) || find(stream).has_value(); }
};

class Events : public HandleTable<Event, cudaEvent_t> {
 public:
  static Events& get() { return immortal<Events>(); }
};

// Fails the call when the stream does not exist.
std::optional<cudaError_t> reject_stream(const ApiCall& call, cudaStream_t stream);

}  // namespace judge::cudart
