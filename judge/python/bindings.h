#pragma once
// The module's parts.

#include <pybind11/pybind11.h>

#include <filesystem>
#include <vector>

#include "judge/catalogue/catalogue.h"
#include "judge/doctor.h"
#include "judge/judge.h"
#include "judge/python/interruptible.h"

namespace judge::python {

struct Entry {  // an exercise that knows its repository
  catalogue::Exercise exercise;
  std::filesystem::path root, home;
};

struct Entries {
  std::vector<Entry> exercises;
  std::vector<catalogue::Quiz> quizzes;
  std::filesystem::path root;
};

// schema: empty for the one beside the catalogue.
Entries load_entries(const std::filesystem::path& root, const std::filesystem::path& schema);

void bind_catalogue(pybind11::module_& m);
void bind_report(pybind11::module_& m);
void bind_program(pybind11::module_& m, const std::filesystem::path& module_folder);

}  // namespace judge::python
