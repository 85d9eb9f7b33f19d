#include "judge/advice.h"

#include "catch.h"
#include "judge/facts.h"

using namespace judge;
using emulator::FaultKind;
using session::HostEnd;
using verdict::Verdict;

namespace {

Report failed(CaseReport one) {
  one.ran = true;
  one.verdict = verdict::decide(facts_of(one));
  Report report;
  report.build.ok = true;
  report.verdict = one.verdict;
  report.cases = {std::move(one)};
  return report;
}

bool says(const Report& report, const char* en) {
  return next_step(report).at("en").find(en) != std::string::npos;
}

}  // namespace

TEST_CASE("every fault, end and shape has a next step in both languages") {
  std::vector<Report> reports;
  for (int k = 0; k <= static_cast<int>(FaultKind::illegal_instruction); ++k) {
    CaseReport one;
    one.record.launches.resize(1);
    one.record.launches[0].faults.resize(1);
    one.record.launches[0].faults[0].kind = static_cast<FaultKind>(k);
    one.record.launches[0].faults[0].where = {"a.cu", 7, 1, ""};
    reports.push_back(failed(one));
  }
  for (int e = 1; e <= static_cast<int>(HostEnd::protocol_error); ++e) {
    CaseReport one;
    one.host.end = static_cast<HostEnd>(e);
    reports.push_back(failed(one));
  }
  for (int s = 1; s <= static_cast<int>(check::Shape::everything); ++s) {
    CaseReport one;
    one.record.launches.resize(1);
    one.comparisons.resize(1);
    one.comparisons[0].wrong = 1;
    one.comparisons[0].diagnosis.shape = static_cast<check::Shape>(s);
    reports.push_back(failed(one));
  }
  for (int v = 0; v <= static_cast<int>(Verdict::accepted); ++v) {
    const auto verdict = static_cast<Verdict>(v);
    if (verdict != Verdict::judge_error && verdict != Verdict::compile_error && verdict != Verdict::inconclusive &&
        verdict != Verdict::accepted)
      continue;  // the others rest on evidence: above
    Report report;
    report.verdict = verdict;
    reports.push_back(report);
  }
  for (const Report& report : reports) {
    INFO(verdict::to_string(report.verdict));
    const auto step = next_step(report);
    REQUIRE(step.count("en") == 1);
    REQUIRE(step.count("zh") == 1);
    CHECK(step.at("en").size() > 20);
    CHECK(step.at("zh").size() > 20);
  }
}

TEST_CASE("the step fits what happened") {
  CaseReport edges;
  edges.record.launches.resize(1);
  edges.comparisons.resize(1);
  edges.comparisons[0].wrong = 8;
  edges.comparisons[0].diagnosis.shape = check::Shape::block_edges;
  CHECK(says(failed(edges), "halo"));

  CaseReport idle;
  idle.comparisons.resize(1);
  idle.comparisons[0].wrong = 8;
  CHECK(says(failed(idle), "Launch your kernel"));

  CaseReport race;
  race.record.launches.resize(1);
  race.record.launches[0].faults.resize(1);
  race.record.launches[0].faults[0].kind = FaultKind::race;
  race.record.launches[0].faults[0].space = emulator::MemorySpace::shared;
  CHECK(says(failed(race), "__syncthreads()"));
  race.record.launches[0].faults[0].space = emulator::MemorySpace::global;
  CHECK(says(failed(race), "atomic"));

  CaseReport crash;
  crash.host.end = HostEnd::signaled;
  crash.host.fault_in_device_memory = true;
  CHECK(says(failed(crash), "cudaMemcpy"));
}

TEST_CASE("the first compile error is named, a warning before it is not") {
  Report report;
  report.verdict = Verdict::compile_error;
  report.build.diagnostics.resize(2);
  report.build.diagnostics[0].severity = build::Diagnostic::Severity::warning;
  report.build.diagnostics[0].line = 3;
  report.build.diagnostics[1].file = "conv1d.cu";
  report.build.diagnostics[1].line = 12;
  CHECK(says(report, "conv1d.cu:12"));
}

TEST_CASE("one case alone is no full judgement") {
  Report report;
  report.verdict = Verdict::accepted;
  report.partial = true;
  CHECK(says(report, "--case"));
}
