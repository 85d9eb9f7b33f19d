// How this works. Cases run smallest first, so that the failure a student sees is the smallest one. Three things go on
// at once: the compiler (or its cache), the start of the device process, and a thread that makes inputs and expected
// outputs (preparation.h). Then case after case runs in one session; each result is compared, and evidence becomes
// facts (facts.h). verdict::decide has the last word. Exceptions in here are faults of the judge and end as
// judge_error.

#include "judge/judge.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "judge/advice.h"
#include "judge/cache_place.h"
#include "judge/catalogue/metrics.h"
#include "judge/device/properties.h"
#include "judge/device/transfers.h"
#include "judge/facts.h"
#include "judge/preparation.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;
using verdict::Verdict;

constexpr std::size_t kMostCallLines = 6;  // a process each; a report shows fewer

constexpr std::size_t kMaxSourceBytes = 1 << 20;  // a thousand times an exercise's solution

// An endless kernel should end soon in a small case and a slow but honest one should not: both limits grow with the
// case.
// The step limit is the one to be met, because it is the same on every machine: the wall limit leaves time for all
// those steps at 13 million warp instructions a second, a tenth of what one core of a common machine does.
constexpr std::uint64_t kStepsPerCase = 250'000'000, kStepsPerElement = 1'000;
constexpr std::chrono::milliseconds kWallPerCase{6'000};
constexpr std::uint64_t kStepsPerWallMs = 400'000;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// splitmix64 (Steele, Lea, Flood 2014): cases get unrelated seeds from one that is short enough to type.
std::uint64_t case_seed(std::uint64_t seed, std::size_t index) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ull * (index + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void check_device(const std::string& device) {
  if (device == "auto" || device == "emulator") return;
  if (device == "gpu")
    throw std::invalid_argument(
        "this version judges on the emulator only: running on a GPU and timing there are not part of it yet. Use "
        "--device emulator (or auto); every verdict is decided there.");
  throw std::invalid_argument("unknown device \"" + device + "\": use auto or emulator");
}

std::size_t find_case(const catalogue::Exercise& exercise, const std::string& wanted) {
  std::string known;
  for (std::size_t i = 0; i < exercise.cases.size(); ++i) {
    const catalogue::Text& title = exercise.cases[i].title;
    const bool named = std::any_of(title.begin(), title.end(), [&](const auto& t) { return t.second == wanted; });
    if (named || exercise.cases[i].name == wanted || std::to_string(i + 1) == wanted) return i;
    known += fmt::format("{}{} \"{}\"", i == 0 ? "" : ", ", i + 1, exercise.cases[i].name);
  }
  throw std::invalid_argument("there is no case \"" + wanted + "\": this exercise has " + known);
}

std::filesystem::path cache_dir(const Options& options) {
  if (!options.cache_dir.empty()) return options.cache_dir;
  return default_cache_dir(options.root);
}

// A catalogue of one's own may have a header of its own.
std::filesystem::path common_header(const Options& options) {
  const std::filesystem::path own = options.root / "practice/common.cuh";
  std::error_code error;
  return options.home.empty() || std::filesystem::exists(own, error) ? own : options.home / "practice/common.cuh";
}

// In the order they run: smallest first, catalogue order among equals.
std::vector<PlannedCase> plan_cases(const catalogue::Exercise& exercise, std::optional<std::size_t> only,
                                    std::uint64_t seed) {
  std::vector<PlannedCase> plan;
  for (std::size_t i = 0; i < exercise.cases.size(); ++i) {
    if (only && *only != i) continue;
    PlannedCase p;
    p.index = i;
    p.seed = case_seed(seed, i);
    p.names = catalogue::resolve_sizes(exercise, exercise.cases[i], p.seed);
    p.elements = total_elements(exercise, p.names);
    plan.push_back(std::move(p));
  }
  std::stable_sort(plan.begin(), plan.end(), [](const auto& a, const auto& b) { return a.elements < b.elements; });
  return plan;
}

build::Result too_large(const std::string& name, std::size_t bytes) {
  build::Result result;
  build::Diagnostic d;
  d.file = name;
  d.text = fmt::format("the file has {} bytes; a submission may have at most {}", bytes, kMaxSourceBytes);
  result.diagnostics.push_back(std::move(d));
  return result;
}

// Line information holds the path at which the snapshot was compiled, in a folder that is gone; students know their
// file by its name.
void name_submission(const std::string& name, device::CaseRecord& record) {
  const auto rename = [&](emulator::SourceLocation& where) { where.file = build::true_name(where.file, name); };
  for (device::LaunchRecord& launch : record.launches) {
    for (device::LineRecord& line : launch.lines) rename(line.where);
    for (device::Fault& fault : launch.faults) {
      rename(fault.where);
      if (fault.other) rename(fault.other->where);
    }
  }
  for (device::InputWrite& write : record.input_writes) rename(write.where);
}

// Calls of the host program that a report may name get their lines.
void find_call_lines(const std::filesystem::path& library, const std::string& name, device::CaseRecord& record) {
  std::map<device::CallSite, emulator::SourceLocation> known;
  const auto find = [&](device::CallSite site, emulator::SourceLocation& where) {
    if (site == 0) return;
    if (const auto seen = known.find(site); seen != known.end()) {
      where = seen->second;
      return;
    }
    if (known.size() == kMostCallLines) return;
    if (const auto line = build::call_line(library, site, name)) where = {line->file, line->line, 0, ""};
    known[site] = where;
  };
  for (device::ApiError& error : record.api_errors)
    if (!is_consequence(error, record)) find(error.call_site, error.where);
  for (device::InputWrite& write : record.input_writes) find(write.call_site, write.where);
  for (device::HostResult& result : record.host_results) find(result.call_site, result.where);
}

bool is_shipped_stub(const catalogue::Exercise& exercise, const std::string& source) {
  std::ifstream file(exercise.reference.parent_path() / "stub.cu", std::ios::binary);
  return file && std::string(std::istreambuf_iterator<char>(file), {}) == source;
}

// A single source line of the case's kernels stores to global memory: then that line wrote whatever was written.
std::optional<emulator::SourceLocation> only_writer(const device::CaseRecord& record) {
  std::optional<emulator::SourceLocation> writer;
  for (const device::LaunchRecord& launch : record.launches)
    for (const device::LineRecord& line : launch.lines) {
      const auto& c = line.counters;
      if (c.global_store_requests + c.global_red_requests + c.global_atom_requests == 0 || line.where.line == 0)
        continue;
      if (writer && (writer->line != line.where.line || writer->file != line.where.file)) return std::nullopt;
      writer = line.where;
    }
  return writer;
}

void add_transfers(const device::Transfers& t, catalogue::ResourceFacts& r) {
  r.copied_to_device_bytes = t.copied_to_device_bytes;
  r.copied_from_device_bytes = t.copied_from_device_bytes;
  r.managed_bytes = t.managed_bytes;
  r.prefetched_bytes = t.prefetched_bytes;
  r.streams_used = t.overlap.streams;
  r.async_copy_bytes = t.overlap.async_copy_bytes;
  r.overlapped_copy_bytes = t.overlap.overlapped_bytes;
  r.unwaited_copies = t.overlap.unwaited_copies;
  r.clashing_copies = t.overlap.clashing_copies;
}

catalogue::ResourceFacts resources_of(const device::CaseRecord& record, const build::Result& build) {
  catalogue::ResourceFacts r;
  r.launches = static_cast<std::uint64_t>(
      std::count_if(record.operations.begin(), record.operations.end(),
                    [](const device::Operation& o) { return o.kind == device::OperationKind::launch; }));
  for (const device::LaunchRecord& l : record.launches) {
    r.static_shared_bytes = std::max<std::uint64_t>(r.static_shared_bytes, l.static_shared_bytes);
    r.dynamic_shared_bytes = std::max<std::uint64_t>(r.dynamic_shared_bytes, l.dynamic_shared_bytes);
    r.block_threads = std::max(r.block_threads, std::uint64_t{l.block.x} * l.block.y * l.block.z);
  }
  add_transfers(device::transfers_of(record.operations), r);
  for (const build::KernelResources& k : build.kernels) {
    r.registers = std::max<std::uint64_t>(r.registers, static_cast<std::uint64_t>(k.registers));
    r.spill_bytes = std::max<std::uint64_t>(r.spill_bytes, k.spill_store_bytes + k.spill_load_bytes);
    r.local_bytes = std::max<std::uint64_t>(r.local_bytes, k.stack_bytes);
  }
  return r;
}

class Judgement {
 public:
  Judgement(const catalogue::Exercise& exercise, const Options& options, const Progress& progress)
      : exercise_(exercise), options_(options), progress_(progress), begin_(Clock::now()) {}

  Report run(const std::string& source, const std::string& source_path);

 private:
  void check_cancelled() const {
    if (options_.cancelled && *options_.cancelled) throw Cancelled{};
  }
  void tell(const char* stage, std::size_t done, std::size_t total) const {
    check_cancelled();
    if (progress_) progress_(stage, static_cast<int>(done), static_cast<int>(total));
  }

  std::string source_name() const {
    const std::filesystem::path path = report_.source_path;
    return (path.has_filename() ? path : exercise_.stub).filename().string();
  }

  void judge_all();
  void compile();
  void run_cases(Preparation& preparation, session::Session& session);
  void run_case(std::size_t step, Preparation& preparation, session::Session& session);
  void run_schedule(std::size_t step, std::uint64_t schedule, Preparation& preparation, session::Session& session,
                    CaseReport& one) const;
  void compare_outputs(const session::CaseOutcome& outcome, const Buffers& expected, CaseReport& one) const;
  void measure_requirements();
  const CaseReport* requirement_case() const;
  void conclude();
  void fail(std::string stage, std::string what);

  const catalogue::Exercise& exercise_;
  const Options& options_;
  const Progress& progress_;
  const Clock::time_point begin_;
  Report report_;
  std::vector<PlannedCase> plan_;
};

Report Judgement::run(const std::string& source, const std::string& source_path) {
  check_device(options_.device);
  device::named_gpu(options_.gpu);  // refuses an unknown one
  std::optional<std::size_t> only;
  if (options_.only_case) only = find_case(exercise_, *options_.only_case);
  report_.exercise_id = exercise_.id;
  report_.slug = exercise_.slug;
  report_.title = exercise_.title;
  report_.entry = exercise_.entry;
  report_.source_path = source_path;
  report_.source = source;
  report_.untouched_stub = is_shipped_stub(exercise_, source);
  report_.partial = only && exercise_.cases.size() > 1;
  report_.device = "emulator";
  report_.device_reason = "GPU timing is not part of this version";
  report_.seed = options_.seed.value_or(std::random_device{}());
  report_.schedules = options_.schedules;
  for (const catalogue::Case& c : exercise_.cases) {
    CaseReport& one = report_.cases.emplace_back();
    one.name = c.name;
    one.title = c.title;
    one.hidden = c.hidden;
    one.timed = c.timed;
  }
  try {
    plan_ = plan_cases(exercise_, only, report_.seed);
    for (std::size_t turn = 0; turn < plan_.size(); ++turn) {
      const PlannedCase& p = plan_[turn];
      report_.cases[p.index].turn = turn;
      report_.cases[p.index].sizes = p.names;
      for (const auto& [name, value] : exercise_.constants) report_.cases[p.index].sizes.erase(name);
      report_.cases[p.index].seed = p.seed;
    }
    judge_all();
    measure_requirements();
  } catch (const session::SessionError& e) {
    fail(e.stage(), e.what());
  } catch (const StageError& e) {
    fail(e.stage(), e.what());
  } catch (const build::ToolchainError& e) {
    fail("toolchain", e.what());
  } catch (const std::exception& e) {
    fail("judge", e.what());
  }
  conclude();
  return std::move(report_);
}

void Judgement::judge_all() {
  tell("compile", 0, 1);
  // On any way out both threads are waited for: the future and the preparation do so when they are destroyed.
  auto session = std::async(std::launch::async, [this] {
    return std::make_unique<session::Session>(session::DeviceOptions{options_.gpu, options_.program_dir});
  });
  Preparation preparation(exercise_, plan_, cache_dir(options_));
  compile();
  tell("compile", 1, 1);
  if (!report_.build.ok) return;
  const auto running = session.get();
  report_.device = fmt::format("emulator ({})", running->properties().name);
  run_cases(preparation, *running);
  report_.device_peak_bytes = running->device_peak_bytes();
}

void Judgement::compile() {
  const std::filesystem::path path = report_.source_path;
  const std::string name = source_name();
  if (report_.source.size() > kMaxSourceBytes) {
    report_.build = too_large(name, report_.source.size());
    return;
  }
  build::Request request;
  request.source = report_.source;
  request.source_name = name;
  request.source_dir = std::filesystem::absolute(path.has_parent_path() ? path.parent_path() : ".");
  request.common_header = common_header(options_);
  request.entry_prototype = exercise_.entry;
  request.entry_name = exercise_.entry_name;
  for (const catalogue::Argument& a : exercise_.arguments) request.parameter_types.push_back(a.cpp_type);
  request.cache_dir = cache_dir(options_);
  request.target = device::compile_target(device::named_gpu(options_.gpu));
  static const build::Toolchain toolchain = build::find_toolchain();
  try {
    report_.build = build::build(request, toolchain);
  } catch (const build::ToolchainError&) {
    throw;
  } catch (const std::exception& e) {
    throw StageError("compile", e.what());
  }
}

void Judgement::run_cases(Preparation& preparation, session::Session& session) {
  for (std::size_t step = 0; step < plan_.size(); ++step) {
    tell("case", step, plan_.size());
    run_case(step, preparation, session);
    const CaseReport& one = report_.cases[plan_[step].index];
    const bool ends_it =
        options_.stop_at_first_failure || one.verdict == Verdict::judge_error || one.verdict == Verdict::time_limit;
    if (one.verdict != Verdict::accepted && ends_it) return;
  }
  tell("case", plan_.size(), plan_.size());
}

// The plain order first: what is wrong there needs no schedule to be explained.
void Judgement::run_case(std::size_t step, Preparation& preparation, session::Session& session) {
  CaseReport& one = report_.cases[plan_[step].index];
  const CaseReport fresh = one;
  run_schedule(step, options_.schedule, preparation, session, one);
  for (std::uint64_t s = 1; s <= options_.schedules && one.verdict == Verdict::accepted; ++s) {
    check_cancelled();
    CaseReport other = fresh;
    run_schedule(step, s, preparation, session, other);
    if (other.verdict != Verdict::accepted) one = std::move(other);
  }
}

void Judgement::run_schedule(std::size_t step, std::uint64_t schedule, Preparation& preparation,
                             session::Session& session, CaseReport& one) const {
  const PlannedCase& planned = plan_[step];
  one.schedule = schedule;
  session::CaseRequest request;
  request.run.schedule_seed = schedule;
  request.library = report_.build.library;
  request.arguments = entry_arguments(exercise_, planned.names, preparation.inputs(step));
  request.run.limits.step_limit =
      std::min(request.run.limits.step_limit, kStepsPerCase + kStepsPerElement * planned.elements);
  request.wall_limit = kWallPerCase + std::chrono::milliseconds(request.run.limits.step_limit / kStepsPerWallMs);
  request.run.track_host_data = !exercise_.host_results;
  one.step_limit = request.run.limits.step_limit;
  one.wall_limit_ms = static_cast<std::uint64_t>(request.wall_limit.count());
  session::CaseOutcome outcome = session.run(request);
  one.ran = true;
  one.host = std::move(outcome.host);
  one.record = std::move(outcome.record);
  name_submission(source_name(), one.record);
  find_call_lines(report_.build.library, source_name(), one.record);
  one.changed_inputs = std::move(outcome.changed_inputs);
  one.wall_ms = outcome.wall_ms;
  one.device_ms = outcome.device_ms;
  for (const session::OutputBuffer& o : outcome.outputs)
    if (!o.guard_intact) one.broken_guards.push_back(o.name);
  if (one.host.end == session::HostEnd::returned && one.record.unsupported.empty())
    compare_outputs(outcome, preparation.expected(step), one);
  one.verdict = verdict::decide(facts_of(one));
}

void Judgement::compare_outputs(const session::CaseOutcome& outcome, const Buffers& expected, CaseReport& one) const {
  const auto& launches = one.record.launches;
  const bool kernel_died = std::any_of(launches.begin(), launches.end(), [](const auto& l) { return !l.finished; });
  if (kernel_died) return;  // the output is what had been written by then: nothing to learn from it
  std::uint64_t block_threads = 0;
  if (!launches.empty()) {
    const device::Dim3& b = launches.back().block;
    block_threads = std::uint64_t{b.x} * b.y * b.z;
  }
  for (const session::OutputBuffer& o : outcome.outputs) {
    const auto found = expected.find(o.name);
    if (found == expected.end()) throw StageError("CPU reference", "it has no output called \"" + o.name + "\"");
    one.comparisons.push_back(
        check::compare(found->second, o.contents, o.written, exercise_.rtol, exercise_.atol, block_threads));
  }
  for (const check::Comparison& c : one.comparisons)
    if (!c.ok() && !c.first.empty() && !c.first.front().unwritten) one.writer = only_writer(one.record);
}

// The timed case; without one the largest that ran. Only when every case that was to run is right: numbers of a kernel
// that computes something else would mislead.
const CaseReport* Judgement::requirement_case() const {
  const CaseReport* chosen = nullptr;
  const bool has_timed = std::any_of(report_.cases.begin(), report_.cases.end(), [](const auto& c) { return c.timed; });
  for (const PlannedCase& p : plan_) {
    const CaseReport& one = report_.cases[p.index];
    if (!one.ran || one.verdict != Verdict::accepted) return nullptr;
    if (one.timed || !has_timed) chosen = &one;
  }
  return chosen;
}

void Judgement::measure_requirements() {
  const CaseReport* one = requirement_case();
  if (!one || exercise_.require.empty()) return;
  report_.requirement_case = one->name;
  device::Counters counters;
  for (const device::LaunchRecord& launch : one->record.launches) counters += launch.counters;
  const auto resources = resources_of(one->record, report_.build);
  catalogue::Names names = one->sizes;
  names.insert(exercise_.constants.begin(), exercise_.constants.end());
  for (const catalogue::Requirement& r : exercise_.require) {
    RequirementResult& result = report_.requirements.emplace_back();
    result.metric = r.metric;
    result.why = r.why;
    result.value = catalogue::metric_value(r.metric, counters, resources);
    if (r.min) result.min = r.min->evaluate(names);
    if (r.max) result.max = r.max->evaluate(names);
    result.met = (!result.min || result.value >= *result.min) && (!result.max || result.value <= *result.max);
  }
}

void Judgement::fail(std::string stage, std::string what) {
  report_.judge_error_stage = std::move(stage);
  report_.judge_error = std::move(what);
}

// What a student knows a missing call as. A prefix of several stands after those it is a prefix of.
std::string_view feature_of(std::string_view call) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kFeatures{
      {{"cudaGraphics", "graphics interoperability"},
       {"cudaGraph", "CUDA graphs"},
       {"cudaStreamBeginCapture", "CUDA graphs"},
       {"cudaStreamEndCapture", "CUDA graphs"},
       {"cudaCreateTextureObject", "textures"},
       {"cudaDestroyTextureObject", "textures"},
       {"cudaGetTextureObject", "textures"},
       {"cudaCreateSurfaceObject", "surfaces"},
       {"cudaDestroySurfaceObject", "surfaces"},
       {"cudaMalloc3DArray", "CUDA arrays"},
       {"cudaMallocArray", "CUDA arrays"},
       {"cudaFreeArray", "CUDA arrays"},
       {"cudaMallocMipmappedArray", "CUDA arrays"},
       {"cudaMallocAsync", "stream-ordered allocation"},
       {"cudaMallocFromPoolAsync", "stream-ordered allocation"},
       {"cudaMemPool", "stream-ordered allocation"},
       {"cudaLaunchCooperativeKernel", "cooperative launches"}}};
  for (const auto& [prefix, feature] : kFeatures)
    if (call.starts_with(prefix)) return feature;
  return {};
}

std::string unsupported_sentence(const CaseReport& one) {
  std::string names;
  const auto add = [&](const std::string& name) {
    if (name.empty()) return;
    const std::string_view feature = feature_of(name);
    names += (names.empty() ? "" : ", ") + (feature.empty() ? name : fmt::format("{} ({})", feature, name));
  };
  add(one.host.missing_symbol);
  for (const std::string& name : one.record.unsupported) add(name);
  return "the submission uses what this judge does not implement: " + names;
}

void Judgement::conclude() {
  verdict::Facts facts;
  facts.judge_failed = !report_.judge_error_stage.empty();
  facts.compiled = report_.build.ok;
  for (const CaseReport& one : report_.cases) facts.cases.push_back(facts_of(one));
  facts.requirement_missed = std::any_of(report_.requirements.begin(), report_.requirements.end(),
                                         [](const RequirementResult& r) { return !r.met; });
  report_.verdict = verdict::decide(facts);
  if (report_.verdict == Verdict::judge_error && report_.judge_error_stage.empty()) {
    const auto unsupported = std::find_if(report_.cases.begin(), report_.cases.end(), [](const CaseReport& c) {
      return c.ran && c.verdict == Verdict::judge_error;
    });
    if (unsupported != report_.cases.end())
      fail("device", unsupported_sentence(*unsupported));
    else
      fail("judge", "no case ran");
  }
  report_.next_step = next_step(report_);
  report_.wall_ms = ms_since(begin_);
}

}  // namespace

Report judge(const catalogue::Exercise& exercise, const std::string& source, const std::string& source_path,
             const Options& options, const Progress& progress) {
  return Judgement(exercise, options, progress).run(source, source_path);
}

}  // namespace judge
