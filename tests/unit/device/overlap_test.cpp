#include "judge/device/overlap.h"

#include "catch.h"

using namespace judge::device;
using Kind = OperationKind;

namespace {

constexpr std::uint64_t kA = 0x1010, kB = 0x1020, kEvent = 0x2010;

Operation copy_in(std::uint64_t stream, std::uint64_t bytes = 100, bool asynchronous = true) {
  return {Kind::copy_to_device, bytes, -1, stream, 0, asynchronous};
}
Operation copy_out(std::uint64_t stream, std::uint64_t bytes = 100, bool asynchronous = true) {
  return {Kind::copy_from_device, bytes, -1, stream, 0, asynchronous};
}
Operation kernel(std::uint64_t stream) {
  return {Kind::launch, 0, 0, stream, 0, true};
}
std::uint64_t overlapped(const std::vector<Operation>& operations) {
  return overlap_of(operations).overlapped_bytes;
}

}  // namespace

TEST_CASE("a copy overlaps a kernel of another stream, before or after it", "[overlap]") {
  CHECK(overlapped({kernel(kA), copy_in(kB)}) == 100);
  CHECK(overlapped({copy_in(kB), kernel(kA)}) == 100);
  CHECK(overlapped({copy_in(kA), kernel(kA), copy_out(kA)}) == 0);
  CHECK(overlapped({copy_in(kA), copy_in(kB)}) == 0);
}

TEST_CASE("chunks in two streams overlap but for what the host waits for", "[overlap]") {
  std::vector<Operation> chunks;
  for (const std::uint64_t stream : {kA, kB, kA, kB}) {
    chunks.push_back(copy_in(stream));
    chunks.push_back(kernel(stream));
    chunks.push_back(copy_out(stream));
  }
  chunks.push_back({Kind::synchronize});
  const Overlap all = overlap_of(chunks);
  CHECK(all.streams == 2);
  CHECK(all.async_copy_bytes == 800);
  CHECK(all.overlapped_bytes == 800);
  CHECK(all.unwaited_copies == 0);

  std::vector<Operation> waiting;
  for (const Operation& o : chunks) {
    waiting.push_back(o);
    if (o.kind == Kind::copy_from_device) waiting.push_back({Kind::stream_synchronize, 0, -1, o.stream});
  }
  CHECK(overlapped(waiting) == 0);
}

TEST_CASE("what is not asynchronous makes the host wait", "[overlap]") {
  CHECK(overlapped({copy_in(kB, 100, false), kernel(kA)}) == 0);
  // The first copy is waited for; the kernel before it, in another stream, is not.
  CHECK(overlapped({kernel(kA), copy_in(kB, 50, false), copy_in(kB, 7)}) == 7);
  // A copy out that is not asynchronous waits for its own stream only.
  CHECK(overlapped({kernel(kA), kernel(kB), copy_out(kB, 50, false), copy_in(kB, 7), copy_in(kA, 9)}) == 7);
}

TEST_CASE("the default stream waits and is waited for", "[overlap]") {
  CHECK(overlapped({kernel(0), copy_in(kA)}) == 0);
  CHECK(overlapped({copy_in(kA), kernel(0)}) == 0);
  CHECK(overlapped({kernel(kA), copy_in(0)}) == 0);
  CHECK(overlapped({kernel(kA), {Kind::set, 4, -1, 0, 0, true}, copy_in(kB)}) == 0);  // through the default stream
  CHECK(overlapped({{Kind::stream_create_non_blocking, 0, -1, kA}, kernel(0), copy_in(kA)}) == 100);
  CHECK(overlapped({{Kind::stream_create_non_blocking, 0, -1, kA}, copy_in(kA), kernel(0)}) == 100);
}

TEST_CASE("events order streams", "[overlap]") {
  const Operation record{Kind::event_record, 0, -1, kA, kEvent}, wait{Kind::stream_wait, 0, -1, kB, kEvent};
  CHECK(overlapped({kernel(kA), record, wait, copy_in(kB)}) == 0);
  CHECK(overlapped({record, kernel(kA), wait, copy_in(kB)}) == 100);  // recorded too early
  CHECK(overlapped({kernel(kA), wait, copy_in(kB)}) == 100);          // never recorded: nothing to wait for
  CHECK(overlapped({kernel(kA), record, {Kind::event_synchronize, 0, -1, 0, kEvent}, copy_in(kB)}) == 0);
}

TEST_CASE("the host waits for a device synchronisation and for cudaFree", "[overlap]") {
  CHECK(overlapped({kernel(kA), {Kind::synchronize}, copy_in(kB)}) == 0);
  CHECK(overlapped({kernel(kA), {Kind::free, 8}, copy_in(kB)}) == 0);
  CHECK(overlapped({kernel(kA), {Kind::free_in_stream, 8}, copy_in(kB)}) == 100);
  CHECK(overlapped({kernel(kA), {Kind::stream_synchronize, 0, -1, kB}, copy_in(kB)}) == 100);
}

TEST_CASE("copies to the host that nobody waited for", "[overlap]") {
  CHECK(overlap_of({kernel(kA), copy_out(kA), copy_out(kB)}).unwaited_copies == 2);
  CHECK(overlap_of({copy_out(kA), {Kind::stream_synchronize, 0, -1, kA}, copy_out(kB)}).unwaited_copies == 1);
  CHECK(overlap_of({copy_out(kA), {Kind::stream_synchronize, 0, -1, 0}}).unwaited_copies == 0);
  CHECK(overlap_of({copy_out(0, 100, false), copy_in(kA)}).unwaited_copies == 0);
  CHECK(overlap_of({copy_out(kA), {Kind::synchronize}}).unwaited_copies == 0);
  // Who frees memory has read what was copied before.
  CHECK(overlap_of({copy_out(kA), copy_out(kB), {Kind::stream_synchronize, 0, -1, kA}, {Kind::free, 8}})
            .unwaited_copies == 1);
}

TEST_CASE("copies of different streams that use the same memory", "[overlap]") {
  const auto at = [](Operation o, std::uint64_t device_address, std::uint64_t host_address) {
    o.device_address = device_address;
    o.host_address = host_address;
    return o;
  };
  const auto clashes = [](const std::vector<Operation>& operations) { return overlap_of(operations).clashing_copies; };
  // One buffer on the device for both streams.
  CHECK(clashes({at(copy_in(kA), 1000, 1), at(copy_in(kB), 1000, 201)}) == 1);
  CHECK(clashes({at(copy_in(kA), 1000, 1), at(copy_in(kB), 1099, 201)}) == 1);
  CHECK(clashes({at(copy_in(kA), 1000, 1), at(copy_in(kB), 1100, 201)}) == 0);
  CHECK(clashes({at(copy_in(kA), 1000, 1), at(copy_in(kA), 1000, 201)}) == 0);
  CHECK(clashes({at(copy_in(kA), 1000, 1), {Kind::synchronize}, at(copy_in(kB), 1000, 201)}) == 0);
  CHECK(clashes({at(copy_out(kA), 1000, 1), at(copy_out(kB), 1000, 201)}) == 0);  // both only read it
  CHECK(clashes({at(copy_in(kA), 1000, 1), at(copy_out(kB), 1000, 201)}) == 1);
  // One buffer on the host.
  CHECK(clashes({at(copy_out(kA), 1000, 500), at(copy_out(kB), 2000, 500)}) == 1);
  CHECK(clashes({at(copy_in(kA), 1000, 500), at(copy_in(kB), 2000, 500)}) == 0);
  CHECK(clashes({copy_in(kA), copy_in(kB)}) == 0);  // not known where
}

TEST_CASE("streams beyond the limit order more, never less", "[overlap]") {
  std::vector<Operation> operations;
  for (std::uint64_t s = 1; s <= kMaxStreams + 5; ++s) operations.push_back(copy_in(0x1000 + s, 1));
  operations.push_back(kernel(0x1001));
  const Overlap o = overlap_of(operations);
  CHECK(o.streams == kMaxStreams - 1);
  CHECK(o.overlapped_bytes == 0);  // those in the default stream come between
}
