#pragma once
// PTX text -> tokens, on demand. One token of lookahead is all the grammar needs.

#include <cstdint>
#include <string>
#include <string_view>

#include "judge/emulator/ptx/module.h"

namespace judge::emulator::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         // identifier: add, %r1, $L__BB0_2, _
    dotted,       // ".global", ".L2::128B", ".2d": a dot and what belongs to it
    integer,      // value, is_unsigned
    single,       // 0f3f800000: value holds the 32 bits
    real,         // 1.5, 0d3ff0000000000000: value holds the 64 bits of the double
    string,       // text is what stands between the quotes, escapes untouched
    punctuation,  // code
  };
  Kind kind = Kind::end;
  bool is_unsigned = false;  // integer with suffix U, or too large for s64
  std::uint16_t code = 0;    // punctuation: the character, or two of them as pair_of() packs them
  std::string_view text;
  std::uint64_t value = 0;
  Position at;

  bool is(std::uint16_t punctuation) const { return kind == Kind::punctuation && code == punctuation; }
  bool is_word() const { return kind == Kind::word; }
  bool is_dotted(std::string_view spelling) const { return kind == Kind::dotted && text == spelling; }
};

// Operators of two characters: << >> <= >= == != && ||
constexpr std::uint16_t pair_of(char a, char b) {
  return static_cast<std::uint16_t>((a << 8) | b);
}

std::string describe(const Token& token);  // for messages: "'foo'", "the end of the text"; long spellings are cut

class Lexer {
 public:
  explicit Lexer(std::string_view text);
  const Token& peek() const { return next_; }
  Token take();
  // `.5`, which reads as a dotted word wherever a modifier could stand: the next token again, as a number.
  Token take_fraction();

 private:
  void advance();
  void skip_blanks();
  void lex_word();
  void lex_dotted();
  void lex_number();
  void lex_hex_float(bool is_double);
  void lex_real();
  void lex_string();
  void lex_punctuation();
  Position position(std::size_t offset) const;
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  std::string_view text_;
  std::size_t offset_ = 0;  // where the token after next_ may begin
  std::size_t line_start_ = 0;
  int line_ = 1;
  Token next_;
};

}  // namespace judge::emulator::ptx
