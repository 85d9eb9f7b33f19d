#pragma once
// JSON -> Quiz, and the checks that a schema cannot express. Problems are collected; nothing is thrown.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "judge/catalogue/read.h"

namespace judge::catalogue {

// `json` has passed the schema. Looks at questions.cu and the statement beneath `root` too.
Quiz read_quiz(const nlohmann::json& json, const std::filesystem::path& root, const Path& at, const Review& review);

// Beneath practice/NNN_name, or nothing after reporting that it is missing or leads out of the root.
std::filesystem::path resolve_file(const std::filesystem::path& relative, bool required,
                                   const std::filesystem::path& root, const Path& at, const Review& review);

}  // namespace judge::catalogue
