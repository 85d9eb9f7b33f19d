#include <set>

#include "catch.h"
#include "judge/catalogue/catalogue.h"
#include "sandbox_root.h"

using namespace judge::catalogue;

TEST_CASE("a valid catalogue is loaded whole", "[load]") {
  const SandboxRoot root;
  root.write("practice/007_scale/statement.zh.md", "");
  root.write("reference/007_scale/wrong/b.cu", "");
  root.write("reference/007_scale/wrong/a.cu", "");
  root.write("reference/007_scale/wrong/notes.txt", "");
  root.write("reference/007_scale/right/grid_stride.cu", "");
  const Catalogue catalogue = load(root.path());
  REQUIRE(catalogue.chapters.size() == 1);
  CHECK(catalogue.chapters[0].title.at("en") == "First");
  REQUIRE(catalogue.exercises.size() == 1);
  const Exercise& e = catalogue.exercises[0];
  CHECK(e.folder_name() == "007_scale");
  CHECK(e.entry_name == "scale");
  CHECK(e.title.at("en") == "Scale");
  REQUIRE(e.arguments.size() == 4);
  CHECK(e.arguments[0].cpp_type == "const float*");
  CHECK(e.arguments[0].fill->kind == Fill::Kind::uniform);
  CHECK(e.arguments[0].fill->low == -1);
  CHECK(e.arguments[2].value == 2.0);
  CHECK(e.arguments[3].role == Role::size);
  CHECK(e.constants.at("R") == 4);
  REQUIRE(e.cases.size() == 3);
  CHECK(e.cases[1].hidden);
  CHECK(e.cases[2].timed);
  CHECK(e.rtol == 1e-5);
  CHECK(e.work_bytes->evaluate({{"n", 10}}) == 80);
  CHECK_FALSE(e.require[0].min);
  CHECK(e.require[0].max->evaluate({{"n", 10}}) == Approx(48));
  CHECK(e.hints[0].at("en") == "Think.");
  CHECK(e.statement_zh.filename() == "statement.zh.md");
  REQUIRE(e.wrong.size() == 2);
  CHECK(e.wrong[0].filename() == "a.cu");
  REQUIRE(e.right.size() == 1);
  CHECK(e.stub.is_absolute());
}

TEST_CASE("exercises are found by number, slug and folder", "[load]") {
  const SandboxRoot root;
  const Catalogue catalogue = load(root.path());
  CHECK(catalogue.find(7) != nullptr);
  CHECK(catalogue.find("7") != nullptr);
  CHECK(catalogue.find("007") != nullptr);
  CHECK(catalogue.find("scale") != nullptr);
  CHECK(catalogue.find("007_scale") != nullptr);
  CHECK(catalogue.find("7x") == nullptr);
  CHECK(catalogue.find(8) == nullptr);
}

TEST_CASE("a random size depends on seed and case alone and keeps its bounds", "[load]") {
  const SandboxRoot root;
  const Catalogue catalogue = load(root.path());
  const Exercise& e = catalogue.exercises[0];
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Names names = resolve_sizes(e, e.cases[1], seed);
    CHECK(names == resolve_sizes(e, e.cases[1], seed));
    seen.insert(names.at("n"));
    CHECK(names.at("R") == 4);
  }
  CHECK(*seen.begin() == 10);
  CHECK(*seen.rbegin() == 20);
  CHECK(seen.size() == 11);
  CHECK(resolve_sizes(e, e.cases[2], 3).at("n") == 4096);
  CHECK(resolve_shape(e.arguments[0], {{"n", 10}, {"R", 4}}) == std::vector<std::int64_t>{14});
}

TEST_CASE("integer outputs are exact unless the author says otherwise", "[load]") {
  const SandboxRoot root;
  std::string text = replaced(kGoodCatalogue, "\"out\", \"type\": \"float32\"", "\"out\", \"type\": \"int32\"");
  text = replaced(text, "float* y", "int* y");
  text = replaced(text, " \"tolerance\": {\"rtol\": 1e-5, \"atol\": 1e-6},\n", "");
  root.write_catalogue(text);
  const Catalogue catalogue = load(root.path());
  CHECK(catalogue.exercises[0].rtol == 0);
  CHECK(catalogue.exercises[0].atol == 0);
}

TEST_CASE("the shipped catalogue is valid", "[load]") {
  const Catalogue catalogue = load(JUDGE_SOURCE_DIR);
  const Exercise* saxpy = catalogue.find(60);
  const Exercise* conv1d = catalogue.find("conv1d");
  REQUIRE(saxpy != nullptr);
  REQUIRE(conv1d != nullptr);
  CHECK(conv1d->id == 72);
  CHECK(conv1d->arguments[1].host_memory);
  CHECK(resolve_shape(conv1d->arguments[1], resolve_sizes(*conv1d, conv1d->cases[0], 1)) ==
        std::vector<std::int64_t>{17});
  CHECK(saxpy->arguments[0].cpp_type == "float");
}
