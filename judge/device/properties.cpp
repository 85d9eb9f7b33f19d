#include "judge/device/properties.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace judge::device {
namespace {

// Calls visit(name, field) for every field, so that writing and reading cannot differ.
template <class Properties, class Visitor>
void for_each_field(Properties& p, Visitor&& visit) {
  visit("name", p.name);
  visit("major", p.major);
  visit("minor", p.minor);
  visit("total_global_bytes", p.total_global_bytes);
  visit("multiprocessors", p.multiprocessors);
  visit("max_threads_per_block", p.max_threads_per_block);
  visit("max_threads_per_multiprocessor", p.max_threads_per_multiprocessor);
  visit("max_blocks_per_multiprocessor", p.max_blocks_per_multiprocessor);
  visit("shared_bytes_per_block", p.shared_bytes_per_block);
  visit("shared_bytes_per_block_optin", p.shared_bytes_per_block_optin);
  visit("shared_bytes_per_multiprocessor", p.shared_bytes_per_multiprocessor);
  visit("reserved_shared_bytes_per_block", p.reserved_shared_bytes_per_block);
  visit("registers_per_block", p.registers_per_block);
  visit("registers_per_multiprocessor", p.registers_per_multiprocessor);
  visit("constant_bytes", p.constant_bytes);
  visit("l2_bytes", p.l2_bytes);
  visit("clock_khz", p.clock_khz);
  visit("memory_clock_khz", p.memory_clock_khz);
  visit("memory_bus_bits", p.memory_bus_bits);
  visit("max_block", p.max_block);
  visit("max_grid", p.max_grid);
}

}  // namespace

std::string to_json(const DeviceProperties& properties) {
  nlohmann::json j;
  for_each_field(properties, [&](const char* name, const auto& field) { j[name] = field; });
  return j.dump();
}

DeviceProperties properties_from_json(std::string_view text) {
  try {
    const auto j = nlohmann::json::parse(text);
    DeviceProperties p;
    for_each_field(p, [&](const char* name, auto& field) { j.at(name).get_to(field); });
    return p;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("device properties: ") + e.what());
  }
}

}  // namespace judge::device
