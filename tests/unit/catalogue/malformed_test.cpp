// One mistake at a time in a valid catalogue: the message must name the place, what was found and what was expected.

#include <algorithm>

#include "catch.h"
#include "judge/catalogue/catalogue.h"
#include "judge/catalogue/document.h"
#include "sandbox_root.h"

using judge::catalogue::CatalogueError;
using judge::catalogue::load;

namespace {

std::string problems_of(const SandboxRoot& root) {
  try {
    load(root.path());
  } catch (const CatalogueError& e) {
    return e.what();
  }
  return "";
}

std::string problems_with(const std::string& catalogue) {
  const SandboxRoot root;
  root.write_catalogue(catalogue);
  return problems_of(root);
}

struct Mistake {
  std::string from, to;  // an edit of the valid catalogue
  std::string message;   // the whole message: nothing else may be reported
};

void check(const std::vector<Mistake>& mistakes) {
  for (const Mistake& m : mistakes) {
    INFO("with " << m.to << " in place of " << m.from);
    CHECK(problems_with(replaced(kGoodCatalogue, m.from, m.to)) == m.message);
  }
}

}  // namespace

TEST_CASE("syntax and structure", "[malformed]") {
  check({
      {"\"version\": 1,", "\"version\": 1,,",
       "exercises.json:2:14: not valid JSON: unexpected ','; expected string literal"},
      {"\"version\": 1", "\"version\": 2",
       "exercises.json:2:12: version: found 2, expected 1, the version of this format"},
      {"\"chapters\": [{", "\"chapters\": 3, \"x\": [{",
       "exercises.json:3:13: chapters: found 3, expected a list of chapters, in the course's order\n"
       "exercises.json:3:16: x: unknown field \"x\"; expected one of $schema, chapters, exercises, quizzes, version"},
      {"\"level\": \"easy\"", "\"level\": \"easy\", \"level\": \"hard\"",
       "exercises.json:5:65: exercises[0].level: the key stands here a second time"},
      {"\"level\"", "\"levle\"",
       "exercises.json:5:1: exercises[0]: the field \"level\" is missing; expected one of easy, medium, hard\n"
       "exercises.json:5:48: exercises[0].levle: unknown field \"levle\"; did you mean \"level\"?"},
      {"\"easy\"", "\"esay\"",
       "exercises.json:5:57: exercises[0].level: found \"esay\", expected one of easy, medium, hard; did you mean "
       "\"easy\"?"},
      {"\"id\": 7", "\"id\": \"7\"",
       "exercises.json:5:8: exercises[0].id: found \"7\", expected an integer from 1 to 999"},
      {"\"id\": 7", "\"id\": 1000",
       "exercises.json:5:8: exercises[0].id: found 1000, expected an integer from 1 to 999"},
      {"\"slug\": \"scale\"", "\"slug\": \"../scale\"",
       "exercises.json:5:19: exercises[0].slug: found \"../scale\", expected lower-case letters, digits, '_' and '-', "
       "starting with a letter, at most 40"},
      {"\"chapter\": \"first\"", "\"chapter\": \"fisrt\"",
       "exercises.json:5:39: exercises[0].chapter: unknown chapter \"fisrt\"; expected one of \"chapters\"; did you "
       "mean "
       "\"first\"?"},
      {"\"title\": \"Scale\"", "\"title\": {\"zh\": \"缩放\"}",
       "exercises.json:5:74: exercises[0].title: found {\"zh\":\"缩放\"}, expected a text: a string (English), or an "
       "object with "
       "\"en\" and optionally \"zh\""},
      {"\"rtol\": 1e-5", "\"rtol\": -1",
       "exercises.json:17:24: exercises[0].tolerance.rtol: found -1, expected a number from 0 to 0.1"},
      {"\"rtol\": 1e-5", "\"rtol\": 0.5",
       "exercises.json:17:24: exercises[0].tolerance.rtol: found 0.5, expected a number from 0 to 0.1"},
  });
}

TEST_CASE("prototype against arguments", "[malformed]") {
  const std::string at = "exercises.json:6:";
  const std::string entry = ": exercises[0].entry: ";
  check({
      {"void scale(const float* x,", "int scale(const float* x,",
       at + "12" + entry +
           "at position 1 of the prototype: found \"int\", expected void, the type every entry returns"},
      {"const float* x, float* y", "const float* in, float* y",
       at + "23" + entry + "parameter 1: found \"const float* in\", expected the name \"x\" as in \"arguments\""},
      {"const float* x, float* y", "float* x, float* y",
       at + "23" + entry + "parameter 1: found \"float* x\", expected \"const float* x\""},
      {"float* x, float* y", "float* x, const float* y",
       at + "39" + entry + "parameter 2: found \"const float* y\", expected \"float* y\""},
      {"const float* x, float* y", "const double* x, float* y",
       at + "23" + entry + "parameter 1: found \"const double* x\", expected \"const float* x\""},
      {"float a, int n)", "float* a, int n)",
       at + "49" + entry + "parameter 3: found \"float* a\", expected \"float a\""},
      {"float a, int n)", "float a, float n)",
       at + "58" + entry + "parameter 4: found \"float n\", expected \"int n\" (or long long, size_t)"},
      {"float a, int n)", "float a, int n, int m)",
       at + "11" + entry + "the prototype has 5 parameters, \"arguments\" has 4"},
  });
}

TEST_CASE("arguments and fills", "[malformed]") {
  const std::string x = "exercises.json:8:";
  check({
      {"\"role\": \"in\"", "\"role\": \"input\"",
       x + "25: exercises[0].arguments[0].role: found \"input\", expected one of in, out, inout, size, scalar; did "
           "you mean \"inout\"?"},
      {"\"in\", \"type\": \"float32\"", "\"in\", \"type\": \"float23\"",
       x + "39: exercises[0].arguments[0].type: found \"float23\", expected one of float32, float64, float16, int8, "
           "uint8, "
           "int32, uint32, int64, uint64; did you mean \"float32\"?"},
      {"\"shape\": [\"n+R\"], ", "",
       x + "3: exercises[0].arguments[0]: the field \"shape\" is missing: role \"in\" needs it"},
      {"\"n+R\"", "\"n+\"",
       x + "63: exercises[0].arguments[0].shape[0]: in \"n+\": at position 3 of the expression: found the end, "
           "expected a "
           "number, a name or '('"},
      {"\"n+R\"", "\"n+r\"",
       x + "63: exercises[0].arguments[0].shape[0]: in \"n+r\": at position 3 of the expression: found \"r\", expected "
           "a "
           "size or a constant; did you mean \"R\"?"},
      {"\"n+R\"", "\"n/3\"",
       x + "61: exercises[0].arguments[0].shape[0]: in \"n/3\": the value of \"n/3\" is 0.333333, expected an integer "
           "(ceil_div rounds up)"},
      {"\"n+R\"", "\"n-R\"",
       x + "60: exercises[0].arguments[0].shape[0]: an extent of -3 in case \"one\"; expected at least 1"},
      {"\"uniform\": [-1, 1]", "\"unifrom\": [-1, 1]",
       x + "77: exercises[0].arguments[0].fill.unifrom: unknown field \"unifrom\"; did you mean \"uniform\"?"},
      {"[-1, 1]", "[1, -1]", x + "76: exercises[0].arguments[0].fill: low is above high"},
      {"[-1, 1]", "[-1]",
       x + "88: exercises[0].arguments[0].fill.uniform: found [-1], expected two numbers [low, high]"},
      {"\"uniform\": [-1, 1]", "\"constant\": 1e39",
       x + "76: exercises[0].arguments[0].fill: outside the range of float32"},
      {"\"shape\": [\"n\"]}", "\"shape\": [\"n\"], \"fill\": {\"constant\": 0}}",
       "exercises.json:9:67: exercises[0].arguments[1].fill: an argument of role \"out\" has no field \"fill\""},
      {", \"value\": 2", "",
       "exercises.json:10:3: exercises[0].arguments[2]: a scalar needs exactly one of \"fill\" and "
       "\"value\""},
      {"{\"R\": 4}", "{\"R\": 4, \"x\": 1}",
       "exercises.json:12:24: exercises[0].constants.x: the constant \"x\" has the name of an argument"},
      {"{\"R\": 4}", "{\"R\": 4, \"min\": 1}",
       "exercises.json:12:24: exercises[0].constants.min: \"min\" is a reserved word; expected another name"},
      {"\"role\": \"out\"", "\"role\": \"inout\"",
       "exercises.json:9:3: exercises[0].arguments[1]: the field \"fill\" is missing: role \"inout\" needs it"},
  });
}

TEST_CASE("cases", "[malformed]") {
  check({
      {"{\"name\": \"one\", \"n\": 1}", "{\"name\": \"one\"}",
       "exercises.json:14:3: exercises[0].cases[0]: the size \"n\" is missing"},
      {"\"n\": 1}", "\"n\": \"abc\"}",
       "exercises.json:14:24: exercises[0].cases[0].n: found \"abc\", expected a size: an integer of at least 1, or "
       "{\"random\": [low, high]}"},
      {"\"n\": 1}", "\"n\": 0}",
       "exercises.json:14:24: exercises[0].cases[0].n: found 0, expected a size: an integer of at least 1, or "
       "{\"random\": "
       "[low, high]}"},
      {"\"n\": 1}", "\"n\": 1, \"m\": 2}",
       "exercises.json:14:27: exercises[0].cases[0].m: unknown size \"m\"; expected an argument of role \"size\""},
      {"\"hidden\": true", "\"hiden\": true",
       "exercises.json:15:58: exercises[0].cases[1].hiden: found true, expected a size: an integer of at least 1, or "
       "{\"random\": [low, high]}; did you mean \"hidden\"?"},
      {"[10, 20]", "[20, 10]", "exercises.json:15:38: exercises[0].cases[1].n.random: low is above high"},
      {"\"timed\": true", "\"timed\": true, \"hidden\": true",
       "exercises.json:16:47: exercises[0].cases[2].hidden: a timed case cannot be hidden: students compare its "
       "figures"},
      {"\"hidden\": true", "\"timed\": true",
       "exercises.json:15:27: exercises[0].cases[1].n: a timed case needs fixed sizes, so that its figures can be "
       "compared\n"
       "exercises.json:16:32: exercises[0].cases[2].timed: a second timed case; expected at most one"},
      {"\"name\": \"hidden\"", "\"name\": \"one\"",
       "exercises.json:15:12: exercises[0].cases[1].name: a second case called \"one\""},
      {"4096", "3000000000",
       "exercises.json:16:3: exercises[0].cases[2]: its buffers take 24000000016 bytes, the cap is 2147483648\n"
       "exercises.json:16:26: exercises[0].cases[2].n: 3000000000 does not fit the parameter's type, int"},
      {"\"n\": 1}", "\"n\": 1, \"fill\": {\"X\": {\"constant\": 0}}}",
       "exercises.json:14:36: exercises[0].cases[0].fill.X: \"X\" is no argument of role in, inout or scalar; did you "
       "mean "
       "\"x\"?"},
      {"{\"R\": 4}", "{\"R\": 9007199254740993}",
       "exercises.json:12:21: exercises[0].constants.R: found 9007199254740993, expected an integer of at most 2^53"},
  });
}

TEST_CASE("requirements and work", "[malformed]") {
  check({
      {"\"global_load_bytes\"", "\"global_load_byte\"",
       "exercises.json:19:25: exercises[0].require[0].metric: unknown metric \"global_load_byte\"; did you mean "
       "\"global_load_bytes\"?"},
      {", \"max\": \"1.2*4*n\"", "",
       "exercises.json:19:14: exercises[0].require[0]: a requirement needs \"min\" or \"max\""},
      {"\"max\": \"1.2*4*n\"", "\"min\": 2, \"max\": 1",
       "exercises.json:19:14: exercises[0].require[0]: min is above max in case \"one\""},
      {"\"1.2*4*n\"", "\"1.2*4*m\"",
       "exercises.json:19:60: exercises[0].require[0].max: in \"1.2*4*m\": at position 7 of the expression: found "
       "\"m\", "
       "expected a size or a constant"},
      {"\"flops\": \"n\"", "\"flop\": \"n\"",
       "exercises.json:18:27: exercises[0].work.flop: unknown field \"flop\"; did you mean \"flops\"?"},
  });
}

TEST_CASE("two exercises may not share a number or a name", "[malformed]") {
  const std::size_t begin = kGoodCatalogue.find("{\"id\"");
  const std::string exercise = kGoodCatalogue.substr(begin, kGoodCatalogue.rfind("\n]}") - begin);
  const std::string text = kGoodCatalogue.substr(0, begin) + exercise + ",\n" + exercise + "\n]}";
  CHECK(problems_with(text) ==
        "exercises.json:21:8: exercises[1].id: a second exercise with id 7\n"
        "exercises.json:21:19: exercises[1].slug: a second exercise with slug \"scale\"");
}

TEST_CASE("a shape that overflows 64 bits", "[malformed]") {
  const std::string text = replaced(kGoodCatalogue, "\"n+R\"", "\"n*4194304\", 4194304, 4194304, 4194304");
  CHECK_THAT(problems_with(text), Catch::Contains("exercises[0].cases[0]: the shape of \"x\" overflows 64 bits"));
}

TEST_CASE("missing files and files elsewhere", "[malformed]") {
  const SandboxRoot root;
  const auto practice = root.path() / "practice/007_scale";
  std::filesystem::remove(practice / "statement.md");
  std::filesystem::remove(practice / "scale.cu");
  std::filesystem::create_symlink("/etc/hostname", practice / "scale.cu");
  CHECK(problems_of(root) ==
        "exercises.json:5:1: exercises[0]: practice/007_scale/scale.cu leads out of the repository\n"
        "exercises.json:5:1: exercises[0]: practice/007_scale/statement.md is missing");
}

TEST_CASE("a file that is no catalogue", "[malformed]") {
  CHECK_THAT(problems_with(""), Catch::Contains("exercises.json:1:1: not valid JSON: unexpected end of input"));
  CHECK(problems_with("[]") == "exercises.json:1:1: found [], expected an object with version, chapters and exercises");
  CHECK_THAT(problems_with("{}"), Catch::Contains("the field \"exercises\" is missing; expected a list of exercises"));
  CHECK_THAT(problems_with(std::string(100000, '[')), Catch::Contains("not valid JSON"));
  CHECK_THAT(problems_with(std::string(200, '[') + std::string(200, ']')), Catch::Contains("nested deeper than 64"));
  CHECK_THAT(problems_with("{\"version\": \"\xff\"}"), Catch::Contains("exercises.json:1:"));
  const SandboxRoot root;
  std::filesystem::remove(root.path() / "exercises.json");
  CHECK_THAT(problems_of(root), Catch::Contains("exercises.json: cannot be read"));
}

TEST_CASE("columns count characters, not bytes", "[malformed]") {
  const std::string text =
      replaced(kGoodCatalogue, "\"easy\", \"title\": \"Scale\"", "\"easy\", \"title\": \"缩放\", \"x\": 1");
  CHECK_THAT(problems_with(text), Catch::StartsWith("exercises.json:5:80: exercises[0].x: unknown field"));
}

TEST_CASE("all problems are reported, twenty of them in full", "[malformed]") {
  std::string fields;
  for (int i = 0; i < 25; ++i) fields += "\"zz" + std::to_string(i) + "\": 0, ";
  const std::string message = problems_with(replaced(kGoodCatalogue, "\"id\": 7", fields + "\"id\": 7"));
  CHECK(std::count(message.begin(), message.end(), '\n') == 20);
  CHECK_THAT(message, Catch::Contains("… and 5 more problems"));
}

TEST_CASE("a broken schema is not blamed on the catalogue", "[malformed]") {
  const SandboxRoot root;
  root.write("exercises.schema.json", "{");
  CHECK_THAT(problems_of(root), Catch::StartsWith("exercises.schema.json:1:2: not valid JSON"));
}
