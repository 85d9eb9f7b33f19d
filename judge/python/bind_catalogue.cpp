#include <pybind11/stl.h>

#include <algorithm>
#include <cctype>

#include "judge/python/bindings.h"

namespace py = pybind11;

namespace judge::python {

namespace {

std::vector<std::string> strings(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> all;
  for (const auto& path : paths) all.push_back(path.string());
  return all;
}

std::map<std::string, std::string> statements(const catalogue::Exercise& e) {
  std::map<std::string, std::string> all{{"en", e.statement_en.string()}};
  if (!e.statement_zh.empty()) all["zh"] = e.statement_zh.string();
  return all;
}

// "72" and "072" are the same number; anything with another character is a slug.
const Entry* find(const Entries& entries, const std::string& wanted) {
  const bool number = !wanted.empty() && wanted.size() <= 9 &&
                      std::all_of(wanted.begin(), wanted.end(), [](unsigned char c) { return std::isdigit(c); });
  const int id = number ? std::stoi(wanted) : -1;
  for (const Entry& entry : entries.exercises)
    if (entry.exercise.id == id || entry.exercise.slug == wanted) return &entry;
  return nullptr;
}

}  // namespace

Entries load_entries(const std::filesystem::path& root, const std::filesystem::path& schema) {
  Entries entries;
  entries.root = root;
  catalogue::Catalogue loaded = catalogue::load(root, schema);
  for (catalogue::Exercise& exercise : loaded.exercises) entries.exercises.push_back({std::move(exercise), root, schema.parent_path()});
  entries.quizzes = std::move(loaded.quizzes);
  return entries;
}

void bind_catalogue(py::module_& m) {
  py::class_<catalogue::Case>(m, "Case", "One case of an exercise.")
      .def_readonly("name", &catalogue::Case::name)
      .def_readonly("title", &catalogue::Case::title)
      .def_readonly("hidden", &catalogue::Case::hidden)
      .def_readonly("timed", &catalogue::Case::timed)
      .def("__repr__", [](const catalogue::Case& c) { return "<Case " + c.name + ">"; });

  const auto field = [](auto member) {
    return py::cpp_function([member](const Entry& e) { return e.exercise.*member; });
  };
  const auto path = [](auto member) {
    return py::cpp_function([member](const Entry& e) { return (e.exercise.*member).string(); });
  };
  const auto paths = [](auto member) {
    return py::cpp_function([member](const Entry& e) { return strings(e.exercise.*member); });
  };
  using catalogue::Exercise;
  py::class_<Entry>(m, "Exercise", "One exercise of the catalogue. Paths are absolute strings.")
      .def_property_readonly("id", field(&Exercise::id))
      .def_property_readonly("slug", field(&Exercise::slug))
      .def_property_readonly("chapter", field(&Exercise::chapter))
      .def_property_readonly("level", field(&Exercise::level))
      .def_property_readonly("title", field(&Exercise::title))
      .def_property_readonly("entry", field(&Exercise::entry))
      .def_property_readonly("entry_name", field(&Exercise::entry_name))
      .def_property_readonly("cases", field(&Exercise::cases))
      .def_property_readonly("hints", field(&Exercise::hints))
      .def_property_readonly("stub", path(&Exercise::stub))
      .def_property_readonly("reference", path(&Exercise::reference))
      .def_property_readonly("cpu_reference", path(&Exercise::cpu_reference))
      .def_property_readonly("wrong", paths(&Exercise::wrong))
      .def_property_readonly("right", paths(&Exercise::right))
      .def_property_readonly("folder_name", [](const Entry& e) { return e.exercise.folder_name(); })
      .def_property_readonly("statements", [](const Entry& e) { return statements(e.exercise); })
      .def_property_readonly("root", [](const Entry& e) { return e.root.string(); })
      .def("__repr__", [](const Entry& e) { return "<Exercise " + e.exercise.folder_name() + ">"; });

  py::class_<Entries>(m, "Catalogue", "All exercises, by id.")
      .def_property_readonly("root", [](const Entries& c) { return c.root.string(); })
      .def_readonly("exercises", &Entries::exercises)
      .def("find", &find, py::arg("id_or_slug"), py::return_value_policy::reference_internal,
           "By id or slug; None when there is none.")
      .def(
          "find", [](const Entries& c, int id) { return find(c, std::to_string(id)); }, py::arg("id_or_slug"),
          py::return_value_policy::reference_internal, "By id; None when there is none.")
      .def("__len__", [](const Entries& c) { return c.exercises.size(); })
      .def(
          "__iter__", [](const Entries& c) { return py::make_iterator(c.exercises.begin(), c.exercises.end()); },
          py::keep_alive<0, 1>());
}

}  // namespace judge::python
