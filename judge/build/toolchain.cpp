#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>

#include "judge/build/build.h"
#include "judge/build/programs.h"
#include "judge/sandbox/sandbox.h"

namespace judge::build {
namespace {

namespace fs = std::filesystem;

// What this nvcc links with --cudart shared is libcudart.so.13, which is the name of ours.
constexpr int kCudaMajor = 13;
constexpr std::chrono::seconds kVersionLimit{10};

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// The first candidate that exists; one that cannot be executed is an error of its own, because skipping it would use
// another compiler than the one the user named.
std::optional<fs::path> nvcc_among(const std::vector<fs::path>& candidates) {
  for (const fs::path& candidate : candidates) {
    struct stat info {};
    if (stat(candidate.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) continue;
    if (access(candidate.c_str(), X_OK) != 0)
      throw ToolchainError("nvcc at '" + candidate.string() + "' cannot be executed (" + std::strerror(errno) +
                           "). Remedy: chmod a+rx it, or set CUDACXX to another nvcc.");
    return fs::absolute(candidate).lexically_normal();
  }
  return std::nullopt;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string version_text(const fs::path& program) {
  sandbox::BoxOptions options;
  options.argv = {program.string(), "--version"};
  options.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  options.readable = {toolkit_root(program)};
  const sandbox::Captured captured = sandbox::run(options, std::chrono::steady_clock::now() + kVersionLimit, 16 * 1024);
  if (!captured.exit.exited || captured.exit.status != 0)
    throw ToolchainError("nvcc at '" + program.string() + "' does not start (" + first_line(captured.err) +
                         "). Remedy: reinstall it; `" + program.string() + " --version` must work.");
  return captured.out;
}

// The CUDA headers carry the version; asking nvcc itself costs a process.
bool version_from_header(const fs::path& nvcc, int& major, int& minor) {
  const fs::path root = toolkit_root(nvcc);
  for (const fs::path& header : {root / "include/cuda.h", root / "targets/x86_64-linux/include/cuda.h"}) {
    const std::optional<std::string> text = read_file(header, 8u << 20);
    if (!text) continue;
    const std::size_t at = text->find("#define CUDA_VERSION ");
    if (at == std::string::npos) continue;
    const int version = std::atoi(text->c_str() + at + std::strlen("#define CUDA_VERSION "));
    major = version / 1000;
    minor = version % 1000 / 10;
    return version > 0;
  }
  return false;
}

void version_from_nvcc(const fs::path& nvcc, int& major, int& minor) {
  const std::string text = version_text(nvcc);
  static const std::regex release(R"(release (\d+)\.(\d+))");
  std::smatch match;
  if (!std::regex_search(text, match, release))
    throw ToolchainError("'" + nvcc.string() +
                         "' does not say which release it is. Remedy: set CUDACXX to the nvcc of a "
                         "CUDA Toolkit 13.");
  major = std::stoi(match[1]);
  minor = std::stoi(match[2]);
}

}  // namespace

fs::path toolkit_root(const fs::path& nvcc) {
  std::error_code error;
  const fs::path real = fs::canonical(nvcc, error);
  return (error ? nvcc : real).parent_path().parent_path();
}

std::optional<fs::path> program_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return fs::path(name);
  std::istringstream folders(environment_value("PATH") + ":/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  return std::nullopt;
}

fs::path host_compiler() {
  if (const std::string chosen = environment_value("NVCC_CCBIN"); !chosen.empty())
    if (const auto found = program_on_path(chosen)) return *found;
  for (const char* name : {"g++", "c++", "clang++"})
    if (const auto found = program_on_path(name)) return *found;
  throw ToolchainError(
      "No C++ compiler was found on PATH. nvcc needs one for the host half of a program. Remedy: "
      "apt-get install g++ (as root), or set NVCC_CCBIN to the compiler's path.");
}

Toolchain find_toolchain() {
  std::vector<fs::path> candidates;
  if (const std::string chosen = environment_value("CUDACXX"); !chosen.empty()) {
    const auto found = program_on_path(chosen);
    if (!found || access(found->c_str(), F_OK) != 0)
      throw ToolchainError("CUDACXX names '" + chosen +
                           "', which does not exist. Remedy: unset CUDACXX, or set it to the "
                           "full path of nvcc.");
    candidates.push_back(*found);
  }
  if (const std::string home = environment_value("CUDA_HOME"); !home.empty())
    candidates.push_back(fs::path(home) / "bin/nvcc");
  std::istringstream folders(environment_value("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) candidates.push_back(fs::path(folder) / "nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");

  const std::optional<fs::path> nvcc = nvcc_among(candidates);
  if (!nvcc)
    throw ToolchainError(
        "nvcc was not found: not in $CUDACXX, $CUDA_HOME/bin, PATH or /usr/local/cuda/bin. Remedy: "
        "install the CUDA Toolkit 13 (no GPU and no driver are needed), or set CUDACXX to the full path of nvcc.");
  Toolchain toolchain;
  toolchain.nvcc = *nvcc;
  if (!version_from_header(*nvcc, toolchain.major, toolchain.minor))
    version_from_nvcc(*nvcc, toolchain.major, toolchain.minor);
  if (toolchain.major != kCudaMajor)
    throw ToolchainError("nvcc at '" + nvcc->string() + "' is of CUDA " + std::to_string(toolchain.major) + "." +
                         std::to_string(toolchain.minor) +
                         (toolchain.major < kCudaMajor ? ", which is too old" : ", which this judge does not know yet") +
                         ". Remedy: install the CUDA Toolkit 13, or set CUDACXX to its nvcc.");
  const fs::path compiler = host_compiler();
  std::error_code error;
  const fs::path real = fs::canonical(compiler, error);  // "…/x86_64-linux-gnu-g++-12"
  toolchain.host_compiler = compiler.string() + (error ? "" : " (" + real.filename().string() + ")");
  return toolchain;
}

}  // namespace judge::build
