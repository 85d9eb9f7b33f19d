// docs/report.schema.json and json.cpp say the same.

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <fstream>

#include "catch.h"
#include "judge/report/report.h"
#include "samples.h"

using nlohmann::json;

namespace {

json schema_document() {
  std::ifstream in(JUDGE_SOURCE_DIR "/docs/report.schema.json");
  REQUIRE(in.good());
  return json::parse(in);
}

struct ReportSchema {
  valijson::Schema schema;
  ReportSchema() {
    const json text = schema_document();
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  }
};

// Empty when valid, else where and why.
std::string violations(const json& document) {
  static const ReportSchema report_schema;
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(report_schema.schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
  std::string all;
  for (valijson::ValidationResults::Error e; results.popError(e);) {
    for (const std::string& part : e.context) all += part;
    all += ": " + e.description + "\n";
  }
  return all;
}

json json_of(const std::string& sample) {
  for (const auto& s : judge::report::samples::all())
    if (s.name == sample) return json::parse(judge::report::to_json(s.report));
  FAIL("no sample " << sample);
  return {};
}

}  // namespace

TEST_CASE("every report's JSON is valid") {
  for (const auto& sample : judge::report::samples::all()) {
    INFO(sample.name);
    CHECK(violations(json::parse(judge::report::to_json(sample.report))) == "");
  }
}

TEST_CASE("the schema refuses what it should") {
  const json good = json_of("race");
  REQUIRE(violations(good) == "");
  const auto broken = [&](auto&& change) {
    json j = good;
    change(j);
    return violations(j) != "";
  };
  CHECK(broken([](json& j) { j.erase("verdict"); }));
  CHECK(broken([](json& j) { j["verdict"] = "fine"; }));
  CHECK(broken([](json& j) { j["surprise"] = 1; }));
  CHECK(broken([](json& j) { j["cases"][1]["record"]["launches"][0]["faults"][0]["kind"] = "typo"; }));
  CHECK(broken([](json& j) { j["cases"][1]["record"]["launches"][0]["grid"] = {1, 2}; }));
  CHECK(broken([](json& j) { j["cases"][0].erase("host"); }));
  CHECK(broken([](json& j) { j["build"]["diagnostics"] = nullptr; }));
}

TEST_CASE("values arrive where the schema says") {
  const json race = json_of("race");
  CHECK(race["exit_status"] == 15);
  CHECK(race["judge_error"].is_null());
  const json& fault = race["cases"][1]["record"]["launches"][0]["faults"][0];
  CHECK(fault["kind"] == "race");
  CHECK(fault["other"]["where"]["line"] == 9);
  CHECK(fault["other"]["where"]["text"] == "  tile[threadIdx.x + R] = x[i];");
  CHECK(race["cases"][2]["ran"] == false);
  CHECK(race["cases"][2]["verdict"].is_null());

  const json wrong = json_of("wrong_answer_block_edges");
  CHECK(wrong["cases"][1]["comparisons"][0]["first"][2]["got"] == "nan");
  CHECK(json_of("wrong_answer_never_launched")["cases"][1]["comparisons"][0]["first"][0]["got"].is_null());
  CHECK(json_of("accepted")["requirements"]["results"][0]["max"] == 20133249.6);
  CHECK(json_of("judge_error")["judge_error"]["stage"] == "toolchain");
}

TEST_CASE("bytes that are no UTF-8 do not break the JSON") {
  judge::Report report = judge::report::samples::all().front().report;
  report.cases[0].host.stdout_text = "a\xFF\x1b";
  const json j = json::parse(judge::report::to_json(report));
  CHECK(j["cases"][0]["host"]["stdout"] == "a\xEF\xBF\xBD\x1b");
}
