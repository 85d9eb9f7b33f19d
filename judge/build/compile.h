#pragma once
// Running a compiler in the box, and reading what it made.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "judge/build/cache.h"
#include "judge/sandbox/private_folder.h"
#include "judge/sandbox/sandbox.h"

namespace judge::build {

struct CompilerRun {
  std::vector<std::string> argv;
  std::filesystem::path folder;                 // working directory, for temporary files, the only writable place
  std::vector<std::filesystem::path> readable;  // those that exist; others are left out
  std::chrono::steady_clock::time_point deadline;
  bool keep_user = false;  // people's own programs, which may lie where only they can read
};
// Where a compiler works: in the cache, unless its name or its modes are in the way.
sandbox::PrivateFolder work_folder(const Cache& cache);
sandbox::Captured run_compiler(const CompilerRun& run);

inline constexpr std::uint64_t kCompilerMemoryBytes = 4ull << 30;
inline constexpr std::size_t kCompilerOutputBytes = 256 * 1024;
inline constexpr std::uint64_t kCompilerFileBytes = 256ull << 20;

// Why the run failed other than by the source's own errors; empty when it did not.
std::string limit_reached(const sandbox::Captured& captured, std::chrono::milliseconds wall_limit);

// The files in a make rule (-MD) that are neither the system's, nor the toolkit's, nor our own in `folder`, with
// digests. Those reached through the link in `folder` (beside.h) under their names in `source_dir`.
IncludedFiles included_files(const std::string& make_rule, const std::filesystem::path& folder,
                             const std::filesystem::path& toolkit, const std::filesystem::path& source_dir = {});

// Objects in the compiler's folder -> a shared library, by the host compiler.
std::vector<std::string> link_command(const std::filesystem::path& compiler, const std::filesystem::path& toolkit,
                                      const std::vector<std::string>& objects, const std::string& library);

// A compiler can fail without a message that the diagnostics' parser knows. `reason`: from limit_reached().
void require_an_error(const std::string& source_name, Result& result, const std::string& reason,
                      const std::string& output);

inline constexpr std::size_t kSourceCap = 1u << 20;
inline constexpr std::size_t kOutputFileCap = 256u << 20;

std::string joined(const std::vector<std::string>& words);  // with blanks
void write_source(const std::filesystem::path& path, const std::string& bytes);

}  // namespace judge::build
