#include "judge/verdict/verdict.h"

#include <algorithm>
#include <array>

namespace judge::verdict {

namespace {

struct Entry {
  std::string_view name;
  int exit_status;
};

// In the enum's order. 1 is left to the interpreter (an uncaught exception) and 2 to usage errors, as is the custom of
// command line programs, so that a script can tell "the judge could not" (3) from "the submission is not right" (10
// up).
constexpr std::array<Entry, 13> kEntries{{{"judge_error", 3},
                                          {"compile_error", 10},
                                          {"runtime_error", 11},
                                          {"time_limit", 12},
                                          {"memory_limit", 13},
                                          {"output_limit", 14},
                                          {"race", 15},
                                          {"barrier_error", 16},
                                          {"uninitialized_read", 17},
                                          {"wrong_answer", 18},
                                          {"requirement_not_met", 19},
                                          {"inconclusive", 20},
                                          {"accepted", 0}}};
static_assert(kEntries.size() == static_cast<std::size_t>(Verdict::accepted) + 1);

bool fails_at_run_time(const CaseFacts& f) {
  return f.host_crashed || f.host_exited_early || f.host_protocol_error || f.kernel_illegal_access || f.kernel_trap ||
         f.launch_failed || f.api_error || f.guard_broken;
}

}  // namespace

std::string_view to_string(Verdict v) {
  return kEntries.at(static_cast<std::size_t>(v)).name;
}

std::optional<Verdict> verdict_from(std::string_view name) {
  for (std::size_t i = 0; i < kEntries.size(); ++i)
    if (kEntries[i].name == name) return static_cast<Verdict>(i);
  return std::nullopt;
}

int exit_status(Verdict v) {
  return kEntries.at(static_cast<std::size_t>(v)).exit_status;
}

// The tests stand in the enum's order, so the first that holds is the worst. A case that did not run says nothing.
Verdict decide(const CaseFacts& f) {
  if (!f.ran) return Verdict::accepted;
  if (f.unsupported_call) return Verdict::judge_error;
  // A library that cannot be loaded lacks a definition: elsewhere the linker would have said so.
  if (f.load_failed) return Verdict::compile_error;
  if (fails_at_run_time(f)) return Verdict::runtime_error;
  if (f.wall_limit || f.cpu_limit || f.step_limit) return Verdict::time_limit;
  if (f.memory_limit) return Verdict::memory_limit;
  if (f.output_limit) return Verdict::output_limit;
  if (f.race) return Verdict::race;
  if (f.barrier_error) return Verdict::barrier_error;
  if (f.uninitialized_read) return Verdict::uninitialized_read;
  if (f.output_wrong || f.input_changed) return Verdict::wrong_answer;
  if (f.computed_on_host) return Verdict::requirement_not_met;
  if (f.timing_noisy) return Verdict::inconclusive;
  return Verdict::accepted;
}

Verdict decide(const Facts& facts) {
  if (facts.judge_failed) return Verdict::judge_error;
  if (!facts.compiled) return Verdict::compile_error;
  // Fail closed: "accepted" needs at least one case that ran.
  if (std::none_of(facts.cases.begin(), facts.cases.end(), [](const CaseFacts& f) { return f.ran; }))
    return Verdict::judge_error;
  Verdict worst = facts.requirement_missed ? Verdict::requirement_not_met : Verdict::accepted;
  for (const CaseFacts& f : facts.cases) worst = std::min(worst, decide(f));
  return worst;
}

}  // namespace judge::verdict
