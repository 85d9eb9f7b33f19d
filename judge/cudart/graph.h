#pragma once
// Graphs of work: what cudaGraph_t, cudaGraphNode_t and cudaGraphExec_t point to.
//
// A graph lives in this library only. Launching one makes the calls of its nodes in an order that its edges allow, so
// the device sees and checks every operation as it would without a graph. Handles are looked up among those that exist
// before anything is done with them: a program's mistake must not become a crash in here.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <variant>
#include <vector>

#include "judge/cudart/copy.h"
#include "judge/cudart/launch.h"

namespace judge::cudart {

struct Graph;

// Memory of allocation nodes. It is taken when the node is made, because its address must be known then, and kept as
// long as a graph has the node; in between, the program's view of it (allocated or not) is `live`.
struct GraphMemory {
  void* address = nullptr;
  std::size_t bytes = 0;
  bool live = false;
  ~GraphMemory();
};

struct KernelWork {
  PackedLaunch launch;
  std::vector<void*> pointers;  // to the values in `launch`, for cudaGraphKernelNodeGetParams
};
struct CopyWork {
  cudaMemcpy3DParms parameters{};
  channel::CopyPurpose purpose = channel::CopyPurpose::memory;
  bool to_symbol = false;
};
struct SetWork {
  cudaMemsetParams parameters{};
};
struct HostWork {
  cudaHostNodeParams parameters{};
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  cudaMemAllocNodeParams parameters{};
};
struct FreeWork {
  void* address = nullptr;
};
// In the order of cudaGraphNodeType, as far as that goes.
using Work = std::variant<KernelWork, CopyWork, SetWork, HostWork, ChildWork, EmptyWork, WaitWork, RecordWork,
                          AllocateWork, FreeWork>;

struct Node {
  Graph* graph = nullptr;
  const Node* original = nullptr;  // in the graph that this one's graph is a clone of
  Work work;
  std::vector<Node*> dependencies;
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were made
  bool owned = false;                        // by a child node: not the program's to destroy
};

struct Executable {
  std::shared_ptr<Graph> graph;
  std::vector<Node*> order;
  unsigned long long flags = 0;
};

using Lock = std::unique_lock<std::recursive_mutex>;

class Graphs {
 public:
  static Graphs& get() { return immortal<Graphs>(); }
  Lock lock() { return Lock(mutex_); }

  cudaGraph_t add(std::shared_ptr<Graph> graph);
  cudaGraphExec_t add(std::shared_ptr<Executable> executable);
  std::shared_ptr<Graph> graph(cudaGraph_t handle) const;  // null: there is none
  std::shared_ptr<Executable> executable(cudaGraphExec_t handle) const;
  Node* node(cudaGraphNode_t handle) const;
  bool remove(cudaGraph_t handle);
  bool remove(cudaGraphExec_t handle);

  Node* add_node(Graph& graph, Work work, std::vector<Node*> dependencies);
  void remove_node(Node& node);
  std::shared_ptr<Graph> clone(const Graph& graph);
  void forget(Graph& graph);  // its nodes are about to go

  // Memory of allocation nodes that begins at this address; null: there is none.
  std::shared_ptr<GraphMemory> memory(const void* address) const;
  void add_memory(const std::shared_ptr<GraphMemory>& memory);

 private:
  mutable std::recursive_mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<Graph>> graphs_;
  std::unordered_map<const void*, std::shared_ptr<Executable>> executables_;
  std::set<const void*> nodes_;
  std::unordered_map<const void*, std::weak_ptr<GraphMemory>> memories_;
};

inline cudaGraph_t handle_of(Graph* graph) {
  return reinterpret_cast<cudaGraph_t>(graph);
}
inline cudaGraphNode_t handle_of(Node* node) {
  return reinterpret_cast<cudaGraphNode_t>(node);
}

cudaGraphNodeType type_of(const Work& work);
// An order that the edges allow, that of making where they leave a choice; nothing when they go in circles.
std::optional<std::vector<Node*>> in_order(const Graph& graph);
// Carries out a node's work. The caller does not hold the lock.
cudaError_t carry_out(const ApiCall& call, const Work& work, cudaStream_t stream);

// Work as the parameters of a node describe it; each reports what is wrong with them.
cudaError_t work_of(const ApiCall& call, const cudaKernelNodeParams& parameters, KernelWork& work);
cudaError_t work_of(const ApiCall& call, const cudaMemcpy3DParms& parameters, CopyWork& work);
cudaError_t work_of(const ApiCall& call, const cudaMemsetParams& parameters, SetWork& work);
cudaError_t work_of(const ApiCall& call, cudaMemAllocNodeParams& parameters, AllocateWork& work);
CopyWork copy_work(const Rectangle& what, cudaMemcpyKind kind,
                   channel::CopyPurpose purpose = channel::CopyPurpose::memory, bool to_symbol = false);
cudaError_t allocate_for_graph(const ApiCall& call, std::size_t bytes, AllocateWork& work);

// cudaFree of an allocation node's memory; nothing: the memory is no graph's.
std::optional<cudaError_t> free_graph_memory(const ApiCall& call, void* address);

}  // namespace judge::cudart
