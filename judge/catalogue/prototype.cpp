#include "judge/catalogue/prototype.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace judge::catalogue {

namespace {

struct Token {
  std::string_view text;
  std::size_t position = 0;
};

bool is_word(std::string_view t) {
  return !t.empty() && (t[0] == '_' || (t[0] >= 'a' && t[0] <= 'z') || (t[0] >= 'A' && t[0] <= 'Z'));
}

bool word_character(char c) {
  return c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  const std::string_view view(text);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
      ++i;
      continue;
    }
    if (word_character(text[i])) {
      while (i < text.size() && word_character(text[i])) ++i;
    } else {
      ++i;
    }
    tokens.push_back({view.substr(begin, i - begin), begin});
  }
  tokens.push_back({std::string_view(), text.size()});
  return tokens;
}

// Words that together make one arithmetic type; anything else is a type by itself ("size_t", "float").
constexpr std::array<std::string_view, 6> kTypeWords = {"unsigned", "signed", "char", "short", "int", "long"};

bool is_type_word(std::string_view t) {
  return std::find(kTypeWords.begin(), kTypeWords.end(), t) != kTypeWords.end();
}

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(tokens_of(text)) {}

  Prototype parse() {
    Prototype p;
    expect("void", "void, the type every entry returns");
    if (!is_word(now().text)) fail("the entry's name");
    p.name = std::string(next().text);
    expect("(", "'('");
    if (now().text != ")") {
      p.parameters.push_back(parameter());
      while (now().text == ",") {
        next();
        p.parameters.push_back(parameter());
      }
    }
    expect(")", "',' or ')'");
    if (now().text == ";") next();
    if (!now().text.empty()) fail("the end of the prototype");
    return p;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = now().text.empty() ? "the end" : "\"" + std::string(now().text) + "\"";
    throw PrototypeError(now().position, "at position " + std::to_string(now().position + 1) +
                                             " of the prototype: found " + found + ", expected " + expected);
  }

  void expect(std::string_view text, const std::string& description) {
    if (now().text != text) fail(description);
    next();
  }

  bool take_const() {
    bool any = false;
    while (now().text == "const") {
      next();
      any = true;
    }
    return any;
  }

  Parameter parameter() {
    Parameter p;
    p.position = now().position;
    p.constant = take_const();
    if (!is_word(now().text)) fail("a type");
    if (is_type_word(now().text)) {
      while (is_type_word(now().text)) {
        if (!p.type.empty()) p.type += ' ';
        p.type += next().text;
      }
    } else {
      p.type = std::string(next().text);
    }
    p.constant = take_const() || p.constant;
    if (now().text == "*") {
      next();
      p.pointer = true;
      while (now().text == "const" || now().text == "__restrict__")
        next();  // of the pointer itself: not in the signature
      if (now().text == "*") fail("a name: pointers to pointers are not supported");
    }
    if (now().text == "&") fail("'*' or a name: references are not supported");
    if (!is_word(now().text)) fail("the parameter's name");
    p.name = std::string(next().text);
    if (now().text == "[") fail("',' or ')': write the array as a pointer");
    return p;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Parameter::cpp_type() const {
  if (!pointer) return type;
  return (constant ? "const " : "") + type + "*";
}

Prototype parse_prototype(const std::string& text) {
  return Parser(text).parse();
}

}  // namespace judge::catalogue
