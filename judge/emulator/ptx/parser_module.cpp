#include <memory>

#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

constexpr std::uint64_t largest_file_number = 0x7fffffff;
constexpr std::uint64_t largest_version = 10000;

// Everything a module's string_views point into.
struct Storage {
  std::string text;
  std::deque<std::string> names;
};

}  // namespace

Module parse(std::string text, const ParseLimits& limits) {
  if (text.size() > limits.text_bytes) {
    throw ParseError({1, 1},
                     "the text is longer than " + std::to_string(limits.text_bytes) + " bytes (limit: text_bytes)");
  }
  // PTX in a fat binary ends in a zero byte or several.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  auto storage = std::make_shared<Storage>();
  storage->text = std::move(text);
  Module module;
  module.text = std::shared_ptr<const std::string>(storage, &storage->text);
  Parser(storage->text, storage->names, limits, module).run();
  return module;
}

bool Parser::accept(std::uint16_t punctuation) {
  if (!peek().is(punctuation)) return false;
  lexer_.take();
  return true;
}

bool Parser::accept_dotted(std::string_view spelling) {
  if (!peek().is_dotted(spelling)) return false;
  lexer_.take();
  return true;
}

Token Parser::expect(std::uint16_t punctuation, std::string_view what) {
  if (!peek().is(punctuation)) expected(what);
  return take();
}

Token Parser::expect_word(std::string_view what) {
  if (!peek().is_word()) expected(what);
  return take();
}

std::uint64_t Parser::expect_integer(std::string_view what, std::uint64_t largest) {
  if (peek().kind != Token::Kind::integer) expected(what);
  const Token number = take();
  if (number.value > largest) {
    throw ParseError(number.at, "expected " + std::string(what) + " of at most " + std::to_string(largest) +
                                    ", found " + describe(number));
  }
  return number.value;
}

void Parser::expected(std::string_view what) const {
  throw ParseError(peek().at, "expected " + std::string(what) + ", found " + describe(peek()));
}

void Parser::count(std::size_t& counter, std::size_t limit, std::string_view what, Position at) const {
  if (++counter > limit) {
    throw ParseError(
        at, "more than " + std::to_string(limit) + " " + std::string(what) + " (limit: " + std::string(what) + ")");
  }
}

void Parser::run() {
  if (!accept_dotted(".version")) expected(".version at the beginning of the module");
  parse_version();
  if (!accept_dotted(".target")) expected(".target after .version");
  parse_target();
  while (peek().kind != Token::Kind::end) parse_module_item();
  name_inlined_functions();
}

void Parser::parse_version() {
  const Token version = take();
  const std::size_t dot = version.text.find('.');
  const auto number = [&](std::string_view digits) {
    std::uint64_t value = 0;
    for (char c : digits) {
      if (c < '0' || c > '9' || value > largest_version) throw ParseError(version.at, "expected a version such as 8.0");
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return static_cast<int>(value);
  };
  if (version.kind != Token::Kind::real || dot == std::string_view::npos) {
    throw ParseError(version.at, "expected a version such as 8.0, found " + describe(version));
  }
  module_.version_major = number(version.text.substr(0, dot));
  module_.version_minor = number(version.text.substr(dot + 1));
}

// .target sm_90a, texmode_independent, debug
void Parser::parse_target() {
  const Token target = expect_word("a target such as sm_75");
  module_.target = target.text;
  std::string_view rest = target.text;
  if (rest.substr(0, 3) != "sm_")
    throw ParseError(target.at, "expected a target such as sm_75, found " + describe(target));
  rest.remove_prefix(3);
  std::size_t digits = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
    if (digits == 4) throw ParseError(target.at, "expected a target such as sm_75, found " + describe(target));
    module_.sm = module_.sm * 10 + (rest[digits] - '0');
  }
  if (digits == 0) throw ParseError(target.at, "expected a target such as sm_75, found " + describe(target));
  module_.target_suffix = rest.substr(digits);
  while (accept(',')) expect_word("a target option");
}

void Parser::parse_module_item() {
  if (accept(';')) return;
  if (peek().kind != Token::Kind::dotted) expected("a declaration or a directive");
  if (accept_dotted(".address_size")) {
    const Position at = peek().at;
    if (expect_integer("64 after .address_size", 64) != 64) throw ParseError(at, "expected 64 after .address_size");
    return;
  }
  if (accept_dotted(".file")) return parse_file();
  if (accept_dotted(".section")) return parse_section();
  if (accept_dotted(".alias")) return parse_alias();
  if (accept_dotted(".loc")) return parse_location();
  if (accept_dotted(".pragma")) {
    if (peek().kind != Token::Kind::string) expected("a string after .pragma");
    take();
    expect(';', "';' after .pragma");
    return;
  }
  Variable linkage;
  for (;;) {
    if (accept_dotted(".extern")) {
      linkage.is_extern = true;
    } else if (accept_dotted(".visible")) {
      linkage.is_visible = true;
    } else if (accept_dotted(".weak") || accept_dotted(".common")) {
      linkage.is_weak = true;
    } else {
      break;
    }
  }
  if (accept_dotted(".entry")) return parse_function(linkage, true);
  if (accept_dotted(".func")) return parse_function(linkage, false);
  if (accept_dotted(".global")) return parse_module_variables(Space::global, linkage);
  if (accept_dotted(".const")) return parse_module_variables(Space::constant, linkage);
  if (accept_dotted(".shared") || accept_dotted(".shared::cta")) return parse_module_variables(Space::shared, linkage);
  if (accept_dotted(".local")) return parse_module_variables(Space::local, linkage);
  expected("a declaration or a directive");
}

void Parser::parse_module_variables(Space space, const Variable& linkage) {
  const Specifiers specifiers = parse_specifiers(false);
  do {
    const Token name = expect_word("a variable name");
    Variable variable = parse_declarator(space, specifiers, name);
    variable.is_extern = linkage.is_extern;
    variable.is_visible = linkage.is_visible;
    variable.is_weak = linkage.is_weak;
    add_module_variable(std::move(variable));
  } while (accept(','));
  expect(';', "',' or ';' after a variable");
}

void Parser::add_module_variable(Variable variable) {
  const auto [entry, is_new] = variable_index_.emplace(variable.name, module_.variables.size());
  if (is_new) {
    count(names_count_, limits_.names, "names", variable.at);
    if (function_index_.count(variable.name) != 0) {
      throw ParseError(variable.at,
                       "'" + std::string(variable.name.substr(0, 60)) + "' is declared twice in this module");
    }
    module_.variables.push_back(std::move(variable));
    return;
  }
  // A declaration and a definition are one variable.
  Variable& known = module_.variables[entry->second];
  if (variable.is_extern) return;
  if (known.is_extern || known.is_weak) {
    known = std::move(variable);
    return;
  }
  throw ParseError(variable.at, "'" + std::string(variable.name.substr(0, 60)) + "' is declared twice in this module");
}

// A forward declaration and the definition are one function; the definition's place counts.
void Parser::add_function(Function function) {
  const auto [entry, is_new] = function_index_.emplace(function.name, module_.functions.size());
  if (is_new) {
    count(names_count_, limits_.names, "names", function.at);
    if (variable_index_.count(function.name) != 0) {
      throw ParseError(function.at,
                       "'" + std::string(function.name.substr(0, 60)) + "' is declared twice in this module");
    }
    module_.functions.push_back(std::move(function));
    return;
  }
  Function& known = module_.functions[entry->second];
  if (function.is_extern) return;
  if (!known.is_extern) {
    throw ParseError(function.at, "'" + std::string(function.name.substr(0, 60)) + "' is defined twice in this module");
  }
  known = std::move(function);
}

// .file 1 "name" {, time, size}
void Parser::parse_file() {
  const auto number = static_cast<int>(expect_integer("the number of a file", largest_file_number));
  if (peek().kind != Token::Kind::string) expected("the name of a file in quotes");
  module_.files[number] = std::string(take().text);
  while (accept(',')) expect_integer("the time or size of a file", ~0ull);
}

void Parser::parse_alias() {
  const Token alias = expect_word("the name of an alias");
  expect(',', "',' after the alias");
  const Token target = expect_word("the function that the alias stands for");
  expect(';', "';' after the alias");
  module_.aliases[alias.text] = target.text;
}

// .section .debug_str { … }: only the strings that .loc refers to are of use here.
void Parser::parse_section() {
  if (peek().kind != Token::Kind::dotted) expected("the name of a section");
  const bool has_strings = take().text == ".debug_str";
  expect('{', "'{' to begin this section");
  std::string* string = nullptr;
  while (!accept('}')) {
    if (peek().kind == Token::Kind::end || peek().is('{')) expected("'}' to end this section");
    const Token token = take();
    if (!has_strings) continue;
    if (token.is_word() && accept(':')) {
      count(names_count_, limits_.names, "names", token.at);
      string = debug_strings_.try_emplace(token.text, &storage_.emplace_back()).first->second;
    } else if (token.kind == Token::Kind::integer && string != nullptr) {
      string->push_back(static_cast<char>(token.value));
    }
  }
}

void Parser::name_inlined_functions() {
  for (const PendingName& name : pending_names_) {
    std::string_view& function = module_.locations[name.location].inlined_function;
    function = {};
    const auto string = debug_strings_.find(name.label);
    if (string == debug_strings_.end() || name.offset >= string->second->size()) continue;
    std::string_view bytes = std::string_view(*string->second).substr(name.offset);
    function = bytes.substr(0, bytes.find('\0'));
  }
}

}  // namespace judge::emulator::ptx
