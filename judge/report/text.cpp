#include "judge/report/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace judge::report {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

// Unicode 15, East_Asian_Width W and F, as blocks.
constexpr std::array kWide{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x4DBF},
                           Range{0x4E00, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
                           Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                           Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
                           Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
constexpr std::array kNoWidth{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x20D0, 0x20FF},
                              Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};
// Characters that change how their neighbours are shown: zero-width ones, direction marks, line separators, C1, BOM.
constexpr std::array kMisleading{Range{0x80, 0x9F},     Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
                                 Range{0x2060, 0x206F}, Range{0xFEFF, 0xFEFF}, Range{0xE0000, 0xE0FFF}};
// A line does not begin with these.
constexpr std::u32string_view kClosing = U"，。、；：？！）】》”’…";

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

struct Decoded {
  char32_t c = kReplacement;
  std::size_t bytes = 1;
  bool valid = false;
};

// RFC 3629; a byte that begins no valid sequence is one invalid character.
Decoded decode(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4  ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || s.size() < length) return {};
  char32_t c = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    c = c << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return {};
  return {c, length, true};
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

int columns_of(char32_t c) {
  return in(kNoWidth, c) ? 0 : in(kWide, c) ? 2 : 1;
}

// Length of our own colour sequence (ESC [ … m) at the start; 0 when there is none.
std::size_t colour_bytes(std::string_view s) {
  if (!s.starts_with("\x1b[")) return 0;
  const std::size_t end = s.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

struct Glyph {  // one character with the colour sequences before it
  std::string_view bytes;
  char32_t c = 0;
  int width = 0;
};

std::vector<Glyph> glyphs(std::string_view s) {
  std::vector<Glyph> all;
  for (std::size_t at = 0; at < s.size();) {
    std::size_t end = at;
    while (const std::size_t n = colour_bytes(s.substr(end))) end += n;
    Glyph g;
    if (end < s.size()) {
      const Decoded d = decode(s.substr(end));
      end += d.bytes;
      g.c = d.c;
      g.width = columns_of(d.c);
    }
    g.bytes = s.substr(at, end - at);
    all.push_back(g);
    at = end;
  }
  return all;
}

bool may_break_between(const Glyph& before, const Glyph& after) {
  if (kClosing.find(after.c) != std::u32string_view::npos) return false;
  return before.width == 2 || after.width == 2;
}

}  // namespace

int columns(std::string_view text) {
  int sum = 0;
  for (const Glyph& g : glyphs(text)) sum += g.width;
  return sum;
}

std::string clean(std::string_view foreign, std::size_t cap) {
  std::string out;
  const bool too_long = foreign.size() > cap;
  if (too_long) foreign = foreign.substr(0, cap);
  for (std::size_t at = 0; at < foreign.size();) {
    const Decoded d = decode(foreign.substr(at));
    if (d.c == '\t')
      out += "    ";
    else if (d.c < 0x20)
      append_utf8(out, 0x2400 + d.c);  // the block Control Pictures
    else if (d.c == 0x7F)
      append_utf8(out, 0x2421);
    else if (!d.valid || in(kMisleading, d.c))
      append_utf8(out, kReplacement);
    else
      out += foreign.substr(at, d.bytes);
    at += d.bytes;
  }
  if (too_long) out += "…";
  return out;
}

std::string cut(std::string_view text, int limit) {
  if (columns(text) <= limit) return std::string(text);
  std::string out;
  int used = 0;
  for (const Glyph& g : glyphs(text)) {
    if (used + g.width > limit - 1) break;
    out += g.bytes;
    used += g.width;
  }
  return out + "…";
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, int limit) {
  limit = std::max(limit, 2);  // one wide character
  const std::vector<Glyph> all = glyphs(text);
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < all.size()) {
    int used = 0;
    std::size_t end = begin, break_at = begin;  // break_at: where the next line may start
    while (end < all.size() && used + all[end].width <= limit) {
      used += all[end].width;
      ++end;
      if (end < all.size() && (all[end].c == ' ' || all[end - 1].c == ' ' || may_break_between(all[end - 1], all[end])))
        break_at = end;
    }
    if (end < all.size() && break_at > begin) end = break_at;
    std::string line;
    for (std::size_t i = begin; i < end; ++i) line += all[i].bytes;
    const bool last = end == all.size();
    while (!last && line.ends_with(' ')) line.pop_back();
    lines.push_back(std::move(line));
    begin = end;
    while (begin < all.size() && all[begin].c == ' ') ++begin;
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(std::int64_t n) {
  const auto magnitude = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  return (n < 0 ? "-" : "") + grouped(magnitude);
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.7g}", value);
}

std::string figure(double value) {
  constexpr double kExact = 1e15;  // below this a double still has a digit after the point
  if (std::isnan(value) || std::abs(value) >= kExact) return number(value);
  if (value == std::floor(value)) return grouped(static_cast<std::int64_t>(value));
  if (std::abs(value) < 1000) return fmt::format("{:.3f}", value);
  const std::string one_digit = fmt::format("{:.1f}", value);
  return grouped(static_cast<std::int64_t>(std::stoll(one_digit))) + one_digit.substr(one_digit.size() - 2);
}

}  // namespace judge::report
