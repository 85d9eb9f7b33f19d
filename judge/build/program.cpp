// A program's way to a library that exports its main(): one nvcc run per source to an object, then one link. Without
// flags of the user's that concern linking the host compiler links, as for a submission; otherwise nvcc does, which
// knows them.
#include <algorithm>
#include <array>
#include <set>

#include "judge/build/beside.h"
#include "judge/build/build.h"
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

constexpr int kProgramVersion = 1;  // of what this file does; part of the cache's key
constexpr const char* kLibrary = "program.so";

// nvcc writes each of its options in several ways: -x=V, -x V, -xV, --long-x=V, --long-x V.
bool is_flag(const std::string& word, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return word == name || (word.starts_with(name) && word[name.size()] == '=');
  });
}

// Flags whose value is a path of the user's, relative to where they are.
bool takes_path(const std::string& word) {
  return is_flag(word, {"-I", "--include-path", "-isystem", "--system-include", "-include", "--pre-include", "-L",
                        "--library-path"});
}

class Flags {
 public:
  Flags(const ProgramRequest& request, Result& result) : request_(request) {
    for (std::size_t i = 0; i < request.flags.size(); ++i) add(request.flags, i, result);
  }

  std::vector<std::string> words;
  std::vector<fs::path> folders;  // that the compiler must be able to read
  bool standard = false, optimisation = false, architecture = false, concerns_linking = false;

 private:
  void add(const std::vector<std::string>& given, std::size_t& i, Result& result) {
    const std::string& word = given[i];
    if (is_flag(word, {"-o",      "--output-file", "-c",      "--compile",
                       "-dc",     "--device-c",    "-ptx",    "--ptx",
                       "-cubin",  "--cubin",       "-fatbin", "--fatbin",
                       "-E",      "--preprocess",  "-M",      "--generate-dependencies",
                       "-lib",    "--lib",         "-shared", "--shared",
                       "-dlink",  "--device-link", "-run",    "--run",
                       "-cudart", "--cudart"}))
      return refuse(result,
                    "`" + word +
                        "` says what nvcc should make, and that is not yours to say here: a program is built with "
                        "--cudart shared and run at once. Leave it out.");
    standard = standard || is_flag(word, {"-std", "--std"});
    optimisation = optimisation || word.starts_with("-O") || is_flag(word, {"--optimize"});
    architecture = architecture ||
                   is_flag(word, {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"});
    for (const char* of_linking : {"-rdc", "--relocatable-device-code", "-l", "-L", "--library", "-Xlinker",
                                   "--linker-options", "-Xcompiler", "--compiler-options"})
      concerns_linking = concerns_linking || (word.starts_with(of_linking) && word != "-lineinfo");
    if (takes_path(word)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos && i + 1 == given.size()) return refuse(result, "`" + word + "` lacks its path.");
      const std::string path = absolute(equals == std::string::npos ? given[++i] : word.substr(equals + 1));
      words.push_back(word.substr(0, equals));
      words.push_back(path);
      folders.emplace_back(path);
    } else if (word.starts_with("-I") || word.starts_with("-L")) {
      const std::string path = absolute(word.substr(2));
      words.push_back(word.substr(0, 2) + path);
      folders.emplace_back(path);
    } else {
      words.push_back(word);
    }
  }

  std::string absolute(const std::string& path) const {
    return (request_.working_directory / path).lexically_normal().string();
  }
  static void refuse(Result& result, std::string text) {
    Diagnostic error;
    error.text = std::move(text);
    result.diagnostics.push_back(std::move(error));
  }

  const ProgramRequest& request_;
};

std::string object_name(std::size_t index) {
  return "unit" + std::to_string(index) + ".o";
}

// One for each source: every compiler runs as a user of its own, and none can write the file of another.
std::string rule_name(std::size_t index) {
  return "unit" + std::to_string(index) + ".d";
}

std::vector<std::string> compile_command(const ProgramRequest& request, const Toolchain& toolchain, const Flags& flags,
                                         std::size_t index) {
  const ProgramSource& source = request.sources[index];
  std::vector<std::string> argv = {toolchain.nvcc.string(),
                                   "-lineinfo",
                                   "--cudart",
                                   "shared",
                                   "-c",
                                   "-Wno-deprecated-gpu-targets",
                                   "-Xcompiler",
                                   "-fPIC",
                                   "-Xcompiler",
                                   "-fno-diagnostics-color",
                                   "-MD",
                                   "-MF",
                                   rule_name(index)};
  if (!flags.optimisation) argv.emplace_back("-O3");
  if (!flags.standard) argv.emplace_back("-std=c++17");
  if (!flags.architecture) {
    const std::string number = std::to_string(request.target), compute = "arch=compute_" + number;
    argv.insert(argv.end(), {"-gencode", compute + ",code=compute_" + number});
    if (request.register_report) argv.insert(argv.end(), {"-gencode", compute + ",code=sm_" + number});
  }
  if (request.register_report) argv.insert(argv.end(), {"-Xptxas", "-v"});
  // -iquote is what "beside the including file" means; the link has a name that is safe in the shell that nvcc starts.
  argv.insert(argv.end(), {"-Xcompiler", std::string("-iquote,") + kBeside});
  argv.insert(argv.end(), {"-Xcompiler", std::string("-idirafter,") + kCommon});
  argv.insert(argv.end(), flags.words.begin(), flags.words.end());
  argv.insert(argv.end(), {"-o", object_name(index), safe_file_name(source.name)});
  return argv;
}

// -Bsymbolic: calls inside the program stay inside, as in an executable, whatever other libraries define.
std::vector<std::string> program_link_command(const ProgramRequest& request, const Toolchain& toolchain,
                                              const Flags& flags) {
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < request.sources.size(); ++i) objects.push_back(object_name(i));
  if (!flags.concerns_linking) {
    std::vector<std::string> argv = link_command(host_compiler(), toolkit_root(toolchain.nvcc), objects, kLibrary);
    argv.emplace_back("-Wl,-Bsymbolic");
    return argv;
  }
  std::vector<std::string> argv = {
      toolchain.nvcc.string(),       "-shared",  "--cudart",       "shared",   "-o",        kLibrary,
      "-Wno-deprecated-gpu-targets", "-Xlinker", "--no-undefined", "-Xlinker", "-Bsymbolic"};
  argv.insert(argv.end(), objects.begin(), objects.end());
  if (!flags.architecture) {
    const std::string number = std::to_string(request.target);
    argv.insert(argv.end(),
                {"-gencode", "arch=compute_" + number + ",code=[compute_" + number + ",sm_" + number + "]"});
  }
  argv.insert(argv.end(), flags.words.begin(), flags.words.end());
  return argv;
}

void refuse_sources(const ProgramRequest& request, Result& result) {
  std::set<std::string> names;
  for (const ProgramSource& source : request.sources) {
    Diagnostic error;
    error.file = source.name;
    if (source.bytes.size() > kSourceCap)
      error.text = "the file has " + std::to_string(source.bytes.size()) + " bytes; the limit is " +
                   std::to_string(kSourceCap) + ". Is it the right file?";
    else if (source.bytes.find('\0') != std::string::npos)
      error.text = "the file holds a NUL byte, so it is no text in UTF-8 or ASCII. Save it as UTF-8 (not UTF-16).";
    else if (!names.insert(safe_file_name(source.name)).second)
      error.text = "two sources of the program have this name. Rename one of them.";
    else
      continue;
    result.diagnostics.push_back(std::move(error));
  }
}

class Build {
 public:
  Build(const ProgramRequest& request, const Toolchain& toolchain, const Flags& flags, const Cache& cache)
      : request_(request),
        toolkit_(toolkit_root(toolchain.nvcc)),
        folder_(work_folder(cache)),
        deadline_(Clock::now() + request.wall_limit) {
    readable_ = {toolkit_};
    for (const fs::path& folder : flags.folders) readable_.push_back(folder);
    for (const ProgramSource& source : request.sources)
      if (!source.directory.empty() && source.directory != "/") readable_.push_back(source.directory);
  }

  // As Build::run in build.cpp: true when the outcome may be cached.
  bool run(const std::vector<std::vector<std::string>>& compile, const std::vector<std::string>& link,
           const std::optional<std::string>& common) {
    provide_common(folder_.path(), common);
    for (const ProgramSource& source : request_.sources)
      write_source(folder_.path() / safe_file_name(source.name), source.bytes);
    for (std::size_t i = 0; i < compile.size() && !failed_; ++i) step(compile[i], i, true);
    if (!failed_) step(link, 0, false);
    result.ok = !failed_;
    if (result.ok) {
      std::optional<std::string> bytes = read_file(folder_.path() / kLibrary, kOutputFileCap);
      if (!bytes || bytes->empty()) throw std::runtime_error("the compiler succeeded, but left no usable program");
      library = std::move(*bytes);
    }
    return reproducible_;
  }

  Result result;
  IncludedFiles included;
  std::string library;

 private:
  void step(const std::vector<std::string>& argv, std::size_t index, bool compiling) {
    const ProgramSource& source = request_.sources[index];
    std::filesystem::remove(folder_.path() / kBeside);  // the link of the source before this one
    if (!source.directory.empty())
      std::filesystem::create_directory_symlink(source.directory, folder_.path() / kBeside);
    const sandbox::Captured captured = run_compiler({argv, folder_.path(), readable_, deadline_, true});
    const std::string text = without_work_names(captured.out + captured.err);
    const std::string reason = limit_reached(captured, request_.wall_limit);
    failed_ = !captured.exit.exited || captured.exit.status != 0 || !reason.empty();
    if (text.find("No space left on device") != std::string::npos)
      throw std::runtime_error("the compiler found no space left in '" + folder_.path().string() + "'");
    DiagnosticContext context{source.name, safe_file_name(source.name), source.bytes, source.directory, folder_.path()};
    for (Diagnostic& d : parse_diagnostics(text, context)) result.diagnostics.push_back(std::move(d));
    result.timed_out = result.timed_out || captured.timed_out;
    reproducible_ = reproducible_ && reason.empty();
    if (failed_) require_an_error(source.name, result, reason, text);
    if (!compiling) return;
    for (KernelResources& k : parse_resources(text, "sm_" + std::to_string(request_.target)))
      result.kernels.push_back(std::move(k));
    const std::optional<std::string> rule = read_file(folder_.path() / rule_name(index), kSourceCap * 4);
    reproducible_ = reproducible_ && rule.has_value();
    if (!rule) return;
    for (auto& file : included_files(*rule, folder_.path(), toolkit_, source.directory))
      included.push_back(std::move(file));
  }

  const ProgramRequest& request_;
  fs::path toolkit_;
  sandbox::PrivateFolder folder_;
  Clock::time_point deadline_;
  std::vector<fs::path> readable_;
  bool failed_ = false, reproducible_ = true;
};

}  // namespace

Result build_program(const ProgramRequest& request, const Toolchain& toolchain) {
  const Clock::time_point begin = Clock::now();
  const auto finished = [&](Result result) {
    result.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return result;
  };
  Result refused;
  const Flags flags(request, refused);
  refuse_sources(request, refused);
  if (!refused.diagnostics.empty()) return finished(std::move(refused));

  std::vector<std::vector<std::string>> compile;
  for (std::size_t i = 0; i < request.sources.size(); ++i)
    compile.push_back(compile_command(request, toolchain, flags, i));
  const std::vector<std::string> link = program_link_command(request, toolchain, flags);
  const std::optional<std::string> common = read_common(request.common_header);
  Sha256 hash;
  hash.field("program");
  hash.field(common.value_or(""));
  hash.field(std::to_string(kProgramVersion));
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    hash.field(request.sources[i].name);
    hash.field(request.sources[i].bytes);
    hash.field(request.sources[i].directory.string());
    for (const std::string& word : compile[i]) hash.field(word);
  }
  for (const std::string& word : link) hash.field(word);
  hash.field(std::to_string(toolchain.major) + "." + std::to_string(toolchain.minor));
  hash.field(file_stamp(toolchain.nvcc));
  hash.field(file_stamp(link[0]));
  const std::string key = hash.hex();

  const Cache cache(request.cache_dir);
  if (std::optional<Result> hit = cache.find(key)) return finished(std::move(*hit));
  Build work(request, toolchain, flags, cache);
  const bool reproducible = work.run(compile, link, common);
  std::string names;
  for (const ProgramSource& source : request.sources) names += " " + neutralise(source.name);
  work.result.command = "nvcc -lineinfo --cudart shared" + std::string(flags.optimisation ? "" : " -O3") +
                        (flags.standard ? "" : " -std=c++17") +
                        (flags.architecture ? "" : " -arch=compute_" + std::to_string(request.target)) +
                        (flags.words.empty() ? "" : " " + neutralise(joined(request.flags))) + names;
  Result result = work.result;
  if (reproducible || result.ok) result = cache.store(key, std::move(work.result), work.library, work.included);
  return finished(std::move(result));
}

}  // namespace judge::build
