#include "judge/build/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "judge/build/resources.h"

namespace judge::build {
namespace {

constexpr std::size_t kMostDiagnostics = 100;
constexpr std::size_t kLongestText = 2000, kLongestExcerpt = 400;
constexpr std::size_t kLongestLine = 4000;  // std::regex recurses over its input

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.size() > kLongestLine) line.resize(kLongestLine);
    lines.push_back(std::move(line));
  }
  return lines;
}

bool is_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool is_caret_line(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string::npos && line[at] == '^' && line.find_first_not_of(" ~", at + 1) == std::string::npos;
}

Diagnostic::Severity severity_of(const std::string& word) {
  if (word.find("error") != std::string::npos || word == "fatal") return Diagnostic::Severity::error;
  return word == "warning" ? Diagnostic::Severity::warning : Diagnostic::Severity::note;
}

class Parser {
 public:
  Parser(const std::string& output, const DiagnosticContext& context)
      : lines_(split_lines(output)), source_lines_(split_lines(context.source)), context_(context) {}

  std::vector<Diagnostic> parse() {
    for (at_ = 0; at_ < lines_.size() && found_.size() < kMostDiagnostics;)
      if (!cudafe() && !linker() && !gcc() && !ptxas() && !driver()) ++at_;
    if (found_.size() >= kMostDiagnostics)
      found_.push_back({Diagnostic::Severity::note,
                        context_.source_name,
                        0,
                        0,
                        "only the first " + std::to_string(kMostDiagnostics) + " messages are shown",
                        {}});
    put_errors_first();
    return std::move(found_);
  }

 private:
  // A note stays behind the message it belongs to.
  void put_errors_first() {
    std::vector<Diagnostic> errors, others;
    bool of_error = false;
    for (Diagnostic& diagnostic : found_) {
      if (diagnostic.severity != Diagnostic::Severity::note)
        of_error = diagnostic.severity == Diagnostic::Severity::error;
      (of_error ? errors : others).push_back(std::move(diagnostic));
    }
    found_ = std::move(errors);
    std::move(others.begin(), others.end(), std::back_inserter(found_));
  }

  // conv1d.cu(3): error: identifier "foo" is undefined
  //     the source line
  //         ^
  bool cudafe() {
    static const std::regex header(
        R"(^(.+?)\((\d+)\): (catastrophic error|error|warning|remark|note)(?: #[0-9]+(?:-D)?)?: (.*)$)");
    static const std::regex end_of_source(
        R"(^At end of source: (catastrophic error|error|warning)(?: #[0-9-]+D?)?: (.*)$)");
    std::smatch match;
    Diagnostic diagnostic;
    if (std::regex_match(lines_[at_], match, end_of_source)) {
      diagnostic.severity = severity_of(match[1]);
      diagnostic.file = context_.source_name;
      diagnostic.line = static_cast<int>(source_lines_.size());
      diagnostic.text = match[2];
      ++at_;
      add(std::move(diagnostic));
      return true;
    }
    if (!std::regex_match(lines_[at_], match, header)) return false;
    diagnostic.severity = severity_of(match[3]);
    diagnostic.file = shown_file(match[1]);
    diagnostic.line = number(match[2]);
    diagnostic.text = match[4];
    ++at_;
    std::vector<std::string> block;
    for (; at_ < lines_.size() && !lines_[at_].empty() && !std::regex_match(lines_[at_], header); ++at_) {
      block.push_back(lines_[at_]);
      if (is_caret_line(lines_[at_])) {
        ++at_;
        break;
      }
    }
    int needed_line = 0;
    if (block.size() >= 2 && is_caret_line(block.back())) {
      constexpr std::size_t kIndent = 2;  // cudafe++ sets the source line in by two
      const std::size_t caret = block.back().find('^');
      const std::string printed = block[block.size() - 2];
      place_excerpt(diagnostic, printed.size() > kIndent ? printed.substr(kIndent) : "",
                    caret >= kIndent ? caret - kIndent : 0);
      block.resize(block.size() - 2);
    } else if (!block.empty() && is_caret_line(block.back())) {
      block.pop_back();
    }
    static const std::regex instantiated(R"RX(at line (\d+)(?: of "?([^"]+)"?)?)RX");
    for (const std::string& line : block) {  // "argument types are: …", "detected during: …"
      const std::size_t begin = line.find_first_not_of(' ');
      diagnostic.text += " " + line.substr(std::min(begin, line.size()));
      std::smatch where;
      if (std::regex_search(line, where, instantiated) && where[2].matched &&
          shown_file(where[2]) == context_.source_name)
        needed_line = number(where[1]);
    }
    const bool elsewhere = diagnostic.file != context_.source_name;
    const Diagnostic::Severity severity = diagnostic.severity;
    add(std::move(diagnostic));
    if (elsewhere && needed_line != 0 && severity != Diagnostic::Severity::note)
      add_at_source_line(severity, needed_line, "the message above comes from what this line asks for");
    return true;
  }

  // conv1d.cu:1:10: fatal error: nothere.h: No such file or directory
  //     1 | #include "nothere.h"
  //       |          ^~~~~~~~~~~
  bool gcc() {
    static const std::regex header(R"(^([^:\s][^:]*):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$)");
    std::smatch match;
    if (!std::regex_match(lines_[at_], match, header)) return false;
    Diagnostic diagnostic;
    diagnostic.severity = severity_of(match[4]);
    diagnostic.file = shown_file(match[1]);
    diagnostic.line = number(match[2]);
    diagnostic.column = match[3].matched ? number(match[3]) : 0;
    diagnostic.text = match[5];
    ++at_;
    static const std::regex excerpt(R"(^\s*\d* \|(.*)$)");
    std::smatch part;
    for (; at_ < lines_.size() && diagnostic.excerpt.size() < 2 && std::regex_match(lines_[at_], part, excerpt); ++at_)
      diagnostic.excerpt.push_back(part[1].str().empty() ? "" : part[1].str().substr(1));
    if (diagnostic.excerpt.size() == 2 && !is_caret_line(diagnostic.excerpt[1])) diagnostic.excerpt.pop_back();
    add(std::move(diagnostic));
    return true;
  }

  // ptxas /tmp/x.ptx, line 29; error   : Not a name of any known instruction: 'frobnicate'
  // ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x13880 bytes, 0xc000 max)
  bool ptxas() {
    static const std::regex in_line(R"(^ptxas (.+), line (\d+); (fatal|error|warning)\s*: (.*)$)");
    static const std::regex whole(R"(^ptxas (fatal|error|warning)\s*: (.*)$)");
    std::smatch match;
    if (std::regex_match(lines_[at_], match, in_line)) {
      const std::string text = match[4];
      add_at_source_line(severity_of(match[3]), line_of_quoted(text), "ptxas: " + demangle_names_in(text));
    } else if (std::regex_match(lines_[at_], match, whole)) {
      const std::string text = match[2];
      if (text.find("Ptx assembly aborted") == std::string::npos || found_.empty())
        add_at_source_line(severity_of(match[1]), line_of_quoted(text), "ptxas: " + demangle_names_in(text));
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  bool linker() {
    static const std::regex undefined(R"(undefined reference to [`'"](.+?)['"]\s*$)");
    static const std::regex multiple(R"(multiple definition of [`'"](.+?)['"])");
    const std::string& line = lines_[at_];
    std::smatch match;
    if (line.find("undefined reference to") != std::string::npos && std::regex_search(line, match, undefined)) {
      const std::string name = demangle(match[1]);
      const std::string function = name.substr(0, name.find('('));
      const std::string last = function.substr(function.rfind(':') + 1);
      // With line information in the object the linker knows the line of the use.
      static const std::regex of_use(R"(:(\d+):.*undefined reference to)");
      std::smatch use;
      const int at =
          std::regex_search(line, use, of_use) ? number(use[1]) : line_of_identifier(context_.source, last, false);
      add_at_source_line(Diagnostic::Severity::error, at, "'" + name + "' is declared and used, but defined nowhere");
    } else if (line.find("multiple definition of") != std::string::npos && std::regex_search(line, match, multiple)) {
      const std::string name = demangle(match[1]);
      add_at_source_line(Diagnostic::Severity::error, 0, "'" + name + "' is defined more than once");
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  // nvcc fatal   : …, nvcc error   : 'cicc' died due to signal 9; Assembler messages without a better parser
  bool driver() {
    static const std::regex nvcc(R"(^(nvcc|nvlink|cicc|cudafe\+\+|fatbinary) (fatal|error|warning)\s*: (.*)$)");
    static const std::regex compiler(
        R"(^(?:gcc|g\+\+|cc1plus|cc1|c\+\+)[^:]*: (fatal error|internal compiler error|error): (.*)$)");
    std::smatch match;
    if (std::regex_match(lines_[at_], match, nvcc))
      add_at_source_line(severity_of(match[2]), 0, match[1].str() + ": " + match[3].str());
    else if (std::regex_match(lines_[at_], match, compiler))
      add_at_source_line(Diagnostic::Severity::error, 0, match[2]);
    else
      return false;
    ++at_;
    return true;
  }

  // Shows the student's own line; the column is found from the end of the line, where macros rarely stand.
  void place_excerpt(Diagnostic& diagnostic, const std::string& printed, std::size_t caret) {
    std::string shown = printed;
    std::optional<std::size_t> column = caret;
    if (diagnostic.file == context_.source_name && diagnostic.line >= 1 &&
        static_cast<std::size_t>(diagnostic.line) <= source_lines_.size()) {
      shown = source_lines_[static_cast<std::size_t>(diagnostic.line) - 1];
      std::string plain = shown;
      std::replace(plain.begin(), plain.end(), '\t', ' ');
      while (!plain.empty() && (plain.back() == '\r' || plain.back() == ' ')) plain.pop_back();
      std::string tail = caret < printed.size() ? printed.substr(caret) : "";
      std::replace(tail.begin(), tail.end(), '\t', ' ');
      while (!tail.empty() && tail.back() == ' ') tail.pop_back();
      if (plain.ends_with(tail))
        column = plain.size() - tail.size();
      else
        column.reset();
    }
    diagnostic.excerpt = {shown};
    if (!column) return;
    diagnostic.column = static_cast<int>(*column) + 1;
    diagnostic.excerpt.push_back(std::string(*column, ' ') + "^");
  }

  void add_at_source_line(Diagnostic::Severity severity, int line, std::string text) {
    Diagnostic diagnostic{severity, context_.source_name, line, 0, std::move(text), {}};
    if (line >= 1 && static_cast<std::size_t>(line) <= source_lines_.size())
      diagnostic.excerpt = {source_lines_[static_cast<std::size_t>(line) - 1]};
    add(std::move(diagnostic));
  }

  void add(Diagnostic diagnostic) {
    diagnostic.text = neutralise(diagnostic.text.substr(0, kLongestText));
    diagnostic.file = neutralise(diagnostic.file.substr(0, kLongestExcerpt));
    for (std::string& line : diagnostic.excerpt) line = neutralise(line.substr(0, kLongestExcerpt));
    if (!seen_.emplace(diagnostic.file, diagnostic.line, diagnostic.severity, diagnostic.text).second) return;
    const std::string hint = diagnostic.severity == Diagnostic::Severity::error
                                 ? replacement_hint(diagnostic.text, source_line(diagnostic))
                                 : "";
    found_.push_back(diagnostic);
    if (!hint.empty() && seen_.emplace(diagnostic.file, diagnostic.line, Diagnostic::Severity::note, hint).second)
      found_.push_back({Diagnostic::Severity::note, diagnostic.file, diagnostic.line, 0, hint, {}});
  }

  std::string source_line(const Diagnostic& diagnostic) const {
    const auto index = static_cast<std::size_t>(diagnostic.line) - 1;
    return diagnostic.file == context_.source_name && index < source_lines_.size() ? source_lines_[index] : "";
  }

  // The place in the student's file of what ptxas quotes: an instruction in an asm statement, or a kernel's name.
  int line_of_quoted(const std::string& text) const {
    const std::size_t open = text.find('\''), close = text.find('\'', open + 1);
    if (open == std::string::npos || close == std::string::npos) return 0;
    const std::string quoted = text.substr(open + 1, close - open - 1);
    if (quoted.starts_with("_Z")) {
      std::string name = demangle(quoted);
      name = name.substr(0, name.find_first_of("(<"));
      return line_of_identifier(context_.source, name.substr(name.find_last_of(": ") + 1), true);
    }
    const std::size_t at = quoted.empty() ? std::string::npos : context_.source.find(quoted);
    if (at == std::string::npos) return 0;
    return 1 +
           static_cast<int>(std::count(context_.source.begin(), context_.source.begin() + static_cast<long>(at), '\n'));
  }

  std::string shown_file(std::string file) const {
    if (file.starts_with("./")) file.erase(0, 2);
    for (const std::filesystem::path* folder : {&context_.build_dir, &context_.source_dir}) {
      const std::string prefix = folder->string() + "/";
      if (!folder->empty() && file.starts_with(prefix)) file.erase(0, prefix.size());
    }
    if (file == context_.compiled_name) return context_.source_name;
    if (const std::size_t include = file.rfind("/include/"); file.starts_with("/") && include != std::string::npos)
      return file.substr(include + 9);
    return file;
  }

  static int number(const std::string& digits) { return std::atoi(digits.substr(0, 9).c_str()); }

  std::vector<std::string> lines_, source_lines_;
  const DiagnosticContext& context_;
  std::size_t at_ = 0;
  std::vector<Diagnostic> found_;
  std::set<std::tuple<std::string, int, Diagnostic::Severity, std::string>> seen_;
};

// Length of the valid UTF-8 sequence at `at` (0: none) and its code point.
std::size_t decode_utf8(std::string_view text, std::size_t at, std::uint32_t& code) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (size == 0 || at + size > text.size()) return 0;
  code = size == 1 ? lead : lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if (next >> 6 != 2) return 0;
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  return size;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(const std::string& output, const DiagnosticContext& context) {
  return Parser(output, context).parse();
}

std::string neutralise(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t code = 0;
    const std::size_t size = decode_utf8(text, at, code);
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool direction = (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
                           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
    if (size == 1 && code == '\t')
      safe += ' ';
    else if (size == 1 && code == '\r' && at + 1 == text.size())
      ;  // the end of a line written on Windows
    else if (size == 0 || control || direction)
      safe += '?';
    else
      safe += text.substr(at, size);
    at += std::max<std::size_t>(size, 1);
  }
  return safe;
}

int line_of_identifier(const std::string& source, const std::string& identifier, bool followed_by_parenthesis) {
  if (identifier.empty()) return 0;
  int line = 1;
  enum { code, line_comment, block_comment, string, character } in = code;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i], next = i + 1 < source.size() ? source[i + 1] : '\0';
    if (c == '\n') {
      ++line;
      if (in != block_comment) in = code;
    } else if (in == line_comment) {
    } else if (in == block_comment) {
      if (c == '*' && next == '/') in = code, ++i;
    } else if (in == string || in == character) {
      if (c == '\\')
        ++i, line += next == '\n';
      else if (c == (in == string ? '"' : '\''))
        in = code;
    } else if (c == '/' && next == '/') {
      in = line_comment;
    } else if (c == '/' && next == '*') {
      in = block_comment, ++i;
    } else if (c == '"') {
      in = string;
    } else if (c == '\'' && (i == 0 || !is_identifier(source[i - 1]))) {  // not a digit separator
      in = character;
    } else if (is_identifier(c)) {
      std::size_t end = i;
      while (end < source.size() && is_identifier(source[end])) ++end;
      if (source.compare(i, end - i, identifier) == 0) {
        std::size_t after = end;
        while (after < source.size() && (source[after] == ' ' || source[after] == '\t')) ++after;
        if (!followed_by_parenthesis || (after < source.size() && source[after] == '(')) return line;
      }
      i = end - 1;
    }
  }
  return 0;
}

}  // namespace judge::build
