#include "workshop.h"

#include <stdexcept>

namespace judge::build {

Workshop::Workshop() {
  std::string pattern = (std::filesystem::temp_directory_path() / "judge-build-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  root_ = pattern;
  std::filesystem::create_directories(cache());
  std::filesystem::create_directories(sources());
}

Workshop::~Workshop() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

void Workshop::write(const std::string& name, const std::string& text) const {
  std::ofstream(sources() / name, std::ios::trunc) << text;
}

std::size_t Workshop::entries() const {
  const std::filesystem::path folder = cache() / "entries";
  if (!std::filesystem::exists(folder)) return 0;
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

bool Workshop::leftovers() const {
  for (const auto& entry : std::filesystem::directory_iterator(cache()))
    if (entry.path().filename() != "entries") return true;
  return false;
}

Request Workshop::request(const std::string& source) const {
  Request request;
  request.source = source;
  request.source_name = "scale.cu";
  request.source_dir = sources();
  request.entry_prototype = "void scale(const float* x, float* y, int n)";
  request.parameter_types = {"const float*", "float*", "int"};
  request.entry_name = "scale";
  request.cache_dir = cache();
  return request;
}

const Toolchain& toolchain() {
  static const Toolchain found = find_toolchain();
  return found;
}

std::string text_of(const Result& result) {
  std::string text;
  for (const Diagnostic& d : result.diagnostics) text += d.file + ":" + std::to_string(d.line) + ": " + d.text + "\n";
  return text;
}

}  // namespace judge::build
