#include "judge/report/source_excerpt.h"

#include <fmt/format.h>
#include <algorithm>
#include <string>

#include "judge/report/text.h"

namespace judge::report {

namespace {

std::string_view nth_line(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

std::optional<std::string_view> source_line(const Report& report, const emulator::SourceLocation& where) {
  const auto name_of = [](const std::string& path) { return std::filesystem::path(path).filename(); };
  if (where.line <= 0) return std::nullopt;
  const std::string* text = name_of(where.file) == name_of(report.source_path) ? &report.source : nullptr;
  for (const build::ProgramSource& source : report.more_sources)
    if (text == nullptr && name_of(where.file) == source.name) text = &source.bytes;
  if (text == nullptr) return std::nullopt;
  const std::string_view line = nth_line(*text, where.line);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return std::nullopt;
  return line;
}

void write_source_line(Page& page, int indent, const Report& report, const emulator::SourceLocation& where) {
  if (where.file.empty() && where.line <= 0) return;
  const std::string file = clean(std::filesystem::path(where.file).filename().string());
  page.text(indent, where.line > 0 ? fmt::format("{}:{}", file, where.line) : file);
  const auto line = source_line(report, where);
  if (!line) return;
  // The column counts bytes. Without one the mark goes below the first word.
  const std::size_t first = line->find_first_not_of(" \t");
  const std::size_t at =
      where.column > 0 ? std::min<std::size_t>(static_cast<std::size_t>(where.column) - 1, line->size()) : first;
  const std::string gutter = fmt::format("{:>5} | ", where.line);
  page.row(indent, gutter + clean(*line));
  page.row(indent, fmt::format("{:>5} | {}^", "",
                               std::string(static_cast<std::size_t>(columns(clean(line->substr(0, at)))), ' ')));
}

}  // namespace judge::report
