#include "judge/catalogue/metrics.h"

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/catalogue/catalogue.h"

namespace judge::catalogue {

namespace {

using emulator::Counters;

constexpr std::uint64_t kSectorBytes = 32;

double ratio(std::uint64_t part, std::uint64_t whole, double of_nothing) {
  return whole == 0 ? of_nothing : static_cast<double>(part) / static_cast<double>(whole);
}

struct Derived {
  std::string_view name, meaning;
  double (*value)(const Counters&, const ResourceFacts&);
};

// A kernel without accesses moved nothing in vain: its efficiency is 1, its sectors per request 0.
constexpr std::array kDerived = {
    Derived{"shared_bank_conflicts", "extra passes of shared loads, stores and atomics because lanes met in one bank",
            [](const Counters& c, const ResourceFacts&) {
              return static_cast<double>(c.shared_load_conflicts + c.shared_store_conflicts +
                                         c.shared_atomic_conflicts);
            }},
    Derived{"global_load_bytes", "bytes moved by global loads: 32 for each sector",
            [](const Counters& c, const ResourceFacts&) {
              return static_cast<double>(kSectorBytes * c.global_load_sectors);
            }},
    Derived{"global_store_bytes", "bytes moved by global stores: 32 for each sector",
            [](const Counters& c, const ResourceFacts&) {
              return static_cast<double>(kSectorBytes * c.global_store_sectors);
            }},
    Derived{"global_load_sectors_per_request", "sectors of one warp's load; 4 is ideal for 4 bytes a lane",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.global_load_sectors, c.global_load_requests, 0);
            }},
    Derived{"global_store_sectors_per_request", "sectors of one warp's store; 4 is ideal for 4 bytes a lane",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.global_store_sectors, c.global_store_requests, 0);
            }},
    Derived{"global_load_efficiency", "bytes wanted by global loads / bytes moved",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.global_load_bytes_requested, kSectorBytes * c.global_load_sectors, 1);
            }},
    Derived{"global_load_readonly_share", "global loads by the read-only path / all global loads",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.global_load_readonly_requests, c.global_load_requests, 1);
            }},
    Derived{"global_store_efficiency", "bytes wanted by global stores / bytes moved",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.global_store_bytes_requested, kSectorBytes * c.global_store_sectors, 1);
            }},
    Derived{"global_atomic_requests", "atomics on global memory, one per warp",
            [](const Counters& c, const ResourceFacts&) {
              return static_cast<double>(c.global_red_requests + c.global_atom_requests);
            }},
    Derived{"shared_load_wavefronts_per_instruction", "passes of one shared load; 1 is ideal for 4 bytes a lane",
            [](const Counters& c, const ResourceFacts&) {
              return ratio(c.shared_load_wavefronts, c.shared_load_instructions, 0);
            }},
    Derived{
        "constant_addresses_per_load", "different addresses that a warp's constant load asks for; 1 is ideal",
        [](const Counters& c, const ResourceFacts&) { return ratio(c.constant_load_addresses, c.constant_loads, 0); }},
    Derived{"registers_per_thread", "registers of the kernel (ptxas -v), the largest of several kernels",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.registers); }},
    Derived{"spill_bytes", "bytes of registers spilled to local memory (ptxas -v)",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.spill_bytes); }},
    Derived{"static_shared_bytes", "shared memory declared in the kernel, bytes a block",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.static_shared_bytes); }},
    Derived{"dynamic_shared_bytes", "shared memory asked for at the launch, bytes a block",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.dynamic_shared_bytes); }},
    Derived{"local_bytes", "stack frame of a thread, bytes (ptxas -v)",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.local_bytes); }},
    Derived{"launches", "kernel launches in one call of the entry",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.launches); }},
    Derived{"block_threads", "threads of a block, the largest of several launches",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.block_threads); }},
    Derived{"copied_to_device_bytes", "bytes copied from the host to the device, symbols included",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.copied_to_device_bytes); }},
    Derived{"copied_from_device_bytes", "bytes copied from the device to the host, symbols included",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.copied_from_device_bytes); }},
    Derived{"managed_bytes", "managed memory allocated by the entry",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.managed_bytes); }},
    Derived{"prefetched_bytes", "managed memory prefetched to the device before the last launch",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.prefetched_bytes); }},
    Derived{"streams_used", "streams other than the default one in which a copy or a kernel ran",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.streams_used); }},
    Derived{"async_copy_bytes", "bytes copied asynchronously between pinned host memory and the device",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.async_copy_bytes); }},
    Derived{"overlapped_copy_bytes", "of async_copy_bytes, copies that could run beside a kernel of another stream",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.overlapped_copy_bytes); }},
    Derived{"unwaited_copies", "asynchronous copies to the host that the entry did not wait for",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.unwaited_copies); }},
    Derived{"clashing_copies", "copies unordered with an earlier one of the same memory, one of them writing it",
            [](const Counters&, const ResourceFacts& r) { return static_cast<double>(r.clashing_copies); }},
};

const Derived* find_derived(std::string_view name) {
  for (const Derived& d : kDerived) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    emulator::for_each_counter(Counters{}, [&](std::string_view name, std::uint64_t) { all.emplace_back(name); });
    for (const Derived& d : kDerived) all.emplace_back(d.name);
    return all;
  }();
  return names;
}

double metric_value(std::string_view name, const Counters& counters, const ResourceFacts& resources) {
  if (const Derived* d = find_derived(name)) return d->value(counters, resources);
  std::optional<double> value;
  emulator::for_each_counter(counters, [&](std::string_view counter, std::uint64_t count) {
    if (counter == name) value = static_cast<double>(count);
  });
  if (!value) throw std::invalid_argument("no metric is called \"" + std::string(name) + "\"");
  return *value;
}

std::string_view metric_meaning(std::string_view name) {
  if (const Derived* d = find_derived(name)) return d->meaning;
#define X(counter, meaning) \
  if (name == #counter) return meaning;
  JUDGE_COUNTERS(X)
#undef X
  throw std::invalid_argument("no metric is called \"" + std::string(name) + "\"");
}

}  // namespace judge::catalogue
