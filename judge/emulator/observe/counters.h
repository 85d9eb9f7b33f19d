#pragma once
// Hardware counters of one kernel launch, in the meaning Nsight Compute gives them.
//
// One list (JUDGE_COUNTERS) drives the struct, its sum, JSON, `require` metrics and the report, so a counter is added in
// one place. All counters are event counts over the whole launch unless the comment names a unit.

#include <cstdint>
#include <string_view>

namespace judge::emulator {

// X(name, "Nsight Compute metric or definition")
#define JUDGE_COUNTERS(X)                                                                        \
  X(warp_instructions, "smsp__inst_executed.sum (PTX instructions, one per warp)")               \
  X(thread_instructions, "PTX instructions times active lanes")                                  \
  X(branches, "branch instructions, one per warp")                                               \
  X(divergent_branches, "branches after which lanes of the warp went different ways")            \
  X(barriers, "bar.sync / barrier.sync, one per warp")                                           \
  X(global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")                     \
  X(global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")                       \
  X(global_load_bytes_requested, "bytes the active lanes asked for")                             \
  X(global_load_readonly_requests, "of these, ld.global.nc: by the read-only path")              \
  X(global_store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")                    \
  X(global_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")                      \
  X(global_store_bytes_requested, "bytes the active lanes wrote")                                \
  X(global_red_requests, "atomics whose result is not used, one per warp")                       \
  X(global_red_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")                       \
  X(global_atom_requests, "atomics whose result is used, one per warp")                          \
  X(global_atom_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")                     \
  X(shared_load_instructions, "smsp__inst_executed_op_shared_ld.sum")                            \
  X(shared_load_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")              \
  X(shared_load_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")           \
  X(shared_store_instructions, "smsp__inst_executed_op_shared_st.sum")                           \
  X(shared_store_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")             \
  X(shared_store_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")          \
  X(shared_atomic_instructions, "atomics on shared memory, one per warp")                        \
  X(shared_atomic_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")          \
  X(shared_atomic_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")       \
  X(local_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")                         \
  X(local_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")                        \
  X(constant_loads, "ld.const, one per warp (kernel parameters not counted)")                    \
  X(constant_load_addresses, "different words that the lanes of ld.const want; a request each")  \
  X(texture_requests, "texture fetches, one per warp")                                           \
  X(texture_sectors, "l1tex__t_sectors_pipe_tex_mem_texture.sum")                                \
  X(surface_load_requests, "surface reads, one per warp")                                        \
  X(surface_load_sectors, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum")                     \
  X(surface_store_requests, "surface writes, one per warp")                                      \
  X(surface_store_sectors, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum")

struct Counters {
#define X(name, meaning) std::uint64_t name = 0;
  JUDGE_COUNTERS(X)
#undef X

  Counters& operator+=(const Counters& o) {
#define X(name, meaning) name += o.name;
    JUDGE_COUNTERS(X)
#undef X
    return *this;
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};

// Calls visit(std::string_view name, std::uint64_t value) for every counter, in the list's order.
template <class Visitor>
void for_each_counter(const Counters& c, Visitor&& visit) {
#define X(name, meaning) visit(std::string_view{#name}, c.name);
  JUDGE_COUNTERS(X)
#undef X
}

// Calls visit(std::string_view name, std::uint64_t& value) for every counter.
template <class Visitor>
void for_each_counter(Counters& c, Visitor&& visit) {
#define X(name, meaning) visit(std::string_view{#name}, c.name);
  JUDGE_COUNTERS(X)
#undef X
}

}  // namespace judge::emulator
