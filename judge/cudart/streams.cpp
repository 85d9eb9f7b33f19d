// Streams, events and synchronisation. Work is done by the time its call returns, so nothing ever waits; the calls are
// still passed to the device, which records that the program waited.

#include <algorithm>

#include "judge/cudart/capture.h"
#include "judge/cudart/pools.h"

namespace channel = judge::channel;

namespace judge::cudart {

using channel::Call;
using channel::SynchronizeWhat;

std::optional<cudaError_t> reject_stream(const ApiCall& call, cudaStream_t stream) {
  if (Streams::get().valid(stream)) return std::nullopt;
  return call.fail(cudaErrorInvalidResourceHandle,
                   "the stream does not exist: it was never created, or it is destroyed");
}

namespace {

std::optional<cudaError_t> reject_event(const ApiCall& call, cudaEvent_t event) {
  if (Events::get().find(event)) return std::nullopt;
  return call.fail(cudaErrorInvalidResourceHandle,
                   "the event does not exist: it was never created, or it is destroyed");
}

std::uint64_t number(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

cudaError_t synchronize(const ApiCall& call, SynchronizeWhat what, const void* handle = nullptr) {
  channel::SynchronizeRequest request;
  request.what = what;
  request.handle = number(handle);
  trim_pools();
  return call.done(call.device().call<Call::synchronize>(request));
}

constexpr int kLeastPriority = 0;  // the range that GPUs since compute capability 7 report
constexpr int kGreatestPriority = -5;

cudaError_t create_stream(const ApiCall& call, cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if ((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
    return call.fail(cudaErrorInvalidValue, "the flags are neither cudaStreamDefault nor cudaStreamNonBlocking");
  }
  if (const cudaError_t dead = call.device().sticky(); dead != cudaSuccess) return call.done(dead);
  // As CUDA: a priority outside the range counts as the nearest end.
  *stream = Streams::get().add({flags, std::clamp(priority, kGreatestPriority, kLeastPriority)});
  channel::NoteRequest request;
  request.non_blocking = (flags & cudaStreamNonBlocking) != 0 ? 1 : 0;
  request.stream = number(*stream);
  return call.done(call.device().call<Call::note>(request));
}

cudaError_t create_event(const ApiCall& call, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if ((flags & ~known) != 0) {
    return call.fail(cudaErrorInvalidValue,
                     "the flags are neither cudaEventDefault, cudaEventBlockingSync nor cudaEventDisableTiming");
  }
  *event = Events::get().add({flags, std::nullopt});
  return call.done(cudaSuccess);
}

cudaError_t record_event(const ApiCall& call, cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  if (const auto rejected = reject_event(call, handle)) return *rejected;
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto captured = capture_record(call, handle, stream, flags)) return *captured;
  channel::EventRequest request;
  request.event = number(handle);
  request.stream = number(stream);
  channel::TimestampReply reply;
  const cudaError_t status = call.device().call<Call::record_event>(request, &reply);
  if (status == cudaSuccess) {
    Event event = *Events::get().find(handle);
    event.nanoseconds = reply.nanoseconds;
    Events::get().replace(handle, event);
  }
  return call.done(status);
}

}  // namespace
}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaDeviceSynchronize() {
  const ApiCall call("cudaDeviceSynchronize");
  if (const auto rejected = reject_waiting_for_device(call)) return *rejected;
  return synchronize(call, SynchronizeWhat::device);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(ApiCall("cudaStreamCreate"), stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(ApiCall("cudaStreamCreateWithFlags"), stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(ApiCall("cudaStreamCreateWithPriority"), stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const ApiCall call("cudaStreamDestroy");
  if (!Streams::get().remove(stream)) {
    return call.fail(cudaErrorInvalidResourceHandle,
                     "the stream does not exist: it was never created, is destroyed already, or is a default stream");
  }
  forget_stream(stream);
  return call.done(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const ApiCall call("cudaStreamSynchronize");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto rejected = reject_waiting(call, stream)) return *rejected;
  return synchronize(call, SynchronizeWhat::stream, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const ApiCall call("cudaStreamQuery");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto rejected = reject_waiting(call, stream)) return *rejected;
  return synchronize(call, SynchronizeWhat::stream, stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  const ApiCall call("cudaStreamWaitEvent");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto rejected = reject_event(call, event)) return *rejected;
  if (const auto captured = capture_wait(call, stream, event, flags)) return *captured;
  channel::NoteRequest request;
  request.kind = channel::NoteKind::stream_wait;
  request.stream = number(stream);
  request.event = number(event);
  return call.done(call.device().call<Call::note>(request));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  const ApiCall call("cudaStreamAddCallback");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (callback == nullptr || flags != 0)
    return call.fail(cudaErrorInvalidValue, "the callback is null, or flags not 0");
  if (const auto rejected = reject_captured(call, stream, "callbacks: use cudaLaunchHostFunc")) return *rejected;
  callback(stream, call.device().sticky(), data);
  return call.done(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const ApiCall call("cudaLaunchHostFunc");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (function == nullptr) return call.fail(cudaErrorInvalidValue, "the function is null");
  if (const auto captured = capture(call, stream, HostWork{{function, data}})) return *captured;
  function(data);
  return call.done(cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  const ApiCall call("cudaStreamGetFlags");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (flags == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *flags = Streams::get().find(stream).value_or(Stream{}).flags;
  return call.done(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const ApiCall call("cudaStreamGetPriority");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (priority == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  *priority = Streams::get().find(stream).value_or(Stream{}).priority;
  return call.done(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  const ApiCall call("cudaDeviceGetStreamPriorityRange");
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return call.done(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return create_event(ApiCall("cudaEventCreate"), event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event(ApiCall("cudaEventCreateWithFlags"), event, flags);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record_event(ApiCall("cudaEventRecord"), event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  const ApiCall call("cudaEventRecordWithFlags");
  if ((flags & ~static_cast<unsigned>(cudaEventRecordExternal)) != 0)
    return call.fail(cudaErrorInvalidValue, "the flags are neither cudaEventRecordDefault nor cudaEventRecordExternal");
  return record_event(call, event, stream, flags);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const ApiCall call("cudaEventSynchronize");
  if (const auto rejected = reject_event(call, event)) return *rejected;
  if (const auto rejected = reject_waiting(call, event)) return *rejected;
  return synchronize(call, SynchronizeWhat::event, event);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const ApiCall call("cudaEventQuery");
  if (const auto rejected = reject_event(call, event)) return *rejected;
  if (const auto rejected = reject_waiting(call, event)) return *rejected;
  return synchronize(call, SynchronizeWhat::event, event);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const ApiCall call("cudaEventElapsedTime");
  if (milliseconds == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_event(call, start)) return *rejected;
  if (const auto rejected = reject_event(call, end)) return *rejected;
  const Event from = *Events::get().find(start);
  const Event to = *Events::get().find(end);
  if (((from.flags | to.flags) & cudaEventDisableTiming) != 0) {
    return call.fail(cudaErrorInvalidResourceHandle, "an event was created with cudaEventDisableTiming");
  }
  if (!from.nanoseconds || !to.nanoseconds) {
    return call.fail(cudaErrorInvalidResourceHandle, "an event was never recorded (cudaEventRecord)");
  }
  // Signed: the end may have been recorded first.
  const auto elapsed = static_cast<std::int64_t>(*to.nanoseconds - *from.nanoseconds);
  *milliseconds = static_cast<float>(static_cast<double>(elapsed) * 1e-6);
  return call.done(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const ApiCall call("cudaEventDestroy");
  if (const auto rejected = reject_event(call, event)) return *rejected;
  Events::get().remove(event);
  forget_event(event);
  return call.done(cudaSuccess);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaStreamQuery, _ptsz);
JUDGE_PER_THREAD(cudaStreamSynchronize, _ptsz);
JUDGE_PER_THREAD(cudaStreamWaitEvent, _ptsz);
JUDGE_PER_THREAD(cudaStreamAddCallback, _ptsz);
JUDGE_PER_THREAD(cudaStreamGetFlags, _ptsz);
JUDGE_PER_THREAD(cudaStreamGetPriority, _ptsz);
JUDGE_PER_THREAD(cudaLaunchHostFunc, _ptsz);
JUDGE_PER_THREAD(cudaEventRecord, _ptsz);
JUDGE_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
#pragma GCC visibility pop
