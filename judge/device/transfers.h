#pragma once
// What the record tells about memory beside the kernels: copies between host and device, managed memory, prefetches.

#include "judge/device/overlap.h"
#include "judge/device/record.h"

namespace judge::device {

struct Transfers {
  std::uint64_t copied_to_device_bytes = 0, copied_from_device_bytes = 0;
  std::uint64_t managed_bytes = 0;     // allocated
  std::uint64_t prefetched_bytes = 0;  // to the device, before the last launch: what comes after it helps no kernel
  Overlap overlap;
};

// Calls f(name, value) for each figure, by the names of docs/authoring.md, "A requirement".
template <typename F>
void for_each_transfer(const Transfers& t, F&& f) {
  f("copied_to_device_bytes", t.copied_to_device_bytes);
  f("copied_from_device_bytes", t.copied_from_device_bytes);
  f("async_copy_bytes", t.overlap.async_copy_bytes);
  f("overlapped_copy_bytes", t.overlap.overlapped_bytes);
  f("unwaited_copies", t.overlap.unwaited_copies);
  f("clashing_copies", t.overlap.clashing_copies);
  f("streams_used", t.overlap.streams);
  f("managed_bytes", t.managed_bytes);
  f("prefetched_bytes", t.prefetched_bytes);
}

Transfers transfers_of(const std::vector<Operation>& operations);

}  // namespace judge::device
