// Quizzes: one that loads, and one mistake at a time.

#include "catch.h"
#include "judge/catalogue/catalogue.h"
#include "sandbox_root.h"

using judge::catalogue::CatalogueError;
using judge::catalogue::load;

namespace {

const std::string kQuiz = R"json(,
"quizzes": [
{"id": 9, "slug": "ask", "chapter": "first", "title": "Ask",
 "questions": [
  {"kernel": "first", "metric": "global_load_sectors", "ask": "How many?", "explain": "So."},
  {"choices": ["yes", "no"], "answer": 2, "ask": "Is it?", "explain": "No."}]}
]})json";

const char* const kKernels =
    "__global__ void first(const float* in, float* out) {\n  const float v = in[0];  // <--\n  out[0] = v;\n}\n"
    "__global__ void unmarked(float* out) {\n  out[0] = 1;\n}\n"
    "__global__ void twice(float* out) {\n  out[0] = 1;  // <--\n  out[1] = 1;  // <--\n}\n";

std::string problems_with(const std::string& quiz, bool with_files = true) {
  const SandboxRoot root;
  if (with_files) {
    root.write("practice/009_ask/questions.cu", kKernels);
    root.write("practice/009_ask/statement.md", "");
  }
  root.write_catalogue(kGoodCatalogue.substr(0, kGoodCatalogue.rfind('}')) + quiz);
  try {
    const auto catalogue = load(root.path());
    REQUIRE(catalogue.quizzes.size() == 1);
    CHECK(catalogue.quizzes[0].folder_name() == "009_ask");
    CHECK(catalogue.quizzes[0].questions == 2);
  } catch (const CatalogueError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a quiz loads", "[quiz]") {
  CHECK(problems_with(kQuiz) == "");
}

TEST_CASE("mistakes in quizzes", "[quiz]") {
  struct Mistake {
    std::string from, to, message;  // of the first line, after the place
  };
  const std::string first = "quizzes[0].questions[0]", second = "quizzes[0].questions[1]";
  for (const Mistake& m : {
           Mistake{"\"id\": 9", "\"id\": 7", "quizzes[0].id: a second exercise with id 7"},
           Mistake{"\"slug\": \"ask\"", "\"slug\": \"scale\"",
                   "quizzes[0].slug: a second exercise with slug \"scale\""},
           Mistake{
               "\"first\", \"title\"", "\"frist\", \"title\"",
               "quizzes[0].chapter: unknown chapter \"frist\"; expected one of \"chapters\"; did you mean \"first\"?"},
           Mistake{"\"metric\": \"global_load_sectors\", ", "",
                   first + ": neither of \"metric\" and \"choices\"; expected one of them"},
           Mistake{"\"answer\": 2", "\"answer\": 2, \"metric\": \"barriers\"",
                   second + ": both of \"metric\" and \"choices\"; expected one of them"},
           Mistake{
               "\"kernel\": \"first\", ", "",
               first + ": a question with \"metric\" needs \"kernel\"; expected the name of a kernel of questions.cu"},
           Mistake{"\"global_load_sectors\"", "\"global_load_sector\"",
                   first + ".metric: \"global_load_sector\" is no metric of a source line; did you mean "
                           "\"global_load_sectors\"?"},
           Mistake{"\"global_load_sectors\"", "\"spill_bytes\"",
                   first + ".metric: \"spill_bytes\" is no metric of a source line"},
           Mistake{"\"kernel\": \"first\"", "\"kernel\": \"frist\"",
                   first + ".kernel: questions.cu has no kernel \"frist\"; expected a line that begins with "
                           "\"__global__ void frist(\"; did you mean \"first\"?"},
           Mistake{"\"kernel\": \"first\"", "\"kernel\": \"unmarked\"",
                   first + ".kernel: the kernel \"unmarked\" has 0 lines marked with \"// <--\"; expected one"},
           Mistake{"\"kernel\": \"first\"", "\"kernel\": \"twice\"",
                   first + ".kernel: the kernel \"twice\" has 2 lines marked with \"// <--\"; expected one"},
           Mistake{"\"explain\": \"So.\"", "\"explain\": \"So.\", \"answer\": 1",
                   first + ".answer: the answer of a question with \"metric\" is measured; expected no \"answer\""},
           Mistake{"\"answer\": 2, ", "",
                   second + ": the field \"answer\" is missing; expected the number of the right choice, from 1"},
           Mistake{"\"answer\": 2", "\"answer\": 3",
                   second + ".answer: found 3, expected the number of one of the 2 choices, from 1"},
           Mistake{"\"answer\": 2", "\"answer\": 2, \"threads\": 32",
                   second + ".threads: a question with \"choices\" runs nothing; expected no \"threads\""},
           Mistake{"[\"yes\", \"no\"]", "[\"yes\"]",
                   second + ".choices: found [\"yes\"], expected a list of 2 to 6 texts"},
           Mistake{"\"explain\": \"No.\"", "\"explian\": \"No.\"", second + ": the field \"explain\" is missing"},
       }) {
    INFO("with " << m.to << " in place of " << m.from);
    CHECK_THAT(problems_with(replaced(kQuiz, m.from, m.to)), Catch::Contains(": " + m.message));
  }
  CHECK_THAT(problems_with(kQuiz, false), Catch::Contains("quizzes[0]: practice/009_ask/questions.cu is missing"));
  CHECK_THAT(problems_with(kQuiz, false), Catch::Contains("quizzes[0]: practice/009_ask/statement.md is missing"));
}
