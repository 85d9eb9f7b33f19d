#include <bit>

#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

using Kind = Constant::Kind;

// Precedence of C, as PTX ISA, "Constant Expressions", has it; 0: not a binary operator.
int precedence(const Token& token) {
  if (token.kind != Token::Kind::punctuation) return 0;
  switch (token.code) {
    case '?':
      return 1;
    case pair_of('|', '|'):
      return 2;
    case pair_of('&', '&'):
      return 3;
    case '|':
      return 4;
    case '^':
      return 5;
    case '&':
      return 6;
    case pair_of('=', '='):
    case pair_of('!', '='):
      return 7;
    case '<':
    case '>':
    case pair_of('<', '='):
    case pair_of('>', '='):
      return 8;
    case pair_of('<', '<'):
    case pair_of('>', '>'):
      return 9;
    case '+':
    case '-':
      return 10;
    case '*':
    case '/':
    case '%':
      return 11;
    default:
      return 0;
  }
}

bool is_real(const Constant& c) {
  return c.kind == Kind::f64 || c.kind == Kind::f32;
}

double real_of(const Constant& c) {
  switch (c.kind) {
    case Kind::f64:
      return std::bit_cast<double>(c.bits);
    case Kind::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(c.bits));
    case Kind::u64:
      return static_cast<double>(c.bits);
    default:
      return static_cast<double>(static_cast<std::int64_t>(c.bits));
  }
}

bool is_true(const Constant& c) {
  return is_real(c) ? real_of(c) != 0 : c.bits != 0;
}

Constant truth(bool value) {
  return {Kind::s64, value ? 1u : 0u};
}

Constant integer(bool is_unsigned, std::uint64_t bits) {
  return {is_unsigned ? Kind::u64 : Kind::s64, bits};
}

}  // namespace

Parser::Deeper::Deeper(Parser& parser) : parser_(parser) {
  if (parser.depth_ >= parser.limits_.nesting) {
    throw ParseError(parser.peek().at,
                     "nested more than " + std::to_string(parser.limits_.nesting) + " levels deep (limit: nesting)");
  }
  ++parser.depth_;
}

Constant Parser::negate(const Constant& value) {
  switch (value.kind) {
    case Kind::f64:
      return {Kind::f64, value.bits ^ (1ull << 63)};
    case Kind::f32:
      return {Kind::f32, value.bits ^ (1ull << 31)};
    default:
      return {value.kind, 0 - value.bits};
  }
}

Constant Parser::logical_not(const Constant& value) {
  return truth(!is_true(value));
}

Constant Parser::parse_expression() {
  return parse_expression_after(parse_unary());
}

Constant Parser::parse_expression_after(Constant left) {
  return parse_binary(left, 1);
}

Constant Parser::parse_unary() {
  Deeper deeper(*this);
  if (accept('-')) return negate(parse_unary());
  if (accept('+')) return parse_unary();
  if (accept('!')) return logical_not(parse_unary());
  if (peek().is('~')) {
    const Token op = take();
    const Constant value = parse_unary();
    if (is_real(value)) throw ParseError(op.at, "~ takes an integer");
    return {Kind::u64, ~value.bits};
  }
  return parse_primary();
}

Constant Parser::parse_primary() {
  const Token& next = peek();
  switch (next.kind) {
    case Token::Kind::integer: {
      const Token number = take();
      return integer(number.is_unsigned, number.value);
    }
    case Token::Kind::single:
      return {Kind::f32, take().value};
    case Token::Kind::real:
      return {Kind::f64, take().value};
    case Token::Kind::dotted:
      if (next.text.size() > 1 && next.text[1] >= '0' && next.text[1] <= '9') {
        return {Kind::f64, lexer_.take_fraction().value};
      }
      break;
    case Token::Kind::word:
      // PTX ISA, "Predefined constants": usable wherever a literal is.
      if (next.text == "WARP_SZ") {
        take();
        return {Kind::s64, 32};
      }
      break;
    default:
      break;
  }
  if (accept('(')) {
    if (peek().is_dotted(".s64") || peek().is_dotted(".u64")) {
      const Token cast = take();
      expect(')', "')' after the type of this cast");
      const Constant value = parse_unary();
      if (is_real(value)) throw ParseError(cast.at, "this cast takes an integer");
      return integer(cast.text == ".u64", value.bits);
    }
    const Constant value = parse_expression();
    expect(')', "')'");
    return value;
  }
  expected("a constant");
}

Constant Parser::parse_binary(Constant left, int least_precedence) {
  for (;;) {
    const int level = precedence(peek());
    if (level == 0 || level < least_precedence) return left;
    const Token op = take();
    if (op.is('?')) {
      Deeper deeper(*this);
      const Constant yes = parse_expression();
      expect(':', "':' of this ?: expression");
      const Constant no = parse_expression();
      left = is_true(left) ? yes : no;
      continue;
    }
    const Constant right = parse_binary(parse_unary(), level + 1);
    left = apply(op, left, right);
  }
}

Constant Parser::apply(const Token& op, const Constant& left, const Constant& right) const {
  if (op.is(pair_of('|', '|'))) return truth(is_true(left) || is_true(right));
  if (op.is(pair_of('&', '&'))) return truth(is_true(left) && is_true(right));
  if (is_real(left) || is_real(right)) {
    const double a = real_of(left), b = real_of(right);
    const auto real = [](double value) { return Constant{Kind::f64, std::bit_cast<std::uint64_t>(value)}; };
    switch (op.code) {
      case '+':
        return real(a + b);
      case '-':
        return real(a - b);
      case '*':
        return real(a * b);
      case '/':
        return real(a / b);
      case '<':
        return truth(a < b);
      case '>':
        return truth(a > b);
      case pair_of('<', '='):
        return truth(a <= b);
      case pair_of('>', '='):
        return truth(a >= b);
      case pair_of('=', '='):
        return truth(a == b);
      case pair_of('!', '='):
        return truth(a != b);
      default:
        throw ParseError(op.at, "operator " + std::string(op.text) + " takes integers");
    }
  }
  const bool is_unsigned = left.kind == Kind::u64 || right.kind == Kind::u64;
  const std::uint64_t a = left.bits, b = right.bits;
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  switch (op.code) {
    case '+':
      return integer(is_unsigned, a + b);
    case '-':
      return integer(is_unsigned, a - b);
    case '*':
      return integer(is_unsigned, a * b);
    case '&':
      return integer(true, a & b);
    case '|':
      return integer(true, a | b);
    case '^':
      return integer(true, a ^ b);
    case '/':
    case '%':
      if (b == 0) throw ParseError(op.at, "division by zero in a constant expression");
      if (is_unsigned) return integer(true, op.code == '/' ? a / b : a % b);
      if (sb == -1) return integer(false, op.code == '/' ? 0 - a : 0);  // INT64_MIN / -1 wraps
      return integer(false, static_cast<std::uint64_t>(op.code == '/' ? sa / sb : sa % sb));
    case pair_of('<', '<'):
      return {left.kind, b < 64 ? a << b : 0};
    case pair_of('>', '>'):
      if (left.kind == Kind::u64) return {left.kind, b < 64 ? a >> b : 0};
      return {left.kind, static_cast<std::uint64_t>(sa >> (b < 64 ? b : 63))};
    case '<':
      return truth(is_unsigned ? a < b : sa < sb);
    case '>':
      return truth(is_unsigned ? a > b : sa > sb);
    case pair_of('<', '='):
      return truth(is_unsigned ? a <= b : sa <= sb);
    case pair_of('>', '='):
      return truth(is_unsigned ? a >= b : sa >= sb);
    case pair_of('=', '='):
      return truth(a == b);
    default:
      return truth(a != b);
  }
}

}  // namespace judge::emulator::ptx
