#include "judge/catalogue/metrics.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "judge/catalogue/catalogue.h"

using judge::catalogue::metric_meaning;
using judge::catalogue::metric_names;
using judge::catalogue::metric_value;
using judge::catalogue::ResourceFacts;
using judge::emulator::Counters;

TEST_CASE("derived metrics", "[metrics]") {
  Counters c;
  c.global_load_sectors = 40;
  c.global_load_requests = 8;
  c.global_load_bytes_requested = 1024;
  c.global_load_readonly_requests = 6;
  c.global_store_sectors = 16;
  c.global_store_requests = 4;
  c.global_store_bytes_requested = 512;
  c.global_red_requests = 11;
  c.global_atom_requests = 2;
  c.shared_load_conflicts = 3;
  c.shared_store_conflicts = 5;
  c.shared_atomic_conflicts = 7;
  c.shared_load_wavefronts = 9;
  c.shared_load_instructions = 6;
  CHECK(metric_value("shared_bank_conflicts", c, {}) == 15);
  CHECK(metric_value("global_load_bytes", c, {}) == 1280);
  CHECK(metric_value("global_store_bytes", c, {}) == 512);
  CHECK(metric_value("global_load_sectors_per_request", c, {}) == 5);
  CHECK(metric_value("global_store_sectors_per_request", c, {}) == 4);
  CHECK(metric_value("global_load_efficiency", c, {}) == 0.8);
  CHECK(metric_value("global_store_efficiency", c, {}) == 1);
  CHECK(metric_value("global_load_readonly_share", c, {}) == 0.75);
  CHECK(metric_value("global_atomic_requests", c, {}) == 13);
  CHECK(metric_value("shared_load_wavefronts_per_instruction", c, {}) == 1.5);
}

TEST_CASE("ratios of a kernel that loads nothing", "[metrics]") {
  CHECK(metric_value("global_load_sectors_per_request", {}, {}) == 0);
  CHECK(metric_value("global_load_efficiency", {}, {}) == 1);
  CHECK(metric_value("global_load_readonly_share", {}, {}) == 1);
}

TEST_CASE("counters and resources by name", "[metrics]") {
  Counters c;
  c.constant_loads = 16;
  c.constant_load_addresses = 24;
  c.barriers = 4;
  const ResourceFacts r{32, 8, 1088, 64, 16, 2, 256};
  CHECK(metric_value("constant_loads", c, r) == 16);
  CHECK(metric_value("constant_addresses_per_load", c, r) == 1.5);
  CHECK(metric_value("barriers", c, r) == 4);
  CHECK(metric_value("registers_per_thread", c, r) == 32);
  CHECK(metric_value("spill_bytes", c, r) == 8);
  CHECK(metric_value("static_shared_bytes", c, r) == 1088);
  CHECK(metric_value("dynamic_shared_bytes", c, r) == 64);
  CHECK(metric_value("local_bytes", c, r) == 16);
  CHECK(metric_value("launches", c, r) == 2);
  CHECK(metric_value("block_threads", c, r) == 256);
  CHECK_THROWS_AS(metric_value("speed", c, r), std::invalid_argument);
}

TEST_CASE("figures of the recorded operations", "[metrics]") {
  ResourceFacts r;
  r.copied_to_device_bytes = 1;
  r.copied_from_device_bytes = 2;
  r.managed_bytes = 3;
  r.prefetched_bytes = 4;
  r.streams_used = 5;
  r.async_copy_bytes = 6;
  r.overlapped_copy_bytes = 7;
  r.unwaited_copies = 8;
  r.clashing_copies = 9;
  double expected = 0;
  for (const char* name :
       {"copied_to_device_bytes", "copied_from_device_bytes", "managed_bytes", "prefetched_bytes", "streams_used",
        "async_copy_bytes", "overlapped_copy_bytes", "unwaited_copies", "clashing_copies"})
    CHECK(metric_value(name, {}, r) == ++expected);
}

TEST_CASE("every metric has a value and a meaning, and no two a name", "[metrics]") {
  const auto& names = metric_names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    CHECK_NOTHROW(metric_value(name, {}, {}));
    CHECK_FALSE(metric_meaning(name).empty());
  }
  CHECK_THROWS_AS(metric_meaning("speed"), std::invalid_argument);
}
