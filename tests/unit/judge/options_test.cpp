#include "catch.h"
#include "judge/judge.h"

using namespace judge;

namespace {

catalogue::Exercise exercise() {
  catalogue::Exercise e;
  e.id = 1;
  e.slug = "nothing";
  e.stub = "nothing.cu";
  e.cases.resize(2);
  e.cases[0].name = "one";
  e.cases[1].name = "two";
  return e;
}

std::string refusal(const Options& options) {
  try {
    judge::judge(exercise(), "", "nothing.cu", options);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("options that make no sense are the caller's mistake, and say what would be right") {
  Options options;
  options.device = "gpu";
  CHECK(refusal(options).find("emulator") != std::string::npos);
  options.device = "tpu";
  CHECK(refusal(options) == "unknown device \"tpu\": use auto or emulator");
  options.device = "auto";
  options.only_case = "three";
  CHECK(refusal(options) == "there is no case \"three\": this exercise has 1 \"one\", 2 \"two\"");
  options.only_case = "0";
  CHECK(refusal(options) != "");
  options.only_case = "3";
  CHECK(refusal(options) != "");
}

TEST_CASE("a judgement that is called off before it began is thrown away") {
  const std::atomic<bool> cancelled{true};
  Options options;
  options.cancelled = &cancelled;
  bool thrown = false;
  try {
    judge::judge(exercise(), "", "nothing.cu", options);
  } catch (const Cancelled&) {
    thrown = true;
  }
  CHECK(thrown);
}

TEST_CASE("a judge that cannot work says so and blames nobody") {
  Options options;
  options.program_dir = "/dev/null/programs";
  options.root = options.cache_dir = "/dev/null/cache";  // no folder can be made there, even by root
  options.seed = 42;
  const Report report = judge::judge(exercise(), "// nothing", "nothing.cu", options);
  CHECK(report.verdict == verdict::Verdict::judge_error);
  CHECK(report.judge_error_stage != "");
  CHECK(report.judge_error != "");
  CHECK(report.seed == 42);
  CHECK(report.next_step.at("en").find("not a fault of your code") != std::string::npos);
}
