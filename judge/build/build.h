#pragma once
// Student source -> shared library with PTX, through nvcc in a box, cached by content.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace judge::build {

struct Diagnostic {
  enum class Severity : std::uint8_t { note, warning, error };
  Severity severity = Severity::error;
  std::string file;          // the student's file name as they know it ("conv1d.cu"), or a header's name
  int line = 0, column = 0;  // from 1; column 0: not known
  std::string text;
  std::vector<std::string> excerpt;  // source line and nvcc's caret, when nvcc printed them
};

struct KernelResources {  // one kernel, from ptxas -v
  std::string kernel;     // demangled, without the parameter list
  int registers = 0;
  std::uint32_t shared_bytes = 0, constant_bytes = 0, stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0;
};

struct Toolchain {  // found once per process
  std::filesystem::path nvcc;
  int major = 0, minor = 0;   // of the CUDA toolkit
  std::string host_compiler;  // path, and the versioned name it leads to
};
// Looks at $CUDACXX, $CUDA_HOME/bin, PATH, /usr/local/cuda/bin. Throws ToolchainError with the remedy.
Toolchain find_toolchain();

class ToolchainError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Request {
  std::string source;                        // the snapshot's bytes
  std::string source_name;                   // "conv1d.cu": what diagnostics and line info call it
  std::filesystem::path source_dir;          // for #include "…" beside the student's file
  std::filesystem::path common_header;       // practice/common.cuh, for #include "common.cuh" from anywhere
  std::string entry_prototype;               // "void conv1d(const float* x, const float* w, float* y, int n)"
  std::vector<std::string> parameter_types;  // "const float*", …: the thunk casts args[i] to these
  std::string entry_name;                    // "conv1d"
  int target = 75;                           // PTX for compute_NN
  std::optional<int> machine_code;           // also sm_NN machine code for a GPU that is present
  bool register_report = true;               // ptxas -v for sm_<target>
  std::filesystem::path cache_dir;
  bool use_cache = true;
  std::chrono::milliseconds wall_limit{60'000};
};

struct Result {
  bool ok = false;
  bool cached = false;
  bool wrong_prototype = false;  // the entry is missing or has another signature; diagnostics say which
  bool timed_out = false;
  std::filesystem::path library;        // inside the cache, read-only
  std::vector<Diagnostic> diagnostics;  // errors first
  std::vector<KernelResources> kernels;
  std::string command;  // what ran, for the report ("nvcc -O3 …")
  double wall_ms = 0;
};

// Throws ToolchainError, or std::runtime_error for a fault of the judge (full disk, unwritable cache).
Result build(const Request& request, const Toolchain& toolchain);

// A path from line information as students know it: the compiler saw their file under a plain name, in a folder that is
// gone by now, and files beside it through a link.
std::string true_name(const std::string& compiled_path, const std::string& source_name);

// Where a call in a built library returns to, as a line: the innermost one of `source_name`, through functions of
// headers that were inlined there. nullopt: not known (no addr2line, code without line information).
struct CallLine {
  std::string file;
  int line = 0;
};
std::optional<CallLine> call_line(const std::filesystem::path& library, std::uint64_t return_offset,
                                  const std::string& source_name);

struct ProgramSource {
  std::string name;                 // "vector_add.cu"; no two of a program alike
  std::string bytes;                // the snapshot
  std::filesystem::path directory;  // for #include "…"
};

struct ProgramRequest {
  std::vector<ProgramSource> sources;       // nvcc takes .cu, .cpp and .c alike
  std::filesystem::path common_header;      // as in Request; a file of that name beside the source or under -I is first
  std::vector<std::string> flags;           // the user's own, as nvcc takes them
  std::filesystem::path working_directory;  // what relative paths among the flags are relative to
  int target = 75;
  bool register_report = false;
  std::filesystem::path cache_dir;
  std::chrono::milliseconds wall_limit{300'000};  // Thrust takes its time
};

// A whole program with a main(), as a shared library that exports it: judge-host loads that and calls main(). A flag
// that makes no sense here is a diagnostic.
Result build_program(const ProgramRequest& request, const Toolchain& toolchain);

// Compiles trusted C++ (an exercise's CPU reference) with the host compiler; cached the same way. Throws
// std::runtime_error with the compiler's output.
std::filesystem::path build_reference(const std::filesystem::path& cpp_file, const std::string& prototype,
                                      const std::string& function, const std::vector<std::string>& parameter_types,
                                      const std::filesystem::path& cache_dir);

}  // namespace judge::build
