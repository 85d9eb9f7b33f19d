// Runs micro.cu and more.cu on the emulator and compares every counter of every launch with what an H200 counted.

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "catch.h"
#include "judge/session/session.h"

namespace {

using judge::device::LaunchRecord;

const std::map<std::string, std::string>& explained() {
  // kernel -> why hardware and PTX differ. ptxas runs after the PTX (tests/counters/README.md).
  static const std::map<std::string, std::string> rows = {
      {"k_local", "ptxas keeps the small array in registers: the hardware makes no local access at all"},
      {"k_rows",
       "the loop is unrolled four times with the rest before it; on the H200 lanes that did the rest run apart from "
       "the others for a while, and each of their loads counts"},
  };
  return rows;
}

// The kernels h_* clear 1024 words in a loop of 32 steps.
constexpr const char* kClearingLoop =
    "ptxas unrolls the clearing loop by four and tests before each step: four stores whose lanes are all off count as "
    "executed";

std::string why(const std::string& kernel) {
  if (const auto it = explained().find(kernel); it != explained().end()) return it->second;
  return kernel.starts_with("h_") ? kClearingLoop : "";
}

struct Row {
  std::string kernel, counter;
  std::uint64_t emulator = 0, hardware = 0;
  std::size_t launch = 0;
};

struct Agreement {
  std::size_t launches = 0, counters = 0, equal = 0;
  std::vector<Row> different;
};

const std::set<std::string>& compared() {
  static const std::set<std::string> names = {
      "global_load_requests",     "global_load_sectors",       "global_store_requests",    "global_store_sectors",
      "global_red_sectors",       "global_atom_sectors",       "shared_load_instructions", "shared_load_wavefronts",
      "shared_load_conflicts",    "shared_store_instructions", "shared_store_wavefronts",  "shared_store_conflicts",
      "shared_atomic_wavefronts", "shared_atomic_conflicts",   "local_load_sectors",       "local_store_sectors"};
  return names;
}

std::string short_name(std::string kernel) {  // "k_matmul<16>" stands as "k_matmul" in h200.json
  return kernel.substr(0, kernel.find('<'));
}

// Adds what lib<kernels>.so does on the emulator, against the rows of `json`.
void compare(const std::string& kernels, const std::string& json, Agreement& a) {
  judge::session::Session session({"t4", JUDGE_BINARY_DIR "/bin"});
  judge::session::CaseRequest request;
  request.library = COUNTER_LIBRARIES "/lib" + kernels + ".so";
  request.wall_limit = std::chrono::seconds(60);
  const auto outcome = session.run(request);
  INFO(outcome.host.detail << outcome.host.stderr_text << outcome.host.stdout_text);
  for (const auto& e : outcome.record.api_errors) UNSCOPED_INFO(e.call << ": " << e.name << ": " << e.detail);
  for (const auto& u : outcome.record.unsupported) UNSCOPED_INFO(u);
  REQUIRE(outcome.host.end == judge::session::HostEnd::returned);

  std::ifstream in(JUDGE_SOURCE_DIR "/tests/counters/" + json);
  const auto rows = nlohmann::json::parse(in);
  a.launches += rows.size();
  REQUIRE(outcome.record.launches.size() == rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const LaunchRecord& l = outcome.record.launches[k];
    const std::string kernel = rows[k]["kernel"];
    REQUIRE(short_name(l.kernel) == short_name(kernel));
    judge::emulator::for_each_counter(l.counters, [&](std::string_view name, std::uint64_t value) {
      if (compared().count(std::string(name)) == 0) return;
      const std::uint64_t hardware = rows[k]["counters"].value(std::string(name), std::uint64_t{0});
      if (value == 0 && hardware == 0) return;
      ++a.counters;
      if (value == hardware)
        ++a.equal;
      else
        a.different.push_back({l.kernel, std::string(name), value, hardware, k});
    });
  }
}

std::string table(const Agreement& a) {
  std::ostringstream out;
  out << "# What the emulator counts, against an H200\n\n"
         "Made by `tests/counters/agreement_test.cpp`, which CI runs; do not edit. Hardware: NVIDIA H200, driver 580, "
         "CUDA 13.0,\n"
         "read with Nsight Compute; kernels: `tests/counters/micro.cu` and `more.cu`, built for compute_75.\n\n";
  out << a.launches << " launches, " << a.counters << " counters that are not zero on both sides: " << a.equal
      << " equal, " << a.different.size() << " different.\n\n";
  out << "| kernel | counter | emulator | H200 | why |\n| --- | --- | ---: | ---: | --- |\n";
  for (const Row& r : a.different) {
    out << "| " << r.kernel << " | " << r.counter << " | " << r.emulator << " | " << r.hardware << " | "
        << (why(r.kernel).empty() ? "not explained" : why(r.kernel)) << " |\n";
  }
  return out.str();
}

}  // namespace

TEST_CASE("counters equal the hardware's, or the difference is explained") {
  Agreement a;
  compare("micro", "h200.json", a);
  compare("more", "h200_more.json", a);
  const char* path = JUDGE_SOURCE_DIR "/docs/counter-agreement.md";
  const std::string text = table(a);
  if (std::getenv("CUDA_JUDGE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::stringstream committed;
  committed << in.rdbuf();
  CHECK(committed.str() == text);
  std::set<std::string> used;
  for (const Row& r : a.different) {
    INFO(r.kernel << " " << r.counter << ": emulator " << r.emulator << ", hardware " << r.hardware);
    CHECK(!why(r.kernel).empty());
    used.insert(r.kernel);
  }
  for (const auto& [kernel, why] : explained()) {
    INFO(kernel << " is explained but agrees");
    CHECK(used.count(kernel) == 1);
  }
}
