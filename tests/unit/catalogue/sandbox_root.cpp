#include "sandbox_root.h"

#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace fs = std::filesystem;

const std::string kGoodCatalogue = R"json({
"version": 1,
"chapters": [{"slug": "first", "title": "First"}],
"exercises": [
{"id": 7, "slug": "scale", "chapter": "first", "level": "easy", "title": "Scale",
 "entry": "void scale(const float* x, float* y, float a, int n)",
 "arguments": [
  {"name": "x", "role": "in", "type": "float32", "shape": ["n+R"], "fill": {"uniform": [-1, 1]}},
  {"name": "y", "role": "out", "type": "float32", "shape": ["n"]},
  {"name": "a", "role": "scalar", "type": "float32", "value": 2},
  {"name": "n", "role": "size"}],
 "constants": {"R": 4},
 "cases": [
  {"name": "one", "n": 1},
  {"name": "hidden", "n": {"random": [10, 20]}, "hidden": true},
  {"name": "large", "n": 4096, "timed": true}],
 "tolerance": {"rtol": 1e-5, "atol": 1e-6},
 "work": {"bytes": "8*n", "flops": "n"},
 "require": [{"metric": "global_load_bytes", "max": "1.2*4*n"}],
 "hints": ["Think."]}
]})json";

SandboxRoot::SandboxRoot() {
  std::string name = (fs::temp_directory_path() / "catalogue-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  root_ = name;
  fs::copy_file(fs::path(JUDGE_SOURCE_DIR) / "exercises.schema.json", root_ / "exercises.schema.json");
  write("practice/007_scale/scale.cu", "");
  write("practice/007_scale/statement.md", "");
  write("reference/007_scale/scale.cu", "");
  write("reference/007_scale/scale_cpu.cpp", "");
  write_catalogue(kGoodCatalogue);
}

SandboxRoot::~SandboxRoot() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void SandboxRoot::write(const fs::path& relative, const std::string& text) const {
  fs::create_directories((root_ / relative).parent_path());
  std::ofstream(root_ / relative, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::runtime_error("not exactly one occurrence of: " + from);
  }
  return text.replace(at, from.size(), to);
}
