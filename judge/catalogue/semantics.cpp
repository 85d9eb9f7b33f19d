// The rules of exercises.json that its schema cannot express. Each is checked here and nowhere else.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "judge/catalogue/nearest.h"
#include "judge/catalogue/prototype.h"
#include "judge/catalogue/read.h"

namespace judge::catalogue {

namespace {

// All buffers of one case: the device process keeps them three times over (buffers, shadow state, replies).
constexpr std::int64_t kLargestCaseBytes = std::int64_t{2} << 30;

// Words that mean something else where a size's or constant's name stands.
constexpr std::array<std::string_view, 7> kReserved = {"name", "hidden", "timed", "fill", "ceil_div", "min", "max"};

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

bool is_buffer(const Argument& a) {
  return a.role == Role::in || a.role == Role::out || a.role == Role::inout;
}
bool is_real(Element e) {
  return e == Element::float32 || e == Element::float64 || e == Element::float16;
}

// Spellings in a prototype of each element type; the first is what a message suggests.
std::vector<std::string> spellings(Element e) {
  switch (e) {
    case Element::float32:
      return {"float"};
    case Element::float64:
      return {"double"};
    case Element::float16:
      return {"__half", "half"};
    case Element::int8:
      return {"signed char", "int8_t", "std::int8_t", "char"};
    case Element::uint8:
      return {"unsigned char", "uint8_t", "std::uint8_t"};
    case Element::int32:
      return {"int", "int32_t", "std::int32_t"};
    case Element::uint32:
      return {"unsigned int", "unsigned", "uint32_t", "std::uint32_t"};
    case Element::int64:
      return {"long long", "int64_t", "std::int64_t"};
    case Element::uint64:
      return {"unsigned long long", "uint64_t", "std::uint64_t"};
  }
  return {};
}

// Types a size may have, and the largest value each holds.
struct SizeType {
  std::string_view spelling;
  std::int64_t largest;
};
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::array kSizeTypes = {
    SizeType{"int", std::numeric_limits<std::int32_t>::max()},
    SizeType{"long long", kInt64Max},
    SizeType{"size_t", kInt64Max},
    SizeType{"std::size_t", kInt64Max},
    SizeType{"unsigned int", std::numeric_limits<std::uint32_t>::max()},
    SizeType{"int64_t", kInt64Max},
};

const SizeType* size_type(std::string_view spelling) {
  const auto found =
      std::find_if(kSizeTypes.begin(), kSizeTypes.end(), [&](auto& t) { return t.spelling == spelling; });
  return found == kSizeTypes.end() ? nullptr : &*found;
}

std::string expected_parameter(const Argument& a) {
  const std::string type = spellings(a.type).front();
  switch (a.role) {
    case Role::in:
      return "const " + type + "* " + a.name;
    case Role::out:
    case Role::inout:
      return type + "* " + a.name;
    case Role::size:
      return "int " + a.name;
    case Role::scalar:
      return type + " " + a.name;
  }
  return a.name;
}

bool type_fits(const Argument& a, const Parameter& p) {
  if (a.role == Role::size) return !p.pointer && size_type(p.type) != nullptr;
  const std::vector<std::string> accepted = spellings(a.type);
  if (std::find(accepted.begin(), accepted.end(), p.type) == accepted.end()) return false;
  if (!is_buffer(a)) return !p.pointer;
  return p.pointer && p.constant == (a.role == Role::in);
}

class Checker {
 public:
  Checker(Exercise& exercise, const Path& at, const Review& review) : e_(exercise), at_(at), review_(review) {}

  void run() {
    check_names();
    check_prototype();
    for (std::size_t i = 0; i < e_.arguments.size(); ++i) {
      if (e_.arguments[i].fill) check_fill(*e_.arguments[i].fill, e_.arguments[i], (at_ / "arguments")[i] / "fill");
    }
    check_values();
    check_case_list();
    for (std::size_t i = 0; i < e_.cases.size(); ++i) check_case(e_.cases[i], (at_ / "cases")[i]);
    check_requirements();
    check_shapes_and_budgets();
  }

 private:
  void check_names() {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < e_.arguments.size(); ++i) {
      const Argument& a = e_.arguments[i];
      const Path path = (at_ / "arguments")[i] / "name";
      if (!seen.insert(a.name).second) review_.value(path, "a second argument called " + in_quotes(a.name));
      if (a.role == Role::size) {
        check_reserved(a.name, path, false);
        size_names_.push_back(a.name);
      }
    }
    for (const auto& [name, value] : e_.constants) {
      const Path path = at_ / "constants" / name;
      check_reserved(name, path, true);
      if (seen.count(name) > 0) review_.key(path, "the constant " + in_quotes(name) + " has the name of an argument");
    }
    const bool any_output = std::any_of(e_.arguments.begin(), e_.arguments.end(),
                                        [](const Argument& a) { return a.role == Role::out || a.role == Role::inout; });
    if (!any_output) review_.value(at_ / "arguments", "no argument has role \"out\" or \"inout\": nothing to check");
  }

  void check_reserved(const std::string& name, const Path& path, bool at_key) {
    if (std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end()) return;
    const std::string message = in_quotes(name) + " is a reserved word; expected another name";
    at_key ? review_.key(path, message) : review_.value(path, message);
  }

  void check_prototype() {
    const Path path = at_ / "entry";
    Prototype prototype;
    try {
      prototype = parse_prototype(e_.entry);
    } catch (const PrototypeError& error) {
      review_.inside(path, error.position(), error.what());
      return;
    }
    e_.entry_name = prototype.name;
    if (prototype.parameters.size() != e_.arguments.size()) {
      review_.value(path, "the prototype has " + std::to_string(prototype.parameters.size()) +
                              " parameters, \"arguments\" has " + std::to_string(e_.arguments.size()));
    }
    for (std::size_t i = 0; i < std::min(prototype.parameters.size(), e_.arguments.size()); ++i) {
      const Parameter& p = prototype.parameters[i];
      Argument& a = e_.arguments[i];
      a.cpp_type = p.cpp_type();
      const std::string found =
          "parameter " + std::to_string(i + 1) + ": found " + in_quotes(p.cpp_type() + " " + p.name);
      if (p.name != a.name) {
        review_.inside(path, p.position, found + ", expected the name " + in_quotes(a.name) + " as in \"arguments\"");
      } else if (!type_fits(a, p)) {
        review_.inside(path, p.position,
                       found + ", expected " + in_quotes(expected_parameter(a)) +
                           (a.role == Role::size ? " (or long long, size_t)" : ""));
      }
    }
  }

  void check_fill(const Fill& fill, const Argument& a, const Path& path) {
    const std::string type(to_string(a.type));
    using Kind = Fill::Kind;
    if ((fill.kind == Kind::uniform || fill.kind == Kind::normal) && !is_real(a.type)) {
      review_.value(path, "a real-valued fill for " + type + "; expected {\"integers\": [low, high]}");
      return;
    }
    if ((fill.kind == Kind::uniform || fill.kind == Kind::integers) && fill.low > fill.high) {
      review_.value(path, "low is above high");
    }
    if (fill.kind == Kind::normal && fill.high < 0) review_.value(path, "the deviation is negative");
    if (a.role == Role::scalar && (fill.kind == Kind::permutation || fill.kind == Kind::sequence)) {
      review_.value(path, "a scalar is one value; expected uniform, integers, normal or constant");
    }
    check_value(fill.low, a, path);
    if (fill.kind == Kind::uniform || fill.kind == Kind::integers || fill.kind == Kind::sequence) {
      check_value(fill.high, a, path);
    }
  }

  void check_value(double value, const Argument& a, const Path& path) {
    const auto [low, high] = range_of(a.type);
    if (!is_real(a.type) && value != std::floor(value)) {
      review_.value(path, "a fraction for " + std::string(to_string(a.type)) + "; expected integers");
    } else if (value < low || value > high) {
      review_.value(path, "outside the range of " + std::string(to_string(a.type)));
    }
  }

  // Integers of 64 bits are limited to 2^53: JSON numbers and fills are doubles.
  static std::pair<double, double> range_of(Element e) {
    constexpr double kExact = 9007199254740992.0;
    switch (e) {
      case Element::float32:
        return {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
      case Element::float64:
        return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
      case Element::float16:
        return {-65504, 65504};
      case Element::int8:
        return {-128, 127};
      case Element::uint8:
        return {0, 255};
      case Element::int32:
        return {-2147483648.0, 2147483647.0};
      case Element::uint32:
        return {0, 4294967295.0};
      case Element::int64:
        return {-kExact, kExact};
      case Element::uint64:
        return {0, kExact};
    }
    return {0, 0};
  }

  void check_values() {
    for (std::size_t i = 0; i < e_.arguments.size(); ++i) {
      if (e_.arguments[i].value) {
        check_value(*e_.arguments[i].value, e_.arguments[i], (at_ / "arguments")[i] / "value");
      }
    }
  }

  void check_case_list() {
    std::set<std::string> seen;
    int timed = 0;
    bool all_hidden = true;
    for (std::size_t i = 0; i < e_.cases.size(); ++i) {
      const Case& c = e_.cases[i];
      const Path path = (at_ / "cases")[i];
      if (!seen.insert(c.name).second) review_.value(path / "name", "a second case called " + in_quotes(c.name));
      all_hidden = all_hidden && c.hidden;
      if (!c.timed) continue;
      if (++timed > 1) review_.key(path / "timed", "a second timed case; expected at most one");
      if (c.hidden) review_.key(path / "hidden", "a timed case cannot be hidden: students compare its figures");
      for (const auto& [name, size] : c.sizes) {
        if (std::holds_alternative<std::int64_t>(size)) continue;
        review_.value(path / name, "a timed case needs fixed sizes, so that its figures can be compared");
      }
    }
    if (all_hidden) review_.value(at_ / "cases", "every case is hidden; expected at least one that a student can read");
  }

  void check_case(const Case& c, const Path& path) {
    for (const std::string& name : size_names_) {
      if (c.sizes.count(name) == 0) review_.value(path, "the size " + in_quotes(name) + " is missing");
    }
    for (const auto& [name, size] : c.sizes) {
      const auto known = std::find(size_names_.begin(), size_names_.end(), name);
      if (known == size_names_.end()) {
        std::vector<std::string> candidates = size_names_;
        candidates.insert(candidates.end(), {"name", "hidden", "timed", "fill"});
        review_.key(path / name, "unknown size " + in_quotes(name) + "; expected an argument of role \"size\"" +
                                     did_you_mean(name, candidates));
        continue;
      }
      check_size(name, size, path / name);
    }
    for (const auto& [name, fill] : c.fills) {
      const Path at = path / "fill" / name;
      const auto argument = std::find_if(e_.arguments.begin(), e_.arguments.end(),
                                         [&name = name](const Argument& a) { return a.name == name; });
      if (argument == e_.arguments.end() || argument->role == Role::out || argument->role == Role::size) {
        std::vector<std::string> candidates;
        for (const Argument& a : e_.arguments) {
          if (a.role != Role::out && a.role != Role::size) candidates.push_back(a.name);
        }
        review_.key(at,
                    in_quotes(name) + " is no argument of role in, inout or scalar" + did_you_mean(name, candidates));
        continue;
      }
      check_fill(fill, *argument, at);
    }
  }

  void check_size(const std::string& name, const decltype(Case::sizes)::mapped_type& size, const Path& path) {
    std::int64_t largest = 0;
    if (const auto* range = std::get_if<std::pair<std::int64_t, std::int64_t>>(&size)) {
      if (range->first > range->second) review_.value(path / "random", "low is above high");
      largest = range->second;
    } else {
      largest = std::get<std::int64_t>(size);
    }
    const auto argument = std::find_if(e_.arguments.begin(), e_.arguments.end(),
                                       [&](const Argument& a) { return a.role == Role::size && a.name == name; });
    const SizeType* type = size_type(argument->cpp_type);
    if (type != nullptr && largest > type->largest) {
      review_.value(path, std::to_string(largest) + " does not fit the parameter's type, " + argument->cpp_type);
    }
  }

  void check_requirements() {
    for (std::size_t i = 0; i < e_.require.size(); ++i) {
      const Requirement& r = e_.require[i];
      const Path path = (at_ / "require")[i];
      const auto& known = metric_names();
      if (std::find(known.begin(), known.end(), r.metric) == known.end()) {
        review_.value(path / "metric", "unknown metric " + in_quotes(r.metric) + did_you_mean(r.metric, known));
      }
      if (!r.min && !r.max) review_.value(path, "a requirement needs \"min\" or \"max\"");
    }
  }

  // Expressions are evaluated for every case, at both ends of random sizes; the first failure of each is reported.
  void check_shapes_and_budgets() {
    for (std::size_t i = 0; i < e_.cases.size(); ++i) {
      const Case& c = e_.cases[i];
      if (std::any_of(size_names_.begin(), size_names_.end(), [&](auto& n) { return c.sizes.count(n) == 0; })) continue;
      for (const bool high : {false, true}) {
        Names names(e_.constants.begin(), e_.constants.end());
        for (const std::string& name : size_names_) {
          const auto& size = c.sizes.at(name);
          const auto* range = std::get_if<std::pair<std::int64_t, std::int64_t>>(&size);
          names[name] = range == nullptr ? std::get<std::int64_t>(size) : high ? range->second : range->first;
        }
        check_memory(names, c, (at_ / "cases")[i]);
        if (e_.work_bytes) evaluate(*e_.work_bytes, names, at_ / "work" / "bytes");
        if (e_.work_flops) evaluate(*e_.work_flops, names, at_ / "work" / "flops");
        for (std::size_t k = 0; k < e_.require.size(); ++k) check_budget(e_.require[k], names, (at_ / "require")[k], c);
      }
    }
  }

  void check_budget(const Requirement& r, const Names& names, const Path& path, const Case& c) {
    const std::optional<double> min = r.min ? evaluate(*r.min, names, path / "min") : std::nullopt;
    const std::optional<double> max = r.max ? evaluate(*r.max, names, path / "max") : std::nullopt;
    if (min && max && *min > *max) report_once(path, "min is above max in case " + in_quotes(c.name));
  }

  void check_memory(const Names& names, const Case& c, const Path& case_path) {
    std::int64_t total = 0;
    for (std::size_t k = 0; k < e_.arguments.size(); ++k) {
      const Argument& a = e_.arguments[k];
      std::int64_t bytes = bytes_of(a.type);
      for (std::size_t d = 0; d < a.shape.size(); ++d) {
        const Path path = ((at_ / "arguments")[k] / "shape")[d];
        const std::optional<double> extent = evaluate(a.shape[d], names, path, true);
        if (!extent) return;
        if (*extent < 1) {
          report_once(path, "an extent of " + std::to_string(static_cast<std::int64_t>(*extent)) + " in case " +
                                in_quotes(c.name) + "; expected at least 1");
          return;
        }
        if (__builtin_mul_overflow(bytes, static_cast<std::int64_t>(*extent), &bytes)) {
          report_once(case_path, "the shape of " + in_quotes(a.name) + " overflows 64 bits");
          return;
        }
      }
      if (is_buffer(a) && __builtin_add_overflow(total, bytes, &total)) total = kInt64Max;
    }
    if (total > kLargestCaseBytes) {
      report_once(case_path, "its buffers take " + std::to_string(total) + " bytes, the cap is " +
                                 std::to_string(kLargestCaseBytes));
    }
  }

  std::optional<double> evaluate(const Expression& expression, const Names& names, const Path& path,
                                 bool integer = false) {
    try {
      return integer ? static_cast<double>(expression.evaluate_integer(names)) : expression.evaluate(names);
    } catch (const ExpressionError& error) {
      if (reported_.insert(path.pointer).second) {
        review_.inside(path, error.position(), "in " + in_quotes(expression.text()) + ": " + error.what());
      }
      return std::nullopt;
    }
  }

  void report_once(const Path& path, const std::string& message) {
    if (reported_.insert(path.pointer).second) review_.value(path, message);
  }

  Exercise& e_;
  const Path& at_;
  const Review& review_;
  std::vector<std::string> size_names_;
  std::set<std::string> reported_;
};

}  // namespace

void check_exercise(Exercise& exercise, const Path& at, const Review& review) {
  Checker(exercise, at, review).run();
}

}  // namespace judge::catalogue
