#include "judge/report/page.h"

#include <algorithm>

#include "judge/report/text.h"

namespace judge::report {

namespace {

constexpr int kWidest = 100, kNarrowest = 40;

const char* sequence(Ink ink) {
  switch (ink) {
    case Ink::good:
      return "\x1b[32m";
    case Ink::bad:
      return "\x1b[31m";
    case Ink::strong:
      return "\x1b[1m";
    case Ink::faint:
      return "\x1b[2m";
    case Ink::plain:
      break;
  }
  return "";
}

}  // namespace

Page::Page(const Style& style) : colour_(style.colour), width_(std::clamp(style.width, kNarrowest, kWidest)) {}

std::string Page::ink(Ink ink, std::string_view text) const {
  if (!colour_ || ink == Ink::plain || text.empty()) return std::string(text);
  return sequence(ink) + std::string(text) + "\x1b[0m";
}

void Page::blank() {
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
}

void Page::line(int indent, std::string_view text) {
  std::string all = std::string(static_cast<std::size_t>(indent), ' ') + std::string(text);
  while (all.ends_with(' ')) all.pop_back();
  out_ += all + '\n';
}

void Page::text(int indent, std::string_view text) {
  for (const std::string& piece : wrap(text, room(indent))) line(indent, piece);
}

void Page::foreign(int indent, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    this->text(indent, clean(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

void Page::labelled(int label_columns, std::string_view label, std::string_view text) {
  std::string first = pad_right(label, label_columns);
  for (const std::string& piece : wrap(text, room(label_columns))) {
    line(0, first + piece);
    first.assign(static_cast<std::size_t>(label_columns), ' ');
  }
}

void Page::row(int indent, std::string_view text) {
  line(indent, cut(text, room(indent)));
}

}  // namespace judge::report
