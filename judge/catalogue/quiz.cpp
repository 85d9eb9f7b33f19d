#include "judge/catalogue/quiz.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "judge/catalogue/nearest.h"

namespace judge::catalogue {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kQuestionsFile = "questions.cu";
constexpr std::string_view kKernelHead = "__global__ void ";
constexpr std::string_view kMark = "// <--";  // at the line that a question asks about

// Of a launch or a compilation, and of no single line.
constexpr std::array<std::string_view, 7> kNotOfALine = {"registers_per_thread", "spill_bytes", "static_shared_bytes",
                                                         "dynamic_shared_bytes", "local_bytes", "launches",
                                                         "block_threads"};

std::vector<std::string> metrics_of_a_line() {
  std::vector<std::string> names = metric_names();
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) {
                               return std::find(kNotOfALine.begin(), kNotOfALine.end(), name) != kNotOfALine.end();
                             }),
              names.end());
  return names;
}

std::vector<std::string> kernels_in(const std::string& source) {
  std::vector<std::string> names;
  for (std::size_t at = source.find(kKernelHead); at != std::string::npos; at = source.find(kKernelHead, at + 1)) {
    const std::size_t begin = at + kKernelHead.size();
    names.push_back(source.substr(begin, source.find('(', begin) - begin));
  }
  return names;
}

// From the kernel's head to the closing brace that stands alone at the beginning of a line.
std::size_t marks_in(const std::string& source, const std::string& kernel) {
  const std::size_t begin = source.find(std::string(kKernelHead) + kernel + "(");
  const std::string body = source.substr(begin, source.find("\n}", begin) - begin);
  std::size_t count = 0;
  for (std::size_t at = body.find(kMark); at != std::string::npos; at = body.find(kMark, at + 1)) ++count;
  return count;
}

void check_measured(const json& question, const std::string& source, const Path& at, const Review& review) {
  if (!question.contains("kernel")) {
    review.value(at, "a question with \"metric\" needs \"kernel\"; expected the name of a kernel of questions.cu");
    return;
  }
  const std::string metric = question.at("metric").get<std::string>();
  const std::vector<std::string> known = metrics_of_a_line();
  if (std::find(known.begin(), known.end(), metric) == known.end()) {
    review.value(at / "metric", "\"" + metric + "\" is no metric of a source line" + did_you_mean(metric, known));
  }
  const std::string kernel = question.at("kernel").get<std::string>();
  const std::vector<std::string> kernels = kernels_in(source);
  if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
    review.value(at / "kernel", "questions.cu has no kernel \"" + kernel + "\"; expected a line that begins with \"" +
                                    std::string(kKernelHead) + kernel + "(\"" + did_you_mean(kernel, kernels));
  } else if (const std::size_t marks = marks_in(source, kernel); marks != 1) {
    review.value(at / "kernel", "the kernel \"" + kernel + "\" has " + std::to_string(marks) + " lines marked with \"" +
                                    std::string(kMark) + "\"; expected one");
  }
}

void check_question(const json& question, const std::string& source, const Path& at, const Review& review) {
  const bool measured = question.contains("metric"), chosen = question.contains("choices");
  if (measured == chosen) {
    review.value(at,
                 std::string(measured ? "both" : "neither") + " of \"metric\" and \"choices\"; expected one of them");
    return;
  }
  if (measured) {
    if (question.contains("answer"))
      review.key(at / "answer", "the answer of a question with \"metric\" is measured; expected no \"answer\"");
    check_measured(question, source, at, review);
    return;
  }
  if (!question.contains("answer")) {
    review.value(at, "the field \"answer\" is missing; expected the number of the right choice, from 1");
  } else if (question.at("answer").get<std::size_t>() > question.at("choices").size()) {
    review.value(at / "answer", "found " + question.at("answer").dump() + ", expected the number of one of the " +
                                    std::to_string(question.at("choices").size()) + " choices, from 1");
  }
  for (const char* field : {"kernel", "threads"})
    if (question.contains(field))
      review.key(at / field, "a question with \"choices\" runs nothing; expected no \"" + std::string(field) + "\"");
}

}  // namespace

Quiz read_quiz(const json& value, const fs::path& root, const Path& at, const Review& review) {
  Quiz quiz;
  quiz.id = value.at("id").get<int>();
  quiz.slug = value.at("slug").get<std::string>();
  quiz.chapter = value.at("chapter").get<std::string>();
  quiz.title = read_text_field(value.at("title"));
  quiz.questions = value.at("questions").size();
  const json& questions = value.at("questions");
  const fs::path folder = fs::path("practice") / quiz.folder_name();
  const bool measures =
      std::any_of(questions.begin(), questions.end(), [](const json& q) { return q.contains("metric"); });
  resolve_file(folder / "statement.md", true, root, at, review);
  const fs::path file = resolve_file(folder / kQuestionsFile, measures, root, at, review);
  const std::string source = file.empty() ? "" : read_text(file, file.filename().string());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const bool no_source = file.empty() && questions[i].contains("metric");  // told once, above
    if (!no_source) check_question(questions[i], source, (at / "questions")[i], review);
  }
  return quiz;
}

}  // namespace judge::catalogue
