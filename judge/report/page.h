#pragma once
// Collects the lines of a report: indents, wraps, colours. Nothing gets past the page's width.

#include <cstdint>
#include <string>
#include <string_view>

#include "judge/report/report.h"

namespace judge::report {

enum class Ink : std::uint8_t { plain, good, bad, strong, faint };

class Page {
 public:
  explicit Page(const Style& style);

  std::string ink(Ink ink, std::string_view text) const;  // plain text when colour is off

  void blank();                                  // never two in a row, none at the start
  void text(int indent, std::string_view text);  // wrapped, later lines indented alike
  void labelled(int label_columns, std::string_view label, std::string_view text);  // later lines below the text
  void foreign(int indent, std::string_view text);  // text of a tool: cleaned, its line ends kept
  void row(int indent, std::string_view text);      // cut, never wrapped: tables and source lines; plain text only
  int room(int indent) const { return width_ - indent; }

  std::string take() { return std::move(out_); }

 private:
  void line(int indent, std::string_view text);

  bool colour_;
  int width_;
  std::string out_;
};

}  // namespace judge::report
