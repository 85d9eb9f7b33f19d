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
  CHECK(says(failed(edges), "first and last threads of a block"));

  edges.comparisons[0].first.resize(1);
  edges.comparisons[0].first[0].got = 1.17549435e-38f;
  CHECK(says(failed(edges), "-FLT_MAX"));

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

TEST_CASE("an exercise without shared memory gets no advice about shared memory") {
  Report report;
  report.verdict = Verdict::requirement_not_met;
  report.requirements.resize(2);
  report.requirements[0].met = true;
  report.requirements[1].metric = "global_load_efficiency";
  report.requirements[1].why = {{"en", "the 32 lanes of a warp read neighbouring elements"}};
  CHECK(says(report, "neighbouring threads access neighbouring elements"));
  CHECK(says(report, "the 32 lanes of a warp read neighbouring elements"));
  report.requirements[1].metric = "global_load_bytes";
  report.requirements[1].why = {{"en", "each element of x and of y is read once"}};
  CHECK(says(report, "each element of x and of y is read once"));
  for (const char* metric : {"global_load_bytes", "global_load_efficiency", "launches", "spill_bytes"}) {
    report.requirements[1].metric = metric;
    CHECK(!says(report, "shared"));
    CHECK(!says(report, "halo"));
  }
}

TEST_CASE("advice about bytes: moved twice, scattered over sectors, or not moved by a kernel at all") {
  Report report;
  report.verdict = Verdict::requirement_not_met;
  report.requirement_case = "large";
  report.cases.resize(2);
  report.cases[1].name = "large";
  auto& counters = report.cases[1].record.launches.emplace_back().counters;
  counters.global_load_requests = 10;
  counters.global_load_sectors = 40;
  counters.global_load_bytes_requested = 1280;
  auto& r = report.requirements.emplace_back();
  r.metric = "global_load_bytes";
  r.max = 640;
  r.value = 1280;
  CHECK(says(report, "what is moved twice can be kept"));
  counters.global_load_bytes_requested = 160;
  CHECK(says(report, "neighbouring threads access neighbouring elements"));
  CHECK(!says(report, "moved twice"));
  r.min = 600;
  r.value = 0;
  CHECK(says(report, "A kernel has to move the elements"));
}

TEST_CASE("a requirement is answered by what that figure asks for") {
  Report report;
  report.verdict = Verdict::requirement_not_met;
  auto& r = report.requirements.emplace_back();
  r.max = 1;
  r.value = 2;
  for (const auto& [metric, words] :
       {std::pair{"constant_addresses_per_load", "the same constant at the same moment"},
        std::pair{"global_load_requests", "8 or 16 bytes in one access"},
        std::pair{"divergent_branches", "take the same way"},
        std::pair{"static_shared_bytes", "Keep less in shared memory"},
        std::pair{"shared_load_instructions", "shuffles"}, std::pair{"thread_instructions", "more elements"}}) {
    r.metric = metric;
    CHECK(says(report, words));
  }
  r.max.reset();
  r.min = 3;
  r.metric = "dynamic_shared_bytes";
  CHECK(says(report, "third argument"));
  r.metric = "static_shared_bytes";
  CHECK(says(report, "fixed size"));
}

TEST_CASE("the advice about a budget fits the metric, the side, and the other figures") {
  Report report;
  report.verdict = Verdict::requirement_not_met;
  report.requirement_case = "large";
  report.cases.resize(1);
  report.cases[0].name = "large";
  report.cases[0].record.launches.resize(1);
  auto& counters = report.cases[0].record.launches[0].counters;
  report.build.kernels.resize(1);
  report.requirements.resize(1);
  const auto missed = [&](const char* metric, double value, std::optional<double> min, std::optional<double> max) {
    report.requirements[0] = {metric, value, min, max, false, {{"en", "the reason"}}};
  };
  missed("shared_load_wavefronts", 20, {}, 10);
  CHECK(says(report, "Keep what was read in registers"));
  counters.shared_load_conflicts = 5;
  CHECK(says(report, "or pad the rows"));
  report.requirements.resize(2);
  report.requirements[1] = {"static_shared_bytes", 4096, 4096, 4096, true, {}};
  CHECK(says(report, "no room to pad"));
  report.requirements[1].max = 8192;
  CHECK(says(report, "or pad the rows"));
  missed("local_bytes", 100, {}, 0);
  CHECK(says(report, "unroll the loops"));
  report.build.kernels[0].spill_store_bytes = 8;
  CHECK(says(report, "__maxnreg__"));
  missed("texture_requests", 0, 10, 20);
  CHECK(says(report, "texture object"));
  missed("texture_requests", 40, 10, 20);
  CHECK(says(report, "cudaFilterModeLinear"));
  missed("global_load_readonly_share", 0.5, 1, {});
  CHECK(says(report, "__restrict__"));
  missed("overlapped_copy_bytes", 0, 1, {});
  CHECK(says(report, "fourth value of <<<>>>"));
  missed("managed_bytes", 8, 12, {});
  CHECK(says(report, "allocate the rest"));
  for (const char* metric : {"async_copy_bytes", "prefetched_bytes", "managed_bytes", "launches", "streams_used"}) {
    missed(metric, 0, 1, {});
    CHECK_FALSE(says(report, "Compare the figure"));
  }
  for (const char* metric : {"unwaited_copies", "clashing_copies", "global_atomic_requests", "launches"}) {
    missed(metric, 2, {}, 1);
    CHECK_FALSE(says(report, "Compare the figure"));
  }
}

TEST_CASE("an index out of bounds: just past the end, before the start, or far off because it overflowed") {
  CaseReport one;
  one.record.launches.resize(1);
  auto& f = one.record.launches[0].faults.emplace_back();
  f.kind = FaultKind::out_of_bounds;
  f.space = emulator::MemorySpace::global;
  f.where = {"a.cu", 7, 1, ""};
  f.owner = "y (float32[10], 40 bytes)";
  f.element = 10;
  CHECK(says(failed(one), "bounds check"));
  f.element = -1;
  CHECK(says(failed(one), "negative"));
  f.element.reset();
  f.owner.clear();
  CHECK(says(failed(one), "no longer fits an int"));
  CHECK(!says(failed(one), "bounds check"));
}

TEST_CASE("shared memory that nobody wrote because its threads had left") {
  CaseReport one;
  one.record.launches.resize(1);
  auto& f = one.record.launches[0].faults.emplace_back();
  f.kind = FaultKind::uninitialized_read;
  f.space = emulator::MemorySpace::shared;
  f.where = {"a.cu", 7, 1, ""};
  CHECK(says(failed(one), "usually 0"));
  f.threads_gone = 255;
  CHECK(says(failed(one), "255 of the block's threads had returned"));
  CHECK(!says(failed(one), "usually 0"));
}

TEST_CASE("time spent in kernels is not blamed on a loop of the host") {
  CaseReport one;
  one.host.end = HostEnd::wall_limit;
  one.wall_limit_ms = 6'000;
  one.device_ms = 100;
  CHECK(says(failed(one), "loop in the host code"));
  one.device_ms = 5'800;
  CHECK(says(failed(one), "kernels"));
  CHECK(!says(failed(one), "loop in the host code"));
}

TEST_CASE("a result computed on the host, without any budget in the exercise") {
  CaseReport one;
  one.record.host_results.push_back({"y", 1, 0, "cudaMemcpy", 0, {}});
  const Report report = failed(one);
  REQUIRE(report.verdict == Verdict::requirement_not_met);
  CHECK(says(report, "Let a kernel write the output"));
}

TEST_CASE("a call that the judge lacks is named in the next step, not sent to doctor") {
  CaseReport one;
  one.record.unsupported = {"cudaGraphLaunch"};
  const Report report = failed(one);
  REQUIRE(report.verdict == Verdict::judge_error);
  CHECK(says(report, "without cudaGraphLaunch"));
  CHECK(!says(report, "doctor"));
}

TEST_CASE("the stub as shipped is called that") {
  CaseReport one;
  one.comparisons.resize(1);
  one.comparisons[0].wrong = 1;
  Report report = failed(one);
  CHECK(!says(report, "stub"));
  report.untouched_stub = true;
  report.source_path = "practice/060_saxpy/saxpy.cu";
  CHECK(says(report, "untouched stub"));
  CHECK(says(report, "practice/060_saxpy/saxpy.cu"));
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
