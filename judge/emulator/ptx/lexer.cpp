#include "judge/emulator/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>

namespace judge::emulator::ptx {
namespace {

enum Class : std::uint8_t { letter = 1, digit = 2, mark = 4, blank = 8 };  // mark: _ $ %

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = letter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = letter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = digit;
  classes['_'] = classes['$'] = classes['%'] = mark;
  classes[' '] = classes['\t'] = classes['\r'] = classes['\n'] = classes['\v'] = classes['\f'] = blank;
  return classes;
}
constexpr auto classes = make_classes();

bool is_class(char c, unsigned wanted) {
  return (classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

// Identifiers: PTX ISA, "Identifiers": [a-zA-Z][a-zA-Z0-9_$]* | [_$%][a-zA-Z0-9_$]+. A lone _ is the sink operand.
bool continues_word(char c) {
  return is_class(c, letter | digit) || c == '_' || c == '$';
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::string byte_name(char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  return std::string("byte 0x") + hex[value >> 4] + hex[value & 15];
}

constexpr std::size_t longest_spelling = 60;  // in a message

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  const bool quoted = token.kind == Token::Kind::string;
  std::string spelling;
  for (char c : token.text.substr(0, longest_spelling)) spelling += (c >= ' ' && c < 127) ? c : '?';
  if (token.text.size() > longest_spelling) spelling += "…";
  return quoted ? "the string \"" + spelling + "\"" : "'" + spelling + "'";
}

Lexer::Lexer(std::string_view text) : text_(text) {
  advance();
}

Token Lexer::take() {
  Token taken = next_;
  advance();
  return taken;
}

Token Lexer::take_fraction() {
  offset_ = static_cast<std::size_t>(next_.text.data() - text_.data());
  lex_real();
  return take();
}

Position Lexer::position(std::size_t offset) const {
  return {line_, static_cast<int>(offset - line_start_) + 1};
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = at(offset_);
    if (is_class(c, blank)) {
      ++offset_;
      if (c == '\n') {
        ++line_;
        line_start_ = offset_;
      }
    } else if (c == '/' && at(offset_ + 1) == '/') {
      const std::size_t newline = text_.find('\n', offset_);
      offset_ = newline == std::string_view::npos ? text_.size() : newline;
    } else if (c == '/' && at(offset_ + 1) == '*') {
      const std::size_t close = text_.find("*/", offset_ + 2);
      if (close == std::string_view::npos) throw ParseError(position(offset_), "expected */ to end this comment");
      for (; offset_ < close; ++offset_) {
        if (text_[offset_] == '\n') {
          ++line_;
          line_start_ = offset_ + 1;
        }
      }
      offset_ = close + 2;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  next_ = Token{};
  next_.at = position(offset_);
  if (offset_ >= text_.size()) return;
  const char c = text_[offset_];
  const char following = at(offset_ + 1);
  if (is_class(c, letter) || c == '_' || (is_class(c, mark) && continues_word(following))) {
    lex_word();
  } else if (is_class(c, digit)) {
    lex_number();
  } else if (c == '.' && (is_class(following, letter | digit) || following == '_')) {
    lex_dotted();
  } else if (c == '"') {
    lex_string();
  } else {
    lex_punctuation();
  }
}

void Lexer::lex_word() {
  const std::size_t begin = offset_++;
  while (continues_word(at(offset_))) ++offset_;
  next_.kind = Token::Kind::word;
  next_.text = text_.substr(begin, offset_ - begin);
}

void Lexer::lex_dotted() {
  const std::size_t begin = offset_++;
  for (;;) {
    while (continues_word(at(offset_))) ++offset_;
    const bool scoped = at(offset_) == ':' && at(offset_ + 1) == ':' && continues_word(at(offset_ + 2));
    if (!scoped) break;
    offset_ += 2;
  }
  next_.kind = Token::Kind::dotted;
  next_.text = text_.substr(begin, offset_ - begin);
}

// PTX ISA, "Constants": hexadecimal 0x, octal 0…, binary 0b, decimal; suffix U; 0f and 0d give the bits of a float.
void Lexer::lex_number() {
  const std::size_t begin = offset_;
  const char second = at(begin + 1);
  int base = 10;
  if (text_[begin] == '0') {
    if (second == 'f' || second == 'F') return lex_hex_float(false);
    if (second == 'd' || second == 'D') return lex_hex_float(true);
    if (second == 'x' || second == 'X') base = 16;
    if (second == 'b' || second == 'B') base = 2;
  }
  if (base != 10) offset_ += 2;
  const std::size_t digits = offset_;
  if (base == 10) {
    while (is_class(at(offset_), digit)) ++offset_;
    const char after = at(offset_);
    // 1. and 1.5 and 1e5 are floats
    if (after == '.' || after == 'e' || after == 'E') {
      offset_ = begin;
      return lex_real();
    }
    if (text_[begin] == '0' && offset_ > begin + 1) base = 8;
    offset_ = digits;
  }
  std::uint64_t value = 0;
  for (; digit_value(at(offset_)) < base; ++offset_) {
    std::uint64_t wider = 0;
    if (__builtin_mul_overflow(value, static_cast<std::uint64_t>(base), &wider) ||
        __builtin_add_overflow(wider, static_cast<std::uint64_t>(digit_value(text_[offset_])), &value)) {
      throw ParseError(next_.at, "this integer does not fit in 64 bits");
    }
  }
  if (offset_ == digits) throw ParseError(position(offset_), "expected a digit of this number");
  next_.kind = Token::Kind::integer;
  next_.value = value;
  next_.is_unsigned = value >> 63 != 0;
  if (at(offset_) == 'U' || at(offset_) == 'u') {
    next_.is_unsigned = true;
    ++offset_;
  }
  if (continues_word(at(offset_))) throw ParseError(position(offset_), "expected the end of this number");
  next_.text = text_.substr(begin, offset_ - begin);
}

void Lexer::lex_hex_float(bool is_double) {
  const std::size_t begin = offset_;
  const std::size_t length = is_double ? 16 : 8;
  offset_ += 2;
  std::size_t count = 0;
  for (; digit_value(at(offset_)) < 16 && count < length; ++count) {
    next_.value = next_.value << 4 | static_cast<std::uint64_t>(digit_value(text_[offset_++]));
  }
  if (count != length || continues_word(at(offset_))) {
    throw ParseError(next_.at, is_double ? "expected exactly 16 hexadecimal digits after 0d"
                                         : "expected exactly 8 hexadecimal digits after 0f");
  }
  next_.kind = is_double ? Token::Kind::real : Token::Kind::single;
  next_.text = text_.substr(begin, offset_ - begin);
}

void Lexer::lex_real() {
  const std::size_t begin = offset_;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + begin, text_.data() + text_.size(), value, std::chars_format::general);
  if (error == std::errc::invalid_argument) throw ParseError(next_.at, "expected a number");
  if (error == std::errc::result_out_of_range) throw ParseError(next_.at, "this float does not fit in 64 bits");
  offset_ = static_cast<std::size_t>(end - text_.data());
  if (continues_word(at(offset_))) throw ParseError(position(offset_), "expected the end of this number");
  next_.kind = Token::Kind::real;
  next_.value = std::bit_cast<std::uint64_t>(value);
  next_.text = text_.substr(begin, offset_ - begin);
}

void Lexer::lex_string() {
  const std::size_t begin = ++offset_;
  for (; at(offset_) != '"'; ++offset_) {
    if (offset_ >= text_.size() || text_[offset_] == '\n') {
      throw ParseError(next_.at, "expected \" to end this string on the same line");
    }
    if (text_[offset_] == '\\' && at(offset_ + 1) != '\n') ++offset_;
  }
  next_.kind = Token::Kind::string;
  next_.text = text_.substr(begin, offset_ - begin);
  ++offset_;
}

void Lexer::lex_punctuation() {
  constexpr std::string_view single = "{}()[]<>,;:=+-*/%!~&|^?@.";
  const char c = text_[offset_];
  if (c == '\0' || single.find(c) == std::string_view::npos) {
    throw ParseError(next_.at, "unexpected " + byte_name(c));
  }
  const char following = at(offset_ + 1);
  const bool doubled = ((c == '<' || c == '>' || c == '&' || c == '|' || c == '=') && following == c) ||
                       ((c == '<' || c == '>' || c == '!') && following == '=');
  next_.kind = Token::Kind::punctuation;
  next_.code = doubled ? pair_of(c, following) : static_cast<std::uint16_t>(c);
  next_.text = text_.substr(offset_, doubled ? 2 : 1);
  offset_ += next_.text.size();
}

}  // namespace judge::emulator::ptx
