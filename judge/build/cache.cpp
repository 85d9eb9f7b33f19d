#include "judge/build/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "judge/build/programs.h"
#include "judge/build/sha256.h"
#include "judge/sandbox/private_folder.h"

namespace judge::build {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostEntries = 200;
constexpr std::size_t kLibraryCap = 256u << 20, kRecordCap = 16u << 20, kIncludedCap = 64u << 20;
constexpr auto kInUse = std::chrono::minutes(10);  // an entry this young may be in use by another judge

void write_file(const fs::path& path, const std::string& bytes, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  std::size_t done = 0;
  while (fd >= 0 && done < bytes.size()) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const int error = errno;
  if (fd >= 0) {
    fchmod(fd, mode);  // whatever the umask is: a box runs as another user and must be able to read it
    close(fd);
  }
  if (fd < 0 || done != bytes.size())
    throw std::runtime_error("the build cache: writing '" + path.string() + "': " + std::strerror(error));
}

std::string to_text(Diagnostic::Severity severity) {
  return severity == Diagnostic::Severity::error     ? "error"
         : severity == Diagnostic::Severity::warning ? "warning"
                                                     : "note";
}

Diagnostic::Severity severity_from(const std::string& text) {
  return text == "error"     ? Diagnostic::Severity::error
         : text == "warning" ? Diagnostic::Severity::warning
                             : Diagnostic::Severity::note;
}

json record_of(const Result& result, const std::string& library, const IncludedFiles& included) {
  json record = {{"ok", result.ok},           {"wrong_prototype", result.wrong_prototype},
                 {"command", result.command}, {"library", library.empty() ? "" : sha256(library)},
                 {"included", included},      {"diagnostics", json::array()},
                 {"kernels", json::array()}};
  for (const Diagnostic& d : result.diagnostics)
    record["diagnostics"].push_back({{"severity", to_text(d.severity)},
                                     {"file", d.file},
                                     {"line", d.line},
                                     {"column", d.column},
                                     {"text", d.text},
                                     {"excerpt", d.excerpt}});
  for (const KernelResources& k : result.kernels)
    record["kernels"].push_back({{"kernel", k.kernel},
                                 {"registers", k.registers},
                                 {"shared", k.shared_bytes},
                                 {"constant", k.constant_bytes},
                                 {"stack", k.stack_bytes},
                                 {"spill_stores", k.spill_store_bytes},
                                 {"spill_loads", k.spill_load_bytes}});
  return record;
}

Result result_from(const json& record) {
  Result result;
  result.ok = record.at("ok");
  result.wrong_prototype = record.at("wrong_prototype");
  result.command = record.at("command");
  for (const json& d : record.at("diagnostics"))
    result.diagnostics.push_back(
        {severity_from(d.at("severity")), d.at("file"), d.at("line"), d.at("column"), d.at("text"), d.at("excerpt")});
  for (const json& k : record.at("kernels"))
    result.kernels.push_back({k.at("kernel"), k.at("registers"), k.at("shared"), k.at("constant"), k.at("stack"),
                              k.at("spill_stores"), k.at("spill_loads")});
  return result;
}

}  // namespace

Cache::Cache(const fs::path& folder) {
  std::error_code error;
  folder_ = fs::absolute(folder).lexically_normal();
  fs::create_directories(folder_ / "entries", error);
  const bool closed =
      access(folder_.c_str(), W_OK | X_OK) != 0 || access((folder_ / "entries").c_str(), W_OK | X_OK) != 0;
  if (error || closed)
    throw std::runtime_error("the build cache '" + folder_.string() +
                             "' cannot be written: " + (error ? error.message() : std::strerror(errno)) +
                             ". Remedy: set CUDA_JUDGE_CACHE to a folder of yours");
  folder_ = fs::canonical(folder_, error);
  sandbox::remove_abandoned(folder_, kTemporaryPrefix);
}

std::optional<Result> Cache::find(const std::string& key) const {
  const fs::path place = entry(key);
  // The record's first line is the digest of the rest.
  const std::optional<std::string> text = read_file(place / "record.json", kRecordCap);
  if (!text) return std::nullopt;
  const std::size_t line = text->find('\n');
  if (line == std::string::npos || sha256(std::string_view(*text).substr(line + 1)) != text->substr(0, line))
    return std::nullopt;
  try {
    const json record = json::parse(text->substr(line + 1));
    for (const auto& [path, digest] : record.at("included").get<IncludedFiles>()) {
      const std::optional<std::string> now = read_file(path, kIncludedCap);
      if (!now || sha256(*now) != digest) return std::nullopt;
    }
    Result result = result_from(record);
    if (const std::string digest = record.at("library"); !digest.empty()) {
      result.library = place / "library.so";
      const std::optional<std::string> library = read_file(result.library, kLibraryCap);
      if (!library || sha256(*library) != digest) return std::nullopt;
    }
    result.cached = true;
    utimensat(AT_FDCWD, place.c_str(), nullptr, 0);  // used now: the last to be pruned
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Result Cache::store(const std::string& key, Result result, const std::string& library,
                    const IncludedFiles& included) const {
  const fs::path place = entry(key);
  {
    const sandbox::PrivateFolder made(folder_, kTemporaryPrefix);
    chmod(made.path().c_str(), 0755);
    if (!library.empty()) write_file(made.path() / "library.so", library, 0444);
    const std::string record =
        record_of(result, library, included).dump(-1, ' ', false, json::error_handler_t::replace);
    write_file(made.path() / "record.json", sha256(record) + "\n" + record + "", 0444);
    // Another judge may have stored the same; then ours takes its place in one step, and the old one goes with `made`.
    if (rename(made.path().c_str(), place.c_str()) != 0 &&
        renameat2(AT_FDCWD, made.path().c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0)
      throw std::runtime_error("the build cache: storing '" + place.string() + "': " + std::strerror(errno));
  }
  if (!library.empty()) result.library = place / "library.so";
  prune();
  return result;
}

void Cache::prune() const {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (fs::directory_iterator it(folder_ / "entries", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (const auto used = fs::last_write_time(it->path(), gone); !gone) entries.emplace_back(used, it->path());
  }
  if (entries.size() > kMostEntries) {
    std::sort(entries.begin(), entries.end());
    for (std::size_t i = 0; i + kMostEntries < entries.size(); ++i)
      if (now - entries[i].first > kInUse) sandbox::remove_tree(entries[i].second);
  }
}

}  // namespace judge::build
