#include "judge/emulator/exec/launch.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/memory_operand.h"
#include "judge/emulator/exec/pattern.h"
#include "judge/emulator/exec/trace.h"
#include "judge/emulator/exec/warp.h"
#include "judge/emulator/observe/race.h"

namespace judge::emulator {

namespace {

constexpr std::uint32_t kStackFrames = 4096;        // deepest recursion whose registers there is room for
constexpr std::uint32_t kMaxStackBytes = 8u << 20;  // of one warp's registers
constexpr std::uint32_t kStackBytes = 16u << 10;    // local memory of nested calls, per thread

void prepare(LaunchContext& launch, const Program& p, std::uint64_t stack_bytes) {
  std::uint32_t largest_frame = 0, local = p.functions[0].local_bytes;
  bool any_local = local != 0;
  for (std::size_t k = 1; k < p.functions.size(); ++k) {
    largest_frame = std::max(largest_frame, p.functions[k].frame_bytes);
    any_local |= p.functions[k].local_bytes != 0;
  }
  launch.frames_bytes = p.functions[0].frame_bytes;
  if (p.functions.size() > 1) {
    launch.frames_bytes += static_cast<std::uint32_t>(
        std::max<std::uint64_t>(largest_frame,
                                std::min<std::uint64_t>(std::uint64_t{largest_frame} * kStackFrames, kMaxStackBytes)) /
        64 * 64);
  }
  if (p.uses_alloca || (any_local && p.functions.size() > 1))
    local += static_cast<std::uint32_t>(std::max<std::uint64_t>(kStackBytes, stack_bytes));
  launch.local_stride = (local + 15) / 16 * 16;
}

// Marks the allocations that this launch can write. A parameter that looks like a device address but is in no
// allocation (a pointer moved before its buffer, say) could lead anywhere: then all are marked.
void track_written(GlobalMemory& memory, const Program& p, std::span<const std::byte> parameters) {
  memory.track_all(!p.written_parameters_known);
  for (const auto& range : p.written_parameters) {
    for (std::uint32_t at = (range.offset + 7) / 8 * 8;
         at + 8 <= range.offset + range.bytes && at + 8 <= parameters.size(); at += 8) {
      Address a = 0;
      std::memcpy(&a, parameters.data() + at, 8);
      const bool like_device = a >= kDeviceBase / 2 && a < kMappedBase + kMappedSpan;
      if (!memory.track(a) && like_device) return memory.track_all(true);
    }
  }
}

// What one instruction's counts mean for the kernel's counters. all_off: executions by warps with no active lane, which
// only the counters of shared memory's instructions see.
void add_access(Counters& c, const Instr& i, const AccessCounts& a, std::uint64_t all_off) {
  const std::uint64_t executions = a.executions + a.contiguous + a.straddling;
  if (executions == 0) return;
  const auto op = static_cast<Op>(i.op);
  const bool is_atomic = op == Op::atom;
  if (op == Op::mbarrier || op == Op::mbarrier_wait || op == Op::cp_async_arrive || op == Op::bulk_load ||
      op == Op::bulk_store)  // not of the load and store unit
    return;
  const bool is_store = op == Op::st || op == Op::st_shared_32 || op == Op::st_global_32 || op == Op::stmatrix ||
                        op == Op::wmma_store || op == Op::cp_async_store;
  const std::uint64_t bytes = a.bytes + 128 * (a.contiguous + a.straddling);
  const std::uint64_t sectors = a.sectors + 4 * a.contiguous + 5 * a.straddling;
  const std::uint64_t wavefronts = a.wavefronts + a.contiguous;
  if (op == Op::tex || op == Op::suld || op == Op::sust) {
    auto& requests = op == Op::tex    ? c.texture_requests
                     : op == Op::suld ? c.surface_load_requests
                                      : c.surface_store_requests;
    auto& touched = op == Op::tex    ? c.texture_sectors
                    : op == Op::suld ? c.surface_load_sectors
                                     : c.surface_store_sectors;
    requests += executions;
    touched += sectors;
    return;
  }
  auto space = memop::space_of(i.aux);
  if (space == memop::generic) space = a.wavefronts != 0 ? memop::shared : memop::global;
  const std::uint64_t off = memop::merged(i.aux) == memop::Merged::with_another ? 0 : all_off;
  switch (space) {
    case memop::constant:
      c.constant_loads += executions;
      c.constant_load_addresses += wavefronts;
      break;
    case memop::shared:
      if (is_atomic) {
        c.shared_atomic_instructions += executions;
        c.shared_atomic_wavefronts += wavefronts;
        c.shared_atomic_conflicts += a.conflicts;
      } else if (is_store) {
        c.shared_store_instructions += executions + off;
        c.shared_store_wavefronts += wavefronts;
        c.shared_store_conflicts += a.conflicts;
      } else {
        c.shared_load_instructions += executions + off;
        c.shared_load_wavefronts += wavefronts;
        c.shared_load_conflicts += a.conflicts;
      }
      break;
    case memop::local:
      (is_store ? c.local_store_sectors : c.local_load_sectors) += sectors;
      break;
    case memop::global:
      if (is_atomic) {
        const bool has_result = (i.aux & memop::kNoResult) == 0;
        (has_result ? c.global_atom_requests : c.global_red_requests) += executions;
        (has_result ? c.global_atom_sectors : c.global_red_sectors) += sectors;
      } else if (is_store) {
        c.global_store_requests += executions;
        c.global_store_sectors += sectors;
        c.global_store_bytes_requested += bytes;
      } else {
        c.global_load_requests += executions;
        if ((i.aux & memop::kReadOnlyPath) != 0) c.global_load_readonly_requests += executions;
        c.global_load_sectors += sectors;
        c.global_load_bytes_requested += bytes;
      }
      break;
    default:
      break;
  }
}

AccessCounts& operator+=(AccessCounts& a, const AccessCounts& b) {
  a.contiguous += b.contiguous;
  a.straddling += b.straddling;
  a.executions += b.executions;
  a.sectors += b.sectors;
  a.bytes += b.bytes;
  a.wavefronts += b.wavefronts;
  a.conflicts += b.conflicts;
  return a;
}

void count(const Program& p, std::vector<std::unique_ptr<Worker>>& workers, LaunchResult& out) {
  std::map<std::pair<std::string, int>, LineCounters> lines;
  const auto line = [&](std::uint32_t instr) -> Counters* {
    const int at = p.info[instr].location;
    if (at < 0) return nullptr;
    const SourceLocation& where = p.locations[static_cast<std::size_t>(at)];
    if (where.line <= 0) return nullptr;
    LineCounters& l = lines[{where.file, where.line}];
    if (l.where.line == 0) {
      l.where = where;
      l.where.column = 0;
      if (l.where.function.empty()) l.where.function = p.display_name;
    }
    return &l.counters;
  };
  std::vector<BlockCounts> blocks(p.blocks.size());
  for (const auto& w : workers)
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      blocks[b].warps += w->block_counts[b].warps;
      blocks[b].threads += w->block_counts[b].threads;
    }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    out.counters.warp_instructions += blocks[b].warps * p.blocks[b].length;
    out.counters.thread_instructions += blocks[b].threads * p.blocks[b].length;
  }
  out.steps = out.counters.warp_instructions * kLanes;
  for (std::uint32_t k = 0; k < p.code.size(); ++k) {
    const Instr& i = p.code[k];
    const auto op = static_cast<Op>(i.op);
    AccessCounts total;
    std::uint64_t divergences = 0;
    for (const auto& w : workers) {
      if (AccessPattern* pattern = w->caches[k].pattern)
        settle(*pattern, w->accesses[k], memop::width_of(i.aux) * memop::vector_of(i.aux));
      total += w->accesses[k];
      divergences += w->divergences[k];
    }
    Counters here;
    const BasicBlock& block = p.blocks[p.info[k].block];
    const std::uint64_t executed = blocks[p.info[k].block].warps;
    const std::uint64_t all_off =
        block.predicated_by < 0 ? 0 : blocks[static_cast<std::size_t>(block.predicated_by)].warps - executed;
    add_access(here, i, total, all_off);
    if (op == Op::bra || op == Op::bra_if || op == Op::bra_if_strict || op == Op::brx) here.branches = executed;
    if (op == Op::bar_sync || op == Op::bar_red || op == Op::bar_arrive) here.barriers = executed;
    here.divergent_branches = divergences;
    if (here == Counters{}) continue;
    out.counters += here;
    if (here.branches != 0 && divergences == 0) here.branches = 0;
    if (here == Counters{}) continue;
    if (Counters* l = line(k)) *l += here;
  }
  for (auto& [key, value] : lines) out.lines.push_back(std::move(value));
}

// Race entries remember who wrote last: one of this launch in an input is a store that should not be. The first one in
// each input is enough to name a line.
std::vector<InputStore> input_stores(const GlobalMemory& memory, const LaunchContext& launch) {
  std::vector<InputStore> found;
  const std::uint64_t this_launch = launch.launch_epoch << race::GlobalLayout::kEpochShift;
  memory.for_each_live([&](const Allocation& a) {
    if (!a.input || !a.tracked || a.write_shadow == nullptr) return;
    const std::uint64_t units = (a.bytes >> a.shadow_shift) + 1;
    const std::uint64_t* const entry =
        std::find_if(a.write_shadow, a.write_shadow + units, [&](std::uint64_t e) { return e >= this_launch; });
    if (entry != a.write_shadow + units) found.push_back({a.label, location_of(launch, race::instr_of(*entry))});
  });
  return found;
}

// Blocks after the one whose fault ended the kernel may or may not have run: what they did is left out.
void collect_faults(std::vector<std::unique_ptr<Worker>>& workers, std::uint64_t stop_at, std::size_t max_faults,
                    LaunchResult& out) {
  std::vector<RecordedFault> all;
  for (auto& w : workers) {
    for (RecordedFault& r : w->faults) {
      if (r.block > stop_at) continue;
      const auto known = std::find_if(all.begin(), all.end(), [&](const RecordedFault& o) { return o.key == r.key; });
      if (known == all.end()) {
        all.push_back(std::move(r));
      } else {
        const std::uint64_t sum = known->fault.occurrences + r.fault.occurrences;
        if (r.block < known->block) *known = std::move(r);
        known->fault.occurrences = sum;
      }
    }
  }
  // One entry per pair of lines, whichever of the two threads came second.
  const auto same_pair = [](const Fault& a, const Fault& b) {
    if (a.kind != b.kind || a.kind != FaultKind::race || !a.other || !b.other) return false;
    return a.where.file == b.other->where.file && a.where.line == b.other->where.line &&
           b.where.file == a.other->where.file && b.where.line == a.other->where.line;
  };
  std::stable_sort(all.begin(), all.end(), [](const RecordedFault& a, const RecordedFault& b) {
    return a.block != b.block ? a.block < b.block : a.sequence < b.sequence;
  });
  for (RecordedFault& r : all) {
    const auto same_line = [&](const Fault& f) {
      return f.kind == r.fault.kind && f.where.file == r.fault.where.file && f.where.line == r.fault.where.line &&
             f.where.line != 0 && f.other.has_value() == r.fault.other.has_value() &&
             (!f.other ||
              (f.other->where.line == r.fault.other->where.line && f.other->where.file == r.fault.other->where.file));
    };
    const auto known = std::find_if(out.faults.begin(), out.faults.end(),
                                    [&](const Fault& f) { return same_line(f) || same_pair(f, r.fault); });
    if (known != out.faults.end())
      known->occurrences += r.fault.occurrences;
    else if (out.faults.size() < max_faults)
      out.faults.push_back(std::move(r.fault));
    else
      ++out.faults_not_listed;
  }
}

}  // namespace

LaunchResult Launcher::run(const Program& given, const LaunchShape& shape, std::span<const std::byte> parameters,
                           const LaunchOptions& options) {
  std::optional<AccessTrace> trace;
  if (!options.traced_lines.empty()) trace.emplace(given, options.traced_lines);
  const Program& p = trace ? trace->program() : given;
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const std::uint64_t epochs = ((std::max<std::uint64_t>(blocks, 1) - 1) >> race::GlobalLayout::kBlockBits) + 1;
  if (epoch_ + epochs > race::GlobalLayout::kEpochMax) {
    memory_.clear_race_shadow();
    epoch_ = 0;
  }
  track_written(memory_, p, parameters);
  memory_.prepare_race_shadow(p.global_unit_shift);

  LaunchContext launch;
  launch.program = &p;
  launch.memory = &memory_;
  launch.ops = trace ? trace->handlers() : op_table();
  launch.trace = trace ? &*trace : nullptr;
  std::copy_n(shape.grid, 3, launch.grid);
  std::copy_n(shape.block, 3, launch.block);
  launch.block_threads = shape.block[0] * shape.block[1] * shape.block[2];
  launch.block_warps = (launch.block_threads + kLanes - 1) / kLanes;
  launch.blocks = blocks;
  if (shape.cooperative) launch.max_running_blocks = launch.blocks;
  launch.grid_workspace = shape.grid_workspace;
  launch.shared_bytes = p.static_shared_bytes;
  if (shape.dynamic_shared_bytes != 0) launch.shared_bytes = p.dynamic_shared_offset + shape.dynamic_shared_bytes;
  std::vector<std::byte> padded(parameters.begin(), parameters.end());
  padded.resize(padded.size() + 16);
  launch.parameters = padded.data();
  launch.launch_epoch = epoch_ + 1;
  epoch_ = std::min(epoch_ + epochs, race::GlobalLayout::kEpochMax);
  launch.last_epoch = epoch_;
  launch.schedule_seed = options.schedule_seed;
  launch.steps_left = static_cast<std::int64_t>(std::min<std::uint64_t>(options.step_limit / kLanes, INT64_MAX / 2));
  launch.output_cap = options.output_cap;
  launch.clock_base = clock_;
  launch.deadline = options.deadline;
  prepare(launch, p, options.stack_bytes);

  // With atomics on global memory the result may depend on the order of blocks (floating-point sums): one worker keeps
  // it the same from run to run. Other kernels give the same result on any number of cores, or have a race.
  unsigned count_workers = options.workers != 0 ? options.workers : std::max(1u, std::thread::hardware_concurrency());
  if (p.has_global_atomics || p.uses_heap || p.reads_clock || p.orders_across_blocks || shape.cooperative ||
      options.schedule_seed != 0)
    count_workers = 1;
  count_workers = static_cast<unsigned>(std::min<std::uint64_t>(count_workers, launch.blocks));

  std::vector<std::unique_ptr<Worker>> workers;
  launch.ranges = std::vector<BlockRange>(count_workers);
  for (unsigned k = 0; k < count_workers; ++k) {
    launch.ranges[k].next = launch.blocks / count_workers * k;
    launch.ranges[k].end = k + 1 < count_workers ? launch.blocks / count_workers * (k + 1) : launch.blocks;
    auto w = std::make_unique<Worker>();
    w->launch = &launch;
    w->range = k;
    w->accesses.resize(p.code.size());
    w->divergences.resize(p.code.size());
    w->caches.resize(p.code.size());
    w->block_counts.resize(p.blocks.size());
    workers.push_back(std::move(w));
  }
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 1; k < count_workers; ++k) threads.emplace_back([&, k] { run_blocks(launch, *workers[k]); });
    run_blocks(launch, *workers[0]);
  }

  LaunchResult out;
  // Kernels that read the clock run on one worker.
  clock_ = launch.clock_base + workers[0]->slept_ticks +
           static_cast<std::uint64_t>(workers[0]->steps_taken - workers[0]->steps);
  out.finished = launch.stop_at.load() == UINT64_MAX && !launch.out_of_steps.load();
  count(p, workers, out);
  collect_faults(workers, launch.out_of_steps.load() ? UINT64_MAX : launch.stop_at.load(), options.max_faults, out);
  out.input_stores = input_stores(memory_, launch);
  if (trace) out.accesses = trace->take();
  std::vector<DevicePrint> prints;
  for (auto& w : workers) {
    for (DevicePrint& d : w->prints) prints.push_back(std::move(d));
    out.output_truncated |= w->output_truncated;
  }
  std::stable_sort(prints.begin(), prints.end(),
                   [](const DevicePrint& a, const DevicePrint& b) { return a.block < b.block; });
  for (const DevicePrint& d : prints) out.output += d.text;
  if (out.output.size() > options.output_cap) {
    out.output.resize(options.output_cap);
    out.output_truncated = true;
  }
  return out;
}

}  // namespace judge::emulator
