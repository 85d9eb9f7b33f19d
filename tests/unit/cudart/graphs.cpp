#include <cuda_runtime_api.h>

#include <thread>
#include <vector>

#include "attached.h"
#include "catch.h"

using namespace judge::channel;

namespace {

std::vector<int> calls_made;

void note(void* number) {
  calls_made.push_back(static_cast<int>(reinterpret_cast<std::intptr_t>(number)));
}

cudaGraphNode_t add_note(cudaGraph_t graph, int number, const std::vector<cudaGraphNode_t>& after) {
  cudaHostNodeParams parameters{note, reinterpret_cast<void*>(static_cast<std::intptr_t>(number))};
  cudaGraphNode_t node = nullptr;
  REQUIRE(cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters) == cudaSuccess);
  return node;
}

}  // namespace

TEST_CASE("a graph runs in the order of its edges, whatever the order of making") {
  attached_device();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  const cudaGraphNode_t one = add_note(graph, 1, {});
  const cudaGraphNode_t two = add_note(graph, 2, {});
  const cudaGraphNode_t three = add_note(graph, 3, {});
  const cudaGraphNode_t from[] = {three, two};
  const cudaGraphNode_t to[] = {two, one};
  REQUIRE(cudaGraphAddDependencies(graph, from, to, nullptr, 2) == cudaSuccess);
  CHECK(cudaGraphAddDependencies(graph, from, from, nullptr, 1) == cudaErrorInvalidValue);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphDestroyNode(two) == cudaSuccess);  // the executable has its own
  CHECK(cudaGraphDestroyNode(two) == cudaErrorInvalidValue);
  calls_made.clear();
  REQUIRE(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(calls_made == std::vector<int>{3, 2, 1});

  std::size_t count = 0;
  REQUIRE(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count) == cudaSuccess);
  CHECK(count == 0);
  cudaGraphNode_t nodes[4] = {one, one, one, one};
  count = 4;
  REQUIRE(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess);
  CHECK(count == 2);
  CHECK((nodes[0] == one && nodes[1] == three && nodes[2] == nullptr));  // CUDA: the rest of the list is null
  REQUIRE(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorInvalidValue);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
  CHECK(cudaGraphGetNodes(graph, nullptr, &count) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("while a stream is captured its work does not reach the device") {
  FakeDevice& device = attached_device();
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(memory, 0x105, 64, stream) == cudaSuccess);
  CHECK(device.requests(Call::fill).empty());
  // Another thread is not concerned in this mode, and neither is the legacy stream: the captured one does not block it.
  std::thread([&] {
    void* more = nullptr;
    CHECK(cudaMalloc(&more, 16) == cudaSuccess);
    CHECK(cudaMemset(more, 1, 16) == cudaSuccess);
    cudaGraph_t none = nullptr;
    CHECK(cudaStreamEndCapture(stream, &none) == cudaErrorStreamCaptureWrongThread);
  }).join();
  CHECK(device.requests(Call::fill).size() == 1);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  REQUIRE(cudaGraphGetNodes(graph, &node, &count) == cudaSuccess);
  cudaMemsetParams parameters{};
  REQUIRE(cudaGraphMemsetNodeGetParams(node, &parameters) == cudaSuccess);
  CHECK((parameters.dst == memory && parameters.value == 5 && parameters.elementSize == 1 && parameters.width == 64));
  cudaHostNodeParams other{};
  CHECK(cudaGraphHostNodeGetParams(node, &other) == cudaErrorInvalidValue);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  REQUIRE(device.requests(Call::fill).size() == 3);
  CHECK(device.requests(Call::fill).at(2).as<FillRequest>().row_bytes == 64);
  REQUIRE(cudaGraphNodeSetEnabled(executable, node, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(device.requests(Call::fill).size() == 3);
  REQUIRE(cudaGraphExecDestroy(executable) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("two captures do not become one") {
  attached_device();
  cudaStream_t a = nullptr, b = nullptr;
  REQUIRE(cudaStreamCreate(&a) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&b) == cudaSuccess);
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  REQUIRE(cudaEventRecord(event, a) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(b, event, 0) == cudaErrorStreamCaptureMerge);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(cudaStreamDestroy(a) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(b) == cudaSuccess);
  cudaGetLastError();
}
