// Reports made by hand against files that a person has read. JUDGE_UPDATE_GOLDEN=1 writes the files anew.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.h"
#include "judge/report/report.h"
#include "judge/report/text.h"
#include "samples.h"

using namespace judge::report;

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string without_colour(std::string text) {
  for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;) text.erase(at, text.find('m', at) - at + 1);
  return text;
}

}  // namespace

TEST_CASE("reports are as their golden files") {
  const bool update = std::getenv("JUDGE_UPDATE_GOLDEN") != nullptr;
  for (const auto& sample : samples::all())
    for (const std::string& language : sample.languages) {
      const auto path =
          std::filesystem::path(JUDGE_SOURCE_DIR) / "tests/golden" / (sample.name + "." + language + ".txt");
      INFO(path.string());
      const std::string text = to_terminal(sample.report, {false, 100, language});
      if (update) std::ofstream(path, std::ios::binary) << text;
      REQUIRE(std::filesystem::exists(path));
      CHECK(text == read(path));
    }
}

TEST_CASE("no line is wider than asked for, in either language, coloured or not") {
  for (const auto& sample : samples::all())
    for (const std::string language : {"en", "zh"})
      for (const int width : {40, 72, 100, 250})
        for (const bool colour : {false, true}) {
          INFO(sample.name << " " << language << " " << width << " " << colour);
          const std::string text = to_terminal(sample.report, {colour, width, language});
          std::size_t begin = 0;
          int widest = 0;
          while (begin < text.size()) {
            const std::size_t end = text.find('\n', begin);
            REQUIRE(end != std::string::npos);  // every line ends
            widest = std::max(widest, columns(std::string_view(text).substr(begin, end - begin)));
            begin = end + 1;
          }
          CHECK(widest <= std::min(width, 100));
        }
}

TEST_CASE("colour adds nothing but colour, and nothing foreign gets through") {
  for (const auto& sample : samples::all()) {
    INFO(sample.name);
    const std::string plain = to_terminal(sample.report, {false, 100, "en"});
    const std::string coloured = to_terminal(sample.report, {true, 100, "en"});
    CHECK(plain.find('\x1b') == std::string::npos);
    CHECK(coloured.find('\x1b') != std::string::npos);
    CHECK(without_colour(coloured) == plain);
  }
}

TEST_CASE("names and messages from a submission cannot steer the terminal") {
  judge::Report report = samples::all().front().report;
  report.verdict = judge::verdict::Verdict::runtime_error;
  report.source_path = "evil\x1b]0;title\x07.cu";
  report.cases[0].verdict = report.verdict;
  report.cases[0].record.api_errors = {
      {"cuda\rMalloc", 2, "name\x1b[2J", "detail\xE2\x80\xAE reversed \xFF", false, 0, {}}};
  report.cases[0].record.kernel_output =
      "line\b\b\x9b"
      "2J\n";
  report.build.kernels[0].kernel = "k\x1b[31m";
  const std::string text = to_terminal(report, {false, 100, "en"});
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(text.find("\xE2\x80\xAE") == std::string::npos);  // right-to-left override
  CHECK(text.find('\xFF') == std::string::npos);
  CHECK(text.find("cuda␍Malloc") != std::string::npos);
  CHECK(text.find("\xEF\xBF\xBD"
                  "2J") != std::string::npos);  // the C1 byte is gone, the rest is plain text
}

TEST_CASE("an order of execution that is not right is named with what repeats it") {
  for (auto sample : samples::all()) {
    if (sample.name != "wrong_answer_never_launched") continue;
    sample.report.schedules = 5;
    sample.report.cases[1].schedule = 3;
    const std::string text = to_terminal(sample.report, {false, 100, "en"});
    CHECK(text.find("schedule  3 (the same order again: --schedule 3)") != std::string::npos);
    CHECK(text.find("The plain order of execution was right") != std::string::npos);
    CHECK(to_terminal(sample.report, {false, 100, "zh"}).find("--schedule 3") != std::string::npos);
    // Asked for by --schedule alone, nothing is known of the plain order.
    sample.report.schedules = 0;
    CHECK(to_terminal(sample.report, {false, 100, "en"}).find("plain order") == std::string::npos);
    return;
  }
  FAIL("no such sample");
}
