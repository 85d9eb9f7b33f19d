// valijson decides whether and where the document breaks the schema. Its own sentences talk about constraints, so the
// message is made here: the failing place's schema is looked up and its description says what was expected.

#include "judge/catalogue/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "judge/catalogue/catalogue.h"
#include "judge/catalogue/nearest.h"

namespace judge::catalogue {

namespace {

using nlohmann::json;
using Steps = std::vector<std::string>;  // keys and indices from the root

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// valijson's context is "<root>", then "[key]" for each step.
Steps steps_of(const std::vector<std::string>& context) {
  Steps steps;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string step = context[i];
    if (step.size() >= 2 && step.front() == '[') step = step.substr(1, step.size() - 2);
    if (step.size() >= 2 && step.front() == '"') step = step.substr(1, step.size() - 2);
    steps.push_back(step);
  }
  return steps;
}

const json& resolved(const json& root, const json& schema) {
  const json* s = &schema;
  while (s->is_object() && s->contains("$ref")) {
    s = &root.at(json::json_pointer(s->at("$ref").get<std::string>().substr(1)));
  }
  return *s;
}

// The schema of an object's member or an array's items, through references and the object branch of an anyOf.
const json* child_schema(const json& root, const json& schema, const json& value, const std::string& step) {
  const json& s = resolved(root, schema);
  if (value.is_array()) return s.contains("items") ? &s.at("items") : nullptr;
  if (s.contains("properties") && s.at("properties").contains(step)) return &s.at("properties").at(step);
  if (s.contains("additionalProperties") && s.at("additionalProperties").is_object())
    return &s.at("additionalProperties");
  if (s.contains("anyOf")) {
    for (const json& branch : s.at("anyOf")) {
      if (const json* found = child_schema(root, branch, value, step)) return found;
    }
  }
  return nullptr;
}

struct Located {
  Path path;
  const json* value;
  const json* schema;
  const json* parent_schema;  // of the object that holds the value, or nullptr
  std::string key;
};

Located locate(const json& root, const json& document, const Steps& steps) {
  Located l{Path{}, &document, &root, nullptr, ""};
  for (const std::string& step : steps) {
    if (l.schema == nullptr) break;
    const json* next = child_schema(root, *l.schema, *l.value, step);
    if (l.value->is_array()) {
      const std::size_t index = std::stoul(step);
      if (index >= l.value->size()) break;
      l.path = l.path[index];
      l.value = &(*l.value)[index];
      l.parent_schema = nullptr;
    } else if (l.value->is_object() && l.value->contains(step)) {
      l.path = l.path / step;
      l.value = &(*l.value)[step];
      l.parent_schema = &resolved(root, *l.schema);
    } else {
      break;
    }
    l.key = step;
    l.schema = next;
  }
  return l;
}

std::string description_of(const json& schema) {
  return schema.contains("description") ? schema.at("description").get<std::string>() : "another value";
}

// Unknown and missing members of an object; how many were reported.
std::size_t explain_members(const json& root, const Located& l, const json& schema,
                            std::vector<SchemaProblem>& problems) {
  if (!l.value->is_object() || !schema.contains("properties")) return 0;
  const std::size_t before = problems.size();
  const json& properties = schema.at("properties");
  const bool closed = schema.contains("additionalProperties") && schema.at("additionalProperties") == false;
  for (const auto& [key, value] : l.value->items()) {
    if (!closed || properties.contains(key)) continue;
    const std::string meant = did_you_mean(key, keys_of(properties));
    std::string message = "unknown field \"" + key + "\"";
    if (meant.empty()) {
      std::string known;
      for (const std::string& name : keys_of(properties)) known += (known.empty() ? "" : ", ") + name;
      message += "; expected one of " + known;
    }
    problems.push_back({l.path / key, true, message + meant});
  }
  if (schema.contains("required")) {
    for (const json& name : schema.at("required")) {
      const std::string key = name.get<std::string>();
      if (l.value->contains(key)) continue;
      problems.push_back(
          {l.path, false,
           "the field \"" + key + "\" is missing; expected " + description_of(resolved(root, properties.at(key)))});
    }
  }
  return problems.size() - before;
}

}  // namespace

std::vector<SchemaProblem> validate(const json& schema, const json& document) {
  valijson::Schema parsed;
  try {
    valijson::adapters::NlohmannJsonAdapter adapter(schema);
    valijson::SchemaParser().populateSchema(adapter, parsed);
  } catch (const std::exception& e) {
    throw CatalogueError(std::string("exercises.schema.json: not a usable JSON Schema: ") + e.what());
  }
  valijson::ValidationResults results;
  valijson::adapters::NlohmannJsonAdapter target(document);
  std::vector<SchemaProblem> problems;
  if (valijson::Validator().validate(parsed, target, &results)) return problems;

  std::set<Steps> places;  // valijson reports a place once for each constraint, and its parents too
  for (const auto& error : results) places.insert(steps_of(error.context));
  for (auto place = places.begin(); place != places.end(); ++place) {
    const auto next = std::next(place);
    const bool deeper =
        next != places.end() && next->size() > place->size() && std::equal(place->begin(), place->end(), next->begin());
    const Located l = locate(schema, document, *place);
    const json& s = l.schema != nullptr ? resolved(schema, *l.schema) : schema;
    if (explain_members(schema, l, s, problems) > 0 || deeper) continue;
    std::string message = "found " + shown(*l.value) + ", expected " + description_of(s);
    if (s.contains("enum") && l.value->is_string()) {
      message += did_you_mean(l.value->get<std::string>(), s.at("enum").get<std::vector<std::string>>());
    }
    if (l.parent_schema != nullptr && l.parent_schema->contains("properties") &&
        !l.parent_schema->at("properties").contains(l.key)) {
      message += did_you_mean(l.key, keys_of(l.parent_schema->at("properties")));
    }
    problems.push_back({l.path, false, message});
  }
  return problems;
}

}  // namespace judge::catalogue
