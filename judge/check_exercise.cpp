#include <fmt/format.h>
#include <algorithm>
#include <chrono>
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

std::vector<CheckItem> items_of(const catalogue::Exercise& exercise) {
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

void check_item(const catalogue::Exercise& exercise, CheckItem& item, const Options& options) {
  const std::string source = read_file(item.path);
  if (item.kind == Kind::wrong) {
    item.expected = expected_verdict(source, item.note);
    if (!item.expected) return;
  }
  item.report = judge(exercise, source, item.path.string(), options);
  const Verdict got = item.report.verdict;
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

bool CheckReport::ok() const {
  return !items.empty() && std::all_of(items.begin(), items.end(), [](const CheckItem& i) { return i.ok; });
}

CheckReport check_exercise(const catalogue::Exercise& exercise, const Options& options, const Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  CheckReport result;
  result.exercise_id = exercise.id;
  result.slug = exercise.slug;
  result.items = items_of(exercise);
  Options all_cases = options;
  all_cases.only_case.reset();
  const auto tell = [&](std::size_t done) {
    if (progress) progress("check", static_cast<int>(done), static_cast<int>(result.items.size()));
  };
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    tell(i);
    CheckItem& item = result.items[i];
    try {
      check_item(exercise, item, all_cases);
    } catch (const std::invalid_argument&) {
      throw;  // the options, not this file
    } catch (const std::exception& e) {
      item.note = e.what();
    }
  }
  tell(result.items.size());
  result.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace judge
