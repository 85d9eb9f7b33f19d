// The GPUs that the emulator can stand for, one table.
//
// Where the figures come from. Limits of a compute capability (threads, blocks, registers and shared memory of a
// multiprocessor): CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", where 1 KB of shared
// memory of each block belongs to the system from 8.0 on. Multiprocessors, L2, clocks and bus: what the CUDA sample
// deviceQuery prints on that GPU, in agreement with NVIDIA's whitepapers (Turing TU102/TU104, A100, Ada, H100) and the
// data sheet of the H200. Global memory: what the driver reports, which is less than the name says by what ECC and the
// driver keep, and differs by some megabytes between drivers.

#include "judge/device/properties.h"

namespace judge::device {
namespace {

constexpr std::uint32_t kKiB = 1024;
constexpr int kMiB = 1 << 20;

struct Architecture {  // of a compute capability
  int major, minor;
  int threads, blocks;                    // of a multiprocessor
  std::uint32_t shared, optin, reserved;  // of a multiprocessor, of a block with opt-in, of a block for the system
};
constexpr Architecture kTuring{7, 5, 1024, 16, 64 * kKiB, 64 * kKiB, 0};
constexpr Architecture kAmpere{8, 0, 2048, 32, 164 * kKiB, 163 * kKiB, kKiB};
constexpr Architecture kAda{8, 9, 1536, 24, 100 * kKiB, 99 * kKiB, kKiB};
constexpr Architecture kHopper{9, 0, 2048, 32, 228 * kKiB, 227 * kKiB, kKiB};

struct Gpu {
  std::string_view key, name;
  const Architecture& architecture;
  int multiprocessors;
  int l2_bytes;
  int clock_khz, memory_clock_khz, memory_bus_bits;
  std::uint64_t global_bytes;
};

constexpr Gpu kGpus[] = {
    {"t4", "Tesla T4", kTuring, 40, 4 * kMiB, 1'590'000, 5'001'000, 256, 15'842'934'784},
    {"a100", "NVIDIA A100-SXM4-40GB", kAmpere, 108, 40 * kMiB, 1'410'000, 1'215'000, 5120, 42'505'273'344},
    {"h100", "NVIDIA H100 80GB HBM3", kHopper, 132, 50 * kMiB, 1'980'000, 2'619'000, 5120, 85'028'896'768},
    {"h200", "NVIDIA H200", kHopper, 132, 60 * kMiB, 1'980'000, 3'201'000, 6144, 143'156ull << 20},
    {"rtx4090", "NVIDIA GeForce RTX 4090", kAda, 128, 72 * kMiB, 2'520'000, 10'501'000, 384, 25'250'627'584},
};

}  // namespace

std::optional<DeviceProperties> known_gpu(std::string_view gpu) {
  for (const Gpu& g : kGpus) {
    if (g.key != gpu) continue;
    DeviceProperties p;
    p.name = g.name;
    p.major = g.architecture.major;
    p.minor = g.architecture.minor;
    p.total_global_bytes = g.global_bytes;
    p.multiprocessors = g.multiprocessors;
    p.max_threads_per_multiprocessor = g.architecture.threads;
    p.max_blocks_per_multiprocessor = g.architecture.blocks;
    p.shared_bytes_per_multiprocessor = g.architecture.shared;
    p.shared_bytes_per_block_optin = g.architecture.optin;
    p.reserved_shared_bytes_per_block = g.architecture.reserved;
    p.l2_bytes = g.l2_bytes;
    p.clock_khz = g.clock_khz;
    p.memory_clock_khz = g.memory_clock_khz;
    p.memory_bus_bits = g.memory_bus_bits;
    return p;
  }
  return std::nullopt;
}

std::vector<std::string> known_gpu_names() {
  std::vector<std::string> names;
  for (const Gpu& g : kGpus) names.emplace_back(g.key);
  return names;
}

DeviceProperties named_gpu(std::string_view gpu) {
  if (auto known = known_gpu(gpu)) return *std::move(known);
  std::string names;
  for (const std::string& name : known_gpu_names()) names += (names.empty() ? "" : ", ") + name;
  throw std::invalid_argument("there is no GPU \"" + std::string(gpu) + "\" to stand for: known are " + names);
}

}  // namespace judge::device
