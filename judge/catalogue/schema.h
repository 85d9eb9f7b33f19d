#pragma once
// Validation of exercises.json against the published JSON Schema (Draft 7). The schema's descriptions are the
// "expected …" of the messages, so what an editor shows and what the judge says agree.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "judge/catalogue/document.h"

namespace judge::catalogue {

struct SchemaProblem {
  Path path;
  bool at_key = false;  // the key is wrong, not its value
  std::string message;
};

// Every place where the document breaks the schema. Throws CatalogueError when the schema itself is broken.
std::vector<SchemaProblem> validate(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace judge::catalogue
