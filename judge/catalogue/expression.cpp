// Shape and budget expressions: a recursive-descent parser into a small tree, and its evaluation.
//
//   sum     := product (('+' | '-') product)*
//   product := unary (('*' | '/') unary)*
//   unary   := '-' unary | primary
//   primary := number | name | function '(' sum (',' sum)* ')' | '(' sum ')'
//
// Values are doubles: sizes are far below 2^53, so integers stay exact, and budgets such as 1.2*4*n need fractions.
// '/' is real division; ceil_div is there for counts.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "judge/catalogue/catalogue.h"
#include "judge/catalogue/nearest.h"

namespace judge::catalogue {

namespace {

constexpr int kDeepest = 64;                              // nesting; a person writes three levels
constexpr double kLargestInteger = 9.007199254740992e15;  // 2^53: above it a double skips integers

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

double ceil_div(double a, double b) {
  const double remainder = std::fmod(a, b);  // exact, unlike a / b
  return (a - remainder) / b + (remainder > 0 ? 1 : 0);
}

}  // namespace

struct Expression::Node {
  enum class Kind { number, name, negate, add, subtract, multiply, divide, ceil_div, min, max };
  Kind kind = Kind::number;
  std::size_t position = 0;  // in the text, for messages
  double number = 0;
  std::string name;
  std::vector<std::shared_ptr<const Node>> operands;

  double evaluate(const Names& names) const;
};

namespace {

// Templated on the node, which is private to Expression: the parser then needs no friend declaration in the door.
template <class Node>
class Parser {
 public:
  using Pointer = std::shared_ptr<const Node>;
  using Kind = typename Node::Kind;

  explicit Parser(const std::string& text) : text_(text) {}

  Pointer parse() {
    Pointer root = sum();
    skip_space();
    if (at_ != text_.size()) fail("an operator or the end");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = at_ < text_.size() ? std::string("'") + text_[at_] + "'" : "the end";
    throw ExpressionError(at_, "at position " + std::to_string(at_ + 1) + " of the expression: found " + found +
                                   ", expected " + expected);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static Pointer make(Kind kind, std::size_t position, std::vector<Pointer> operands) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->position = position;
    node->operands = std::move(operands);
    return node;
  }

  Pointer sum() {
    if (++depth_ > kDeepest) fail("at most " + std::to_string(kDeepest) + " levels of nesting");
    Pointer left = product();
    for (;;) {
      skip_space();
      const std::size_t position = at_;
      if (take('+')) {
        left = make(Kind::add, position, {left, product()});
      } else if (take('-')) {
        left = make(Kind::subtract, position, {left, product()});
      } else {
        --depth_;
        return left;
      }
    }
  }

  Pointer product() {
    Pointer left = unary();
    for (;;) {
      skip_space();
      const std::size_t position = at_;
      if (take('*')) {
        left = make(Kind::multiply, position, {left, unary()});
      } else if (take('/')) {
        left = make(Kind::divide, position, {left, unary()});
      } else {
        return left;
      }
    }
  }

  Pointer unary() {
    skip_space();
    const std::size_t position = at_;
    if (!take('-')) return primary();
    if (++depth_ > kDeepest) fail("at most " + std::to_string(kDeepest) + " levels of nesting");
    Pointer node = make(Kind::negate, position, {unary()});
    --depth_;
    return node;
  }

  Pointer primary() {
    skip_space();
    if (take('(')) {
      Pointer inner = sum();
      if (!take(')')) fail("')'");
      return inner;
    }
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    if (at_ < text_.size() && starts_name(text_[at_])) return name_or_call();
    fail("a number, a name or '('");
  }

  Pointer number() {
    auto node = std::make_shared<Node>();
    node->position = at_;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node->number);
    if (error != std::errc()) fail("a number in the range of double");
    at_ += static_cast<std::size_t>(end - begin);
    return node;
  }

  Pointer name_or_call() {
    const std::size_t position = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string name = text_.substr(position, at_ - position);
    if (!take('(')) {
      auto node = std::make_shared<Node>();
      node->kind = Kind::name;
      node->position = position;
      node->name = name;
      return node;
    }
    Kind kind{};
    if (name == "ceil_div") {
      kind = Kind::ceil_div;
    } else if (name == "min") {
      kind = Kind::min;
    } else if (name == "max") {
      kind = Kind::max;
    } else {
      throw ExpressionError(position, "at position " + std::to_string(position + 1) + " of the expression: found \"" +
                                          name + "\", expected ceil_div, min or max" +
                                          did_you_mean(name, {"ceil_div", "min", "max"}));
    }
    std::vector<Pointer> operands{sum()};
    while (take(',')) operands.push_back(sum());
    const std::size_t end = at_;
    if (!take(')')) fail("',' or ')'");
    if (operands.size() < 2 || (kind == Kind::ceil_div && operands.size() > 2)) {
      at_ = end;
      fail(kind == Kind::ceil_div ? "two operands of ceil_div" : "at least two operands of " + name);
    }
    return make(kind, position, std::move(operands));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double Expression::Node::evaluate(const Names& names) const {
  const auto fail = [this](const std::string& what) -> ExpressionError {
    return {position, "at position " + std::to_string(position + 1) + " of the expression: " + what};
  };
  const auto operand = [&](std::size_t i) { return operands[i]->evaluate(names); };
  switch (kind) {
    case Kind::number:
      return number;
    case Kind::name: {
      const auto found = names.find(name);
      if (found != names.end()) return static_cast<double>(found->second);
      std::vector<std::string> known;
      for (const auto& [key, value] : names) known.push_back(key);
      throw fail("found \"" + name + "\", expected a size or a constant" + did_you_mean(name, known));
    }
    case Kind::negate:
      return -operand(0);
    case Kind::add:
      return operand(0) + operand(1);
    case Kind::subtract:
      return operand(0) - operand(1);
    case Kind::multiply:
      return operand(0) * operand(1);
    case Kind::divide: {
      const double divisor = operand(1);
      if (divisor == 0) throw fail("division by zero");
      return operand(0) / divisor;
    }
    case Kind::ceil_div: {
      const double divisor = operand(1);
      if (divisor <= 0) throw fail("ceil_div wants a divisor above zero");
      return judge::catalogue::ceil_div(operand(0), divisor);
    }
    case Kind::min:
    case Kind::max: {
      double value = operand(0);
      for (std::size_t i = 1; i < operands.size(); ++i) {
        value = kind == Kind::min ? std::min(value, operand(i)) : std::max(value, operand(i));
      }
      return value;
    }
  }
  throw fail("an operation that does not exist");
}

Expression Expression::parse(const std::string& text) {
  Expression e;
  e.text_ = text;
  e.root_ = Parser<Node>(e.text_).parse();
  return e;
}

double Expression::evaluate(const Names& names) const {
  if (!root_) throw ExpressionError("an empty expression has no value");
  const double value = root_->evaluate(names);
  if (!std::isfinite(value)) throw ExpressionError("the value of \"" + text_ + "\" is out of range");
  return value;
}

std::int64_t Expression::evaluate_integer(const Names& names) const {
  const double value = evaluate(names);
  if (std::abs(value) > kLargestInteger) throw ExpressionError("the value of \"" + text_ + "\" is out of range");
  if (value != std::floor(value)) {
    std::string shown = std::to_string(value);
    shown.erase(shown.find_last_not_of('0') + 1);
    throw ExpressionError("the value of \"" + text_ + "\" is " + shown + ", expected an integer (ceil_div rounds up)");
  }
  return static_cast<std::int64_t>(value);
}

const std::string& Expression::text() const {
  return text_;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> found;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (node.kind == Node::Kind::name && std::find(found.begin(), found.end(), node.name) == found.end()) {
      found.push_back(node.name);
    }
    for (const auto& operand : node.operands) visit(*operand);
  };
  if (root_) visit(*root_);
  return found;
}

}  // namespace judge::catalogue
