// Executable graphs, and the parameters of nodes: of a graph (…NodeSetParams) and of an executable
// (…ExecNodeSetParams).

#include <algorithm>

#include "judge/cudart/capture.h"

namespace judge::cudart {
namespace {

std::shared_ptr<Executable> known_executable(const ApiCall& call, cudaGraphExec_t handle, cudaError_t& status) {
  std::shared_ptr<Executable> executable = Graphs::get().executable(handle);
  if (executable == nullptr)
    status =
        call.fail(cudaErrorInvalidValue, "the executable graph does not exist: it was never made, or is destroyed");
  return executable;
}

cudaError_t instantiate(const ApiCall& call, cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long flags) {
  constexpr unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                       cudaGraphInstantiateFlagUseNodePriority;
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0)
    return call.unsupported("graphs that kernels launch (cudaGraphInstantiateFlagDeviceLaunch)");
  if ((flags & ~known) != 0) return call.fail(cudaErrorInvalidValue, "the flags are not cudaGraphInstantiate flags");
  const Lock held = Graphs::get().lock();
  const std::shared_ptr<Graph> graph = Graphs::get().graph(handle);
  if (graph == nullptr) return call.fail(cudaErrorInvalidValue, "the graph does not exist");
  auto executable = std::make_shared<Executable>();
  executable->graph = Graphs::get().clone(*graph);
  executable->flags = flags;
  auto order = in_order(*executable->graph);
  if (!order) {
    Graphs::get().forget(*executable->graph);
    return call.fail(cudaErrorInvalidValue, "the graph's edges go in a circle");
  }
  executable->order = std::move(*order);
  *out = Graphs::get().add(std::move(executable));
  return call.done(cudaSuccess);
}

void free_allocations(const Graph& graph) {  // cudaGraphInstantiateFlagAutoFreeOnLaunch
  for (const auto& node : graph.nodes)
    if (const auto* work = std::get_if<AllocateWork>(&node->work)) work->memory->live = false;
}

// The node of a graph, or of an executable the node that stands for it. Null: `status` is the call's answer.
Node* target(const ApiCall& call, cudaGraphExec_t executable, cudaGraphNode_t handle, cudaError_t& status) {
  const std::shared_ptr<Executable> known = known_executable(call, executable, status);
  if (known == nullptr) return nullptr;
  for (const auto& node : known->graph->nodes)
    if (node->original != nullptr && handle_of(const_cast<Node*>(node->original)) == handle) return node.get();
  status = call.fail(cudaErrorInvalidValue, "the node is not one of the graph that the executable was made from");
  return nullptr;
}

Node* target(const ApiCall& call, cudaGraphNode_t handle, cudaError_t& status) {
  Node* const node = Graphs::get().node(handle);
  if (node == nullptr) status = call.fail(cudaErrorInvalidValue, "the node does not exist");
  return node;
}

// Calls change(work) on the work of a node that is of type W.
template <class W, class Change>
cudaError_t change(const ApiCall& call, Node* node, cudaError_t status, Change&& apply) {
  if (node == nullptr) return status;
  W* const work = std::get_if<W>(&node->work);
  if (work == nullptr) return call.fail(cudaErrorInvalidValue, "the node is of another type");
  return apply(*work);
}

template <class W, class P>
cudaError_t set_parameters(const ApiCall& call, Node* node, cudaError_t status, const P* parameters) {
  if (node != nullptr && parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  return change<W>(call, node, status, [&](W& work) {
    W changed = work;
    const cudaError_t wrong = work_of(call, *parameters, changed);
    if (wrong == cudaSuccess) work = std::move(changed);
    return wrong == cudaSuccess ? call.done(cudaSuccess) : wrong;
  });
}

template <class W, class P>
cudaError_t get_parameters(const ApiCall& call, cudaGraphNode_t handle, P* out) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return change<W>(call, node, status, [&](W& work) {
    *out = work.parameters;
    return call.done(cudaSuccess);
  });
}

cudaError_t set_host(const ApiCall& call, Node* node, cudaError_t status, const cudaHostNodeParams* parameters) {
  if (node != nullptr && (parameters == nullptr || parameters->fn == nullptr))
    return call.fail(cudaErrorInvalidValue, "the function is null");
  return change<HostWork>(call, node, status, [&](HostWork& work) {
    work.parameters = *parameters;
    return call.done(cudaSuccess);
  });
}

cudaError_t set_copy(const ApiCall& call, Node* node, cudaError_t status, void* to, const void* from, std::size_t bytes,
                     cudaMemcpyKind kind) {
  const CopyWork work = copy_work({to, bytes, from, bytes, bytes, 1}, kind);
  return set_parameters<CopyWork>(call, node, status, &work.parameters);
}

// Whether `from` has the shape of the executable's graph: the same nodes in the same order with the same edges.
cudaError_t update(const ApiCall& call, Executable& executable, const Graph& from,
                   cudaGraphExecUpdateResultInfo& info) {
  info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  Graph& to = *executable.graph;
  const auto refuse = [&](cudaGraphExecUpdateResult result, Node* node, Node* other, const char* sentence) {
    info = {result, handle_of(node), handle_of(other)};
    return call.fail(cudaErrorGraphExecUpdateFailure, sentence);
  };
  const auto index_of = [](const Graph& graph, const Node* node) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].get() == node) return i;
    return graph.nodes.size();
  };
  if (from.nodes.size() != to.nodes.size()) {
    return refuse(cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr,
                  "the graph has another number of nodes than the executable was made from");
  }
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    Node* const node = from.nodes[i].get();
    if (type_of(node->work) != type_of(to.nodes[i]->work))
      return refuse(cudaGraphExecUpdateErrorNodeTypeChanged, node, nullptr, "a node is of another type than it was");
    std::set<std::size_t> now, then;
    for (const Node* dependency : node->dependencies) now.insert(index_of(from, dependency));
    for (const Node* dependency : to.nodes[i]->dependencies) then.insert(index_of(to, dependency));
    if (now != then)
      return refuse(cudaGraphExecUpdateErrorTopologyChanged, node, nullptr, "a node has other edges than it had");
    if (std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work))
      return refuse(cudaGraphExecUpdateErrorNotSupported, node, nullptr,
                    "graphs that allocate or free memory cannot be updated");
    if (auto* child = std::get_if<ChildWork>(&node->work)) {
      Executable inner;
      inner.graph = std::get<ChildWork>(to.nodes[i]->work).graph;
      if (const cudaError_t status = update(call, inner, *child->graph, info); status != cudaSuccess) return status;
    }
  }
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    if (!std::holds_alternative<ChildWork>(from.nodes[i]->work)) to.nodes[i]->work = from.nodes[i]->work;
    to.nodes[i]->original = from.nodes[i].get();
  }
  return call.done(cudaSuccess);
}

}  // namespace
}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(ApiCall("cudaGraphInstantiate"), out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(ApiCall("cudaGraphInstantiateWithFlags"), out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  const ApiCall call("cudaGraphInstantiateWithParams");
  if (parameters == nullptr) return call.fail(cudaErrorInvalidValue, "the parameters are null");
  const cudaError_t status = instantiate(call, out, graph, parameters->flags);
  parameters->result_out = status == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return status;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const ApiCall call("cudaGraphExecDestroy");
  if (!Graphs::get().remove(executable))
    return call.fail(cudaErrorInvalidValue, "the executable graph does not exist, or is destroyed already");
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  const ApiCall call("cudaGraphExecGetFlags");
  if (flags == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Executable> executable = known_executable(call, handle, status);
  if (executable == nullptr) return status;
  *flags = executable->flags;
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  const ApiCall call("cudaGraphUpload");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  cudaError_t status = cudaSuccess;
  return known_executable(call, handle, status) == nullptr ? status : call.done(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  const ApiCall call("cudaGraphLaunch");
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Executable> executable = known_executable(call, handle, status);
  if (executable == nullptr) return status;
  if (is_capturing(stream)) {
    const auto captured = capture(call, stream, ChildWork{Graphs::get().clone(*executable->graph)});
    return captured.value_or(cudaSuccess);
  }
  if (const auto rejected = capture(call, stream, EmptyWork{})) return *rejected;  // the legacy stream, under a capture
  if ((executable->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) free_allocations(*executable->graph);
  // What the nodes do is copied: a host function may change the graph, and the lock must not be held while it runs.
  std::vector<Work> works;
  {
    const Lock held = Graphs::get().lock();
    for (const Node* node : executable->order)
      if (node->enabled) works.push_back(node->work);
  }
  for (const Work& work : works)
    if (const cudaError_t failed = carry_out(call, work, stream); failed != cudaSuccess) return failed;
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  const ApiCall call("cudaGraphExecUpdate");
  const Lock held = Graphs::get().lock();
  cudaGraphExecUpdateResultInfo unasked{};
  cudaGraphExecUpdateResultInfo& result = info != nullptr ? *info : unasked;
  result = {cudaGraphExecUpdateError, nullptr, nullptr};
  cudaError_t status = cudaSuccess;
  const std::shared_ptr<Executable> executable = known_executable(call, handle, status);
  if (executable == nullptr) return status;
  const std::shared_ptr<Graph> from = Graphs::get().graph(graph);
  if (from == nullptr) return call.fail(cudaErrorInvalidValue, "the graph does not exist");
  return update(call, *executable, *from, result);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle, cudaKernelNodeParams* out) {
  const ApiCall call("cudaGraphKernelNodeGetParams");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return change<KernelWork>(call, node, status, [&](KernelWork& work) {
    PackedLaunch& launch = work.launch;
    work.pointers.clear();
    for (const auto& parameter : launch.kernel->parameters)
      work.pointers.push_back(launch.values.data() + parameter.offset);
    *out = {const_cast<void*>(launch.function),
            launch.shape.grid,
            launch.shape.block,
            static_cast<unsigned>(launch.shape.shared_bytes),
            work.pointers.data(),
            nullptr};
    return call.done(cudaSuccess);
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t handle, const cudaKernelNodeParams* parameters) {
  const ApiCall call("cudaGraphKernelNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return set_parameters<KernelWork>(call, node, status, parameters);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                             const cudaKernelNodeParams* parameters) {
  const ApiCall call("cudaGraphExecKernelNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  return set_parameters<KernelWork>(call, node, status, parameters);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  const ApiCall call("cudaGraphKernelNodeSetAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the value is null");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return change<KernelWork>(call, node, status, [&](KernelWork& work) {
    if (attribute == cudaLaunchAttributeCooperative)
      work.launch.shape.cooperative = value->cooperative != 0;
    else if (attribute != cudaLaunchAttributePriority && attribute != cudaLaunchAttributeAccessPolicyWindow)
      return call.unsupported("cudaGraphKernelNodeSetAttribute with attribute " + std::to_string(attribute));
    return call.done(cudaSuccess);
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  const ApiCall call("cudaGraphKernelNodeGetAttribute");
  if (value == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return change<KernelWork>(call, node, status, [&](KernelWork& work) {
    if (attribute != cudaLaunchAttributeCooperative)
      return call.unsupported("cudaGraphKernelNodeGetAttribute with attribute " + std::to_string(attribute));
    value->cooperative = work.launch.shape.cooperative ? 1 : 0;
    return call.done(cudaSuccess);
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* out) {
  return get_parameters<CopyWork>(ApiCall("cudaGraphMemcpyNodeGetParams"), node, out);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t handle, const cudaMemcpy3DParms* parameters) {
  const ApiCall call("cudaGraphMemcpyNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return set_parameters<CopyWork>(call, node, status, parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t handle, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  const ApiCall call("cudaGraphMemcpyNodeSetParams1D");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return set_copy(call, node, status, to, from, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                             const cudaMemcpy3DParms* parameters) {
  const ApiCall call("cudaGraphExecMemcpyNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  return set_parameters<CopyWork>(call, node, status, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t handle, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
  const ApiCall call("cudaGraphExecMemcpyNodeSetParams1D");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  return set_copy(call, node, status, to, from, bytes, kind);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* out) {
  return get_parameters<SetWork>(ApiCall("cudaGraphMemsetNodeGetParams"), node, out);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t handle, const cudaMemsetParams* parameters) {
  const ApiCall call("cudaGraphMemsetNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return set_parameters<SetWork>(call, node, status, parameters);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                             const cudaMemsetParams* parameters) {
  const ApiCall call("cudaGraphExecMemsetNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  return set_parameters<SetWork>(call, node, status, parameters);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* out) {
  return get_parameters<HostWork>(ApiCall("cudaGraphHostNodeGetParams"), node, out);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t handle, const cudaHostNodeParams* parameters) {
  const ApiCall call("cudaGraphHostNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return set_host(call, node, status, parameters);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t handle,
                                           const cudaHostNodeParams* parameters) {
  const ApiCall call("cudaGraphExecHostNodeSetParams");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  return set_host(call, node, status, parameters);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* out) {
  return get_parameters<AllocateWork>(ApiCall("cudaGraphMemAllocNodeGetParams"), node, out);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void* out) {
  const ApiCall call("cudaGraphMemFreeNodeGetParams");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, handle, status);
  return change<FreeWork>(call, node, status, [&](FreeWork& work) {
    *static_cast<void**>(out) = work.address;
    return call.done(cudaSuccess);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t handle, unsigned enabled) {
  const ApiCall call("cudaGraphNodeSetEnabled");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  Node* const node = target(call, executable, handle, status);
  if (node == nullptr) return status;
  if (type_of(node->work) > cudaGraphNodeTypeMemset)
    return call.fail(cudaErrorInvalidValue, "only kernel, memset and memcpy nodes can be disabled");
  node->enabled = enabled != 0;
  return call.done(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t handle, unsigned* enabled) {
  const ApiCall call("cudaGraphNodeGetEnabled");
  if (enabled == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  const Lock held = Graphs::get().lock();
  cudaError_t status = cudaSuccess;
  const Node* const node = target(call, executable, handle, status);
  if (node == nullptr) return status;
  *enabled = node->enabled ? 1 : 0;
  return call.done(cudaSuccess);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaGraphLaunch, _ptsz);
JUDGE_PER_THREAD(cudaGraphUpload, _ptsz);
JUDGE_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);
#pragma GCC visibility pop
