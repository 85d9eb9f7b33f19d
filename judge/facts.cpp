#include "judge/facts.h"

#include <algorithm>
#include <array>

namespace judge {

namespace {

using emulator::FaultKind;
using session::HostEnd;
using verdict::CaseFacts;

// cudaErrorIllegalAddress, LaunchTimeout, Assert, HardwareStackError, IllegalInstruction, MisalignedAddress,
// InvalidAddressSpace, InvalidPc, LaunchFailure: the errors that outlive the call which met them.
constexpr std::array kStickyCodes{700, 702, 710, 714, 715, 716, 717, 718, 719};

void add_fault(FaultKind kind, CaseFacts& f) {
  switch (kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
    case FaultKind::misaligned:
    case FaultKind::wrong_space:
    case FaultKind::host_pointer:
    case FaultKind::null_pointer:
    case FaultKind::read_only:
      f.kernel_illegal_access = true;
      return;
    case FaultKind::uninitialized_read:
      f.uninitialized_read = true;
      return;
    case FaultKind::race:
      f.race = true;
      return;
    case FaultKind::barrier_divergence:
    case FaultKind::sync_mask:
      f.barrier_error = true;
      return;
    case FaultKind::invalid_free:
    case FaultKind::trap:
    case FaultKind::assertion:
    case FaultKind::stack_overflow:
    case FaultKind::illegal_instruction:
      f.kernel_trap = true;
      return;
    case FaultKind::step_limit:
      f.step_limit = true;
      return;
  }
}

void add_host_end(const session::HostOutcome& host, CaseFacts& f) {
  switch (host.end) {
    case HostEnd::returned:
      return;
    case HostEnd::load_failed:
      (host.missing_symbol.empty() ? f.load_failed : f.unsupported_call) = true;
      return;
    case HostEnd::exited:
      f.host_exited_early = true;
      return;
    case HostEnd::signaled:
    case HostEnd::process_limit:
      f.host_crashed = true;
      return;
    case HostEnd::wall_limit:
      f.wall_limit = true;
      return;
    case HostEnd::cpu_limit:
      f.cpu_limit = true;
      return;
    case HostEnd::memory_limit:
      f.memory_limit = true;
      return;
    case HostEnd::output_limit:
      f.output_limit = true;
      return;
    case HostEnd::protocol_error:
      f.host_protocol_error = true;
      return;
  }
}

}  // namespace

bool is_consequence(const device::ApiError& error, const device::CaseRecord& record) {
  const bool kernel_died = std::any_of(record.launches.begin(), record.launches.end(),
                                       [](const device::LaunchRecord& l) { return !l.finished; });
  return kernel_died && std::find(kStickyCodes.begin(), kStickyCodes.end(), error.code) != kStickyCodes.end();
}

verdict::CaseFacts facts_of(const CaseReport& one) {
  CaseFacts f;
  f.ran = one.ran;
  if (!one.ran) return f;
  add_host_end(one.host, f);
  if (!one.record.unsupported.empty()) f.unsupported_call = true;
  for (const device::LaunchRecord& launch : one.record.launches)
    for (const device::Fault& fault : launch.faults) add_fault(fault.kind, f);
  for (const device::ApiError& error : one.record.api_errors)
    if (!is_consequence(error, one.record)) (error.is_launch ? f.launch_failed : f.api_error) = true;
  f.guard_broken = !one.broken_guards.empty();
  f.input_changed = !one.changed_inputs.empty();
  f.computed_on_host = !one.record.host_results.empty();
  f.output_wrong =
      std::any_of(one.comparisons.begin(), one.comparisons.end(), [](const check::Comparison& c) { return !c.ok(); });
  return f;
}

const device::Fault* worst_fault(const device::CaseRecord& record) {
  const device::Fault* worst = nullptr;
  verdict::Verdict worst_verdict = verdict::Verdict::accepted;
  for (const device::LaunchRecord& launch : record.launches)
    for (const device::Fault& fault : launch.faults) {
      CaseFacts f;
      add_fault(fault.kind, f);
      if (const auto v = verdict::decide(f); v < worst_verdict) {
        worst_verdict = v;
        worst = &fault;
      }
    }
  return worst;
}

const device::ApiError* first_api_error(const device::CaseRecord& record) {
  const device::ApiError* first = nullptr;
  for (const device::ApiError& error : record.api_errors) {
    if (is_consequence(error, record)) continue;
    if (error.is_launch) return &error;
    if (!first) first = &error;
  }
  return first;
}

std::vector<const CaseReport*> failures(const Report& report) {
  std::vector<const CaseReport*> failed;
  for (const CaseReport& one : report.cases)
    if (one.ran && one.verdict != verdict::Verdict::accepted) failed.push_back(&one);
  const auto size = [](const CaseReport* one) {
    double product = 1;  // of the sizes: not exact, but in the order of the buffers' sizes
    for (const auto& [name, value] : one->sizes) product *= static_cast<double>(value);
    return product;
  };
  std::stable_sort(failed.begin(), failed.end(), [&](const auto* a, const auto* b) { return size(a) < size(b); });
  return failed;
}

}  // namespace judge
