#pragma once
// A CUDA device behind one interface: EmulatedDevice here, CudaDevice over the driver API later.
//
// Used by the server loop in the device process only. Calls come from the untrusted host after validation of the
// message's form; validation of addresses, sizes and handles against what exists is the device's own duty.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/device/record.h"
#include "judge/emulator/memory/address_space.h"

namespace judge::device {

using Address = emulator::Address;

// A CUDA runtime status. code is a cudaError_t value (0: success); detail is a sentence for a person.
struct Status {
  int code = 0;
  std::string detail;
  bool ok() const { return code == 0; }
};

// Device addresses as the host process sees them. The host maps nothing in [kDeviceBase, kDeviceBase + kDeviceSpan), so
// dereferencing one faults. The mapped window is shared memory that host and device both see (managed and pinned memory).
using emulator::kDeviceBase;
using emulator::kDeviceSpan;
using emulator::kMappedBase;
using emulator::kMappedSpan;

enum class MemoryKind : std::uint8_t { device, managed, pinned };

struct AllocationRequest {
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::string label;               // "x" for an exercise's buffer; "" for cudaMalloc by the student
  std::string element_type;        // "float32", … or ""
  std::uint32_t element_bytes = 0; // 0: unknown
  bool initialized = false;        // true: contents count as written (managed and pinned memory always do)
  bool input = false;              // an exercise's buffer that the entry may only read: stores to it are recorded
};

struct SymbolInfo {
  Address address = 0;
  std::uint64_t bytes = 0;
  bool constant = false;
  bool managed = false;
};

struct KernelParameter {
  std::uint32_t offset = 0, bytes = 0, align = 0;
};

struct KernelInfo {
  std::uint64_t id = 0;            // never 0
  std::string name;                // mangled
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;   // per thread
  std::uint32_t constant_bytes = 0;
  std::uint32_t max_threads = 1024;
  int ptx_version = 0;             // 90 for 9.0
  int target = 0;                  // 75 for sm_75
  std::uint32_t registers = 0;     // of a thread: an estimate, from the lifetimes of PTX registers
};

struct LaunchRequest {
  std::uint64_t kernel = 0;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> parameters;  // KernelInfo::parameter_bytes long, laid out as KernelInfo::parameters
  bool cooperative = false;        // all blocks are resident at once, or the launch fails
};

struct DeviceProperties {  // what cudaGetDeviceProperties and cudaDeviceGetAttribute answer
  std::string name;
  int major = 7, minor = 5;
  std::uint64_t total_global_bytes = 0;
  int multiprocessors = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 1024;
  int max_blocks_per_multiprocessor = 16;
  std::uint32_t shared_bytes_per_block = 48 * 1024;
  std::uint32_t shared_bytes_per_block_optin = 64 * 1024;
  std::uint32_t shared_bytes_per_multiprocessor = 64 * 1024;
  std::uint32_t reserved_shared_bytes_per_block = 0;
  int registers_per_block = 65536;
  int registers_per_multiprocessor = 65536;
  std::uint32_t constant_bytes = 64 * 1024;
  int l2_bytes = 0;
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::array<std::uint32_t, 3> max_block{1024, 1024, 64};
  std::array<std::uint32_t, 3> max_grid{2147483647, 65535, 65535};
};

enum class DeviceLimit : std::uint8_t { stack, printf_buffer, malloc_heap };

struct RunLimits {
  std::uint64_t step_limit = 20'000'000'000;   // thread instructions per case; deterministic time limit
  std::uint64_t memory_bytes = 4ull << 30;     // device memory handed out per case
  std::uint64_t output_bytes = 1 << 20;        // device printf per case
  std::uint64_t wall_ms = 0;                   // of the case; a launch that runs when it is over ends. 0: none
};

struct RunOptions {
  RunLimits limits;
  std::uint64_t schedule_seed = 0;  // 0: plain order
  unsigned workers = 0;             // 0: as many as the machine has cores
  bool track_host_data = false;     // remember which bytes hold what the host program copied there
  std::vector<int> traced_lines;    // source lines whose accesses are recorded lane by lane, for those who show them
  bool live_output = false;         // device printf goes to the program, as CUDA does it, and not into the record
};

class Textures;

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceProperties& properties() const = 0;

  // Forgets every allocation, module and record; the next case starts on a device like new.
  virtual void reset(const RunOptions& options) = 0;

  virtual Status allocate(const AllocationRequest& request, Address& out) = 0;
  virtual Status free(Address address) = 0;
  virtual Status write(Address to, std::span<const std::byte> from) = 0;         // marks as initialised
  virtual Status read(Address from, std::span<std::byte> to) = 0;                // no initialisation check
  virtual Status copy(Address to, Address from, std::uint64_t bytes) = 0;        // device to device; carries init state
  virtual Status fill(Address to, std::uint32_t value, unsigned width, std::uint64_t count) = 0;  // width 1, 2 or 4
  // Overwrites with a pattern and marks as never written, so that reading before writing is found.
  virtual Status poison(Address to, std::uint64_t bytes) = 0;
  // For each byte, whether it was ever written (one bit per byte, LSB first); bytes/8 rounded up.
  virtual Status written_map(Address from, std::uint64_t bytes, std::vector<std::uint8_t>& bits) = 0;
  // The bytes just written came from the host program: remembered, carried by copies on the device, and forgotten when a
  // kernel, a copy or a set overwrites them. Only with RunOptions::track_host_data; a device may lack it.
  virtual void mark_host_data(Address, std::uint64_t) {}
  // One bit per byte, as written_map; all 0 where nothing is remembered.
  virtual void host_data_map(Address, std::uint64_t bytes, std::vector<std::uint8_t>& bits) {
    bits.assign((bytes + 7) / 8, 0);
  }
  // The bytes before and after an allocation that must keep their pattern. False: something wrote there.
  virtual bool guard_zones_intact(Address allocation) = 0;
  // Host view of the mapped window: a memfd of kMappedSpan bytes (sparse) whose offset 0 is kMappedBase.
  virtual int mapped_window_fd() const = 0;

  // Loads PTX text. Throws nothing: a malformed or unsupported module is a Status whose detail names the line.
  virtual Status load_module(std::string_view ptx, std::uint64_t& module) = 0;
  virtual Status unload_module(std::uint64_t module) = 0;
  virtual Status find_kernel(std::uint64_t module, std::string_view name, KernelInfo& out) = 0;
  virtual Status find_symbol(std::uint64_t module, std::string_view name, SymbolInfo& out) = 0;
  // cudaFuncSetAttribute(MaxDynamicSharedMemorySize)
  virtual Status set_max_dynamic_shared(std::uint64_t kernel, std::uint32_t bytes) = 0;
  // cudaDeviceSetLimit: the value becomes what the limit is then.
  virtual Status set_limit(DeviceLimit limit, std::uint64_t& value) = 0;
  // cudaOccupancyMaxActiveBlocksPerMultiprocessor
  virtual Status max_active_blocks(std::uint64_t kernel, std::uint32_t block_threads, std::uint32_t dynamic_shared_bytes,
                                   int& blocks) = 0;

  // Runs to completion. A launch that breaks a limit returns the CUDA error and does not run. A kernel that faulted is
  // ok() at launch; the fault is in the record and `sticky()` is set as CUDA sets it.
  virtual Status launch(const LaunchRequest& request) = 0;

  // The error every later call returns after a kernel died (cudaErrorIllegalAddress, …); 0 when healthy.
  virtual int sticky() const = 0;

  // Arrays, textures and surfaces (textures.h); nullptr on a device that has none.
  virtual Textures* textures() { return nullptr; }

  // Launches recorded since reset(). Operations and API errors are recorded by the server.
  virtual CaseRecord& record() = 0;

  // Device memory in use by the kinds handed out since reset.
  virtual std::uint64_t bytes_in_use() const = 0;
};

// gpu: a name of known_gpu_names() (properties.h). Throws std::invalid_argument for an unknown name.
std::unique_ptr<Device> make_emulated_device(std::string_view gpu = "t4");

}  // namespace judge::device
