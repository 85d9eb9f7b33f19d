#include "judge/build/compile.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>

#include "judge/build/beside.h"
#include "judge/build/diagnostics.h"
#include "judge/build/programs.h"
#include "judge/build/sha256.h"

namespace judge::build {

namespace fs = std::filesystem;

namespace {

std::string tail(const std::string& text) {
  constexpr std::size_t kTail = 600;
  return neutralise(text.size() > kTail ? text.substr(text.size() - kTail) : text);
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

sandbox::PrivateFolder work_folder(const Cache& cache) {
  return sandbox::plain_folder(cache.folder(), kTemporaryPrefix);
}

sandbox::Captured run_compiler(const CompilerRun& run) {
  sandbox::BoxOptions options;
  options.argv = run.argv;
  const std::string folder_of_program = fs::path(run.argv[0]).parent_path().string();
  options.environment = {
      {"PATH", folder_of_program + ":/usr/local/bin:/usr/bin:/bin"}, {"TMPDIR", "."}, {"LC_ALL", "C"}};
  options.working_directory = run.folder;
  options.writable = {run.folder};
  options.keep_user = run.keep_user;
  std::error_code error;
  for (const fs::path& path : run.readable)
    if (fs::exists(path, error)) options.readable.push_back(path);
  options.limits.cpu = std::chrono::minutes(5);  // the wall limit is the one that counts
  options.limits.file_bytes = kCompilerFileBytes;
  options.limits.stack_bytes = 64ull << 20;  // cc1plus asks for as much
  return sandbox::run(options, run.deadline, kCompilerOutputBytes, kCompilerMemoryBytes);
}

std::string limit_reached(const sandbox::Captured& captured, std::chrono::milliseconds wall_limit) {
  if (captured.timed_out)
    return "the compiler did not finish within " + std::to_string(wall_limit.count() / 1000) +
           " s. Look for templates or constant expressions that never end, and for huge arrays.";
  if (captured.memory_limit)
    return "the compiler needed more than " + std::to_string(kCompilerMemoryBytes >> 30) +
           " GiB of memory. Look for huge arrays with initialisers, and for templates without end.";
  if (captured.exit.signaled && captured.truncated)
    return "the compiler printed without end. Look for a file that includes itself, or for errors in a loop of macros.";
  if (captured.exit.signaled) return "the compiler was ended by signal " + std::to_string(captured.exit.signal) + ".";
  return {};
}

IncludedFiles included_files(const std::string& make_rule, const fs::path& folder, const fs::path& toolkit,
                             const fs::path& source_dir) {
  std::set<std::string> paths;
  std::string path;
  bool in_target = true;
  const auto take = [&] {
    if (!path.empty() && !in_target) paths.insert(path);
    if (!path.empty() && path.back() == ':') in_target = false;
    if (path == ":") in_target = false;
    path.clear();
  };
  for (std::size_t i = 0; i < make_rule.size(); ++i) {
    const char c = make_rule[i];
    if (c == '\\' && i + 1 < make_rule.size()) {
      if (make_rule[i + 1] == '\n')
        take();
      else
        path += make_rule[i + 1];  // "\ " and "\#"
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      take();
    } else if (c == '$' && i + 1 < make_rule.size() && make_rule[i + 1] == '$') {
      path += '$', ++i;
    } else {
      path += c;
    }
  }
  take();

  IncludedFiles included;
  constexpr std::size_t kIncludedCap = 64u << 20;
  for (const std::string& name : paths) {
    const fs::path seen = (fs::path(name).is_absolute() ? fs::path(name) : folder / name).lexically_normal();
    const std::string full = original_of(seen, folder, source_dir).string();
    bool ours = true;
    for (const std::string& prefix : {std::string("/usr/"), toolkit.string() + "/", folder.string() + "/"})
      ours = ours && !full.starts_with(prefix);
    if (!ours) continue;
    const std::optional<std::string> bytes = read_file(full, kIncludedCap);
    included.emplace_back(full, bytes ? sha256(*bytes) : "");
  }
  return included;
}

std::vector<std::string> link_command(const fs::path& compiler, const fs::path& toolkit,
                                      const std::vector<std::string>& objects, const std::string& library) {
  std::vector<std::string> argv = {compiler.string(), "-shared", "-o", library};
  argv.insert(argv.end(), objects.begin(), objects.end());
  argv.emplace_back("-Wl,--no-undefined");
  if (program_on_path("ld.gold")) argv.emplace_back("-fuse-ld=gold");  // a fifth of the default linker's time here
  std::error_code error;
  for (const char* folder : {"targets/x86_64-linux/lib", "lib64"})
    if (fs::exists(toolkit / folder / "libcudart.so", error)) {
      argv.push_back("-L" + (toolkit / folder).string());
      break;
    }
  argv.insert(argv.end(), {"-lcudart", "-ldl", "-lpthread", "-lm"});
  return argv;
}

void require_an_error(const std::string& source_name, Result& result, const std::string& reason,
                      const std::string& output) {
  const bool has_error = std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
  Diagnostic error;
  error.file = source_name;
  if (!reason.empty()) {
    error.text = reason;
    result.diagnostics.insert(result.diagnostics.begin(), std::move(error));
  } else if (!has_error) {
    error.text = "the compiler failed; the end of what it said: " + tail(output);
    result.diagnostics.push_back(std::move(error));
  }
}

void write_source(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("writing '" + path.string() + "' failed: is the disk full?");
  chmod(path.c_str(), 0644);
}

}  // namespace judge::build
