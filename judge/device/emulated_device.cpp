// The emulator behind the Device interface: modules, kernels, memory, launch limits, error codes.

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>

#include "judge/device/device.h"
#include "judge/device/properties.h"
#include "judge/device/textures.h"
#include "judge/emulator/exec/launch.h"
#include "judge/emulator/lower/kernel.h"
#include "judge/emulator/lower/lower.h"
#include "judge/emulator/memory/global_memory.h"
#include "judge/emulator/ptx/module.h"

namespace judge::device {

namespace {

using emulator::Allocation;
using emulator::AllocationKind;
using emulator::FaultKind;

// cudaError_t values (driver_types.h).
constexpr int kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9, kInvalidSymbol = 13,
              kInvalidDeviceFunction = 98, kInvalidPtx = 218, kInvalidResourceHandle = 400, kIllegalAddress = 700,
              kLaunchOutOfResources = 701, kLaunchTimeout = 702, kAssert = 710, kIllegalInstruction = 715,
              kMisalignedAddress = 716, kInvalidAddressSpace = 717, kLaunchFailure = 719, kCooperativeLaunchTooLarge = 720, kNotSupported = 801;

constexpr std::uint64_t kMaxStackBytes = 512u << 10;  // local memory of a thread: CUDA C++ Programming Guide, technical specifications
constexpr std::uint32_t kMostRegisters = 255;         // of a thread, likewise
constexpr std::uint32_t kSlotBytes = 4 * 32;          // a 32-bit register of a warp in the emulator's frame

int error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::misaligned:
      return kMisalignedAddress;
    case FaultKind::wrong_space:
      return kInvalidAddressSpace;
    case FaultKind::assertion:
      return kAssert;
    case FaultKind::illegal_instruction:
      return kIllegalInstruction;
    case FaultKind::step_limit:
    case FaultKind::barrier_divergence:
      return kLaunchTimeout;
    case FaultKind::invalid_free:
    case FaultKind::trap:
    case FaultKind::stack_overflow:
    case FaultKind::sync_mask:
      return kLaunchFailure;
    default:
      return kIllegalAddress;
  }
}

std::string_view element_name(emulator::ptx::Type t) {
  using T = emulator::ptx::Type;
  switch (t) {
    case T::f32:
      return "float32";
    case T::f64:
      return "float64";
    case T::f16:
      return "float16";
    case T::s8:
      return "int8";
    case T::u8:
      return "uint8";
    case T::s32:
      return "int32";
    case T::u32:
      return "uint32";
    case T::s64:
      return "int64";
    case T::u64:
      return "uint64";
    default:
      return "";
  }
}

std::string dims(const std::uint32_t* d) {
  return std::to_string(d[0]) + " x " + std::to_string(d[1]) + " x " + std::to_string(d[2]);
}

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(DeviceProperties properties)
      : properties_(std::move(properties)), memory_(RunLimits{}.memory_bytes), launcher_(memory_) {}

  const DeviceProperties& properties() const override { return properties_; }

  void reset(const RunOptions& options) override {
    options_ = options;
    kernels_.clear();
    modules_.clear();
    textures_.clear();
    memory_.reset();
    memory_.set_limit(options.limits.memory_bytes);
    memory_.set_schedule_seed(options.schedule_seed);
    launcher_.reset();
    record_ = {};
    limits_ = {};
    sticky_ = 0;
    steps_used_ = 0;
    next_id_ = 1;
    deadline_.reset();
    if (options.limits.wall_ms != 0)
      deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(options.limits.wall_ms);
  }

  Status allocate(const AllocationRequest& r, Address& out) override {
    const auto kind = r.kind == MemoryKind::managed  ? AllocationKind::managed
                      : r.kind == MemoryKind::pinned ? AllocationKind::pinned
                                                     : AllocationKind::device;
    // 512: every pointer of cudaMalloc may become a texture (cudaDevAttrTextureAlignment).
    Allocation* a = memory_.allocate(r.bytes, kind, 512);
    if (a == nullptr)
      return {kMemoryAllocation, std::to_string(r.bytes) + " bytes asked for, " +
                                     std::to_string(memory_.bytes_in_use()) + " in use, " +
                                     std::to_string(memory_.limit()) + " is the limit of one case"};
    a->label = r.label;
    a->element_type = r.element_type;
    a->element_bytes = r.element_bytes;
    if (r.initialized) a->fully_initialized = true;
    a->input = r.input;
    out = a->base;
    return {};
  }

  Status free(Address address) override {
    const Allocation* a = memory_.find_live(address, 1);
    if (a != nullptr && (a->kind == AllocationKind::variable || a->kind == AllocationKind::constant))
      return {kInvalidValue, a->label + " is a variable of the program, not an allocation"};
    if (a != nullptr && a->kind == AllocationKind::heap)
      return {kInvalidValue, a->label + " in device code gave this memory: only free in device code takes it back"};
    if (memory_.free(address)) return {};
    const Allocation* freed = memory_.find(address);
    if (freed != nullptr && freed->freed) return {kInvalidValue, "the memory was freed before"};
    return {kInvalidValue, "not an address that an allocation returned"};
  }

  Status write(Address to, std::span<const std::byte> from) override {
    Allocation* a = nullptr;
    if (Status s = find(to, from.size(), a, "the destination"); !s.ok()) return s;
    std::memcpy(a->data + (to - a->base), from.data(), from.size());
    memory_.mark_written(*a, to - a->base, from.size());
    return {};
  }

  Status read(Address from, std::span<std::byte> to) override {
    Allocation* a = nullptr;
    if (Status s = find(from, to.size(), a, "the source"); !s.ok()) return s;
    std::memcpy(to.data(), a->data + (from - a->base), to.size());
    return {};
  }

  Status copy(Address to, Address from, std::uint64_t bytes) override {
    Allocation *a = nullptr, *b = nullptr;
    if (Status s = find(from, bytes, a, "the source"); !s.ok()) return s;
    if (Status s = find(to, bytes, b, "the destination"); !s.ok()) return s;
    std::memmove(b->data + (to - b->base), a->data + (from - a->base), bytes);
    memory_.copy_written(*b, to - b->base, *a, from - a->base, bytes);
    return {};
  }

  Status fill(Address to, std::uint32_t value, unsigned width, std::uint64_t count) override {
    if (width != 1 && width != 2 && width != 4) return {kInvalidValue, "a fill value of 1, 2 or 4 bytes is expected"};
    if (count > kDeviceSpan / width) return {kInvalidValue, "more bytes than the device has"};
    Allocation* a = nullptr;
    if (Status s = find(to, count * width, a, "the destination"); !s.ok()) return s;
    std::byte* at = a->data + (to - a->base);
    if (width == 1) {
      std::memset(at, static_cast<int>(value & 0xff), count);
    } else {
      for (std::uint64_t k = 0; k < count; ++k) std::memcpy(at + k * width, &value, width);
    }
    memory_.mark_written(*a, to - a->base, count * width);
    return {};
  }

  Status poison(Address to, std::uint64_t bytes) override {
    Allocation* a = nullptr;
    if (Status s = find(to, bytes, a, "the destination"); !s.ok()) return s;
    std::memset(a->data + (to - a->base), emulator::kPoisonByte, bytes);
    memory_.mark_unwritten(*a, to - a->base, bytes);
    return {};
  }

  Status written_map(Address from, std::uint64_t bytes, std::vector<std::uint8_t>& bits) override {
    Allocation* a = nullptr;
    if (Status s = find(from, bytes, a, "the source"); !s.ok()) return s;
    const std::uint64_t offset = from - a->base;
    if (a->fully_initialized) {
      bits.assign((bytes + 7) / 8, 0xff);
      if (bytes % 8 != 0) bits.back() = static_cast<std::uint8_t>((1u << (bytes % 8)) - 1);
      return {};
    }
    bits.assign((bytes + 7) / 8, 0);
    if (offset % 8 == 0) {  // two words a byte
      for (std::uint64_t k = 0; k < bits.size(); ++k) {
        const std::uint64_t word = offset / 4 + 2 * k;
        unsigned v = a->init[word] & 0xfu;
        if (8 * k + 4 < bytes) v |= (a->init[word + 1] & 0xfu) << 4;
        bits[k] = static_cast<std::uint8_t>(v);
      }
    } else {
      for (std::uint64_t k = 0; k < bytes; ++k)
        if (memory_.is_written(*a, offset + k, 1)) bits[k / 8] |= static_cast<std::uint8_t>(1u << (k % 8));
    }
    return {};
  }

  void mark_host_data(Address to, std::uint64_t bytes) override {
    Allocation* a = options_.track_host_data ? memory_.find_live(to, bytes) : nullptr;
    // Symbols are parameters of kernels more than data, and always count as initialised.
    if (a != nullptr && a->kind == AllocationKind::device) memory_.mark_host_data(*a, to - a->base, bytes);
  }

  void host_data_map(Address from, std::uint64_t bytes, std::vector<std::uint8_t>& bits) override {
    bits.assign((bytes + 7) / 8, 0);
    const Allocation* a = memory_.find_live(from, bytes);
    if (a == nullptr || a->fully_initialized) return;
    for (std::uint64_t k = 0; k < bytes; ++k)
      if (memory_.is_host_data(*a, from - a->base + k)) bits[k / 8] |= static_cast<std::uint8_t>(1u << (k % 8));
  }

  // Every access of a kernel is checked where it happens, so nothing can have written into the gaps.
  bool guard_zones_intact(Address) override { return true; }

  int mapped_window_fd() const override { return memory_.mapped_window_fd(); }

  Status load_module(std::string_view text, std::uint64_t& id) override {
    auto m = std::make_unique<Module>();
    try {
      m->ptx = emulator::ptx::parse(std::string(text));
      emulator::ptx::validate(m->ptx);
    } catch (const emulator::ptx::ParseError& e) {
      return {kInvalidPtx, e.what()};
    }
    if (Status s = place_variables(*m); !s.ok()) return s;
    id = next_id_++;
    modules_[id] = std::move(m);
    return {};
  }

  Status unload_module(std::uint64_t id) override {
    const auto it = modules_.find(id);
    if (it == modules_.end()) return {kInvalidResourceHandle, "no such module"};
    std::erase_if(kernels_, [&](const auto& k) { return k.second.module == it->second.get(); });
    for (const auto& [name, a] : it->second->symbols) memory_.free(a->base);
    modules_.erase(it);
    return {};
  }

  Status find_kernel(std::uint64_t module, std::string_view name, KernelInfo& out) override {
    const auto it = modules_.find(module);
    if (it == modules_.end()) return {kInvalidResourceHandle, "no such module"};
    Module& m = *it->second;
    const auto& functions = m.ptx.functions;
    const auto f =
        std::find_if(functions.begin(), functions.end(), [&](const auto& x) { return x.is_entry && x.name == name; });
    if (f == functions.end()) return {kInvalidDeviceFunction, "the module has no kernel " + std::string(name)};
    for (auto& [id, k] : kernels_) {
      if (k.module == &m && k.info.name == name) {
        out = k.info;
        return {};
      }
    }
    Kernel k;
    k.module = &m;
    try {
      k.program = emulator::lower::lower_kernel(m.ptx, name, [&](std::string_view symbol) -> const Allocation* {
        const auto s = m.symbols.find(std::string(symbol));
        return s == m.symbols.end() ? nullptr : s->second;
      });
    } catch (const emulator::lower::Unsupported& e) {
      note_unsupported(e.what());
      return {kNotSupported, e.what()};
    }
    KernelInfo& info = k.info;
    info.id = next_id_++;
    info.name = std::string(name);
    std::uint32_t total = 0;
    for (const auto& p : emulator::lower::parameter_layout(*f, total))
      info.parameters.push_back({p.offset, p.bytes, p.align});
    info.parameter_bytes = total;
    info.static_shared_bytes = k.program->static_shared_bytes;
    info.local_bytes = k.program->functions[0].local_bytes;
    info.constant_bytes = m.constant_bytes;
    info.max_threads = k.program->max_threads;
    info.ptx_version = 10 * m.ptx.version_major + m.ptx.version_minor;
    info.target = m.ptx.sm;
    std::uint32_t frame_bytes = 0;
    for (const auto& function : k.program->functions) frame_bytes = std::max(frame_bytes, function.frame_bytes);
    info.registers = std::clamp(frame_bytes / kSlotBytes, 1u, kMostRegisters);
    k.max_dynamic_shared = properties_.shared_bytes_per_block;
    out = info;
    kernels_[info.id] = std::move(k);
    return {};
  }

  Status find_symbol(std::uint64_t module, std::string_view name, SymbolInfo& out) override {
    const auto it = modules_.find(module);
    if (it == modules_.end()) return {kInvalidResourceHandle, "no such module"};
    const auto s = it->second->symbols.find(std::string(name));
    if (s == it->second->symbols.end()) return {kInvalidSymbol, "the module has no variable " + std::string(name)};
    out.address = s->second->base;
    out.bytes = s->second->bytes;
    out.constant = s->second->kind == AllocationKind::constant;
    out.managed = s->second->kind == AllocationKind::managed;
    return {};
  }

  Status set_max_dynamic_shared(std::uint64_t id, std::uint32_t bytes) override {
    const auto it = kernels_.find(id);
    if (it == kernels_.end()) return {kInvalidResourceHandle, "no such kernel"};
    const std::uint64_t total = std::uint64_t{bytes} + it->second.program->static_shared_bytes;
    if (total > properties_.shared_bytes_per_block_optin)
      return {kInvalidValue, std::to_string(total) + " bytes of shared memory, but " + properties_.name +
                                 " gives a block at most " + std::to_string(properties_.shared_bytes_per_block_optin)};
    it->second.max_dynamic_shared = bytes;
    it->second.opted_in = true;
    return {};
  }

  Status set_limit(DeviceLimit limit, std::uint64_t& value) override {
    if (limit == DeviceLimit::stack && value > kMaxStackBytes)
      return {kInvalidValue, "a stack of " + std::to_string(value) + " bytes a thread, but the most is " +
                                 std::to_string(kMaxStackBytes)};
    if (limit != DeviceLimit::stack && value > properties_.total_global_bytes)
      return {kMemoryAllocation, std::to_string(value) + " bytes are more than the device has"};
    if (limit == DeviceLimit::malloc_heap && !memory_.heap().set_limit(value))
      return {kInvalidValue, "the heap of device code is in use: its size is set before the first kernel that uses malloc"};
    if (limit == DeviceLimit::stack) value = (value + 15) / 16 * 16;
    limits_[static_cast<std::size_t>(limit)] = value;
    return {};
  }

  Status max_active_blocks(std::uint64_t id, std::uint32_t threads, std::uint32_t dynamic_shared,
                           int& blocks) override {
    const auto it = kernels_.find(id);
    if (it == kernels_.end()) return {kInvalidResourceHandle, "no such kernel"};
    if (threads == 0 || threads > static_cast<std::uint32_t>(properties_.max_threads_per_block)) {
      blocks = 0;
      return {};
    }
    const std::uint32_t warps = (threads + 31) / 32;
    std::uint32_t n =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(properties_.max_blocks_per_multiprocessor),
                                static_cast<std::uint32_t>(properties_.max_threads_per_multiprocessor) / (32 * warps));
    const std::uint32_t shared =
        it->second.program->static_shared_bytes + dynamic_shared + properties_.reserved_shared_bytes_per_block;
    if (shared != 0) n = std::min(n, properties_.shared_bytes_per_multiprocessor / shared);
    blocks = static_cast<int>(n);
    return {};
  }

  Status launch(const LaunchRequest& r) override {
    const auto it = kernels_.find(r.kernel);
    if (it == kernels_.end()) return {kInvalidResourceHandle, "no such kernel"};
    const Kernel& k = it->second;
    if (Status s = check_limits(k, r); !s.ok()) return s;

    emulator::LaunchShape shape{
        {r.grid.x, r.grid.y, r.grid.z}, {r.block.x, r.block.y, r.block.z}, r.dynamic_shared_bytes};
    GridWorkspace workspace(memory_);
    if (r.cooperative) {
      if (Status s = check_resident(r); !s.ok()) return s;
      shape.cooperative = true;
      shape.grid_workspace = workspace.allocate();
      if (shape.grid_workspace == 0) return {kMemoryAllocation, "no memory is left for the grid's barrier"};
    }
    emulator::LaunchOptions options;
    options.step_limit = options_.limits.step_limit - std::min(options_.limits.step_limit, steps_used_);
    options.output_cap = options_.limits.output_bytes -
                         std::min<std::uint64_t>(options_.limits.output_bytes, record_.kernel_output.size());
    options.schedule_seed = options_.schedule_seed;
    options.workers = options_.workers;
    options.max_faults = kMaxFaults;
    options.traced_lines = options_.traced_lines;
    options.stack_bytes = limits_[static_cast<std::size_t>(DeviceLimit::stack)].value_or(0);
    options.deadline = deadline_;
    emulator::LaunchResult result = launcher_.run(*k.program, shape, r.parameters, options);
    steps_used_ += result.steps;
    record_.steps += result.steps;
    record_.kernel_output += result.output;
    record_.output_truncated |= result.output_truncated;
    if (!result.finished) {
      sticky_ = kLaunchFailure;
      for (const auto& f : result.faults)
        if (f.kind != FaultKind::race && f.kind != FaultKind::uninitialized_read) sticky_ = error_of(f.kind);
    }
    for (const emulator::InputStore& s : result.input_stores) note_input_store(k, s);
    add_record(k, r, std::move(result));
    return {};
  }

  int sticky() const override { return sticky_; }
  Textures* textures() override { return &textures_; }
  CaseRecord& record() override { return record_; }
  std::uint64_t bytes_in_use() const override { return memory_.bytes_in_use(); }

 private:
  struct Module {
    emulator::ptx::Module ptx;
    std::map<std::string, Allocation*> symbols;
    std::uint32_t constant_bytes = 0;
  };
  struct Kernel {
    const Module* module = nullptr;
    KernelInfo info;
    std::shared_ptr<const emulator::Program> program;
    std::uint32_t max_dynamic_shared = 0;
    bool opted_in = false;
  };

  Status find(Address at, std::uint64_t bytes, Allocation*& out, const char* what) {
    out = memory_.find_live(at, bytes);
    if (out != nullptr && out->kind == AllocationKind::heap)
      return {kInvalidValue, std::string(what) + " is memory of " + out->label +
                                 " in device code, which the CUDA runtime cannot copy or set"};
    if (out != nullptr) return {};
    const emulator::AddressDescription d = memory_.describe(at, 1);
    std::string text = std::string(what) + " is not " + std::to_string(bytes) + " bytes of one device allocation";
    if (d.allocation != nullptr && d.allocation->freed && d.inside)
      text += ": the memory was freed";
    else if (d.allocation != nullptr)
      text += ": nearest is " + d.owner;
    return {kInvalidValue, text};
  }

  void note_unsupported(const std::string& what) {
    if (record_.unsupported.size() < 16) record_.unsupported.push_back(what);
  }

  // What grid.sync() works on: allocated for one launch.
  class GridWorkspace {
   public:
    explicit GridWorkspace(emulator::GlobalMemory& memory) : memory_(memory) {}
    ~GridWorkspace() {
      if (base_ != 0) memory_.free(base_);
    }
    GridWorkspace(const GridWorkspace&) = delete;
    GridWorkspace& operator=(const GridWorkspace&) = delete;
    Address allocate() {
      constexpr std::uint64_t kBytes = 8;  // its size, the barrier: cooperative_groups/details/driver_abi.h
      Allocation* a = memory_.allocate(kBytes, AllocationKind::device);
      if (a == nullptr) return 0;
      a->label = "the grid's barrier";
      a->fully_initialized = true;
      std::memset(a->data, 0, kBytes);
      a->data[0] = std::byte{kBytes};
      return base_ = a->base;
    }

   private:
    emulator::GlobalMemory& memory_;
    Address base_ = 0;
  };

  Status check_resident(const LaunchRequest& r) {
    int per_multiprocessor = 0;
    const std::uint32_t threads = r.block.x * r.block.y * r.block.z;  // check_limits has seen them
    if (Status s = max_active_blocks(r.kernel, threads, r.dynamic_shared_bytes, per_multiprocessor); !s.ok()) return s;
    const std::uint64_t blocks = std::uint64_t{r.grid.x} * r.grid.y * r.grid.z;
    const auto most = static_cast<std::uint64_t>(per_multiprocessor) * static_cast<std::uint64_t>(properties_.multiprocessors);
    if (blocks <= most) return {};
    return {kCooperativeLaunchTooLarge,
            std::to_string(blocks) + " blocks of a cooperative launch, but " + properties_.name + " runs at most " +
                std::to_string(most) + " of this shape at once (" + std::to_string(per_multiprocessor) + " on each of " +
                std::to_string(properties_.multiprocessors) + " multiprocessors)"};
  }

  void note_input_store(const Kernel& k, const emulator::InputStore& s) {
    auto& list = record_.input_writes;
    const auto same = [&](const InputWrite& w) { return w.buffer == s.label && w.writer == k.program->display_name; };
    if (list.size() < kMaxInputWrites && std::none_of(list.begin(), list.end(), same))
      list.push_back({s.label, k.program->display_name, true, 0, s.where});
  }

  Status place_variables(Module& m) {
    using emulator::ptx::Space;
    for (const auto& v : m.ptx.variables) {
      if ((v.space != Space::global && v.space != Space::constant) || v.is_extern || v.bytes == 0) continue;
      const bool constant = v.space == Space::constant;
      if (constant) m.constant_bytes += static_cast<std::uint32_t>(v.bytes);
      const auto kind = v.is_managed ? AllocationKind::managed
                        : constant   ? AllocationKind::constant
                                     : AllocationKind::variable;
      Allocation* a = memory_.allocate(v.bytes, kind, std::max<std::uint32_t>(v.align, 256));
      if (a == nullptr)
        return {kMemoryAllocation, "the variable " + std::string(v.name) + " of " + std::to_string(v.bytes) +
                                       " bytes does not fit into the " + std::to_string(memory_.limit()) +
                                       " bytes of a case"};
      a->label = emulator::lower::display_name(v.name);
      const std::string_view element = element_name(v.type);
      a->element_type = std::string(element);
      a->element_bytes = element.empty() ? 0 : emulator::ptx::bits_of(v.type) / 8;
      if (!v.initial.empty())
        std::memcpy(a->data, v.initial.data(), std::min<std::uint64_t>(v.initial.size(), v.bytes));
      else if (v.is_managed)
        std::memset(a->data, 0, v.bytes);
      a->fully_initialized = true;  // without an initialiser: zero (PTX ISA 5.4)
      m.symbols[std::string(v.name)] = a;
    }
    if (m.constant_bytes > properties_.constant_bytes)
      return {kInvalidPtx, std::to_string(m.constant_bytes) + " bytes of constant memory, but the device has " +
                               std::to_string(properties_.constant_bytes)};
    for (const auto& v : m.ptx.variables) {
      const auto self = m.symbols.find(std::string(v.name));
      if (self == m.symbols.end()) continue;
      for (const auto& r : v.relocations) {
        const auto target = m.symbols.find(std::string(r.symbol));
        const std::uint64_t at =
            target != m.symbols.end() ? target->second->base : emulator::lower::function_address(m.ptx, r.symbol);
        if (at == 0 || r.bytes > v.bytes || r.offset > v.bytes - r.bytes)
          return {kInvalidPtx, "the initialiser of " + std::string(v.name) + " names " + std::string(r.symbol) +
                                   ", which is not a variable or device function of the module"};
        const std::uint64_t value = at + static_cast<std::uint64_t>(r.addend);
        std::memcpy(self->second->data + r.offset, &value, r.bytes);
      }
    }
    return {};
  }

  Status check_limits(const Kernel& k, const LaunchRequest& r) const {
    const DeviceProperties& p = properties_;
    const std::uint32_t grid[3] = {r.grid.x, r.grid.y, r.grid.z}, block[3] = {r.block.x, r.block.y, r.block.z};
    for (std::size_t d = 0; d < 3; ++d) {
      const char axis = "xyz"[d];
      if (grid[d] == 0) return {kInvalidConfiguration, "the grid is empty: " + dims(grid) + " blocks"};
      if (block[d] == 0) return {kInvalidConfiguration, "the block is empty: " + dims(block) + " threads"};
      if (block[d] > p.max_block[d])
        return {kInvalidConfiguration, "blockDim." + std::string(1, axis) + " is " + std::to_string(block[d]) +
                                           ", the limit is " + std::to_string(p.max_block[d])};
      if (grid[d] > p.max_grid[d])
        return {kInvalidConfiguration, "gridDim." + std::string(1, axis) + " is " + std::to_string(grid[d]) +
                                           ", the limit is " + std::to_string(p.max_grid[d])};
    }
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads > static_cast<std::uint64_t>(p.max_threads_per_block))
      return {kInvalidConfiguration, std::to_string(threads) + " threads a block (" + dims(block) + "), the limit is " +
                                         std::to_string(p.max_threads_per_block)};
    if (threads > k.info.max_threads)
      return {kInvalidValue, std::to_string(threads) + " threads a block, but the kernel was compiled for at most " +
                                 std::to_string(k.info.max_threads) + " (__launch_bounds__)"};
    const std::uint32_t* required = k.program->required_threads;
    if (required[0] != 0 && !std::equal(block, block + 3, required))
      return {kInvalidValue, "a block of " + dims(block) + " threads, but the kernel requires " + dims(required)};
    const std::uint64_t shared = std::uint64_t{k.program->static_shared_bytes} + r.dynamic_shared_bytes;
    const std::uint64_t limit =
        k.opted_in ? std::max<std::uint64_t>(p.shared_bytes_per_block,
                                             std::uint64_t{k.max_dynamic_shared} + k.program->static_shared_bytes)
                   : p.shared_bytes_per_block;
    if (shared > limit)
      return {
          kInvalidValue,
          std::to_string(shared) + " bytes of shared memory a block (" +
              std::to_string(k.program->static_shared_bytes) + " static, " + std::to_string(r.dynamic_shared_bytes) +
              " dynamic), the limit is " + std::to_string(limit) +
              (k.opted_in
                   ? ""
                   : "; more needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)")};
    if (r.parameters.size() != k.info.parameter_bytes)
      return {kInvalidValue, std::to_string(r.parameters.size()) + " bytes of arguments, " +
                                 std::to_string(k.info.parameter_bytes) + " expected"};
    return {};
  }

  static void add_lines(LaunchRecord& into, const LaunchRecord& from) {
    for (const LineRecord& line : from.lines) {
      const auto same = std::find_if(into.lines.begin(), into.lines.end(), [&](const LineRecord& o) {
        return o.where.line == line.where.line && o.where.column == line.where.column &&
               o.where.file == line.where.file && o.where.function == line.where.function;
      });
      if (same != into.lines.end())
        same->counters += line.counters;
      else if (into.kernel == from.kernel)
        into.lines.push_back(line);
    }
  }

  void add_record(const Kernel& k, const LaunchRequest& r, emulator::LaunchResult result) {
    LaunchRecord l;
    l.kernel = k.program->display_name;
    l.grid = r.grid;
    l.block = r.block;
    l.static_shared_bytes = k.program->static_shared_bytes;
    l.dynamic_shared_bytes = r.dynamic_shared_bytes;
    l.counters = result.counters;
    for (auto& line : result.lines) l.lines.push_back({std::move(line.where), line.counters});
    l.accesses = std::move(result.accesses);
    l.faults = std::move(result.faults);
    l.faults_not_listed = result.faults_not_listed;
    l.finished = result.finished;
    if (record_.launches.size() < kMaxLaunchRecords) {
      record_.launches.push_back(std::move(l));
      return;
    }
    // Too many to list: later ones are added to one of the same kernel and shape, or to the last.
    LaunchRecord* into = &record_.launches.back();
    for (LaunchRecord& o : record_.launches)
      if (o.kernel == l.kernel && o.grid == l.grid && o.block == l.block &&
          o.dynamic_shared_bytes == l.dynamic_shared_bytes)
        into = &o;
    ++into->launches;
    add_lines(*into, l);
    into->counters += l.counters;
    into->finished &= l.finished;
    into->faults_not_listed += l.faults_not_listed;
    for (Fault& f : l.faults) {
      if (into->faults.size() < kMaxFaults)
        into->faults.push_back(std::move(f));
      else
        ++into->faults_not_listed;
    }
  }

  DeviceProperties properties_;
  RunOptions options_;
  emulator::GlobalMemory memory_;
  Textures textures_{memory_};
  emulator::Launcher launcher_;
  std::map<std::uint64_t, std::unique_ptr<Module>> modules_;
  std::map<std::uint64_t, Kernel> kernels_;
  CaseRecord record_;
  std::array<std::optional<std::uint64_t>, 3> limits_;  // as set, by DeviceLimit
  int sticky_ = 0;
  std::uint64_t steps_used_ = 0;
  std::uint64_t next_id_ = 1;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace

std::unique_ptr<Device> make_emulated_device(std::string_view gpu) {
  return std::make_unique<EmulatedDevice>(named_gpu(gpu));
}

}  // namespace judge::device
