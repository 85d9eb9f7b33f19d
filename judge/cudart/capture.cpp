// How this works. A capture is a graph that grows, and a set of branches: for each stream that takes part, the nodes
// that its next node depends on. An event recorded into a capture remembers the branch's nodes; a stream that waits for
// it joins the capture, or gains those nodes as dependencies. Whatever is illegal meanwhile invalidates the capture,
// and the end of the capture then says so.

#include "judge/cudart/capture.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace judge::cudart {
namespace {

struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  cudaStream_t origin = nullptr;
  std::shared_ptr<Graph> graph;
  bool existing_graph = false;  // begun by cudaStreamBeginCaptureToGraph
  bool invalid = false;
};

struct Branch {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> tail;
};

struct Captures {
  std::unordered_map<cudaStream_t, Branch> streams;
  std::unordered_map<cudaEvent_t, Branch> events;
  std::atomic<int> branches{0};  // so that a program without captures pays nothing for them
  unsigned long long next_id = 1;

  static Captures& get() { return immortal<Captures>(); }
  Branch* branch(cudaStream_t stream) {
    const auto found = streams.find(stream);
    return found == streams.end() ? nullptr : &found->second;
  }
  void set(cudaStream_t stream, Branch branch) {
    streams[stream] = std::move(branch);
    branches = static_cast<int>(streams.size());
  }
  void drop(const std::shared_ptr<Capture>& capture) {
    std::erase_if(streams, [&](const auto& entry) { return entry.second.capture == capture; });
    std::erase_if(events, [&](const auto& entry) { return entry.second.capture == capture; });
    branches = static_cast<int>(streams.size());
  }
};

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool none() {
  return Captures::get().branches.load(std::memory_order_relaxed) == 0;
}

bool is_legacy(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

bool is_blocking(cudaStream_t stream) {
  return (Streams::get().find(stream).value_or(Stream{}).flags & cudaStreamNonBlocking) == 0;
}

cudaError_t invalidate(const ApiCall& call, Capture& capture, cudaError_t error, const std::string& sentence) {
  capture.invalid = true;
  return call.fail(error, sentence + "; the capture is invalid now");
}

// Work on the legacy stream would wait for every blocking stream, of which one is being captured.
std::optional<cudaError_t> reject_legacy(const ApiCall& call) {
  for (auto& [stream, branch] : Captures::get().streams) {
    if (is_blocking(stream)) {
      return invalidate(call, *branch.capture, cudaErrorStreamCaptureImplicit,
                        "the legacy default stream waits for a stream that is being captured (only streams made with "
                        "cudaStreamNonBlocking are left alone)");
    }
  }
  return std::nullopt;
}

// Whether one of `wanted` is reached from `from` against the direction of the edges.
bool all_reached(const std::vector<Node*>& from, const std::vector<Node*>& wanted) {
  std::set<const Node*> seen;
  std::vector<Node*> open(from);
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(wanted.begin(), wanted.end(), [&](const Node* node) { return seen.contains(node); });
}

void add_all(std::vector<Node*>& to, const std::vector<Node*>& from) {
  for (Node* node : from)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

cudaError_t invalid_capture(const ApiCall& call) {
  return call.fail(cudaErrorStreamCaptureInvalidated, "an earlier call made the stream's capture invalid");
}

cudaError_t begin(const ApiCall& call, cudaStream_t stream, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph,
                  std::vector<Node*> tail) {
  if (is_legacy(stream)) {
    return call.fail(cudaErrorStreamCaptureUnsupported,
                     "the legacy default stream cannot be captured: create a stream for it");
  }
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return call.fail(cudaErrorInvalidValue, "the mode is none of cudaStreamCaptureMode's values");
  const Lock held = Graphs::get().lock();
  Captures& captures = Captures::get();
  if (captures.branch(stream) != nullptr)
    return call.fail(cudaErrorIllegalState, "the stream is being captured already");
  auto capture = std::make_shared<Capture>();
  capture->id = captures.next_id++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream;
  capture->existing_graph = graph != nullptr;
  capture->graph = graph != nullptr ? std::move(graph) : std::make_shared<Graph>();
  if (!capture->existing_graph) Graphs::get().add(capture->graph);  // cudaStreamGetCaptureInfo gives it out
  captures.set(stream, {capture, std::move(tail)});
  return call.done(cudaSuccess);
}

cudaError_t end(const ApiCall& call, cudaStream_t stream, cudaGraph_t* graph) {
  const Lock held = Graphs::get().lock();
  Captures& captures = Captures::get();
  Branch* const branch = captures.branch(stream);
  if (branch == nullptr) return call.fail(cudaErrorIllegalState, "the stream is not being captured");
  const std::shared_ptr<Capture> capture = branch->capture;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    return call.fail(cudaErrorStreamCaptureWrongThread,
                     "the capture was begun by another thread and is not cudaStreamCaptureModeRelaxed");
  }
  const std::vector<Node*> tail = branch->tail;
  cudaError_t status = cudaSuccess;
  std::string sentence;
  if (capture->invalid) {
    status = cudaErrorStreamCaptureInvalidated;
    sentence = "an earlier call made the capture invalid";
  } else if (capture->origin != stream) {
    capture->invalid = true;
    return call.fail(cudaErrorStreamCaptureUnmatched, "the capture was begun on another stream");
  } else {
    for (const auto& [other, its] : captures.streams) {
      if (its.capture != capture || other == stream || all_reached(tail, its.tail)) continue;
      status = cudaErrorStreamCaptureUnjoined;
      sentence =
          "a stream that joined the capture was not joined back: record an event there and let this stream wait for it";
    }
  }
  captures.drop(capture);
  if (status == cudaSuccess) {
    *graph = handle_of(capture->graph.get());
    return call.done(cudaSuccess);
  }
  *graph = nullptr;
  if (!capture->existing_graph) Graphs::get().remove(handle_of(capture->graph.get()));
  return call.fail(status, sentence);
}

}  // namespace

bool is_capturing(cudaStream_t stream) {
  if (none()) return false;
  const Lock held = Graphs::get().lock();
  return Captures::get().branch(stream) != nullptr;
}

std::optional<cudaError_t> capture(const ApiCall& call, cudaStream_t stream, Work work) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  if (is_legacy(stream)) return reject_legacy(call);
  Branch* const branch = Captures::get().branch(stream);
  if (branch == nullptr) return std::nullopt;
  if (branch->capture->invalid) return invalid_capture(call);
  branch->tail = {Graphs::get().add_node(*branch->capture->graph, std::move(work), branch->tail)};
  return call.done(cudaSuccess);
}

std::optional<cudaError_t> reject_waiting(const ApiCall& call, cudaStream_t stream) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  if (is_legacy(stream)) return reject_legacy(call);
  Branch* const branch = Captures::get().branch(stream);
  if (branch == nullptr) return std::nullopt;
  return invalidate(call, *branch->capture, cudaErrorStreamCaptureUnsupported,
                    "the stream is being captured: nothing runs yet that could be waited for");
}

std::optional<cudaError_t> reject_waiting_for_device(const ApiCall& call) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  for (auto& [stream, branch] : Captures::get().streams)
    invalidate(call, *branch.capture, cudaErrorStreamCaptureUnsupported, "a stream is being captured");
  return cudaErrorStreamCaptureUnsupported;
}

std::optional<cudaError_t> reject_waiting(const ApiCall& call, cudaEvent_t event) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  const auto found = Captures::get().events.find(event);
  if (found == Captures::get().events.end()) return std::nullopt;
  return invalidate(call, *found->second.capture, cudaErrorCapturedEvent,
                    "the event was recorded into a capture: nothing ran that could be waited for");
}

std::optional<cudaError_t> reject_immediate(const ApiCall& call) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  return reject_legacy(call);
}

std::optional<cudaError_t> reject_unsafe(const ApiCall& call) {
  if (none() || thread_mode == cudaStreamCaptureModeRelaxed) return std::nullopt;
  const Lock held = Graphs::get().lock();
  const auto self = std::this_thread::get_id();
  for (auto& [stream, branch] : Captures::get().streams) {
    Capture& capture = *branch.capture;
    const bool concerned =
        (capture.mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal) ||
        (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread == self);
    if (!concerned) continue;
    return invalidate(call, capture, cudaErrorStreamCaptureUnsupported,
                      "a stream is being captured, and its mode forbids calls that may wait for the device");
  }
  return std::nullopt;
}

std::optional<cudaError_t> reject_captured(const ApiCall& call, cudaStream_t stream, const char* what) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  if (is_legacy(stream)) return reject_legacy(call);
  Branch* const branch = Captures::get().branch(stream);
  if (branch == nullptr) return std::nullopt;
  return invalidate(call, *branch->capture, cudaErrorStreamCaptureUnsupported,
                    std::string("a capture cannot hold ") + what);
}

std::optional<cudaError_t> capture_record(const ApiCall& call, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  if (is_legacy(stream)) return reject_legacy(call);
  Captures& captures = Captures::get();
  Branch* const branch = captures.branch(stream);
  if (branch == nullptr) {
    captures.events.erase(event);  // it is an ordinary event again
    return std::nullopt;
  }
  if (branch->capture->invalid) return invalid_capture(call);
  if ((flags & cudaEventRecordExternal) != 0) return capture(call, stream, RecordWork{event});
  captures.events[event] = *branch;
  return call.done(cudaSuccess);
}

std::optional<cudaError_t> capture_wait(const ApiCall& call, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (none()) return std::nullopt;
  const Lock held = Graphs::get().lock();
  Captures& captures = Captures::get();
  if (is_legacy(stream)) {
    if (const auto rejected = reject_legacy(call)) return rejected;
  }
  Branch* const branch = captures.branch(stream);
  const auto recorded = captures.events.find(event);
  if (branch != nullptr && branch->capture->invalid) return invalid_capture(call);
  if (recorded == captures.events.end()) {
    if (branch == nullptr) return std::nullopt;
    if ((flags & cudaEventWaitExternal) != 0) return capture(call, stream, WaitWork{event});
    return invalidate(call, *branch->capture, cudaErrorStreamCaptureIsolation,
                      "a captured stream waits for an event that was not recorded in the same capture");
  }
  const Branch& from = recorded->second;
  if (from.capture->invalid) return invalid_capture(call);
  if (branch == nullptr) {
    if (is_legacy(stream)) {
      return invalidate(call, *from.capture, cudaErrorStreamCaptureImplicit,
                        "the legacy default stream cannot take part in a capture");
    }
    captures.set(stream, from);
  } else if (branch->capture != from.capture) {
    branch->capture->invalid = true;
    return invalidate(call, *from.capture, cudaErrorStreamCaptureMerge, "two captures would become one");
  } else {
    add_all(branch->tail, from.tail);
  }
  return call.done(cudaSuccess);
}

void forget_event(cudaEvent_t event) {
  const Lock held = Graphs::get().lock();
  Captures::get().events.erase(event);
}

void forget_stream(cudaStream_t stream) {
  if (none()) return;
  const Lock held = Graphs::get().lock();
  Captures& captures = Captures::get();
  if (const Branch* branch = captures.branch(stream)) {
    const std::shared_ptr<Capture> capture = branch->capture;
    capture->invalid = true;
    if (capture->origin == stream) captures.drop(capture);
  }
}

}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const ApiCall call("cudaStreamBeginCapture");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return begin(call, stream, mode, nullptr, {});
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count, cudaStreamCaptureMode mode) {
  const ApiCall call("cudaStreamBeginCaptureToGraph");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  const std::shared_ptr<Graph> into = Graphs::get().graph(graph);
  if (into == nullptr) return call.fail(cudaErrorInvalidValue, "the graph does not exist");
  std::vector<Node*> tail;
  for (size_t i = 0; i < count; ++i) {
    Node* const node = dependencies == nullptr ? nullptr : Graphs::get().node(dependencies[i]);
    if (node == nullptr || node->graph != into.get())
      return call.fail(cudaErrorInvalidValue, "a dependency is not a node of this graph");
    tail.push_back(node);
  }
  return begin(call, stream, mode, into, std::move(tail));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const ApiCall call("cudaStreamEndCapture");
  if (graph == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return end(call, stream, graph);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const ApiCall call("cudaStreamIsCapturing");
  if (status == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  const ApiCall call("cudaStreamGetCaptureInfo");
  if (status == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  *status = cudaStreamCaptureStatusNone;
  if (none()) return call.done(cudaSuccess);
  const Lock held = Graphs::get().lock();
  if (is_legacy(stream)) {
    // CUDA asks whether the legacy stream may be looked at without disturbing a capture, and changes nothing.
    for (const auto& [other, branch] : Captures::get().streams)
      if (is_blocking(other)) return call.fail(cudaErrorStreamCaptureImplicit, "a blocking stream is being captured");
    return call.done(cudaSuccess);
  }
  Branch* const branch = Captures::get().branch(stream);
  if (branch == nullptr) return call.done(cudaSuccess);
  *status = branch->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (branch->capture->invalid) return call.done(cudaSuccess);
  if (id != nullptr) *id = branch->capture->id;
  if (graph != nullptr) *graph = handle_of(branch->capture->graph.get());
  if (edges != nullptr) *edges = nullptr;
  if (dependencies != nullptr) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(branch->tail.data());
  if (count != nullptr) *count = branch->tail.size();
  return call.done(cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count, unsigned flags) {
  const ApiCall call("cudaStreamUpdateCaptureDependencies");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  const Lock held = Graphs::get().lock();
  Branch* const branch = Captures::get().branch(stream);
  if (branch == nullptr) return call.fail(cudaErrorIllegalState, "the stream is not being captured");
  if (branch->capture->invalid) return invalid_capture(call);
  if (flags > cudaStreamSetCaptureDependencies || (dependencies == nullptr && count != 0))
    return call.fail(cudaErrorInvalidValue,
                     "the flags are neither …AddCaptureDependencies nor …SetCaptureDependencies");
  std::vector<Node*> nodes;
  for (size_t i = 0; i < count; ++i) {
    Node* const node = Graphs::get().node(dependencies[i]);
    if (node == nullptr || node->graph != branch->capture->graph.get())
      return call.fail(cudaErrorInvalidValue, "a dependency is not a node of the graph that is being captured");
    nodes.push_back(node);
  }
  if (flags == cudaStreamSetCaptureDependencies) branch->tail.clear();
  add_all(branch->tail, nodes);
  return call.done(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const ApiCall call("cudaThreadExchangeStreamCaptureMode");
  if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
    return call.fail(cudaErrorInvalidValue, "the mode is none of cudaStreamCaptureMode's values");
  std::swap(*mode, thread_mode);
  return call.done(cudaSuccess);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaStreamBeginCapture, _ptsz);
JUDGE_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);
JUDGE_PER_THREAD(cudaStreamEndCapture, _ptsz);
JUDGE_PER_THREAD(cudaStreamIsCapturing, _ptsz);
JUDGE_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
JUDGE_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);
#pragma GCC visibility pop
