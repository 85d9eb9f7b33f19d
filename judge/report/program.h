#pragma once
// Sums of counters that the text and the JSON of a run both show.

#include <cstdint>

#include "judge/device/record.h"

namespace judge::report {

inline std::uint64_t global_requests(const device::Counters& c) {
  return c.global_load_requests + c.global_store_requests + c.global_red_requests + c.global_atom_requests;
}
inline std::uint64_t global_sectors(const device::Counters& c) {
  return c.global_load_sectors + c.global_store_sectors + c.global_red_sectors + c.global_atom_sectors;
}
inline std::uint64_t shared_accesses(const device::Counters& c) {
  return c.shared_load_instructions + c.shared_store_instructions + c.shared_atomic_instructions;
}
inline std::uint64_t bank_conflicts(const device::Counters& c) {
  return c.shared_load_conflicts + c.shared_store_conflicts + c.shared_atomic_conflicts;
}
inline double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace judge::report
