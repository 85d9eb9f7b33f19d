// expect: exit 0
// Graphs, made by hand and by capture: order of nodes, parameters, updates, clones, errors of a capture.
#include <cstdio>
#include <vector>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      std::exit(1);                                       \
    }                                                     \
  } while (0)
#define OK(call)                                                                   \
  do {                                                                             \
    const cudaError_t error_ = (call);                                             \
    if (error_ != cudaSuccess) {                                                   \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_)); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

__global__ void add(int* x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
__global__ void scale(int* x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

constexpr int kN = 1000;
constexpr int kBytes = kN * sizeof(int);
int* x = nullptr;
int host[kN];

int first() {
  OK(cudaMemcpy(host, x, kBytes, cudaMemcpyDeviceToHost));
  for (int i = 1; i < kN; ++i) CHECK(host[i] == host[0]);
  return host[0];
}

void by_capture() {
  cudaStream_t a, b;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  OK(cudaMemset(x, 0, kBytes));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(a, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  CHECK(cudaGetLastError() == cudaErrorIllegalState);
  add<<<4, 256, 0, a>>>(x, kN, 3);
  OK(cudaGetLastError());
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  scale<<<4, 256, 0, b>>>(x, kN, 5);
  OK(cudaEventRecord(join, b));
  OK(cudaStreamWaitEvent(a, join, 0));
  add<<<4, 256, 0, a>>>(x, kN, 1);
  OK(cudaStreamIsCapturing(b, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(a, &graph));
  CHECK(first() == 0);  // nothing has run
  size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 3 && edges >= 2 && roots == 1);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(executable, a));
  OK(cudaStreamSynchronize(a));
  CHECK(first() == ((0 + 3) * 5 + 1 + 3) * 5 + 1);

  // The kernel of the root with another argument, in the executable only.
  cudaGraphNode_t root;
  roots = 1;
  OK(cudaGraphGetRootNodes(graph, &root, &roots));
  cudaKernelNodeParams parameters;
  OK(cudaGraphKernelNodeGetParams(root, &parameters));
  CHECK(parameters.gridDim.x == 4 && *static_cast<int*>(parameters.kernelParams[2]) == 3);
  int by = 10, n = kN;
  void* arguments[] = {&x, &n, &by};
  parameters.kernelParams = arguments;
  OK(cudaGraphExecKernelNodeSetParams(executable, root, &parameters));
  OK(cudaMemset(x, 0, kBytes));
  OK(cudaGraphLaunch(executable, a));
  CHECK(first() == 10 * 5 + 1);
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(executable, graph, &info));  // back to 3
  OK(cudaMemset(x, 0, kBytes));
  OK(cudaGraphLaunch(executable, a));
  CHECK(first() == 3 * 5 + 1);
  cudaGraph_t other;
  OK(cudaGraphCreate(&other, 0));
  CHECK(cudaGraphExecUpdate(executable, other, &info) == cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  OK(cudaGraphDestroy(other));
  CHECK(cudaGraphDestroy(other) == cudaErrorInvalidValue);
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  OK(cudaEventDestroy(fork));
  OK(cudaEventDestroy(join));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  cudaGetLastError();
}

void by_hand() {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, kernel, out, call, empty;
  cudaMemsetParams memset{};
  memset.dst = x;
  memset.value = 7;
  memset.elementSize = 4;
  memset.width = kN;
  memset.height = 1;
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &memset));
  int n = kN, by = 6;
  void* arguments[] = {&x, &n, &by};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(scale);
  parameters.gridDim = dim3(4);
  parameters.blockDim = dim3(256);
  parameters.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &parameters));
  by = 1000;  // the value was copied
  OK(cudaGraphAddMemcpyNode1D(&out, graph, nullptr, 0, host, x, kBytes, cudaMemcpyDeviceToHost));
  OK(cudaGraphAddDependencies(graph, &kernel, &out, nullptr, 1));
  static int seen = 0;
  cudaHostNodeParams function{[](void* at) { seen += static_cast<int*>(at)[kN - 1]; }, host};
  OK(cudaGraphAddHostNode(&call, graph, &out, 1, &function));
  OK(cudaGraphAddEmptyNode(&empty, graph, &call, 1));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(out, &type));
  CHECK(type == cudaGraphNodeTypeMemcpy);
  cudaGraph_t clone, parent;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t child, later;
  OK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone));
  OK(cudaGraphDestroy(clone));  // the node has its own copy
  OK(cudaGraphAddChildGraphNode(&later, parent, &child, 1, graph));
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiateWithFlags(&executable, parent, 0));
  OK(cudaGraphUpload(executable, nullptr));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaDeviceSynchronize());
  CHECK(seen == 2 * 42);
  CHECK(cudaGraphAddDependencies(graph, &kernel, &out, nullptr, 1) == cudaErrorInvalidValue);  // is there
  cudaGetLastError();
  OK(cudaGraphAddDependencies(graph, &empty, &set, nullptr, 1));  // a circle
  cudaGraphExec_t circle;
  CHECK(cudaGraphInstantiate(&circle, graph, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(parent));
  OK(cudaGraphDestroy(graph));
}

void memory_nodes() {
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  int* t = nullptr;
  OK(cudaMallocAsync(&t, kBytes, s));
  OK(cudaMemsetAsync(t, 0, kBytes, s));
  add<<<4, 256, 0, s>>>(t, kN, 9);
  OK(cudaMemcpyAsync(x, t, kBytes, cudaMemcpyDeviceToDevice, s));
  OK(cudaFreeAsync(t, s));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(s, &graph));
  size_t count = 16;
  cudaGraphNode_t nodes[16];
  OK(cudaGraphGetNodes(graph, nodes, &count));
  CHECK(count == 5);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nodes[0], &type));
  CHECK(type == cudaGraphNodeTypeMemAlloc);
  OK(cudaGraphNodeGetType(nodes[4], &type));
  CHECK(type == cudaGraphNodeTypeMemFree);
  cudaGraphExec_t executable;
  OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) {
    OK(cudaMemset(x, 0, kBytes));
    OK(cudaGraphLaunch(executable, s));
    OK(cudaStreamSynchronize(s));
    CHECK(first() == 9);
  }
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(s));
}

void broken_captures() {
  cudaStream_t s, other;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&other));
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorIllegalState);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(s, &status));
  CHECK(status == cudaStreamCaptureStatusInvalidated);
  add<<<1, 32, 0, s>>>(x, 1, 1);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  void* p = nullptr;
  CHECK(cudaMalloc(&p, 16) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaMalloc(&p, 16));
  OK(cudaFree(p));
  CHECK(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, s));
  CHECK(cudaEventSynchronize(event) == cudaErrorCapturedEvent);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, s));
  OK(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 32, 0, other>>>(x, 1, 1);
  CHECK(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, s));
  OK(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 32, 0, other>>>(x, 1, 1);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined);

  OK(cudaEventRecord(event, other));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamWaitEvent(s, event, 0) == cudaErrorStreamCaptureIsolation);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  OK(cudaDeviceSynchronize());  // nothing of this sticks
  OK(cudaStreamDestroy(s));
  OK(cudaStreamDestroy(other));
  OK(cudaEventDestroy(event));
}

int main() {
  OK(cudaMalloc(&x, kBytes));
  OK(cudaMemset(x, 0, kBytes));
  by_capture();
  by_hand();
  memory_nodes();
  broken_captures();
  OK(cudaFree(x));
  std::printf("ok\n");
}
