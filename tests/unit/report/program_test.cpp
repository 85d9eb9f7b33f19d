// What `run` tells of a program: findings, profile, and JSON against docs/run.schema.json.

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <fstream>

#include "catch.h"
#include "judge/report/report.h"
#include "judge/report/text.h"

using namespace judge;
using nlohmann::json;

namespace {

ProgramReport sample() {
  ProgramReport p;
  p.sources = {{"main.cu", "int main() {}\n", "/"}, {"kernels.cu", "first\n  x[i] = i;  // here\n", "/"}};
  p.device = "emulator (Tesla T4)";
  p.build.ok = true;
  p.ran = true;
  p.host.end = session::HostEnd::exited;
  device::LaunchRecord launch;
  launch.kernel = "fill";
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  KernelReport k;
  k.kernel = "fill";
  k.grid = launch.grid;
  k.block = launch.block;
  k.launches = 3;
  k.registers = 12;
  k.occupancy = {4, 32, 32, OccupancyLimit::warps};
  k.counters.global_store_requests = 32;
  k.counters.global_store_sectors = 1024;
  k.lines = {{{"kernels.cu", 2, 8, "fill"}, k.counters}};
  p.record.launches = {launch};
  p.kernels = {k};
  p.transfers.copied_to_device_bytes = 4096;
  p.transfers.overlap.overlapped_bytes = 512;
  return p;
}

ProgramReport with_fault() {
  ProgramReport p = sample();
  device::Fault f;
  f.kind = emulator::FaultKind::out_of_bounds;
  f.kernel = "fill";
  f.where = {"kernels.cu", 2, 8, "fill"};
  f.who = {{3, 0, 0}, {232, 0, 0}};
  f.access = emulator::AccessKind::write;
  f.bytes = 4;
  f.message = "writes 4 bytes past the end";
  p.record.launches[0].faults = {f};
  p.finding = verdict::Verdict::runtime_error;
  return p;
}

std::string violations(const json& document) {
  std::ifstream in(JUDGE_SOURCE_DIR "/docs/run.schema.json");
  const json text = json::parse(in);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
  std::string all;
  for (valijson::ValidationResults::Error e; results.popError(e);) {
    for (const std::string& part : e.context) all += part;
    all += ": " + e.description + "\n";
  }
  return all;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a run's JSON is valid, and the schema refuses what it should") {
  CHECK(violations(json::parse(report::to_json(sample()))) == "");
  const json good = json::parse(report::to_json(with_fault()));
  CHECK(violations(good) == "");
  CHECK(good["finding"] == "runtime_error");
  CHECK(good["transfers"]["overlapped_copy_bytes"] == 512);
  CHECK(good["kernels"][0]["lines"][0]["sectors_per_request"] == 32.0);
  ProgramReport failed;
  failed.sources = {{"a.cu", "", "/"}};
  failed.finding = verdict::Verdict::compile_error;
  CHECK(violations(json::parse(report::to_json(failed))) == "");
  json bad = good;
  bad["kernels"][0].erase("launches");
  CHECK(violations(bad) != "");
  bad = good;
  bad["finding"] = "fine";
  CHECK(violations(bad) != "");
}

TEST_CASE("findings name the line of a second source file, and nothing is said about a right program") {
  CHECK(report::findings(sample(), {}) == "");
  const std::string text = report::findings(with_fault(), {});
  CHECK(has(text, "kernels.cu:2"));
  CHECK(has(text, "x[i] = i;  // here"));
  CHECK(has(text, "block (3, 0, 0), thread (232, 0, 0)"));
  CHECK(has(text, "exit status is 11"));
  CHECK(!has(report::findings(with_fault(), {}, false), "exit status"));
  const std::string chinese = report::findings(with_fault(), {false, 100, "zh"});
  CHECK(has(chinese, "设备发现的问题"));
}

TEST_CASE("the profile has shape, occupancy, counters and lines") {
  const std::string text = report::profile(sample(), {});
  CHECK(has(text, "copied to device bytes  4,096\n    overlapped copy bytes     512\n"));
  for (const char* words : {"fill", "grid (4, 1, 1), block (256, 1, 1)", "3 launches", "100 %", "32 of 32 warps",
                            "12 registers", "global store sectors", "1,024", "32.00", "kernels.cu:2", "x[i] = i;"}) {
    INFO(words << " in\n" << text);
    CHECK(has(text, words));
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(report::columns(text.substr(at, end - at)) <= 100);
    at = end + 1;
  }
}

TEST_CASE("the exit status: the program's own first, then the finding's") {
  ProgramReport p = with_fault();
  CHECK(p.exit_status() == 11);
  CHECK(p.exit_status(false) == 0);
  p.host.exit_status = 7;
  CHECK(p.exit_status() == 7);
  p.host.end = session::HostEnd::signaled;
  p.host.signal = 6;
  CHECK(p.exit_status() == 134);
  p = sample();
  CHECK(p.exit_status() == 0);
  p.finding = verdict::Verdict::judge_error;  // an instruction that the emulator lacks
  CHECK(p.exit_status(false) == 3);
  p.host.end = session::HostEnd::wall_limit;
  p.finding = verdict::Verdict::time_limit;
  CHECK(p.exit_status(false) == 12);
  p.ran = false;
  p.finding = verdict::Verdict::compile_error;
  CHECK(p.exit_status(false) == 10);
}
