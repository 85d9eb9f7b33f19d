#include "judge/facts.h"

#include <map>
#include <vector>

#include "catch.h"

using namespace judge;
using emulator::FaultKind;
using session::HostEnd;
using verdict::Verdict;

namespace {

CaseReport ran() {
  CaseReport one;
  one.ran = true;
  return one;
}

CaseReport with_faults(std::vector<FaultKind> kinds, bool finished = true) {
  CaseReport one = ran();
  one.record.launches.resize(1);
  one.record.launches[0].finished = finished;
  for (const FaultKind kind : kinds) {
    device::Fault f;
    f.kind = kind;
    one.record.launches[0].faults.push_back(f);
  }
  return one;
}

Verdict verdict_of(const CaseReport& one) {
  return verdict::decide(facts_of(one));
}

device::ApiError error(int code, bool is_launch) {
  device::ApiError e;
  e.call = "cudaSomething";
  e.code = code;
  e.is_launch = is_launch;
  return e;
}

}  // namespace

TEST_CASE("every kind of fault has its verdict") {
  const std::map<FaultKind, Verdict> expected = {{FaultKind::out_of_bounds, Verdict::runtime_error},
                                                 {FaultKind::use_after_free, Verdict::runtime_error},
                                                 {FaultKind::invalid_free, Verdict::runtime_error},
                                                 {FaultKind::misaligned, Verdict::runtime_error},
                                                 {FaultKind::wrong_space, Verdict::runtime_error},
                                                 {FaultKind::host_pointer, Verdict::runtime_error},
                                                 {FaultKind::null_pointer, Verdict::runtime_error},
                                                 {FaultKind::read_only, Verdict::runtime_error},
                                                 {FaultKind::uninitialized_read, Verdict::uninitialized_read},
                                                 {FaultKind::race, Verdict::race},
                                                 {FaultKind::barrier_divergence, Verdict::barrier_error},
                                                 {FaultKind::sync_mask, Verdict::barrier_error},
                                                 {FaultKind::trap, Verdict::runtime_error},
                                                 {FaultKind::assertion, Verdict::runtime_error},
                                                 {FaultKind::stack_overflow, Verdict::runtime_error},
                                                 {FaultKind::step_limit, Verdict::time_limit},
                                                 {FaultKind::illegal_instruction, Verdict::runtime_error}};
  CHECK(expected.size() == static_cast<std::size_t>(FaultKind::illegal_instruction) + 1);
  for (const auto& [kind, verdict] : expected) {
    INFO(emulator::to_string(kind));
    CHECK(verdict_of(with_faults({kind})) == verdict);
  }
}

TEST_CASE("every end of the host process has its verdict") {
  const std::map<HostEnd, Verdict> expected = {
      {HostEnd::returned, Verdict::accepted},           {HostEnd::load_failed, Verdict::compile_error},
      {HostEnd::exited, Verdict::runtime_error},        {HostEnd::signaled, Verdict::runtime_error},
      {HostEnd::wall_limit, Verdict::time_limit},       {HostEnd::cpu_limit, Verdict::time_limit},
      {HostEnd::memory_limit, Verdict::memory_limit},   {HostEnd::process_limit, Verdict::runtime_error},
      {HostEnd::output_limit, Verdict::output_limit},   {HostEnd::protocol_error, Verdict::runtime_error}};
  CHECK(expected.size() == static_cast<std::size_t>(HostEnd::protocol_error) + 1);
  for (const auto& [end, verdict] : expected) {
    INFO(session::to_string(end));
    CaseReport one = ran();
    one.host.end = end;
    CHECK(verdict_of(one) == verdict);
  }
}

TEST_CASE("a call or instruction that the judge lacks is never the student's fault") {
  CaseReport missing = ran();
  missing.host.end = HostEnd::load_failed;
  missing.host.missing_symbol = "cudaGraphLaunch";
  CHECK(verdict_of(missing) == Verdict::judge_error);
  CaseReport unsupported = with_faults({FaultKind::race});
  unsupported.record.unsupported = {"wgmma"};
  CHECK(verdict_of(unsupported) == Verdict::judge_error);
}

TEST_CASE("errors that follow from a kernel's death are not counted as calls that failed") {
  // An endless kernel: CUDA answers cudaErrorLaunchTimeout (702) from then on, launches included.
  CaseReport endless = with_faults({FaultKind::step_limit}, false);
  endless.record.api_errors = {error(702, false), error(702, true)};
  CHECK(verdict_of(endless) == Verdict::time_limit);
  CHECK(first_api_error(endless.record) == nullptr);

  // The same code without a dead kernel, and another code beside a dead one, stand for themselves.
  CaseReport alone = ran();
  alone.record.api_errors = {error(719, false)};
  CHECK(verdict_of(alone) == Verdict::runtime_error);
  endless.record.api_errors.push_back(error(1, false));
  CHECK(verdict_of(endless) == Verdict::runtime_error);
  REQUIRE(first_api_error(endless.record) != nullptr);
  CHECK(first_api_error(endless.record)->code == 1);
}

TEST_CASE("a failed launch comes before other failed calls") {
  CaseReport one = ran();
  one.record.api_errors = {error(1, false), error(9, true)};
  const auto facts = facts_of(one);
  CHECK(facts.launch_failed);
  CHECK(facts.api_error);
  CHECK(first_api_error(one.record)->code == 9);
}

TEST_CASE("outputs, inputs and guard zones") {
  CaseReport wrong = ran();
  wrong.comparisons.resize(2);
  CHECK(verdict_of(wrong) == Verdict::accepted);
  wrong.comparisons[1].wrong = 1;
  CHECK(verdict_of(wrong) == Verdict::wrong_answer);
  CaseReport changed = ran();
  changed.changed_inputs = {"x"};
  CHECK(verdict_of(changed) == Verdict::wrong_answer);
  CaseReport broken = ran();
  broken.broken_guards = {"y"};
  CHECK(verdict_of(broken) == Verdict::runtime_error);
}

TEST_CASE("a right result that the host computed does not meet the requirement; a wrong one is wrong first") {
  CaseReport one = ran();
  one.comparisons.resize(1);
  one.record.host_results.push_back({"y", 255, 0, "cudaMemcpy", 0, {}});
  CHECK(verdict_of(one) == Verdict::requirement_not_met);
  one.comparisons[0].wrong = 1;
  CHECK(verdict_of(one) == Verdict::wrong_answer);
}

TEST_CASE("the worst fault decides, the first among equals") {
  const CaseReport one =
      with_faults({FaultKind::uninitialized_read, FaultKind::race, FaultKind::out_of_bounds, FaultKind::trap});
  const device::Fault* worst = worst_fault(one.record);
  REQUIRE(worst != nullptr);
  CHECK(worst->kind == FaultKind::out_of_bounds);
  CHECK(worst_fault(ran().record) == nullptr);
}

TEST_CASE("failures are listed smallest first, without what passed or did not run") {
  Report report;
  const auto add = [&](const char* name, std::int64_t n, bool ran, Verdict verdict) {
    CaseReport one;
    one.name = name;
    one.sizes = {{"n", n}};
    one.ran = ran;
    one.verdict = verdict;
    report.cases.push_back(one);
  };
  add("large", 4'000'000, true, Verdict::race);
  add("right", 1, true, Verdict::accepted);
  add("small", 5, true, Verdict::wrong_answer);
  add("not run", 2, false, Verdict::accepted);
  const auto failed = failures(report);
  REQUIRE(failed.size() == 2);
  CHECK(failed[0]->name == "small");
  CHECK(failed[1]->name == "large");
}
