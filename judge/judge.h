#pragma once
// The public door of the judge: judge(exercise, source, options) -> Report.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/build/build.h"
#include "judge/catalogue/catalogue.h"
#include "judge/check/check.h"
#include "judge/device/record.h"
#include "judge/program.h"
#include "judge/session/session.h"
#include "judge/verdict/verdict.h"

namespace judge {

struct Options {
  std::string device = "auto";        // auto | emulator | gpu
  std::optional<std::string> only_case;  // name or 1-based number
  std::optional<std::uint64_t> seed;  // printed in every report; drawn from the system when absent
  std::string gpu = "t4";             // whose properties, limits and compile target the emulator has: device/properties.h
  // Beyond the plain order each case that is right there runs under the schedule seeds 1 to `schedules` too; with
  // `schedule` under this one only. A case is reported as it went under the first schedule that was not accepted.
  unsigned schedules = 0;
  std::uint64_t schedule = 0;
  // Later cases are then reported as not run. Without it, a case that ran into the time limit is still the last: those
  // after it are larger.
  bool stop_at_first_failure = true;
  std::filesystem::path root;         // of the exercise's catalogue
  std::filesystem::path home;         // of the judge's own, where that is another: its practice/ has common.cuh too
  std::filesystem::path cache_dir;    // default: default_cache_dir(root), in cache_place.h
  std::filesystem::path program_dir;  // judge-device, judge-host, libcudart.so.13
  const std::atomic<bool>* cancelled = nullptr;  // looked at between the steps; true: judge() throws Cancelled
};

// Not a std::exception, so that no handler takes it for a fault. A progress callback may throw it too.
struct Cancelled {};

struct RequirementResult {
  std::string metric;
  double value = 0;
  std::optional<double> min, max;
  bool met = false;
  catalogue::Text why;
};

struct CaseReport {
  std::string name;  // in English
  catalogue::Text title;
  bool hidden = false, timed = false, ran = false;
  catalogue::Names sizes;
  std::uint64_t seed = 0;
  std::uint64_t schedule = 0;  // the schedule seed of what is reported here; 0: the plain order
  verdict::Verdict verdict = verdict::Verdict::accepted;
  std::vector<check::Comparison> comparisons;
  session::HostOutcome host;
  device::CaseRecord record;
  std::vector<std::string> changed_inputs, broken_guards;
  std::optional<emulator::SourceLocation> writer;  // the line that wrote the first wrong element
  double wall_ms = 0, device_ms = 0;
  std::uint64_t step_limit = 0, wall_limit_ms = 0;  // what the case was given
  std::size_t turn = 0;  // its place in the order in which cases run
};

struct Report {
  int schema_version = 2;
  int exercise_id = 0;
  std::string slug;
  catalogue::Text title;
  std::string entry;           // the prototype that the exercise asks for
  std::string source_path;
  std::string source;          // the snapshot, for excerpts
  bool untouched_stub = false; // the source is the stub as shipped
  std::vector<build::ProgramSource> more_sources;  // of a program that has several files
  bool partial = false;        // --case: not every case was asked for, so that "accepted" is no full judgement
  std::string device;          // "emulator (Tesla T4)", …
  std::string device_reason;   // why this one
  verdict::Verdict verdict = verdict::Verdict::judge_error;
  std::string judge_error_stage, judge_error;   // when verdict == judge_error
  build::Result build;
  std::vector<CaseReport> cases;                // catalogue order
  std::vector<RequirementResult> requirements;  // measured on the timed case (or the largest that ran)
  std::string requirement_case;                 // its name in English
  std::uint64_t seed = 0;
  unsigned schedules = 0;      // asked for, beyond the plain order
  catalogue::Text next_step;                    // one sentence on what to do now
  double wall_ms = 0;
  std::uint64_t device_peak_bytes = 0;
};

using Progress = std::function<void(const std::string& stage, int done, int total)>;  // "compile", "case", …

// Never throws for anything the student did; a fault of the judge becomes a Report with judge_error and its stage.
// Throws std::invalid_argument for options that make no sense (a device that this build lacks, a case that is not there).
Report judge(const catalogue::Exercise& exercise, const std::string& source, const std::string& source_path,
             const Options& options, const Progress& progress = {});

struct CheckItem {  // one submission of an exercise's own and what became of it
  enum class Kind : std::uint8_t { stub, reference, right, wrong } kind = Kind::stub;
  std::filesystem::path path;
  std::optional<verdict::Verdict> expected;  // empty: anything that compiles and is not accepted (stub); or not known
  std::optional<verdict::Verdict> got;       // what a student would read; empty when it could not be judged
  bool ok = false;
  std::string note;  // why not ok
  Report report;     // of a file of wrong/: every case that could run did, also after the first failure
};
std::string_view to_string(CheckItem::Kind kind);

// The submissions that prove an exercise, not judged yet: stub, reference, right/, wrong/.
std::vector<CheckItem> check_items(const catalogue::Exercise& exercise);

// Judges one of them. Stub: compiles and fails; reference and right/: accepted on every case; wrong/: exactly the
// verdict that its first line names, // expect: <verdict>. Throws what judge() throws.
void check_item(const catalogue::Exercise& exercise, CheckItem& item, const Options& options,
                const Progress& progress = {});

}  // namespace judge
