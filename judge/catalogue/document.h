#pragma once
// A JSON file with the place of every value and key, and the list of problems found in it. nlohmann/json forgets where
// a value stood; messages to an author need line and column.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace judge::catalogue {

// Where in the tree: "exercises[3].cases[1].n" for people, "/exercises/3/cases/1/n" (RFC 6901) for look-ups.
struct Path {
  std::string display, pointer;
  Path operator/(std::string_view key) const;
  Path operator[](std::size_t index) const;
};

// Byte offsets of every value and key of a text that is already known to be valid JSON.
class Positions {
 public:
  explicit Positions(std::string_view text);

  struct Duplicate {
    Path path;
    std::size_t offset = 0;  // of the second key
  };
  const std::vector<Duplicate>& duplicates() const { return duplicates_; }
  std::size_t value(const Path& path) const;  // 0 for a path that is not there
  std::size_t key(const Path& path) const;    // the key's opening quote; the value's place for an array element

 private:
  struct Place {
    std::size_t key = 0, value = 0;
  };
  std::map<std::string, Place, std::less<>> places_;
  std::vector<Duplicate> duplicates_;
};

// Problems in the order of the text; the message of CatalogueError.
class Problems {
 public:
  Problems(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  void add(std::size_t offset, const Path& path, const std::string& message);
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return list_.size(); }
  // "file:line:column: path: message" a line, at most kMostShown of them.
  std::string text() const;

  static constexpr std::size_t kMostShown = 20;  // a screenful; the rest is counted

 private:
  struct Problem {
    std::size_t offset;
    std::string path, message;
  };
  std::string file_;
  std::string_view text_;
  std::vector<Problem> list_;
};

// The whole file, capped. Throws CatalogueError.
std::string read_text(const std::filesystem::path& file, const std::string& shown_name);

// A value as a message shows it: JSON text, cut to 40 characters.
std::string shown(const nlohmann::json& value);

}  // namespace judge::catalogue
