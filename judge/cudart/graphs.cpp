// Calls that make graphs, look at them and take them apart.

#include <algorithm>

#include "judge/cudart/graph.h"

namespace judge::cudart {
namespace {

// Null, with `status` the call's answer, when there is no such graph.
std::shared_ptr<Graph> known_graph(const ApiCall& call, cudaGraph_t handle, cudaError_t& status) {
  std::shared_ptr<Graph> graph = Graphs::get().graph(handle);
  if (graph == nullptr)
    status = call.fail(cudaErrorInvalidValue, "the graph does not exist: it was never made, or is destroyed");
  return graph;
}

Node* known_node(const ApiCall& call, cudaGraphNode_t handle, cudaError_t& status) {
  Node* const node = Graphs::get().node(handle);
  if (node == nullptr)
    status = call.fail(cudaErrorInvalidValue, "the node does not exist: it was never made, or is destroyed");
  return node;
}

std::optional<cudaError_t> take_nodes(const ApiCall& call, const Graph& graph, const cudaGraphNode_t* handles,
                                      std::size_t count, std::vector<Node*>& out) {
  if (handles == nullptr && count != 0) return call.fail(cudaErrorInvalidValue, "the list of dependencies is null");
  for (std::size_t i = 0; i < count; ++i) {
    Node* const node = Graphs::get().node(handles[i]);
    if (node == nullptr || node->graph != &graph)
      return call.fail(cudaErrorInvalidValue, "a dependency is not a node of this graph");
    out.push_back(node);
  }
  return std::nullopt;
}

// make(work) fills in the work or gives the error.
template <class W, class Make>
cudaError_t add(const ApiCall& call, cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* dependencies,
                std::size_t count, Make&& make) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, handle, status);
  if (graph == nullptr) return status;
  std::vector<Node*> before;
  if (const auto rejected = take_nodes(call, *graph, dependencies, count, before)) return *rejected;
  W work;
  if ((status = make(work)) != cudaSuccess) return status;
  *out = handle_of(Graphs::get().add_node(*graph, std::move(work), std::move(before)));
  return call.done(cudaSuccess);
}

// The protocol of all lists: without a place for the list only their number; else as many as fit, and zeros after them.
template <class T>
cudaError_t give(const ApiCall& call, const std::vector<T>& list, T* out, std::size_t* count) {
  if (count == nullptr) return call.fail(cudaErrorInvalidValue, "the number has no place to go");
  if (out != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) out[i] = i < list.size() ? list[i] : T{};
    *count = std::min(*count, list.size());
  } else {
    *count = list.size();
  }
  return call.done(cudaSuccess);
}

cudaError_t event_exists(const ApiCall& call, cudaEvent_t event) {
  if (Events::get().find(event)) return cudaSuccess;
  return call.fail(cudaErrorInvalidResourceHandle, "the event does not exist");
}

cudaError_t child_work(const ApiCall& call, cudaGraph_t child, ChildWork& work) {
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, child, status);
  if (graph == nullptr) return status;
  for (const auto& node : graph->nodes)
    if (std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work))
      return call.fail(cudaErrorNotSupported, "a child graph cannot allocate or free memory");
  work.graph = Graphs::get().clone(*graph);
  return cudaSuccess;
}

cudaError_t edit_edges(const ApiCall& call, cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                       std::size_t count, bool remove) {
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, handle, status);
  if (graph == nullptr) return status;
  std::vector<Node*> starts, ends;
  if (const auto rejected = take_nodes(call, *graph, from, count, starts)) return *rejected;
  if (const auto rejected = take_nodes(call, *graph, to, count, ends)) return *rejected;
  for (std::size_t i = 0; i < count; ++i) {
    auto& list = ends[i]->dependencies;
    const bool there = std::find(list.begin(), list.end(), starts[i]) != list.end();
    if (there != remove || starts[i] == ends[i])
      return call.fail(cudaErrorInvalidValue,
                       remove ? "there is no such edge" : "the edge is there already, or a loop");
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto& list = ends[i]->dependencies;
    if (remove)
      std::erase(list, starts[i]);
    else
      list.push_back(starts[i]);
  }
  return call.done(cudaSuccess);
}

}  // namespace
}  // namespace judge::cudart

namespace channel = judge::channel;
using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned flags) {
  const ApiCall call("cudaGraphCreate");
  if (out == nullptr || flags != 0)
    return call.fail(cudaErrorInvalidValue, "the result has no place to go, or flags not 0");
  *out = Graphs::get().add(std::make_shared<Graph>());
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const ApiCall call("cudaGraphDestroy");
  if (!Graphs::get().remove(graph))
    return call.fail(cudaErrorInvalidValue, "the graph does not exist, is destroyed already, or belongs to a node");
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t original) {
  const ApiCall call("cudaGraphClone");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, original, status);
  if (graph == nullptr) return status;
  *out = Graphs::get().add(Graphs::get().clone(*graph));
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* out, cudaGraphNode_t original, cudaGraph_t clone) {
  const ApiCall call("cudaGraphNodeFindInClone");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, clone, status);
  if (graph == nullptr) return status;
  for (const auto& node : graph->nodes) {
    if (handle_of(const_cast<Node*>(node->original)) != original || original == nullptr) continue;
    *out = handle_of(node.get());
    return call.done(cudaSuccess);
  }
  return call.fail(cudaErrorInvalidValue, "the graph is no clone of the node's graph");
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* parameters) {
  const ApiCall call("cudaGraphAddKernelNode");
  if (parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  return add<KernelWork>(call, out, graph, dependencies, count,
                         [&](KernelWork& work) { return work_of(call, *parameters, work); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* parameters) {
  const ApiCall call("cudaGraphAddMemcpyNode");
  if (parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  return add<CopyWork>(call, out, graph, dependencies, count,
                       [&](CopyWork& work) { return work_of(call, *parameters, work); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const ApiCall call("cudaGraphAddMemcpyNode1D");
  return add<CopyWork>(call, out, graph, dependencies, count, [&](CopyWork& work) {
    return work_of(call, copy_work({to, bytes, from, bytes, bytes, 1}, kind).parameters, work);
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                           size_t count, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  const ApiCall call("cudaGraphAddMemcpyNodeToSymbol");
  return add<CopyWork>(call, out, graph, dependencies, count, [&](CopyWork& work) {
    void* to = nullptr;
    const cudaError_t status = symbol_range(call, symbol, bytes, offset, to);
    work = copy_work({to, bytes, from, bytes, bytes, 1}, kind, channel::CopyPurpose::symbol, true);
    return status;
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  const ApiCall call("cudaGraphAddMemcpyNodeFromSymbol");
  return add<CopyWork>(call, out, graph, dependencies, count, [&](CopyWork& work) {
    void* from = nullptr;
    const cudaError_t status = symbol_range(call, symbol, bytes, offset, from);
    work = copy_work({to, bytes, from, bytes, bytes, 1}, kind, channel::CopyPurpose::symbol, false);
    return status;
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* parameters) {
  const ApiCall call("cudaGraphAddMemsetNode");
  if (parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  return add<SetWork>(call, out, graph, dependencies, count,
                      [&](SetWork& work) { return work_of(call, *parameters, work); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* parameters) {
  const ApiCall call("cudaGraphAddHostNode");
  if (parameters == nullptr || parameters->fn == nullptr)
    return call.fail(cudaErrorInvalidValue, "the function is null");
  return add<HostWork>(call, out, graph, dependencies, count, [&](HostWork& work) {
    work.parameters = *parameters;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child) {
  const ApiCall call("cudaGraphAddChildGraphNode");
  return add<ChildWork>(call, out, graph, dependencies, count,
                        [&](ChildWork& work) { return child_work(call, child, work); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count) {
  const ApiCall call("cudaGraphAddEmptyNode");
  return add<EmptyWork>(call, out, graph, dependencies, count, [](EmptyWork&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event) {
  const ApiCall call("cudaGraphAddEventRecordNode");
  return add<RecordWork>(call, out, graph, dependencies, count, [&](RecordWork& work) {
    work.event = event;
    return event_exists(call, event);
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event) {
  const ApiCall call("cudaGraphAddEventWaitNode");
  return add<WaitWork>(call, out, graph, dependencies, count, [&](WaitWork& work) {
    work.event = event;
    return event_exists(call, event);
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, cudaMemAllocNodeParams* parameters) {
  const ApiCall call("cudaGraphAddMemAllocNode");
  if (parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  return add<AllocateWork>(call, out, graph, dependencies, count,
                           [&](AllocateWork& work) { return work_of(call, *parameters, work); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, void* address) {
  const ApiCall call("cudaGraphAddMemFreeNode");
  return add<FreeWork>(call, out, graph, dependencies, count, [&](FreeWork& work) {
    work.address = address;
    if (Graphs::get().memory(address) != nullptr) return cudaSuccess;
    return call.fail(cudaErrorInvalidValue, "the address is not that of an allocation node");
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* p) {
  const ApiCall call("cudaGraphAddNode");
  if (p == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel{p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
                                        p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
      return cudaGraphAddKernelNode(out, graph, dependencies, count, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(out, graph, dependencies, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams set{p->memset.dst,         p->memset.pitch, p->memset.value,
                                 p->memset.elementSize, p->memset.width, p->memset.height};
      return cudaGraphAddMemsetNode(out, graph, dependencies, count, &set);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{p->host.fn, p->host.userData};
      return cudaGraphAddHostNode(out, graph, dependencies, count, &host);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(out, graph, dependencies, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(out, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(out, graph, dependencies, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(out, graph, dependencies, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams allocate{p->alloc.poolProps, p->alloc.accessDescs, p->alloc.accessDescCount,
                                      p->alloc.bytesize, nullptr};
      const cudaError_t status = cudaGraphAddMemAllocNode(out, graph, dependencies, count, &allocate);
      p->alloc.dptr = allocate.dptr;
      return status;
    }
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(out, graph, dependencies, count, p->free.dptr);
    default:
      return call.unsupported("cudaGraphAddNode with a node of type " + std::to_string(p->type) +
                              " (conditional nodes, external semaphores)");
  }
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  const ApiCall call("cudaGraphDestroyNode");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = known_node(call, handle, status);
  if (node == nullptr) return status;
  if (std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work))
    return call.fail(cudaErrorNotSupported, "nodes that allocate or free memory cannot be taken out of a graph");
  Graphs::get().remove_node(*node);
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
  return edit_edges(ApiCall("cudaGraphAddDependencies"), graph, from, to, count, false);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t count) {
  return edit_edges(ApiCall("cudaGraphRemoveDependencies"), graph, from, to, count, true);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  const ApiCall call("cudaGraphGetNodes");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, handle, status);
  if (graph == nullptr) return status;
  std::vector<cudaGraphNode_t> list;
  for (const auto& node : graph->nodes) list.push_back(handle_of(node.get()));
  return give(call, list, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  const ApiCall call("cudaGraphGetRootNodes");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, handle, status);
  if (graph == nullptr) return status;
  std::vector<cudaGraphNode_t> list;
  for (const auto& node : graph->nodes)
    if (node->dependencies.empty()) list.push_back(handle_of(node.get()));
  return give(call, list, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count) {
  const ApiCall call("cudaGraphGetEdges");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Graph> graph = known_graph(call, handle, status);
  if (graph == nullptr) return status;
  if (count == nullptr || (from == nullptr) != (to == nullptr))
    return call.fail(cudaErrorInvalidValue, "the number or one of the two lists has no place to go");
  std::vector<cudaGraphNode_t> starts, ends;
  for (const auto& node : graph->nodes) {
    for (Node* dependency : node->dependencies) {
      starts.push_back(handle_of(dependency));
      ends.push_back(handle_of(node.get()));
    }
  }
  if (edges != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
  size_t also = *count;
  give(call, starts, from, &also);
  return give(call, ends, to, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                         size_t* count) {
  const ApiCall call("cudaGraphNodeGetDependencies");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const Node* const node = known_node(call, handle, status);
  if (node == nullptr) return status;
  std::vector<cudaGraphNode_t> list;
  for (Node* dependency : node->dependencies) list.push_back(handle_of(dependency));
  if (edges != nullptr && count != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
  return give(call, list, nodes, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                                           size_t* count) {
  const ApiCall call("cudaGraphNodeGetDependentNodes");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = known_node(call, handle, status);
  if (node == nullptr) return status;
  std::vector<cudaGraphNode_t> list;
  for (const auto& other : node->graph->nodes) {
    const auto& before = other->dependencies;
    if (std::find(before.begin(), before.end(), node) != before.end()) list.push_back(handle_of(other.get()));
  }
  if (edges != nullptr && count != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
  return give(call, list, nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  const ApiCall call("cudaGraphNodeGetType");
  if (type == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  cudaError_t status = cudaSuccess;
  const Node* const node = known_node(call, handle, status);
  if (node == nullptr) return status;
  *type = type_of(node->work);
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t* graph) {
  const ApiCall call("cudaGraphChildGraphNodeGetGraph");
  if (graph == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  cudaError_t status = cudaSuccess;
  const Node* const node = known_node(call, handle, status);
  if (node == nullptr) return status;
  const auto* child = std::get_if<ChildWork>(&node->work);
  if (child == nullptr) return call.fail(cudaErrorInvalidValue, "the node is no child graph");
  *graph = handle_of(child->graph.get());
  return call.done(cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
