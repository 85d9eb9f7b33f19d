// A submission's way to a library: one nvcc run to an object (both halves, PTX, and machine code for the register
// report), and one link by the host compiler. nvcc's own link would first link device code, which a program without
// -rdc does not have: that costs nvlink, fatbinary and one more gcc.
#include "judge/build/build.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "judge/build/beside.h"
#include "judge/build/cache.h"
#include "judge/build/compile.h"
#include "judge/build/diagnostics.h"
#include "judge/build/programs.h"
#include "judge/build/resources.h"
#include "judge/build/sha256.h"
#include "judge/build/unit.h"

namespace judge::build {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kObject = "unit.o";
constexpr const char* kMakeRule = "unit.d";
constexpr const char* kLibrary = "library.so";

std::vector<std::string> code_flags(const Request& request) {
  const std::string compute = "arch=compute_" + std::to_string(request.target);
  std::vector<std::string> flags = {"-gencode", compute + ",code=compute_" + std::to_string(request.target)};
  if (request.register_report || request.machine_code == request.target)
    flags.insert(flags.end(), {"-gencode", compute + ",code=sm_" + std::to_string(request.target)});
  if (request.machine_code && *request.machine_code != request.target) {
    const std::string machine = std::to_string(*request.machine_code);
    flags.insert(flags.end(), {"-gencode", "arch=compute_" + machine + ",code=sm_" + machine});
  }
  if (request.register_report) flags.insert(flags.end(), {"-Xptxas", "-v"});
  return flags;
}

std::vector<std::string> nvcc_command(const Request& request, const Toolchain& toolchain) {
  std::vector<std::string> argv = {
      toolchain.nvcc.string(),      "-O3", "-lineinfo", "-std=c++17", "--cudart", "shared", "-c",
      "-Wno-deprecated-gpu-targets"};
  for (const std::string& flag : code_flags(request)) argv.push_back(flag);
  // -g1 and no tail calls: the return address of a CUDA call is the line that made it (call_line). No measurable time.
  argv.insert(argv.end(), {"-Xcompiler", "-g1", "-Xcompiler", "-fno-optimize-sibling-calls"});
  argv.insert(argv.end(), {"-Xcompiler", "-fPIC", "-Xcompiler", "-fvisibility=hidden", "-Xcompiler",
                           "-fno-diagnostics-color", "-MD", "-MF", kMakeRule});
  // What "beside the including file" means. Without a path in it: nvcc hands its words to a shell.
  for (const char* folder : {kCopies, kBelowCommon, kBeside})
    argv.insert(argv.end(), {"-Xcompiler", std::string("-iquote") + folder});
  argv.insert(argv.end(), {"-Xcompiler", std::string("-idirafter,") + kCommon});
  argv.insert(argv.end(), {"-o", kObject, kUnitFile});
  return argv;
}

std::string cache_key(const Request& request, const Toolchain& toolchain, const std::string& unit,
                      const std::vector<std::string>& nvcc, const std::vector<std::string>& link,
                      const std::optional<std::string>& common) {
  Sha256 hash;
  hash.field("submission");
  hash.field(std::to_string(kUnitVersion));
  hash.field(request.source);
  hash.field(request.source_name);
  hash.field(request.source_dir.empty() ? "" : fs::absolute(request.source_dir).lexically_normal().string());
  hash.field(common.value_or(""));
  hash.field(request.entry_prototype);
  hash.field(unit);
  hash.field(joined(nvcc));
  hash.field(joined(link));
  hash.field(std::to_string(toolchain.major) + "." + std::to_string(toolchain.minor));
  hash.field(file_stamp(toolchain.nvcc));
  hash.field(file_stamp(link[0]));
  return hash.hex();
}

Result refused(const Request& request, int line, std::string text) {
  Result result;
  result.diagnostics.push_back({Diagnostic::Severity::error, request.source_name, line, 0, std::move(text), {}});
  return result;
}

std::optional<Result> refuse_source(const Request& request) {
  if (request.source.size() > kSourceCap)
    return refused(request, 0,
                   "the file has " + std::to_string(request.source.size()) + " bytes; the limit is " +
                       std::to_string(kSourceCap) + ". Is it the right file?");
  if (const std::size_t nul = request.source.find('\0'); nul != std::string::npos)
    return refused(
        request,
        1 + static_cast<int>(std::count(request.source.begin(), request.source.begin() + static_cast<long>(nul), '\n')),
        "the file holds a NUL byte, so it is no text in UTF-8 or ASCII. Save it as UTF-8 (not UTF-16).");
  return std::nullopt;
}

std::string source_line(const std::string& source, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    begin = source.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (line < 1 || begin == std::string::npos) return {};
  return neutralise(source.substr(begin, source.find('\n', begin) - begin));
}

// Errors in the judge's own lines are about the entry. They become one error in the student's terms, unless the file
// has errors of its own, of which these are then consequences.
void explain_entry_errors(const Request& request, Result& result) {
  const auto is_check = [](const Diagnostic& d) { return d.file == kEntryCheck; };
  const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
  std::vector<Diagnostic> about_entry;
  std::copy_if(result.diagnostics.begin(), result.diagnostics.end(), std::back_inserter(about_entry), is_check);
  std::erase_if(result.diagnostics, is_check);
  if (std::none_of(about_entry.begin(), about_entry.end(), is_error)) return;
  if (std::any_of(result.diagnostics.begin(), result.diagnostics.end(), is_error)) return;

  const auto says = [&](const std::string& words) {
    return std::any_of(about_entry.begin(), about_entry.end(),
                       [&](const Diagnostic& d) { return d.text.find(words) != std::string::npos; });
  };
  result.wrong_prototype = true;
  Diagnostic error;
  error.file = request.source_name;
  error.line = line_of_identifier(request.source, request.entry_name, true);
  const std::string expected = "`" + request.entry_prototype + "`";
  if (says("\"judge_entry\"")) {
    error.line = line_of_identifier(request.source, "judge_entry", false);
    error.text = "the name judge_entry belongs to the judge; call your function something else";
    result.wrong_prototype = false;
  } else if (says("has no \"" + request.entry_name) || says("is undefined")) {
    error.text = error.line
                     ? "the judge calls " + expected + ", but " + request.entry_name +
                           " is not visible outside of its namespace or class. Define it at file scope."
                     : "the judge calls " + expected + ", but the file does not define " + request.entry_name + ".";
  } else if (says("__global__ function call must be configured")) {
    error.text = request.entry_name + " is a __global__ kernel. The judge calls the host function " + expected +
                 ", which launches your kernel: give the kernel another name.";
  } else if (says("__device__ function")) {
    error.text = request.entry_name + " is a __device__ function. The judge calls the host function " + expected + ".";
  } else {
    error.text = "the judge calls " + expected + ", but " + request.entry_name + " has another signature.";
  }
  if (error.line) error.excerpt = {source_line(request.source, error.line)};
  result.diagnostics.insert(result.diagnostics.begin(), error);
  for (const Diagnostic& d : about_entry)
    if (result.wrong_prototype && d.text.find("cannot be used to initialize an entity of type") != std::string::npos)
      result.diagnostics.insert(
          result.diagnostics.begin() + 1,
          {Diagnostic::Severity::note, request.source_name, error.line, 0, "nvcc: " + d.text, {}});
}

class Build {
 public:
  Build(const Request& request, const Toolchain& toolchain, const Cache& cache)
      : request_(request), toolkit_(toolkit_root(toolchain.nvcc)), folder_(work_folder(cache)) {
    context_.source_name = request.source_name;
    context_.compiled_name = safe_file_name(request.source_name);
    context_.source = request.source;
    if (!request.source_dir.empty()) context_.source_dir = fs::absolute(request.source_dir).lexically_normal();
    context_.build_dir = folder_.path();
    deadline_ = Clock::now() + request.wall_limit;
  }

  // Compiles and links; true when the outcome depends on nothing but what the cache key and `included` cover.
  bool run(const std::string& unit, const std::vector<std::string>& nvcc, const std::vector<std::string>& link,
           const std::optional<std::string>& common) {
    write_source(folder_.path() / context_.compiled_name, request_.source);
    write_source(folder_.path() / kUnitFile, unit);
    neighbours_ = provide_neighbours(folder_.path(), context_.source_dir, request_.source);
    provide_common(folder_.path(), common);
    const bool reproducible = step(nvcc, true) && step(link, false);
    if (!failed_) library_ = output(kLibrary);
    result.ok = !failed_;
    return reproducible;
  }

  Result result;
  IncludedFiles included;
  const std::string& library() const { return library_; }

 private:
  // false when the outcome may not be cached. A failed first step skips the second.
  bool step(const std::vector<std::string>& argv, bool compiling) {
    if (failed_) return true;
    std::vector<fs::path> readable = neighbours_;
    readable.push_back(toolkit_);
    const sandbox::Captured captured = run_compiler({argv, folder_.path(), readable, deadline_});
    const std::string text = without_work_names(captured.out + captured.err);
    const std::string reason = limit_reached(captured, request_.wall_limit);
    failed_ = !captured.exit.exited || captured.exit.status != 0 || !reason.empty();
    if (text.find("No space left on device") != std::string::npos)
      throw std::runtime_error("the compiler found no space left in '" + folder_.path().string() + "'");
    std::vector<Diagnostic> found = parse_diagnostics(text, context_);
    result.diagnostics.insert(result.diagnostics.end(), found.begin(), found.end());
    result.timed_out = captured.timed_out;
    if (captured.truncated)
      result.diagnostics.push_back(
          {Diagnostic::Severity::note,
           request_.source_name,
           0,
           0,
           "the compiler said more than " + std::to_string(kCompilerOutputBytes / 1024) + " KiB; the rest is cut",
           {}});
    if (compiling) {
      result.kernels = parse_resources(text, "sm_" + std::to_string(request_.target));
      const std::optional<std::string> rule = read_file(folder_.path() / kMakeRule, kSourceCap * 4);
      if (rule) included = included_files(*rule, folder_.path(), toolkit_, context_.source_dir);
      if (failed_) explain_entry_errors(request_, result);
      if (failed_) require_an_error(request_.source_name, result, reason, text);
      return reason.empty() && rule.has_value();
    }
    if (failed_) require_an_error(request_.source_name, result, reason, text);
    return reason.empty();
  }

  std::string output(const char* name) {
    std::optional<std::string> bytes = read_file(folder_.path() / name, kOutputFileCap);
    if (!bytes || bytes->empty())
      throw std::runtime_error("the compiler succeeded, but left no usable " + std::string(name));
    return std::move(*bytes);
  }

  const Request& request_;
  fs::path toolkit_;
  sandbox::PrivateFolder folder_;
  std::vector<fs::path> neighbours_;
  DiagnosticContext context_;
  Clock::time_point deadline_;
  bool failed_ = false;
  std::string library_;
};

}  // namespace

Result build(const Request& request, const Toolchain& toolchain) {
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); };
  if (std::optional<Result> result = refuse_source(request)) {
    result->wall_ms = elapsed();
    return *result;
  }
  const Entry entry{request.entry_name, return_type(request.entry_prototype, request.entry_name),
                    request.parameter_types};
  const std::string unit = submission_unit(entry, safe_file_name(request.source_name));
  const std::vector<std::string> nvcc = nvcc_command(request, toolchain);
  const std::vector<std::string> link =
      link_command(host_compiler(), toolkit_root(toolchain.nvcc), {kObject}, kLibrary);
  const std::optional<std::string> common = read_common(request.common_header);
  const std::string key = cache_key(request, toolchain, unit, nvcc, link, common);

  const Cache cache(request.cache_dir);
  if (request.use_cache)
    if (std::optional<Result> hit = cache.find(key)) {
      hit->wall_ms = elapsed();
      return *hit;
    }
  Build work(request, toolchain, cache);
  const bool reproducible = work.run(unit, nvcc, link, common);
  work.result.command = "nvcc -O3 -lineinfo -std=c++17 --cudart shared " + joined(code_flags(request)) + " " +
                        neutralise(request.source_name);
  Result result = work.result;
  if (reproducible || result.ok) result = cache.store(key, std::move(work.result), work.library(), work.included);
  result.wall_ms = elapsed();
  return result;
}

}  // namespace judge::build
