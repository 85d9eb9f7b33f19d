#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "judge/catalogue/catalogue.h"
#include "judge/catalogue/nearest.h"
#include "judge/catalogue/quiz.h"
#include "judge/catalogue/read.h"
#include "judge/catalogue/schema.h"

namespace judge::catalogue {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kFile = "exercises.json";
constexpr const char* kSchemaFile = "exercises.schema.json";

// nlohmann's sentence is "[json.exception.…] parse error at line 3, column 5: syntax error while parsing value -
// unexpected '}'; expected …": the part after the dash is the useful one.
std::string syntax_message(const std::string& what) {
  const std::size_t dash = what.find(" - ");
  return "not valid JSON: " + (dash == std::string::npos ? what : what.substr(dash + 3));
}

json parse_json(const std::string& text, const std::string& shown_name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    Problems problems(shown_name, text);
    problems.add(e.byte > 0 ? e.byte - 1 : 0, Path{}, syntax_message(e.what()));
    throw CatalogueError(problems.text());
  }
}

bool beneath(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

std::vector<fs::path> cuda_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;  // a folder that is not there has no files
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Chapter> read_chapters(const json& document, const Review& review) {
  std::vector<Chapter> chapters;
  for (std::size_t i = 0; i < document.at("chapters").size(); ++i) {
    const json& value = document.at("chapters")[i];
    Chapter chapter{value.at("slug").get<std::string>(), read_text_field(value.at("title"))};
    for (const Chapter& other : chapters) {
      if (other.slug == chapter.slug) {
        review.value((Path{} / "chapters")[i] / "slug", "a second chapter \"" + chapter.slug + "\"");
      }
    }
    chapters.push_back(std::move(chapter));
  }
  return chapters;
}

void check_chapter(const std::string& chapter, const std::vector<Chapter>& chapters, const Path& at,
                   const Review& review) {
  std::vector<std::string> known;
  for (const Chapter& c : chapters) known.push_back(c.slug);
  if (std::find(known.begin(), known.end(), chapter) != known.end()) return;
  review.value(at / "chapter",
               "unknown chapter \"" + chapter + "\"; expected one of \"chapters\"" + did_you_mean(chapter, known));
}

bool has_problem_beneath(const std::vector<SchemaProblem>& problems, const Path& at) {
  return std::any_of(problems.begin(), problems.end(), [&](const SchemaProblem& p) {
    return p.path.pointer == at.pointer || p.path.pointer.rfind(at.pointer + "/", 0) == 0;
  });
}

}  // namespace

fs::path resolve_file(const fs::path& relative, bool required, const fs::path& root, const Path& at,
                      const Review& review) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(root / relative, error);
  if (error || !beneath(path, root)) {
    review.value(at, relative.string() + " leads out of the repository");
    return {};
  }
  if (fs::is_regular_file(path, error)) return path;
  if (required) review.value(at, relative.string() + " is missing");
  return {};
}

void find_files(Exercise& e, const fs::path& root, const Path& at, const Review& review) {
  const auto resolve = [&](const fs::path& relative, bool required) {
    return resolve_file(relative, required, root, at, review);
  };
  const fs::path practice = fs::path("practice") / e.folder_name();
  const fs::path reference = fs::path("reference") / e.folder_name();
  e.stub = resolve(practice / (e.slug + ".cu"), true);
  e.statement_en = resolve(practice / "statement.md", true);
  e.statement_zh = resolve(practice / "statement.zh.md", false);
  e.reference = resolve(reference / (e.slug + ".cu"), true);
  e.cpu_reference = resolve(reference / (e.slug + "_cpu.cpp"), true);
  for (const fs::path& file : cuda_files(root / reference / "wrong")) {
    if (fs::path path = resolve(file.lexically_relative(root), true); !path.empty()) e.wrong.push_back(std::move(path));
  }
  for (const fs::path& file : cuda_files(root / reference / "right")) {
    if (fs::path path = resolve(file.lexically_relative(root), true); !path.empty()) e.right.push_back(std::move(path));
  }
}

Catalogue load(const fs::path& root_as_given, const fs::path& schema_as_given) {
  std::error_code error;
  const fs::path root = fs::canonical(root_as_given, error);
  if (error) throw CatalogueError(root_as_given.string() + ": not a folder; expected the repository's root");

  const std::string text = read_text(root / kFile, kFile);
  const json schema =
      parse_json(read_text(schema_as_given.empty() ? root / kSchemaFile : schema_as_given, kSchemaFile), kSchemaFile);
  const json document = parse_json(text, kFile);
  const Positions positions(text);
  Problems problems(kFile, text);
  const Review review{positions, problems};

  for (const auto& duplicate : positions.duplicates()) {
    problems.add(duplicate.offset, duplicate.path, "the key stands here a second time");
  }
  const std::vector<SchemaProblem> broken = validate(schema, document);
  for (const SchemaProblem& p : broken) p.at_key ? review.key(p.path, p.message) : review.value(p.path, p.message);

  Catalogue catalogue;
  // Without both lists nothing below has ground to stand on.
  if (!document.is_object() || !document.contains("exercises") || !document.at("exercises").is_array()) {
    throw CatalogueError(problems.text());
  }
  const bool chapters_usable = document.contains("chapters") && !has_problem_beneath(broken, Path{} / "chapters");
  if (chapters_usable) catalogue.chapters = read_chapters(document, review);
  std::set<int> ids;
  std::set<std::string> slugs;
  const auto check_place = [&](const auto& e, const Path& at) {
    if (chapters_usable) check_chapter(e.chapter, catalogue.chapters, at, review);
    if (!ids.insert(e.id).second) review.value(at / "id", "a second exercise with id " + std::to_string(e.id));
    if (!slugs.insert(e.slug).second) review.value(at / "slug", "a second exercise with slug \"" + e.slug + "\"");
  };
  for (std::size_t i = 0; i < document.at("exercises").size(); ++i) {
    const Path at = (Path{} / "exercises")[i];
    if (has_problem_beneath(broken, at)) continue;
    Exercise e = read_exercise(document.at("exercises")[i], at, review);
    check_exercise(e, at, review);
    check_place(e, at);
    find_files(e, root, at, review);
    catalogue.exercises.push_back(std::move(e));
  }
  const json no_quizzes = json::array();
  const json& quizzes =
      document.contains("quizzes") && document.at("quizzes").is_array() ? document.at("quizzes") : no_quizzes;
  for (std::size_t i = 0; i < quizzes.size(); ++i) {
    const Path at = (Path{} / "quizzes")[i];
    if (has_problem_beneath(broken, at)) continue;
    catalogue.quizzes.push_back(read_quiz(quizzes[i], root, at, review));
    check_place(catalogue.quizzes.back(), at);
  }
  if (!problems.empty()) throw CatalogueError(problems.text());
  const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
  std::sort(catalogue.exercises.begin(), catalogue.exercises.end(), by_id);
  std::sort(catalogue.quizzes.begin(), catalogue.quizzes.end(), by_id);
  return catalogue;
}

}  // namespace judge::catalogue
