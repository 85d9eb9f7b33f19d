// Offsets of return addresses to source lines, by addr2line, which comes with the assembler that nvcc needs. It reads a
// file that a student's code took part in, so it runs in a box like the compiler.

#include <sys/stat.h>

#include <charconv>
#include <cstdint>
#include <sstream>

#include "judge/build/build.h"
#include "judge/build/programs.h"
#include "judge/sandbox/private_folder.h"
#include "judge/sandbox/sandbox.h"

namespace judge::build {

namespace {

constexpr std::chrono::seconds kLimit{10};
constexpr std::size_t kOutputBytes = 64 * 1024;

}  // namespace

std::optional<CallLine> call_line(const std::filesystem::path& library, std::uint64_t return_offset,
                                  const std::string& source_name) {
  const auto program = program_on_path("addr2line");
  if (!program || return_offset == 0) return std::nullopt;
  // The call ends one byte before the address it returns to, which may already belong to the next line.
  std::ostringstream address;
  address << std::hex << "0x" << return_offset - 1;
  // As root's box user it may not get where the library is.
  std::optional<sandbox::PrivateFolder> folder;
  std::filesystem::path file = library;
  if (!sandbox::reachable_in_box(library)) {
    folder.emplace(sandbox::plain_folder({}, ""));
    chmod(folder->path().c_str(), 0755);
    file = folder->path() / "library.so";
    std::filesystem::copy_file(library, file);
    chmod(file.c_str(), 0644);
  }
  sandbox::BoxOptions options;
  options.argv = {program->string(), "-i", "-e", file.string(), address.str()};
  options.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  options.readable = {file};
  const sandbox::Captured captured = sandbox::run(options, std::chrono::steady_clock::now() + kLimit, kOutputBytes);
  if (!captured.exit.exited || captured.exit.status != 0) return std::nullopt;
  // One line for each inlined function, the innermost first: "path:12", "path:12 (discriminator 3)" or "??:0".
  std::istringstream lines(captured.out);
  for (std::string text; std::getline(lines, text);) {
    text = text.substr(0, text.find(" ("));
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) continue;
    if (std::filesystem::path(true_name(text.substr(0, colon), source_name)).filename() != source_name) continue;
    CallLine found{source_name, 0};
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), found.line);
    if (found.line > 0) return found;
  }
  return std::nullopt;
}

}  // namespace judge::build
