// CPU references are the instructor's and trusted; they are compiled in the box all the same, which costs nothing, and
// are then loaded by the judge.
#include <stdexcept>

#include "judge/build/beside.h"
#include "judge/build/build.h"
#include "judge/build/cache.h"
#include "judge/build/compile.h"
#include "judge/build/diagnostics.h"
#include "judge/build/programs.h"
#include "judge/build/sha256.h"
#include "judge/build/unit.h"

namespace judge::build {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReferenceCap = 4u << 20, kLibraryCap = 64u << 20;
constexpr std::chrono::seconds kWallLimit{60};
constexpr const char* kUnit = "judge_reference_unit.cpp";
constexpr const char* kRule = "unit.d";
constexpr const char* kLibrary = "library.so";

}  // namespace

fs::path build_reference(const fs::path& cpp_file, const std::string& prototype, const std::string& function,
                         const std::vector<std::string>& parameter_types, const fs::path& cache_dir) {
  const fs::path source = fs::absolute(cpp_file).lexically_normal();
  const std::optional<std::string> text = read_file(source, kReferenceCap);
  if (!text) throw std::runtime_error("the CPU reference '" + source.string() + "' cannot be read");

  const Entry entry{function, return_type(prototype, function), parameter_types};
  const std::string unit = reference_unit(entry, safe_file_name(source.filename().string()));
  const fs::path compiler = host_compiler();
  const std::vector<std::string> argv = {compiler.string(),
                                         "-std=c++20",
                                         "-O2",
                                         "-shared",
                                         "-fPIC",
                                         "-Wl,--no-undefined",
                                         "-MD",
                                         "-MF",
                                         kRule,
                                         "-fno-diagnostics-color",
                                         std::string("-iquote") + kCopies,
                                         std::string("-iquote") + kBeside,
                                         "-o",
                                         kLibrary,
                                         kUnit};
  Sha256 hash;
  hash.field("reference");
  hash.field(std::to_string(kUnitVersion));
  hash.field(*text);
  hash.field(source.string());
  hash.field(unit);
  for (const std::string& word : argv) hash.field(word);
  hash.field(file_stamp(compiler));
  const std::string key = hash.hex();

  const Cache cache(cache_dir);
  if (const std::optional<Result> hit = cache.find(key)) return hit->library;
  const sandbox::PrivateFolder folder = work_folder(cache);
  write_source(folder.path() / safe_file_name(source.filename().string()), *text);
  write_source(folder.path() / kUnit, unit);
  const std::vector<fs::path> readable = provide_neighbours(folder.path(), source.parent_path(), *text);
  const sandbox::Captured captured =
      run_compiler({argv, folder.path(), readable, std::chrono::steady_clock::now() + kWallLimit});
  if (!captured.exit.exited || captured.exit.status != 0)
    throw std::runtime_error("the CPU reference '" + source.string() + "' does not compile against `" + prototype +
                             "`:\n" + limit_reached(captured, kWallLimit) + without_work_names(captured.err));
  const std::optional<std::string> library = read_file(folder.path() / kLibrary, kLibraryCap);
  const std::optional<std::string> rule = read_file(folder.path() / kRule, kReferenceCap);
  if (!library || !rule) throw std::runtime_error("the compiler left no library for '" + source.string() + "'");
  Result result;
  result.ok = true;
  return cache.store(key, result, *library, included_files(*rule, folder.path(), "/usr", source.parent_path())).library;
}

}  // namespace judge::build
