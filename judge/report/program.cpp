#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "judge/facts.h"
#include "judge/report/evidence.h"
#include "judge/report/page.h"
#include "judge/report/phrases.h"
#include "judge/report/program.h"
#include "judge/report/report.h"
#include "judge/report/source_excerpt.h"
#include "judge/report/text.h"

namespace judge::report {

namespace {

using device::Counters;
using session::HostEnd;
using verdict::Verdict;

constexpr std::size_t kLinesShown = 10;

// The parts of a judgement's report that a run has too, in the form that its writers take.
Report as_report(const ProgramReport& program) {
  Report r;
  r.source_path = program.sources.front().name;
  r.source = program.sources.front().bytes;
  r.more_sources.assign(program.sources.begin() + 1, program.sources.end());
  r.build = program.build;
  return r;
}

std::string dim(const device::Dim3& d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

Phrase words_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::warps:
      return Phrase::limit_warps;
    case OccupancyLimit::blocks:
      return Phrase::limit_blocks;
    case OccupancyLimit::registers:
      return Phrase::limit_registers;
    case OccupancyLimit::shared_memory:
      return Phrase::limit_shared;
    case OccupancyLimit::does_not_fit:
      break;
  }
  return Phrase::limit_nothing_fits;
}

// Names and values; what is 0 is left out.
class Figures {
 public:
  void add(std::string_view name, std::uint64_t value) {
    if (value == 0) return;
    std::string label(name);
    std::replace(label.begin(), label.end(), '_', ' ');
    rows_.push_back({label, grouped(value)});
  }
  bool empty() const { return rows_.empty(); }
  void write(Page& page) const {
    int label_width = 0, value_width = 0;
    for (const auto& [label, value] : rows_) {
      label_width = std::max(label_width, columns(label));
      value_width = std::max(value_width, columns(value));
    }
    for (const auto& [label, value] : rows_)
      page.row(4, pad_right(label, label_width) + "  " + pad_left(value, value_width));
  }

 private:
  std::vector<std::array<std::string, 2>> rows_;
};

void write_counters(Page& page, const Counters& c) {
  Figures figures;
  for_each_counter(c, [&](std::string_view name, std::uint64_t value) { figures.add(name, value); });
  figures.write(page);
  if (c.global_load_requests + c.global_store_requests > 0)
    page.row(4, fmt::format("global sectors per request  {:.2f} load, {:.2f} store",
                            ratio(c.global_load_sectors, c.global_load_requests),
                            ratio(c.global_store_sectors, c.global_store_requests)));
}

void write_transfers(Page& page, const Voice& voice, const device::Transfers& t) {
  Figures figures;
  for_each_transfer(t, [&](std::string_view name, std::uint64_t value) { figures.add(name, value); });
  if (figures.empty()) return;
  page.blank();
  page.text(0, page.ink(Ink::strong, voice.say(Phrase::run_transfers)));
  figures.write(page);
}

void write_lines(Page& page, const Voice& voice, const Report& source, const KernelReport& k) {
  if (k.lines.empty()) return;
  page.text(4, voice.say(Phrase::run_lines) + ":");
  std::vector<std::array<std::string, 5>> rows(1);
  std::string_view names = voice.text(Phrase::run_line_columns);
  for (std::string& name : rows[0]) {
    const std::size_t end = std::min(names.find('|'), names.size());
    name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < std::min(k.lines.size(), kLinesShown); ++i) {
    const device::LineRecord& line = k.lines[i];
    const std::uint64_t requests = global_requests(line.counters);
    rows.push_back(
        {fmt::format("{}:{}", clean(std::filesystem::path(line.where.file).filename().string()), line.where.line),
         grouped(requests + shared_accesses(line.counters)),
         requests > 0 ? fmt::format("{:.2f}", ratio(global_sectors(line.counters), requests)) : "-",
         grouped(bank_conflicts(line.counters)), grouped(line.counters.divergent_branches)});
    std::string text(source_line(source, line.where).value_or(""));
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    texts.push_back(clean(text));
  }
  std::array<int, 5> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string text = pad_right(rows[r][0], widths[0]);
    for (std::size_t i = 1; i < rows[r].size(); ++i) text += "  " + pad_left(rows[r][i], widths[i]);
    page.row(6, text + (texts[r].empty() ? "" : "  " + texts[r]));
  }
}

}  // namespace

std::string findings(const ProgramReport& program, const Style& style, bool findings_count) {
  Page page(style);
  const Voice voice(language_from(style.language));
  if (!program.judge_error.empty()) {
    page.text(0, page.ink(Ink::bad, voice.say(Phrase::run_judge_error, program.judge_error_stage)));
    page.foreign(2, program.judge_error);
    return page.take();
  }
  const Report source = as_report(program);
  if (!program.build.ok) {
    page.text(0, page.ink(Ink::bad, voice.say(Phrase::run_compile_error)));
    write_diagnostics(page, voice, source);
    return page.take();
  }
  CaseReport one;
  one.ran = true;
  one.host = program.host;
  one.record = program.record;
  one.wall_ms = program.wall_ms;
  one.device_ms = program.device_ms;
  one.wall_limit_ms = program.wall_limit_ms;
  const bool ended_badly = program.host.end != HostEnd::exited && program.host.end != HostEnd::returned;
  const bool launch_failed =
      std::any_of(program.record.api_errors.begin(), program.record.api_errors.end(),
                  [&](const auto& e) { return e.is_launch && !is_consequence(e, program.record); });
  if (program.finding == Verdict::accepted && !ended_badly && !launch_failed) return "";

  page.blank();
  page.text(0, page.ink(Ink::strong, voice.say(Phrase::run_found) + ":"));
  if (!program.host.missing_symbol.empty())
    page.text(2, page.ink(Ink::bad, voice.say(Phrase::run_missing_call, clean(program.host.missing_symbol))));
  else if (ended_badly)
    write_host_end(page, voice, one);
  for (const std::string& what : program.record.unsupported)
    page.text(2, page.ink(Ink::bad, voice.say(Phrase::run_unsupported, clean(what))));
  for (const device::ApiError& e : program.record.api_errors)
    if (e.is_launch && !is_consequence(e, program.record)) {
      page.text(2, page.ink(Ink::bad, voice.say(Phrase::run_launch_failed, clean(e.name))));
      page.foreign(4, e.detail);
    }
  write_faults(page, voice, source, one);
  if (program.host.end == HostEnd::exited && program.host.exit_status == 0)
    if (const int status = program.exit_status(findings_count); status != 0)
      page.text(0, voice.say(Phrase::run_status_of_finding, status));
  return page.take();
}

std::string profile(const ProgramReport& program, const Style& style) {
  Page page(style);
  const Voice voice(language_from(style.language));
  if (!program.ran) return "";
  page.blank();
  page.text(0, voice.say(Phrase::device) + "  " + program.device);
  if (program.kernels.empty()) page.text(0, voice.say(Phrase::run_no_kernel));
  const Report source = as_report(program);
  for (const KernelReport& k : program.kernels) {
    page.blank();
    page.text(0, page.ink(Ink::strong, clean(k.kernel)));
    page.text(2, voice.say(Phrase::run_shape, dim(k.grid), dim(k.block), grouped(std::uint64_t{k.dynamic_shared_bytes}),
                           grouped(k.launches)));
    const Occupancy& o = k.occupancy;
    page.text(2, voice.say(Phrase::run_occupancy, static_cast<int>(100 * o.share() + 0.5), o.warps, o.max_warps,
                           o.blocks, voice.say(words_of(o.limit))) +
                     (k.registers ? "; " + voice.say(Phrase::run_registers, *k.registers)
                                  : "; " + voice.say(Phrase::run_registers_unknown)));
    write_counters(page, k.counters);
    write_lines(page, voice, source, k);
  }
  write_transfers(page, voice, program.transfers);
  return page.take();
}

}  // namespace judge::report
