#pragma once
// JSON -> Exercise, and the checks that a schema cannot express. Problems are collected; nothing is thrown.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "judge/catalogue/catalogue.h"
#include "judge/catalogue/document.h"

namespace judge::catalogue {

// Where the reader and the checks put what they find.
struct Review {
  const Positions& positions;
  Problems& problems;

  void value(const Path& path, const std::string& message) const { problems.add(positions.value(path), path, message); }
  void key(const Path& path, const std::string& message) const { problems.add(positions.key(path), path, message); }
  // Inside a string value: `position` bytes after its opening quote.
  void inside(const Path& path, std::size_t position, const std::string& message) const {
    problems.add(positions.value(path) + 1 + position, path, message);
  }
};

Text read_text_field(const nlohmann::json& value);

// `json` has passed the schema. Reports bad expressions, integers that are too large and fields that do not fit the
// argument's role.
Exercise read_exercise(const nlohmann::json& json, const Path& at, const Review& review);

// The prototype against the arguments, sizes, shapes, fills, cases, requirements.
void check_exercise(Exercise& exercise, const Path& at, const Review& review);

// Resolves the exercise's files beneath `root` and reports the missing ones.
void find_files(Exercise& exercise, const std::filesystem::path& root, const Path& at, const Review& review);

}  // namespace judge::catalogue
