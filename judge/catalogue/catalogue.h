#pragma once
// exercises.json: loading, validation, shape expressions, paths. DESIGN: docs/authoring.md, section "The catalogue".

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace judge::catalogue {

using Names = std::map<std::string, std::int64_t>;  // sizes and constants in scope

// Integer or real expression over names: + - * / ( ), ceil_div, min, max. Parsed once, evaluated often.
class Expression {
 public:
  static Expression parse(const std::string& text);   // throws ExpressionError (position, what was expected)
  double evaluate(const Names& names) const;          // throws ExpressionError for an unknown name, division by zero
  std::int64_t evaluate_integer(const Names& names) const;  // also throws when not an integer or out of range
  const std::string& text() const;
  std::vector<std::string> names() const;             // used, each once

 private:
  struct Node;
  std::shared_ptr<const Node> root_;
  std::string text_;
};
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ExpressionError(std::size_t position, const std::string& what) : std::runtime_error(what), position_(position) {}
  std::size_t position() const { return position_; }  // byte of the text, from 0

 private:
  std::size_t position_ = 0;
};

enum class Role : std::uint8_t { in, out, inout, size, scalar };
enum class Element : std::uint8_t { float32, float64, float16, int8, uint8, int32, uint32, int64, uint64 };
std::uint32_t bytes_of(Element e);
std::string_view to_string(Element e);
std::string_view cpp_type(Element e);  // "float", "int", …

struct Fill {   // how an input is generated
  enum class Kind : std::uint8_t { uniform, constant, sequence, permutation, normal, integers } kind = Kind::uniform;
  double low = 0, high = 1;   // uniform, integers (inclusive); constant: low; sequence: low + i*high; normal: mean low, sd high
};

struct Argument {
  std::string name;
  Role role = Role::in;
  Element type = Element::float32;
  std::vector<Expression> shape;       // product = elements; empty for size and scalar
  bool host_memory = false;            // "memory": "host"
  std::optional<Fill> fill;
  std::optional<double> value;         // scalar without a fill
  std::string cpp_type;                // from the entry's prototype: "const float*"
};

using Text = std::map<std::string, std::string>;  // "en", "zh"; also how a plain string loads ("en")

struct Case {
  std::string name;                    // in English: what --case, JSON and messages of the catalogue call it
  Text title;                          // the name in each language
  std::map<std::string, std::variant<std::int64_t, std::pair<std::int64_t, std::int64_t>>> sizes;  // pair: random [low, high]
  bool hidden = false, timed = false;
  std::map<std::string, Fill> fills;   // overrides per argument
};

struct Requirement {
  std::string metric;
  std::optional<Expression> min, max;
  Text why;
};

struct Exercise {
  int id = 0;
  std::string slug, chapter, level;
  Text title;
  std::string entry;                   // prototype as written
  std::string entry_name;
  std::vector<Argument> arguments;
  std::map<std::string, std::int64_t> constants;
  std::vector<Case> cases;
  double rtol = 1e-5, atol = 1e-6;
  bool host_results = false;           // true: results may be computed on the host and copied to an output
  std::optional<Expression> work_bytes, work_flops;
  std::vector<Requirement> require;
  std::vector<Text> hints;

  // Resolved beneath the repository's root, all existing unless said otherwise.
  std::filesystem::path stub, statement_en, statement_zh /* may be empty */, reference, cpu_reference;
  std::vector<std::filesystem::path> wrong;   // sorted
  std::vector<std::filesystem::path> right;   // reference/NNN_name/right/*.cu: other correct styles, sorted

  std::string folder_name() const;     // "072_conv1d"
};

// Questions about what a kernel does to memory, or with answers to choose from. The command line asks them; here they are
// checked. docs/authoring.md, section "A quiz".
struct Quiz {
  int id = 0;
  std::string slug, chapter;
  Text title;
  std::size_t questions = 0;

  std::string folder_name() const;
};

struct Chapter {
  std::string slug;
  Text title;
};

struct Catalogue {
  std::vector<Chapter> chapters;       // the course's order
  std::vector<Exercise> exercises;     // by id
  std::vector<Quiz> quizzes;           // by id; they share ids and slugs with the exercises
  const Exercise* find(int id) const;
  const Exercise* find(const std::string& id_or_slug) const;
};

// schema: empty for root/exercises.schema.json.
// Throws CatalogueError: file, line, column, JSON path, found, expected, nearest valid name.
Catalogue load(const std::filesystem::path& root, const std::filesystem::path& schema = {});
class CatalogueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Sizes and constants of one case; random sizes drawn from `seed` (the same for the same seed and case).
Names resolve_sizes(const Exercise& exercise, const Case& one, std::uint64_t seed);
std::vector<std::int64_t> resolve_shape(const Argument& argument, const Names& names);

// Every metric a `require` may name: JUDGE_COUNTERS plus the derived ones (shared_bank_conflicts, global_load_bytes, …).
const std::vector<std::string>& metric_names();

}  // namespace judge::catalogue
