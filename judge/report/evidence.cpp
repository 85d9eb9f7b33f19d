#include "judge/report/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include "judge/facts.h"
#include "judge/report/source_excerpt.h"
#include "judge/report/text.h"

namespace judge::report {

namespace {

using session::HostEnd;
using verdict::Verdict;

constexpr std::size_t kDiagnosticsShown = 5, kFaultsShown = 3, kCallsShown = 3, kPrintedLines = 12;

std::string hexadecimal(std::uint64_t address) {
  return fmt::format("{:#x}", address);
}

std::string triple(const std::array<std::uint32_t, 3>& t) {
  return fmt::format("({}, {}, {})", t[0], t[1], t[2]);
}

std::string dim(const device::Dim3& d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

std::string access_words(const Voice& voice, emulator::AccessKind access) {
  switch (access) {
    case emulator::AccessKind::read:
      return voice.say(Phrase::reads);
    case emulator::AccessKind::write:
      return voice.say(Phrase::writes);
    case emulator::AccessKind::atomic:
      return voice.say(Phrase::updates);
  }
  return "";
}

// What happened, in a line below the kind's name: the emulator's own sentence is in English.
std::string what_happened(const Voice& voice, const device::Fault& f) {
  if (voice.language() == Language::en && !f.message.empty()) return clean(f.message);
  if (f.bytes == 0) return "";
  return voice.say(Phrase::access_bytes, access_words(voice, f.access), f.bytes);
}

void write_fault(Page& page, const Voice& voice, const Report& report, const device::Fault& f) {
  std::string title = page.ink(Ink::bad, voice.fault(f.kind));
  if (!f.kernel.empty()) title = voice.say(Phrase::in_kernel, title, clean(f.kernel));
  const std::string what = what_happened(voice, f);
  page.text(2, what.empty() ? title : voice.say(Phrase::and_what, title, what));
  write_source_line(page, 4, report, f.where);
  if (!f.owner.empty()) {
    const std::string owner = clean(f.owner);
    page.text(
        4, f.element ? voice.say(Phrase::element_of, grouped(*f.element), owner) : voice.say(Phrase::in_owner, owner));
  }
  std::string who = voice.say(Phrase::block_thread, triple(f.who.block), triple(f.who.thread));
  if (f.bytes > 0)
    who += "; " + (f.space == emulator::MemorySpace::shared
                       ? voice.say(Phrase::at_offset, grouped(std::int64_t{static_cast<std::int32_t>(f.address)}))
                       : voice.say(Phrase::at_address, hexadecimal(f.address)));
  page.text(4, who);
  if (f.other) {
    // Only in a race is the other side an access; a barrier's other side is a thread that went elsewhere.
    page.text(4, f.kind == emulator::FaultKind::race
                     ? voice.say(Phrase::other_party, access_words(voice, f.other->access))
                     : voice.say(Phrase::other_thread));
    write_source_line(page, 4, report, f.other->where);
    page.text(4, voice.say(Phrase::block_thread, triple(f.other->who.block), triple(f.other->who.thread)));
  }
  if (f.occurrences > 1) page.text(4, voice.say(Phrase::times, grouped(f.occurrences)));
}

std::uint64_t launches_of(const device::CaseRecord& record) {
  return record.operations_not_listed +
         static_cast<std::uint64_t>(
             std::count_if(record.operations.begin(), record.operations.end(),
                           [](const device::Operation& o) { return o.kind == device::OperationKind::launch; }));
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? "SIG" + std::string(name) : "?";
}

// Where the time of a case went that took too much of it.
void write_wall_limit(Page& page, const Voice& voice, const CaseReport& one) {
  page.text(2, voice.say(Phrase::host_wall_limit, grouped(one.wall_limit_ms)));
  const double in_kernels = std::min(one.device_ms, static_cast<double>(one.wall_limit_ms));
  if (one.device_ms >= static_cast<double>(one.wall_limit_ms) && one.record.launches.empty()) {
    page.text(2, voice.say(Phrase::time_in_one_kernel));  // the device was ended with its record
    return;
  }
  page.text(2, voice.say(Phrase::time_in_kernels, figure(std::round(in_kernels)), grouped(launches_of(one.record)),
                         figure(std::round(static_cast<double>(one.wall_limit_ms) - in_kernels))));
}

void write_step_limit(Page& page, const Voice& voice, const CaseReport& one) {
  const device::Fault* worst = worst_fault(one.record);
  if (!worst || worst->kind != emulator::FaultKind::step_limit || one.step_limit == 0) return;
  const bool by_clock = one.wall_ms >= static_cast<double>(one.wall_limit_ms);
  page.text(2, by_clock ? voice.say(Phrase::wall_limit_in_kernel, grouped(one.wall_limit_ms), grouped(one.record.steps))
                        : voice.say(Phrase::step_limit_was, grouped(one.step_limit)));
}

void write_api_errors(Page& page, const Voice& voice, const Report& report, const device::CaseRecord& record) {
  std::size_t shown = 0;
  for (const device::ApiError& e : record.api_errors) {
    if (is_consequence(e, record) || shown == kCallsShown) continue;
    ++shown;
    page.text(2, page.ink(Ink::bad, voice.say(Phrase::call_failed, clean(e.call), clean(e.name), e.code)));
    page.foreign(4, e.detail);
    if (e.where.line > 0) write_source_line(page, 4, report, e.where);
  }
}

std::string index_of(const check::Mismatch& m) {
  if (m.position.size() < 2) return grouped(m.index);
  std::string text;
  for (const std::int64_t p : m.position) text += fmt::format("{}{}", text.empty() ? "[" : ", ", p);
  return text + "]";
}

void write_mismatches(Page& page, const Voice& voice, const check::Comparison& c) {
  std::vector<std::array<std::string, 4>> rows{{voice.say(Phrase::column_index), voice.say(Phrase::column_got),
                                                voice.say(Phrase::column_expected), voice.say(Phrase::column_allowed)}};
  for (const check::Mismatch& m : c.first)
    rows.push_back({index_of(m), m.unwritten ? voice.say(Phrase::unwritten) : number(m.got), number(m.expected),
                    fmt::format("{:.2g}", m.allowed)});
  std::array<int, 4> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : "   ") + pad_left(row[i], widths[i]);
    page.row(4, line);
  }
}

void write_comparison(Page& page, const Voice& voice, const check::Comparison& c) {
  const std::string name = clean(c.buffer);
  if (c.total == 1) {
    page.text(2, voice.say(c.unwritten > 0 ? Phrase::unwritten_only : Phrase::wrong_only, name));
    write_mismatches(page, voice, c);
    return;
  }
  page.text(2, c.wrong == 1 && c.unwritten == 0 ? voice.say(Phrase::wrong_one, name, grouped(c.total))
               : c.unwritten > 0
                   ? voice.say(Phrase::wrong_unwritten, name, grouped(c.wrong), grouped(c.total), grouped(c.unwritten))
                   : voice.say(Phrase::wrong_of, name, grouped(c.wrong), grouped(c.total)));
  write_mismatches(page, voice, c);
  const std::string sentence = voice.diagnosis(c.diagnosis);
  if (!sentence.empty()) page.text(2, clean(sentence));
}

void write_host_results(Page& page, const Voice& voice, const Report& report, const CaseReport& one) {
  for (const device::HostResult& h : one.record.host_results) {
    const auto of = std::find_if(one.comparisons.begin(), one.comparisons.end(),
                                 [&](const check::Comparison& c) { return c.buffer == h.buffer; });
    const std::uint64_t total = of == one.comparisons.end() ? h.elements : of->total;
    page.text(2, total == 1 ? voice.say(Phrase::computed_on_host_only, clean(h.buffer), clean(h.call))
                            : voice.say(Phrase::computed_on_host, clean(h.buffer), grouped(h.elements), grouped(total),
                                        clean(h.call), grouped(h.first)));
    if (h.where.line > 0) write_source_line(page, 4, report, h.where);
  }
}

void write_results(Page& page, const Voice& voice, const Report& report, const CaseReport& one) {
  bool wrong = false;
  // After a failed call or launch the output is wrong for that reason, and its numbers say nothing more.
  const bool numbers_matter = one.verdict != Verdict::runtime_error;
  for (const check::Comparison& c : one.comparisons)
    if (!c.ok() && numbers_matter) {
      write_comparison(page, voice, c);
      wrong = true;
    }
  if (wrong && one.writer) {
    page.text(2, voice.say(Phrase::written_by) + ":");
    write_source_line(page, 4, report, *one.writer);
  }
  if (one.host.end == HostEnd::returned && one.record.launches.empty() && one.record.api_errors.empty())
    page.text(2, voice.say(Phrase::never_launched));
  if (one.verdict == Verdict::race && !wrong && !one.comparisons.empty())
    page.text(2, voice.say(Phrase::output_right_now));
  for (const std::string& name : one.changed_inputs) {
    page.text(2, voice.say(Phrase::input_changed, clean(name)));
    for (const device::InputWrite& w : one.record.input_writes) {
      if (w.buffer != name || w.where.line <= 0) continue;
      page.text(4, voice.say(Phrase::input_written_by, clean(w.writer)));
      write_source_line(page, 4, report, w.where);
    }
  }
  write_host_results(page, voice, report, one);
  for (const std::string& name : one.broken_guards) page.text(2, voice.say(Phrase::guard_broken, clean(name)));
}

void write_lines(Page& page, const Voice& voice, Phrase label, std::string_view text, bool truncated) {
  if (text.empty()) return;
  page.text(2, voice.say(label) + ":");
  std::size_t shown = 0;
  while (!text.empty() && shown < kPrintedLines) {
    const std::size_t end = text.find('\n');
    page.row(4, clean(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++shown;
  }
  if (!text.empty() || truncated) page.text(4, voice.say(Phrase::output_cut));
}

}  // namespace

std::string case_name(const Voice& voice, const CaseReport& one) {
  const std::string title = voice.of(one.title);
  return clean(title.empty() ? one.name : title);
}

// The fault that decided the verdict first, then in the order they happened.
void write_faults(Page& page, const Voice& voice, const Report& report, const CaseReport& one) {
  const device::Fault* worst = worst_fault(one.record);
  if (!worst) return;
  std::vector<const device::Fault*> order{worst};
  std::uint64_t hidden = 0;
  for (const device::LaunchRecord& launch : one.record.launches) {
    hidden += launch.faults_not_listed;
    for (const device::Fault& f : launch.faults)
      if (&f != worst) order.push_back(&f);
  }
  const std::size_t shown = std::min(order.size(), kFaultsShown);
  for (std::size_t i = 0; i < shown; ++i) write_fault(page, voice, report, *order[i]);
  hidden += order.size() - shown;
  if (hidden > 0) page.text(2, voice.say(Phrase::more_faults, grouped(hidden)));
  for (const device::LaunchRecord& launch : one.record.launches)
    if (std::any_of(launch.faults.begin(), launch.faults.end(), [&](const auto& f) { return &f == worst; }))
      page.text(2, voice.say(Phrase::kernel_launch, dim(launch.grid), dim(launch.block)));
}

void write_host_end(Page& page, const Voice& voice, const CaseReport& one) {
  const session::HostOutcome& host = one.host;
  const auto say = [&](Phrase phrase) { page.text(2, voice.say(phrase)); };
  switch (host.end) {
    case HostEnd::returned:
      return;
    case HostEnd::load_failed:
      say(Phrase::load_failed);
      break;
    case HostEnd::exited:
      page.text(2, voice.say(Phrase::host_exited, host.exit_status));
      break;
    case HostEnd::signaled:
      page.text(2, voice.say(Phrase::host_signal, host.signal, signal_name(host.signal)));
      if (!host.uncaught.empty()) {
        say(Phrase::host_uncaught);
        page.foreign(4, host.uncaught);
      } else if (host.fault_in_device_memory)
        page.text(2, voice.say(Phrase::host_device_pointer, hexadecimal(host.fault_address)));
      else if (host.signal == SIGSEGV || host.signal == SIGBUS)
        page.text(2, voice.say(Phrase::host_bad_pointer, hexadecimal(host.fault_address)));
      break;
    case HostEnd::wall_limit:
      write_wall_limit(page, voice, one);
      break;
    case HostEnd::cpu_limit:
      say(Phrase::host_cpu_limit);
      break;
    case HostEnd::memory_limit:
      say(Phrase::host_memory_limit);
      break;
    case HostEnd::process_limit:
      say(Phrase::host_process_limit);
      break;
    case HostEnd::output_limit:
      say(Phrase::host_output_limit);
      break;
    case HostEnd::protocol_error:
      say(Phrase::host_protocol);
      break;
  }
  if (host.end != HostEnd::signaled && host.end != HostEnd::exited && host.end != HostEnd::wall_limit)
    page.foreign(4, host.detail);
}

std::string sizes_in_brackets(const catalogue::Names& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, grouped(value));
  return text.empty() ? "" : " (" + text + ")";
}

void write_diagnostics(Page& page, const Voice& voice, const Report& report) {
  using Severity = build::Diagnostic::Severity;
  if (report.build.wrong_prototype) {
    page.text(2, voice.say(Phrase::wrong_prototype));
    page.text(4, page.ink(Ink::strong, clean(report.entry)));
  }
  if (report.build.timed_out) page.text(2, voice.say(Phrase::compile_timed_out));
  std::size_t shown = 0;
  for (const build::Diagnostic& d : report.build.diagnostics) {
    if (++shown > kDiagnosticsShown) continue;
    const bool error = d.severity == Severity::error;
    const Phrase kind = error ? Phrase::error : d.severity == Severity::warning ? Phrase::warning : Phrase::note;
    std::string at = clean(d.file);
    if (d.line > 0) at += fmt::format(":{}", d.line);
    if (d.column > 0) at += fmt::format(":{}", d.column);
    page.text(2, fmt::format("{}{}{}: {}", at, at.empty() ? "" : ": ",
                             page.ink(error ? Ink::bad : Ink::strong, voice.say(kind)), clean(d.text)));
    for (const std::string& line : d.excerpt) page.row(4, clean(line));
  }
  if (shown > kDiagnosticsShown) page.text(2, voice.say(Phrase::more_diagnostics, shown - kDiagnosticsShown));
}

void write_case(Page& page, const Voice& voice, const Report& report, const CaseReport& one) {
  page.text(0, page.ink(Ink::strong, voice.say(Phrase::failed_in, voice.verdict(one.verdict), case_name(voice, one),
                                               sizes_in_brackets(one.sizes))));
  write_host_end(page, voice, one);
  write_api_errors(page, voice, report, one.record);
  write_faults(page, voice, report, one);
  write_step_limit(page, voice, one);
  write_results(page, voice, report, one);
  write_printed(page, voice, one);
}

void write_printed(Page& page, const Voice& voice, const CaseReport& one) {
  write_lines(page, voice, Phrase::kernel_printed, one.record.kernel_output, one.record.output_truncated);
  write_lines(page, voice, Phrase::host_printed, one.host.stdout_text + one.host.stderr_text,
              one.host.output_truncated);
}

}  // namespace judge::report
