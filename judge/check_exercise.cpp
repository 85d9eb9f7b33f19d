#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "judge/judge.h"

namespace judge {

namespace {

using Kind = CheckItem::Kind;
using verdict::Verdict;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

// "// expect: race" on the first line. Empty with a note when the line is missing or names no verdict.
std::optional<Verdict> expected_verdict(const std::string& source, std::string& note) {
  constexpr std::string_view kMark = "// expect:";
  std::string line = source.substr(0, source.find('\n'));
  if (!line.starts_with(kMark)) {
    note = "the first line must be \"// expect: <verdict>\"";
    return std::nullopt;
  }
  line.erase(0, kMark.size());
  const auto first = line.find_first_not_of(" \t\r");
  const auto last = line.find_last_not_of(" \t\r");
  const std::string name = first == std::string::npos ? "" : line.substr(first, last - first + 1);
  const auto verdict = verdict::verdict_from(name);
  if (!verdict) note = "the first line names no verdict: \"" + name + "\"";
  return verdict;
}

// What students get before they edit it: practice/ may hold somebody's solution by now.
std::filesystem::path pristine_stub(const catalogue::Exercise& exercise) {
  const auto kept = exercise.reference.parent_path() / "stub.cu";
  return std::filesystem::exists(kept) ? kept : exercise.stub;
}

// What a student would read, who stops at the first case that fails.
Verdict as_students_see(const Report& report) {
  const CaseReport* first = nullptr;
  for (const CaseReport& one : report.cases)
    if (one.ran && one.verdict != Verdict::accepted && (first == nullptr || one.turn < first->turn)) first = &one;
  return first != nullptr && report.verdict != Verdict::judge_error ? first->verdict : report.verdict;
}

}  // namespace

std::string_view to_string(CheckItem::Kind kind) {
  switch (kind) {
    case Kind::stub:
      return "stub";
    case Kind::reference:
      return "reference";
    case Kind::right:
      return "right";
    case Kind::wrong:
      return "wrong";
  }
  return "unknown";
}

std::vector<CheckItem> check_items(const catalogue::Exercise& exercise) {
  std::vector<CheckItem> items;
  const auto add = [&](Kind kind, const std::filesystem::path& path, std::optional<Verdict> expected) {
    CheckItem& item = items.emplace_back();
    item.kind = kind;
    item.path = path;
    item.expected = expected;
  };
  add(Kind::stub, pristine_stub(exercise), std::nullopt);
  add(Kind::reference, exercise.reference, Verdict::accepted);
  for (const auto& path : exercise.right) add(Kind::right, path, Verdict::accepted);
  for (const auto& path : exercise.wrong) add(Kind::wrong, path, std::nullopt);
  return items;
}

void check_item(const catalogue::Exercise& exercise, CheckItem& item, const Options& options,
                const Progress& progress) {
  const std::string source = read_file(item.path);
  Options own = options;
  own.only_case.reset();
  if (item.kind == Kind::wrong) {
    item.expected = expected_verdict(source, item.note);
    if (!item.expected) return;
    own.stop_at_first_failure = false;
  }
  item.report = judge(exercise, source, item.path.string(), own, progress);
  const Verdict got = as_students_see(item.report);
  item.got = got;
  if (item.kind == Kind::stub) {
    item.ok = item.report.build.ok && got != Verdict::accepted && got != Verdict::judge_error;
    if (!item.ok)
      item.note = !item.report.build.ok      ? "the stub must compile"
                  : got == Verdict::accepted ? "the stub must not be accepted as shipped"
                                             : "the stub could not be judged";
  } else {
    item.ok = got == *item.expected;
    if (!item.ok)
      item.note = fmt::format("expected {}, got {}", verdict::to_string(*item.expected), verdict::to_string(got));
  }
  if (got == Verdict::judge_error)
    item.note += fmt::format(" ({}: {})", item.report.judge_error_stage, item.report.judge_error);
}

}  // namespace judge
