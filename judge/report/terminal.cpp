#include <algorithm>
#include <cmath>
#include <vector>

#include "judge/facts.h"
#include "judge/report/evidence.h"
#include "judge/report/page.h"
#include "judge/report/phrases.h"
#include "judge/report/report.h"
#include "judge/report/text.h"

namespace judge::report {

namespace {

using verdict::Verdict;

constexpr int kLabelColumns = 10, kLongestName = 30;

void write_title(Page& page, const Voice& voice, const Report& report) {
  page.text(0, page.ink(Ink::strong, fmt::format("{} · {}", report.exercise_id, clean(voice.of(report.title)))));
  const bool known_reason = report.device_reason == Voice(Language::en).text(Phrase::no_gpu_timing);
  const std::string reason = known_reason ? voice.say(Phrase::no_gpu_timing) : clean(report.device_reason);
  page.labelled(
      kLabelColumns, voice.say(Phrase::device),
      reason.empty() ? clean(report.device) : voice.say(Phrase::device_because, clean(report.device), reason));
}

void write_compile(Page& page, const Voice& voice, const Report& report) {
  const build::Result& build = report.build;
  if (!build.ok && build.diagnostics.empty() && !build.timed_out) return;  // it was not reached
  const std::string file = clean(std::filesystem::path(report.source_path).filename().string());
  page.labelled(kLabelColumns, voice.say(Phrase::compile),
                build.cached ? voice.say(Phrase::compiled_from_cache, file)
                             : voice.say(Phrase::compiled_in, file, figure(std::round(build.wall_ms))));
  for (const build::KernelResources& k : build.kernels) {
    const auto spilled = std::uint64_t{k.spill_store_bytes} + k.spill_load_bytes;
    const std::string spills =
        spilled == 0 ? voice.say(Phrase::no_spills) : voice.say(Phrase::spills, grouped(spilled));
    page.labelled(kLabelColumns, "",
                  voice.say(Phrase::kernel_resources, clean(k.kernel), k.registers, spills,
                            grouped(std::uint64_t{k.shared_bytes})));
  }
}

struct CaseRow {
  std::string mark, name, sizes, outcome;
  Ink ink = Ink::plain;
};

CaseRow case_row(const Voice& voice, const CaseReport& one) {
  CaseRow row;
  row.name = cut(case_name(voice, one), kLongestName);
  for (const auto& [name, value] : one.sizes)
    row.sizes += fmt::format("{}{} = {}", row.sizes.empty() ? "" : ", ", name, grouped(value));
  if (!one.ran) {
    row.mark = "–";
    row.outcome = voice.say(Phrase::not_run);
    row.ink = Ink::faint;
    return row;
  }
  const bool ok = one.verdict == Verdict::accepted;
  row.mark = ok ? "✓" : "✗";
  row.ink = ok ? Ink::good : Ink::bad;
  row.outcome = voice.say(Phrase::milliseconds, figure(std::round(one.wall_ms)));
  if (!ok) row.outcome += "  " + voice.verdict(one.verdict);
  return row;
}

void write_cases(Page& page, const Voice& voice, const Report& report) {
  if (std::none_of(report.cases.begin(), report.cases.end(), [](const CaseReport& c) { return c.ran; })) return;
  page.blank();
  page.text(0, voice.say(Phrase::cases));
  std::vector<CaseRow> rows;
  int name = 0, sizes = 0;
  for (const CaseReport& one : report.cases) {
    rows.push_back(case_row(voice, one));
    name = std::max(name, columns(rows.back().name));
    sizes = std::max(sizes, columns(rows.back().sizes));
  }
  for (const CaseRow& row : rows)
    page.text(2, fmt::format("{} {}  {}  {}", page.ink(row.ink, row.mark), pad_right(row.name, name),
                             pad_right(row.sizes, sizes),
                             page.ink(row.ink == Ink::good ? Ink::plain : row.ink, row.outcome)));
}

std::string name_of_case(const Voice& voice, const Report& report, const std::string& name) {
  const auto one =
      std::find_if(report.cases.begin(), report.cases.end(), [&](const auto& c) { return c.name == name; });
  return one == report.cases.end() ? clean(name) : case_name(voice, *one);
}

std::string budget(const Voice& voice, const RequirementResult& r) {
  if (r.min && r.max && *r.min == *r.max) return voice.say(Phrase::exactly, figure(*r.max));
  std::string text;
  if (r.min) text = voice.say(Phrase::at_least, figure(*r.min));
  if (r.max) text += (text.empty() ? "" : ", ") + voice.say(Phrase::at_most, figure(*r.max));
  return text;
}

void write_requirements(Page& page, const Voice& voice, const Report& report) {
  if (report.requirements.empty()) return;
  page.blank();
  page.text(0, voice.say(Phrase::memory_in, name_of_case(voice, report, report.requirement_case)));
  int metric = 0, value = 0, bound = 0;
  for (const RequirementResult& r : report.requirements) {
    metric = std::max(metric, columns(r.metric));
    value = std::max(value, columns(figure(r.value)));
    bound = std::max(bound, columns(budget(voice, r)));
  }
  for (const RequirementResult& r : report.requirements) {
    const Ink ink = r.met ? Ink::good : Ink::bad;
    page.text(2, fmt::format("{} {}  {}  {}", page.ink(ink, r.met ? "✓" : "✗"), pad_right(clean(r.metric), metric),
                             pad_left(figure(r.value), value), budget(voice, r)));
    const std::string why = clean(voice.of(r.why));
    if (!why.empty()) page.text(6, page.ink(Ink::faint, why));
  }
}

void write_failures(Page& page, const Voice& voice, const Report& report) {
  const auto failed = failures(report);
  if (failed.empty() || report.verdict == Verdict::judge_error) return;
  page.blank();
  write_case(page, voice, report, *failed.front());
  for (std::size_t i = 1; i < failed.size(); ++i)
    page.text(2, voice.say(Phrase::also_failed, case_name(voice, *failed[i]), voice.verdict(failed[i]->verdict)));
}

// What the student printed is part of a report without failures too: printf is how kernels are explored.
void write_printed_of_first(Page& page, const Voice& voice, const Report& report) {
  if (!failures(report).empty()) return;
  const auto talks = [](const CaseReport& c) {
    return c.ran && !(c.record.kernel_output + c.host.stdout_text + c.host.stderr_text).empty();
  };
  const auto one = std::find_if(report.cases.begin(), report.cases.end(), talks);
  if (one == report.cases.end()) return;
  page.blank();
  page.text(0, fmt::format("\"{}\"{}", case_name(voice, *one), sizes_in_brackets(one->sizes)));
  write_printed(page, voice, *one);
}

void write_judge_error(Page& page, const Voice& voice, const Report& report) {
  page.blank();
  page.text(0, voice.say(Phrase::judge_failed_at, clean(report.judge_error_stage)));
  page.foreign(2, report.judge_error);
}

void write_verdict(Page& page, const Voice& voice, const Report& report) {
  page.blank();
  std::string verdict =
      page.ink(report.verdict == Verdict::accepted ? Ink::good : Ink::bad, voice.verdict(report.verdict));
  if (report.untouched_stub && report.verdict != Verdict::accepted)
    verdict = voice.say(Phrase::device_because, verdict, voice.say(Phrase::untouched_stub));
  if (report.partial) verdict = voice.say(Phrase::device_because, verdict, voice.say(Phrase::partial));
  page.labelled(kLabelColumns, voice.say(Phrase::verdict), verdict);
  if (report.verdict != Verdict::accepted && !failures(report).empty())
    page.labelled(kLabelColumns, voice.say(Phrase::seed), voice.say(Phrase::seed_again, report.seed, report.seed));
  if (const auto failed = failures(report); !failed.empty() && failed.front()->schedule != 0) {
    const std::uint64_t schedule = failed.front()->schedule;
    page.labelled(kLabelColumns, voice.say(Phrase::schedule), voice.say(Phrase::schedule_again, schedule, schedule));
    if (report.schedules != 0) page.text(kLabelColumns, voice.say(Phrase::only_in_schedule));
  } else if (report.schedules != 0 && report.verdict == Verdict::accepted) {
    page.labelled(kLabelColumns, voice.say(Phrase::schedule), voice.say(Phrase::schedules_right, report.schedules));
  }
  const std::string next = clean(voice.of(report.next_step));
  if (!next.empty()) page.labelled(kLabelColumns, voice.say(Phrase::next), next);
}

}  // namespace

std::string to_terminal(const Report& report, const Style& style) {
  Page page(style);
  const Voice voice(language_from(style.language));
  write_title(page, voice, report);
  write_compile(page, voice, report);
  if (report.verdict == Verdict::compile_error && !report.build.ok) {
    page.blank();
    write_diagnostics(page, voice, report);
  }
  write_cases(page, voice, report);
  write_failures(page, voice, report);
  write_printed_of_first(page, voice, report);
  write_requirements(page, voice, report);
  if (report.verdict == Verdict::judge_error) write_judge_error(page, voice, report);
  write_verdict(page, voice, report);
  return page.take();
}

}  // namespace judge::report
