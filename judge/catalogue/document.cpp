#include "judge/catalogue/document.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "judge/catalogue/catalogue.h"

namespace judge::catalogue {

namespace {

constexpr std::size_t kLargestFile = 8u << 20;  // a course of a thousand exercises is under 4 MB
constexpr int kDeepest = 64;                    // the format needs seven levels
constexpr std::size_t kLongestShown = 40;

struct LineColumn {
  std::size_t line = 1, column = 1;
};

// Columns count characters, as editors do: continuation bytes of UTF-8 (10xxxxxx) count nothing.
LineColumn line_column(std::string_view text, std::size_t offset) {
  LineColumn place;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) {
      ++place.column;
    }
  }
  return place;
}

}  // namespace

Path Path::operator/(std::string_view key) const {
  std::string escaped;
  for (const char c : key) {  // RFC 6901, section 3
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return {display.empty() ? std::string(key) : display + "." + std::string(key), pointer + "/" + escaped};
}

Path Path::operator[](std::size_t index) const {
  const std::string number = std::to_string(index);
  return {display + "[" + number + "]", pointer + "/" + number};
}

namespace {

// Walks valid JSON and reports each value's place; recursion is bounded because depth was checked.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  template <class OnKey, class OnValue>
  void value(const Path& path, std::size_t key_offset, OnKey&& on_key, OnValue&& on_value, int depth = 0) {
    skip_space();
    if (depth > kDeepest) throw CatalogueError("nested deeper than " + std::to_string(kDeepest) + " levels");
    on_value(path, key_offset == kNoKey ? at_ : key_offset, at_);
    if (now() == '{') {
      ++at_;
      for (skip_space(); now() != '}' && at_ < text_.size(); skip_space()) {
        const std::size_t key_at = at_;
        skip_string();
        const Path child = path / unescaped(text_.substr(key_at, at_ - key_at));
        skip_space();
        ++at_;  // ':'
        on_key(child, key_at);
        value(child, key_at, on_key, on_value, depth + 1);
        skip_space();
        if (now() == ',') ++at_;
      }
      ++at_;
    } else if (now() == '[') {
      ++at_;
      std::size_t index = 0;
      for (skip_space(); now() != ']' && at_ < text_.size(); skip_space()) {
        value(path[index++], kNoKey, on_key, on_value, depth + 1);
        skip_space();
        if (now() == ',') ++at_;
      }
      ++at_;
    } else if (now() == '"') {
      skip_string();
    } else {
      while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    }
  }

  static constexpr std::size_t kNoKey = static_cast<std::size_t>(-1);

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  static std::string unescaped(std::string_view quoted) {
    if (quoted.find('\\') == std::string_view::npos) return std::string(quoted.substr(1, quoted.size() - 2));
    return nlohmann::json::parse(quoted).get<std::string>();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Positions::Positions(std::string_view text) {
  std::set<std::string> seen;
  Scanner(text).value(
      Path{}, Scanner::kNoKey,
      [&](const Path& path, std::size_t offset) {
        if (!seen.insert(path.pointer).second) duplicates_.push_back({path, offset});
      },
      [&](const Path& path, std::size_t key_offset, std::size_t offset) {
        places_[path.pointer] = {key_offset, offset};
      });
}

std::size_t Positions::value(const Path& path) const {
  const auto found = places_.find(path.pointer);
  return found == places_.end() ? 0 : found->second.value;
}

std::size_t Positions::key(const Path& path) const {
  const auto found = places_.find(path.pointer);
  return found == places_.end() ? 0 : found->second.key;
}

void Problems::add(std::size_t offset, const Path& path, const std::string& message) {
  list_.push_back({offset, path.display, message});
}

std::string Problems::text() const {
  std::vector<Problem> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.offset < b.offset; });
  std::string all;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i) {
    const LineColumn place = line_column(text_, sorted[i].offset);
    if (i > 0) all += '\n';
    all += file_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    if (!sorted[i].path.empty()) all += sorted[i].path + ": ";
    all += sorted[i].message;
  }
  if (sorted.size() > kMostShown) all += "\n… and " + std::to_string(sorted.size() - kMostShown) + " more problems";
  return all;
}

std::string read_text(const std::filesystem::path& file, const std::string& shown_name) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw CatalogueError(shown_name + ": cannot be read; expected it at " + file.string());
  std::string text;
  text.resize(kLargestFile + 1);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFile) {
    throw CatalogueError(shown_name + ": larger than " + std::to_string(kLargestFile >> 20) + " MB, the cap");
  }
  return text;
}

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace judge::catalogue
