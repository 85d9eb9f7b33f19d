#include "judge/verdict/verdict.h"

#include <set>
#include <string>
#include <vector>

#include "catch.h"

using namespace judge::verdict;

namespace {

using Setter = void (*)(CaseFacts&);

struct Row {
  const char* fact;
  Setter set;
  Verdict expected;
};

// Every fact of a case on its own.
const std::vector<Row> kRows = {
    {"unsupported_call", [](CaseFacts& f) { f.unsupported_call = true; }, Verdict::judge_error},
    {"load_failed", [](CaseFacts& f) { f.load_failed = true; }, Verdict::compile_error},
    {"host_crashed", [](CaseFacts& f) { f.host_crashed = true; }, Verdict::runtime_error},
    {"host_exited_early", [](CaseFacts& f) { f.host_exited_early = true; }, Verdict::runtime_error},
    {"host_protocol_error", [](CaseFacts& f) { f.host_protocol_error = true; }, Verdict::runtime_error},
    {"kernel_illegal_access", [](CaseFacts& f) { f.kernel_illegal_access = true; }, Verdict::runtime_error},
    {"kernel_trap", [](CaseFacts& f) { f.kernel_trap = true; }, Verdict::runtime_error},
    {"launch_failed", [](CaseFacts& f) { f.launch_failed = true; }, Verdict::runtime_error},
    {"api_error", [](CaseFacts& f) { f.api_error = true; }, Verdict::runtime_error},
    {"guard_broken", [](CaseFacts& f) { f.guard_broken = true; }, Verdict::runtime_error},
    {"wall_limit", [](CaseFacts& f) { f.wall_limit = true; }, Verdict::time_limit},
    {"cpu_limit", [](CaseFacts& f) { f.cpu_limit = true; }, Verdict::time_limit},
    {"step_limit", [](CaseFacts& f) { f.step_limit = true; }, Verdict::time_limit},
    {"memory_limit", [](CaseFacts& f) { f.memory_limit = true; }, Verdict::memory_limit},
    {"output_limit", [](CaseFacts& f) { f.output_limit = true; }, Verdict::output_limit},
    {"race", [](CaseFacts& f) { f.race = true; }, Verdict::race},
    {"barrier_error", [](CaseFacts& f) { f.barrier_error = true; }, Verdict::barrier_error},
    {"uninitialized_read", [](CaseFacts& f) { f.uninitialized_read = true; }, Verdict::uninitialized_read},
    {"output_wrong", [](CaseFacts& f) { f.output_wrong = true; }, Verdict::wrong_answer},
    {"input_changed", [](CaseFacts& f) { f.input_changed = true; }, Verdict::wrong_answer},
    {"computed_on_host", [](CaseFacts& f) { f.computed_on_host = true; }, Verdict::requirement_not_met},
    {"timing_noisy", [](CaseFacts& f) { f.timing_noisy = true; }, Verdict::inconclusive},
};

Facts one_case(const CaseFacts& f) {
  Facts facts;
  facts.cases = {f};
  return facts;
}

}  // namespace

TEST_CASE("each fact alone gives its verdict, of the case and of the submission") {
  for (const Row& row : kRows) {
    INFO(row.fact);
    CaseFacts f;
    row.set(f);
    CHECK(decide(f) == row.expected);
    CHECK(decide(one_case(f)) == row.expected);
  }
}

TEST_CASE("of two facts the worse verdict wins, in one case and across two") {
  // The order of DESIGN section 4, written out here so that reordering the enum alone is noticed.
  const std::vector<std::string> order = {
      "judge_error",         "compile_error", "runtime_error", "time_limit",         "memory_limit",
      "output_limit",        "race",          "barrier_error", "uninitialized_read", "wrong_answer",
      "requirement_not_met", "inconclusive",  "accepted"};
  auto rank = [&](Verdict v) {
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i] == to_string(v)) return i;
    return order.size();
  };
  for (const Row& a : kRows)
    for (const Row& b : kRows) {
      INFO(a.fact << " and " << b.fact);
      const Verdict expected = rank(a.expected) <= rank(b.expected) ? a.expected : b.expected;
      CaseFacts both, first, second;
      a.set(both), b.set(both);
      a.set(first), b.set(second);
      CHECK(decide(both) == expected);
      Facts facts;
      facts.cases = {first, second};
      CHECK(decide(facts) == expected);
    }
}

TEST_CASE("a submission with nothing to object to is accepted") {
  CHECK(decide(CaseFacts{}) == Verdict::accepted);
  CHECK(decide(one_case(CaseFacts{})) == Verdict::accepted);
}

TEST_CASE("a missed requirement counts only when everything else is right") {
  for (const Row& row : kRows) {
    INFO(row.fact);
    CaseFacts f;
    row.set(f);
    Facts facts = one_case(f);
    facts.requirement_missed = true;
    const bool timing_only = row.expected == Verdict::inconclusive;
    CHECK(decide(facts) == (timing_only ? Verdict::requirement_not_met : row.expected));
  }
  Facts right = one_case(CaseFacts{});
  right.requirement_missed = true;
  CHECK(decide(right) == Verdict::requirement_not_met);
}

TEST_CASE("a failure of the judge or of the compiler decides whatever the cases say") {
  CaseFacts wrong;
  wrong.output_wrong = true;
  Facts facts = one_case(wrong);
  facts.compiled = false;
  CHECK(decide(facts) == Verdict::compile_error);
  facts.judge_failed = true;
  CHECK(decide(facts) == Verdict::judge_error);
}

TEST_CASE("nothing that did not run is accepted") {
  CaseFacts not_run;
  not_run.ran = false;
  CHECK(decide(Facts{}) == Verdict::judge_error);
  CHECK(decide(one_case(not_run)) == Verdict::judge_error);
  Facts facts;
  facts.cases = {CaseFacts{}, not_run};
  CHECK(decide(facts) == Verdict::accepted);
}

TEST_CASE("names and exit statuses") {
  std::set<int> statuses;
  for (int i = 0; i <= static_cast<int>(Verdict::accepted); ++i) {
    const auto v = static_cast<Verdict>(i);
    CHECK(verdict_from(to_string(v)) == v);
    CHECK((exit_status(v) == 0) == (v == Verdict::accepted));
    CHECK(exit_status(v) != 1);
    CHECK(exit_status(v) != 2);
    CHECK(exit_status(v) < 126);  // from 126 up a shell means something else
    statuses.insert(exit_status(v));
  }
  CHECK(statuses.size() == 13);
  CHECK(exit_status(Verdict::judge_error) == 3);
  CHECK(exit_status(Verdict::wrong_answer) == 18);
  CHECK_FALSE(verdict_from("accept"));
  CHECK_FALSE(verdict_from(""));
}
