// The world of graphs: which handles exist, clones, order, and how a node's work is carried out.

#include "judge/cudart/graph.h"

#include <algorithm>

#include "judge/cudart/capture.h"

namespace judge::cudart {

using channel::Call;

GraphMemory::~GraphMemory() {
  channel::FreeRequest request;
  request.address = reinterpret_cast<std::uintptr_t>(address);
  if (address != nullptr) Connection::get().call<Call::free>(request);
}

cudaGraph_t Graphs::add(std::shared_ptr<Graph> graph) {
  const Lock held = lock();
  Graph* const key = graph.get();
  graphs_[key] = std::move(graph);
  return handle_of(key);
}

cudaGraphExec_t Graphs::add(std::shared_ptr<Executable> executable) {
  const Lock held = lock();
  Executable* const key = executable.get();
  executables_[key] = std::move(executable);
  return reinterpret_cast<cudaGraphExec_t>(key);
}

std::shared_ptr<Graph> Graphs::graph(cudaGraph_t handle) const {
  const Lock held(mutex_);
  const auto found = graphs_.find(handle);
  return found == graphs_.end() ? nullptr : found->second;
}

std::shared_ptr<Executable> Graphs::executable(cudaGraphExec_t handle) const {
  const Lock held(mutex_);
  const auto found = executables_.find(handle);
  return found == executables_.end() ? nullptr : found->second;
}

Node* Graphs::node(cudaGraphNode_t handle) const {
  const Lock held(mutex_);
  return nodes_.contains(handle) ? reinterpret_cast<Node*>(handle) : nullptr;
}

bool Graphs::remove(cudaGraph_t handle) {
  const Lock held = lock();
  const auto found = graphs_.find(handle);
  if (found == graphs_.end() || found->second->owned) return false;
  const std::shared_ptr<Graph> last = std::move(found->second);
  graphs_.erase(found);
  forget(*last);
  return true;
}

bool Graphs::remove(cudaGraphExec_t handle) {
  const Lock held = lock();
  const auto found = executables_.find(handle);
  if (found == executables_.end()) return false;
  const std::shared_ptr<Executable> last = std::move(found->second);
  executables_.erase(found);
  forget(*last->graph);
  return true;
}

void Graphs::forget(Graph& graph) {
  for (const auto& node : graph.nodes) {
    nodes_.erase(node.get());
    if (auto* child = std::get_if<ChildWork>(&node->work)) {
      graphs_.erase(child->graph.get());
      forget(*child->graph);
    }
  }
}

Node* Graphs::add_node(Graph& graph, Work work, std::vector<Node*> dependencies) {
  const Lock held = lock();
  auto node = std::make_unique<Node>();
  node->graph = &graph;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  if (auto* child = std::get_if<ChildWork>(&node->work)) {
    child->graph->owned = true;
    graphs_[child->graph.get()] = child->graph;  // cudaGraphChildGraphNodeGetGraph gives it out
  }
  nodes_.insert(node.get());
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

void Graphs::remove_node(Node& node) {
  const Lock held = lock();
  Graph& graph = *node.graph;
  for (const auto& other : graph.nodes) std::erase(other->dependencies, &node);
  nodes_.erase(&node);
  std::erase_if(graph.nodes, [&](const auto& other) { return other.get() == &node; });
}

std::shared_ptr<Graph> Graphs::clone(const Graph& graph) {
  const Lock held = lock();
  auto copy = std::make_shared<Graph>();
  std::unordered_map<const Node*, Node*> copy_of;
  for (const auto& node : graph.nodes) {
    Work work = node->work;
    if (auto* child = std::get_if<ChildWork>(&work)) child->graph = clone(*child->graph);
    Node* const made = add_node(*copy, std::move(work), {});
    made->original = node.get();
    made->enabled = node->enabled;
    copy_of[node.get()] = made;
  }
  for (const auto& node : graph.nodes)
    for (const Node* dependency : node->dependencies) copy_of[node.get()]->dependencies.push_back(copy_of[dependency]);
  return copy;
}

std::shared_ptr<GraphMemory> Graphs::memory(const void* address) const {
  const Lock held(mutex_);
  const auto found = memories_.find(address);
  return found == memories_.end() ? nullptr : found->second.lock();
}

void Graphs::add_memory(const std::shared_ptr<GraphMemory>& memory) {
  const Lock held = lock();
  std::erase_if(memories_, [](const auto& entry) { return entry.second.expired(); });
  memories_[memory->address] = memory;
}

cudaGraphNodeType type_of(const Work& work) {
  static constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree};
  return kTypes[work.index()];
}

std::optional<std::vector<Node*>> in_order(const Graph& graph) {
  std::vector<Node*> order;
  std::set<const Node*> done;
  while (order.size() < graph.nodes.size()) {
    const std::size_t before = order.size();
    for (const auto& node : graph.nodes) {
      if (done.contains(node.get())) continue;
      const bool ready = std::all_of(node->dependencies.begin(), node->dependencies.end(),
                                     [&](const Node* dependency) { return done.contains(dependency); });
      if (!ready) continue;
      order.push_back(node.get());
      done.insert(node.get());
    }
    if (order.size() == before) return std::nullopt;
  }
  return order;
}

namespace {

std::byte* moved(const cudaPitchedPtr& base, const cudaPos& position, std::size_t slice) {
  return static_cast<std::byte*>(base.ptr) + (position.z + slice) * base.pitch * base.ysize + position.y * base.pitch +
         position.x;
}

struct CarryOut {
  const ApiCall& call;
  cudaStream_t stream;

  cudaError_t operator()(const KernelWork& work) const { return issue(call, work.launch, stream); }
  cudaError_t operator()(const CopyWork& work) const {
    const cudaMemcpy3DParms& p = work.parameters;
    for (std::size_t z = 0; z < p.extent.depth; ++z) {
      const Rectangle slice{moved(p.dstPtr, p.dstPos, z),
                            p.dstPtr.pitch,
                            moved(p.srcPtr, p.srcPos, z),
                            p.srcPtr.pitch,
                            p.extent.width,
                            p.extent.height};
      const cudaError_t status = copy(call, slice, p.kind, work.purpose, work.to_symbol, {stream, true});
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  }
  cudaError_t operator()(const SetWork& work) const {
    const cudaMemsetParams& p = work.parameters;
    return set(call, p.dst, p.pitch, p.value, p.elementSize, p.width * p.elementSize, p.height,
               {stream, true});
  }
  cudaError_t operator()(const HostWork& work) const {
    work.parameters.fn(work.parameters.userData);
    return cudaSuccess;
  }
  cudaError_t operator()(const ChildWork& work) const {
    const auto order = in_order(*work.graph);
    if (!order) return call.fail(cudaErrorInvalidValue, "the edges of a child graph go in a circle");
    for (const Node* node : *order) {
      if (const cudaError_t status = carry_out(call, node->work, stream); status != cudaSuccess) return status;
    }
    return cudaSuccess;
  }
  cudaError_t operator()(const EmptyWork&) const { return cudaSuccess; }
  cudaError_t operator()(const WaitWork&) const { return cudaSuccess; }  // whatever it recorded is done
  cudaError_t operator()(const RecordWork& work) const { return cudaEventRecord(work.event, stream); }
  cudaError_t operator()(const AllocateWork& work) const {
    if (work.memory->live) {
      return call.fail(cudaErrorInvalidValue,
                       "the graph allocates memory, and what its last launch allocated is not freed yet");
    }
    work.memory->live = true;
    return cudaSuccess;
  }
  cudaError_t operator()(const FreeWork& work) const { return cudaFree(work.address); }
};

}  // namespace

cudaError_t carry_out(const ApiCall& call, const Work& work, cudaStream_t stream) {
  return std::visit(CarryOut{call, stream}, work);
}

cudaError_t work_of(const ApiCall& call, const cudaKernelNodeParams& p, KernelWork& work) {
  if (p.extra != nullptr) return call.unsupported("kernel nodes whose arguments come in `extra`");
  const bool cooperative = work.launch.shape.cooperative;
  return pack(call, p.func, {p.gridDim, p.blockDim, p.sharedMemBytes, cooperative}, p.kernelParams, work.launch);
}

cudaError_t work_of(const ApiCall& call, const cudaMemcpy3DParms& p, CopyWork& work) {
  if (p.srcArray != nullptr || p.dstArray != nullptr) return call.unsupported("copies of arrays in graphs");
  if (p.srcPtr.ptr == nullptr || p.dstPtr.ptr == nullptr)
    return call.fail(cudaErrorInvalidValue, "the source or the destination is a null pointer");
  if (p.kind < cudaMemcpyHostToHost || p.kind > cudaMemcpyDefault)
    return call.fail(cudaErrorInvalidMemcpyDirection, "the direction is none of cudaMemcpyKind's values");
  work.parameters = p;
  return cudaSuccess;
}

cudaError_t work_of(const ApiCall& call, const cudaMemsetParams& p, SetWork& work) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    return call.fail(cudaErrorInvalidValue, "an element to set has 1, 2 or 4 bytes");
  if (p.dst == nullptr || p.width == 0 || p.height == 0)
    return call.fail(cudaErrorInvalidValue, "the memory to set is null or empty");
  work.parameters = p;
  return cudaSuccess;
}

cudaError_t work_of(const ApiCall& call, cudaMemAllocNodeParams& p, AllocateWork& work) {
  if (p.poolProps.allocType != cudaMemAllocationTypePinned || p.poolProps.location.type != cudaMemLocationTypeDevice ||
      p.poolProps.location.id != 0 || p.poolProps.handleTypes != cudaMemHandleTypeNone)
    return call.fail(cudaErrorInvalidValue, "an allocation node takes pinned memory of device 0 without handles");
  work.parameters = p;
  if (const cudaError_t status = allocate_for_graph(call, p.bytesize, work); status != cudaSuccess) return status;
  p.dptr = work.parameters.dptr;
  return cudaSuccess;
}

CopyWork copy_work(const Rectangle& what, cudaMemcpyKind kind, channel::CopyPurpose purpose, bool to_symbol) {
  CopyWork work;
  work.parameters.dstPtr = {what.to, what.to_pitch, what.row_bytes, what.rows};
  work.parameters.srcPtr = {const_cast<void*>(what.from), what.from_pitch, what.row_bytes, what.rows};
  work.parameters.extent = {what.row_bytes, what.rows, 1};
  work.parameters.kind = kind;
  work.purpose = purpose;
  work.to_symbol = to_symbol;
  return work;
}

cudaError_t allocate_for_graph(const ApiCall& call, std::size_t bytes, AllocateWork& work) {
  channel::AllocateRequest request;
  request.bytes = bytes;
  channel::AddressReply reply;
  if (bytes == 0) return call.fail(cudaErrorInvalidValue, "an allocation of 0 bytes in a graph");
  const cudaError_t status = call.device().call<Call::allocate>(request, &reply);
  if (status != cudaSuccess) return call.done(status);
  work.memory = std::make_shared<GraphMemory>();
  work.memory->address = reinterpret_cast<void*>(reply.address);
  work.memory->bytes = bytes;
  work.parameters.bytesize = bytes;
  work.parameters.dptr = work.memory->address;
  Graphs::get().add_memory(work.memory);
  return cudaSuccess;
}

std::optional<cudaError_t> free_graph_memory(const ApiCall& call, void* address) {
  const std::shared_ptr<GraphMemory> memory = Graphs::get().memory(address);
  if (memory == nullptr) return std::nullopt;
  if (!memory->live)
    return call.fail(cudaErrorInvalidValue, "the memory belongs to a graph and is not allocated at the moment");
  memory->live = false;
  return call.done(cudaSuccess);
}

}  // namespace judge::cudart
