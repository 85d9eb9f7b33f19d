#pragma once
// Facts -> verdict. One pure function; its table is tests/unit/verdict.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace judge::verdict {

// Worst first; the worst that applies wins.
enum class Verdict : std::uint8_t {
  judge_error, compile_error, runtime_error, time_limit, memory_limit, output_limit, race, barrier_error,
  uninitialized_read, wrong_answer, requirement_not_met, inconclusive, accepted
};
std::string_view to_string(Verdict v);
std::optional<Verdict> verdict_from(std::string_view name);

struct CaseFacts {           // what was observed in one case; booleans, no prose
  bool ran = true;
  bool host_crashed = false, host_exited_early = false, host_protocol_error = false, load_failed = false;
  bool unsupported_call = false;          // an API call or instruction we lack: judge_error
  bool wall_limit = false, cpu_limit = false, step_limit = false, memory_limit = false, output_limit = false;
  bool kernel_illegal_access = false;     // out_of_bounds, use_after_free, misaligned, wrong_space, host/null pointer, read_only
  bool kernel_trap = false;               // trap, assertion, illegal_instruction, stack_overflow, invalid_free
  bool launch_failed = false;             // a launch returned an error
  bool api_error = false;                 // another runtime call returned an error
  bool race = false, barrier_error = false /* barrier_divergence, sync_mask */, uninitialized_read = false;
  bool guard_broken = false, input_changed = false;
  bool output_wrong = false;
  bool computed_on_host = false;          // an output holds results that a copy from the host put there
  bool timing_noisy = false;
};

struct Facts {
  bool judge_failed = false;
  bool compiled = true;
  std::vector<CaseFacts> cases;
  bool requirement_missed = false;
};

Verdict decide(const Facts& facts);
Verdict decide(const CaseFacts& facts);   // of one case

int exit_status(Verdict v);  // 0 only for accepted; documented in docs/cli.md

}  // namespace judge::verdict
