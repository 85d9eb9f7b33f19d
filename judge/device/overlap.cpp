#include "judge/device/overlap.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace judge::device {
namespace {

constexpr std::size_t kDefaultStream = 0;

// How many operations of each stream are done.
struct Clock {
  std::array<std::uint32_t, kMaxStreams> done{};
  void join(const Clock& other) {
    for (std::size_t s = 0; s < kMaxStreams; ++s) done[s] = std::max(done[s], other.done[s]);
  }
};

struct Placed {  // an operation that takes time on the device
  const Operation* operation = nullptr;
  std::size_t stream = 0;
  std::uint32_t position = 0;  // in its stream, from 1
  Clock before;                // what is done when it begins
};

bool is_transfer(const Operation& o) {
  return o.kind == OperationKind::copy_to_device || o.kind == OperationKind::copy_from_device ||
         o.kind == OperationKind::copy_to_symbol || o.kind == OperationKind::copy_from_symbol;
}

bool is_to_host(const Operation& o) {
  return o.kind == OperationKind::copy_from_device || o.kind == OperationKind::copy_from_symbol;
}

bool takes_time(const Operation& o) {
  return is_transfer(o) || o.kind == OperationKind::copy_on_device || o.kind == OperationKind::set ||
         o.kind == OperationKind::launch;
}

// Neither is known to be done when the other begins. `first` was issued before `second`.
bool unordered(const Placed& first, const Placed& second) {
  return second.before.done[first.stream] < first.position;
}

class Timeline {
 public:
  explicit Timeline(const std::vector<Operation>& operations) {
    for (const Operation& o : operations) take(o);
  }
  const std::vector<Placed>& placed() const { return placed_; }
  bool host_waited_for(const Placed& p) const { return waited_.done[p.stream] >= p.position; }

 private:
  std::size_t number_of(std::uint64_t handle) {
    if (handle == 0) return kDefaultStream;
    const auto known = numbers_.find(handle);
    if (known != numbers_.end()) return known->second;
    const std::size_t number = numbers_.size() + 1 < kMaxStreams ? numbers_.size() + 1 : kDefaultStream;
    return numbers_[handle] = number;
  }
  bool waits_for_default(std::size_t stream) const { return non_blocking_.count(stream) == 0; }

  // What the next operation of the stream has to wait for, the host's own order included.
  Clock begin_of(std::size_t stream) const {
    Clock clock = host_;
    clock.join(ends_[stream]);
    if (stream == kDefaultStream) {
      for (std::size_t s = 1; s < kMaxStreams; ++s)
        if (waits_for_default(s)) clock.join(ends_[s]);
    } else if (waits_for_default(stream)) {
      clock.join(ends_[kDefaultStream]);
    }
    return clock;
  }

  void run(const Operation& o) {
    Placed p{&o, number_of(o.stream), 0, {}};
    p.before = begin_of(p.stream);
    p.position = ++issued_[p.stream];
    ends_[p.stream] = p.before;
    ends_[p.stream].done[p.stream] = p.position;
    if (!o.asynchronous) wait_for(ends_[p.stream]);
    placed_.push_back(p);
  }

  void wait_for(const Clock& clock) {
    host_.join(clock);
    waited_.join(clock);
  }

  void take(const Operation& o) {
    if (takes_time(o)) return run(o);
    switch (o.kind) {
      case OperationKind::stream_create_non_blocking:
        if (const std::size_t stream = number_of(o.stream); stream != kDefaultStream) non_blocking_.insert(stream);
        return;
      case OperationKind::event_record:
        events_[o.event] = begin_of(number_of(o.stream));
        return;
      case OperationKind::stream_wait:
        ends_[number_of(o.stream)].join(events_[o.event]);
        return;
      case OperationKind::event_synchronize:
        wait_for(events_[o.event]);
        return;
      case OperationKind::stream_synchronize:
        wait_for(begin_of(number_of(o.stream)));
        return;
      case OperationKind::synchronize:
        for (const Clock& end : ends_) wait_for(end);
        return;
      case OperationKind::free:  // CUDA C++ Programming Guide: cudaFree waits for the device
        for (const Clock& end : ends_) host_.join(end);
        return;
      default:
        return;
    }
  }

  std::map<std::uint64_t, std::size_t> numbers_;
  std::set<std::size_t> non_blocking_;
  std::map<std::uint64_t, Clock> events_;
  std::array<Clock, kMaxStreams> ends_;  // what is done when the stream's last operation is
  std::array<std::uint32_t, kMaxStreams> issued_{};
  Clock host_;    // what is done before anything that the host issues next
  Clock waited_;  // of it, what the host asked to wait for: whoever frees memory has read the results before
  std::vector<Placed> placed_;
};

bool overlaps_a_kernel(const std::vector<Placed>& placed, std::size_t copy) {
  for (std::size_t k = 0; k < placed.size(); ++k) {
    if (placed[k].operation->kind != OperationKind::launch || placed[k].stream == placed[copy].stream) continue;
    if (unordered(placed[std::min(k, copy)], placed[std::max(k, copy)])) return true;
  }
  return false;
}

bool share_bytes(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a != 0 && b != 0 && (a - b < b_bytes || b - a < a_bytes);
}

// Both touch the same memory on the device or on the host, and not both only read it.
bool clash(const Operation& a, const Operation& b) {
  const bool both_to_host = is_to_host(a) && is_to_host(b), both_to_device = !is_to_host(a) && !is_to_host(b);
  return (!both_to_host && share_bytes(a.device_address, a.bytes, b.device_address, b.bytes)) ||
         (!both_to_device && share_bytes(a.host_address, a.bytes, b.host_address, b.bytes));
}

bool clashes_with_earlier(const std::vector<Placed>& placed, std::size_t copy) {
  for (std::size_t i = 0; i < copy; ++i)
    if (is_transfer(*placed[i].operation) && unordered(placed[i], placed[copy]) &&
        clash(*placed[i].operation, *placed[copy].operation))
      return true;
  return false;
}

}  // namespace

Overlap overlap_of(const std::vector<Operation>& operations) {
  const Timeline timeline(operations);
  const std::vector<Placed>& placed = timeline.placed();
  Overlap result;
  std::set<std::size_t> streams;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Operation& o = *placed[i].operation;
    if (placed[i].stream != kDefaultStream) streams.insert(placed[i].stream);
    if (is_transfer(o) && clashes_with_earlier(placed, i)) ++result.clashing_copies;
    if (!is_transfer(o) || !o.asynchronous) continue;
    result.async_copy_bytes += o.bytes;
    if (overlaps_a_kernel(placed, i)) result.overlapped_bytes += o.bytes;
    if (is_to_host(o) && !timeline.host_waited_for(placed[i])) ++result.unwaited_copies;
  }
  result.streams = streams.size();
  return result;
}

}  // namespace judge::device
