#include "judge/catalogue/read.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "judge/catalogue/nearest.h"

namespace judge::catalogue {

namespace {

using nlohmann::json;

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;  // above it, expressions would lose digits

std::int64_t read_integer(const json& value, const Path& path, const Review& review) {
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(kLargestInteger);
  if (too_large || value.get<std::int64_t>() < -kLargestInteger) {
    review.value(path, "found " + shown(value) + ", expected an integer of at most 2^53");
    return 1;
  }
  return value.get<std::int64_t>();
}

// A number is an expression too: its JSON text.
std::optional<Expression> read_expression(const json& value, const Path& path, const Review& review) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  try {
    return Expression::parse(text);
  } catch (const ExpressionError& e) {
    review.inside(path, e.position(), "in " + shown(value) + ": " + e.what());
    return std::nullopt;
  }
}

Role role_of(const std::string& name) {
  if (name == "in") return Role::in;
  if (name == "out") return Role::out;
  if (name == "inout") return Role::inout;
  return name == "size" ? Role::size : Role::scalar;
}

Element element_of(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Element::uint64); ++i) {
    if (to_string(static_cast<Element>(i)) == name) return static_cast<Element>(i);
  }
  return Element::float32;
}

Fill read_fill(const json& value) {
  Fill fill;
  const std::string kind = value.begin().key();
  const json& v = value.begin().value();
  if (kind == "constant" || kind == "permutation") {
    fill.kind = kind == "constant" ? Fill::Kind::constant : Fill::Kind::permutation;
    fill.low = v.get<double>();
    return fill;
  }
  fill.kind = kind == "uniform"    ? Fill::Kind::uniform
              : kind == "integers" ? Fill::Kind::integers
              : kind == "normal"   ? Fill::Kind::normal
                                   : Fill::Kind::sequence;
  fill.low = v.at(0).get<double>();
  fill.high = v.at(1).get<double>();
  return fill;
}

struct RoleRule {
  std::string_view role;
  std::vector<std::string_view> needed, allowed;
};

// Which fields describe an argument of each role, besides name and role.
const std::array<RoleRule, 5>& role_rules() {
  static const std::array<RoleRule, 5> rules = {{{"in", {"type", "shape", "fill"}, {"memory"}},
                                                 {"inout", {"type", "shape", "fill"}, {"memory"}},
                                                 {"out", {"type", "shape"}, {"memory"}},
                                                 {"size", {}, {}},
                                                 {"scalar", {"type"}, {"fill", "value"}}}};
  return rules;
}

void check_role_fields(const json& argument, const Path& at, const Review& review) {
  const std::string role = argument.at("role").get<std::string>();
  const auto rule =
      std::find_if(role_rules().begin(), role_rules().end(), [&](const auto& r) { return r.role == role; });
  for (const std::string_view field : rule->needed) {
    if (!argument.contains(field)) {
      review.value(at, "the field \"" + std::string(field) + "\" is missing: role \"" + role + "\" needs it");
    }
  }
  for (const auto& [key, value] : argument.items()) {
    const auto has = [&key = key](const auto& list) { return std::find(list.begin(), list.end(), key) != list.end(); };
    if (key != "name" && key != "role" && !has(rule->needed) && !has(rule->allowed)) {
      review.key(at / key, "an argument of role \"" + role + "\" has no field \"" + key + "\"");
    }
  }
  if (role == "scalar" && argument.contains("fill") == argument.contains("value")) {
    review.value(at, "a scalar needs exactly one of \"fill\" and \"value\"");
  }
}

Argument read_argument(const json& value, const Path& at, const Review& review) {
  check_role_fields(value, at, review);
  Argument a;
  a.name = value.at("name").get<std::string>();
  a.role = role_of(value.at("role").get<std::string>());
  if (value.contains("type")) a.type = element_of(value.at("type").get<std::string>());
  if (value.contains("shape")) {
    for (std::size_t i = 0; i < value.at("shape").size(); ++i) {
      auto dimension = read_expression(value.at("shape")[i], (at / "shape")[i], review);
      a.shape.push_back(dimension ? *dimension : Expression::parse("1"));  // reported; the rest is still checked
    }
  }
  a.host_memory = value.value("memory", "device") == "host";
  if (value.contains("fill")) a.fill = read_fill(value.at("fill"));
  if (value.contains("value")) a.value = value.at("value").get<double>();
  return a;
}

Case read_case(const json& value, const Path& at, const Review& review) {
  Case c;
  for (const auto& [key, field] : value.items()) {
    const Path path = at / key;
    if (key == "name") {
      c.title = read_text_field(field);
      c.name = c.title.at("en");
    } else if (key == "hidden") {
      c.hidden = field.get<bool>();
    } else if (key == "timed") {
      c.timed = field.get<bool>();
    } else if (key == "fill") {
      for (const auto& [argument, fill] : field.items()) c.fills.emplace(argument, read_fill(fill));
    } else if (field.is_object()) {
      const Path range = path / "random";
      c.sizes[key] = std::pair(read_integer(field.at("random").at(0), range[0], review),
                               read_integer(field.at("random").at(1), range[1], review));
    } else {
      c.sizes[key] = read_integer(field, path, review);
    }
  }
  return c;
}

Requirement read_requirement(const json& value, const Path& at, const Review& review) {
  Requirement r;
  r.metric = value.at("metric").get<std::string>();
  if (value.contains("min")) r.min = read_expression(value.at("min"), at / "min", review);
  if (value.contains("max")) r.max = read_expression(value.at("max"), at / "max", review);
  if (value.contains("why")) r.why = read_text_field(value.at("why"));
  return r;
}

void read_tolerance(Exercise& e, const json& value) {
  if (value.contains("tolerance")) {
    e.rtol = value.at("tolerance").value("rtol", 0.0);
    e.atol = value.at("tolerance").value("atol", 0.0);
    return;
  }
  const bool any_real = std::any_of(e.arguments.begin(), e.arguments.end(), [](const Argument& a) {
    const bool real = a.type == Element::float32 || a.type == Element::float64 || a.type == Element::float16;
    return (a.role == Role::out || a.role == Role::inout) && real;
  });
  if (!any_real) e.rtol = e.atol = 0;  // integers are right or wrong
}

}  // namespace

Text read_text_field(const json& value) {
  if (value.is_string()) return {{"en", value.get<std::string>()}};
  return value.get<Text>();
}

Exercise read_exercise(const json& value, const Path& at, const Review& review) {
  Exercise e;
  e.id = value.at("id").get<int>();
  e.slug = value.at("slug").get<std::string>();
  e.chapter = value.at("chapter").get<std::string>();
  e.level = value.at("level").get<std::string>();
  e.title = read_text_field(value.at("title"));
  e.entry = value.at("entry").get<std::string>();
  for (std::size_t i = 0; i < value.at("arguments").size(); ++i) {
    e.arguments.push_back(read_argument(value.at("arguments")[i], (at / "arguments")[i], review));
  }
  if (value.contains("constants")) {
    for (const auto& [name, constant] : value.at("constants").items()) {
      e.constants[name] = read_integer(constant, at / "constants" / name, review);
    }
  }
  for (std::size_t i = 0; i < value.at("cases").size(); ++i) {
    e.cases.push_back(read_case(value.at("cases")[i], (at / "cases")[i], review));
  }
  read_tolerance(e, value);
  e.host_results = value.value("host_results", false);
  if (value.contains("work")) {
    const json& work = value.at("work");
    const Path path = at / "work";
    if (work.contains("bytes")) e.work_bytes = read_expression(work.at("bytes"), path / "bytes", review);
    if (work.contains("flops")) e.work_flops = read_expression(work.at("flops"), path / "flops", review);
  }
  if (value.contains("require")) {
    for (std::size_t i = 0; i < value.at("require").size(); ++i) {
      e.require.push_back(read_requirement(value.at("require")[i], (at / "require")[i], review));
    }
  }
  if (value.contains("hints")) {
    for (const json& hint : value.at("hints")) e.hints.push_back(read_text_field(hint));
  }
  return e;
}

}  // namespace judge::catalogue
