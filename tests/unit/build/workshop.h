#pragma once
// A cache folder and a source folder for one test, and the request that the tests vary.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "judge/build/build.h"

namespace judge::build {

class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::filesystem::path cache() const { return root_ / "cache"; }
  std::filesystem::path sources() const { return root_ / "sources"; }
  void write(const std::string& name, const std::string& text) const;
  std::size_t entries() const;
  bool leftovers() const;  // temporary folders in the cache

  // "void scale(const float* x, float* y, int n)"
  Request request(const std::string& source) const;

 private:
  std::filesystem::path root_;
};

const Toolchain& toolchain();
std::string text_of(const Result& result);  // every diagnostic as "file:line: text\n"

}  // namespace judge::build
