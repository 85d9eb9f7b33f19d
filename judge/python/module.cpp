// The module _judge. Its interface, with every docstring, is _judge.pyi; a test compares the two.

#include <dlfcn.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "judge/cache_place.h"
#include "judge/catalogue/metrics.h"
#include "judge/python/bindings.h"

namespace py = pybind11;

namespace judge::python {

namespace {

std::vector<std::string> verdict_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(verdict::Verdict::accepted); ++i)
    names.emplace_back(verdict::to_string(static_cast<verdict::Verdict>(i)));
  return names;
}

// The programs lie beside this module.
std::filesystem::path module_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&module_folder), &info) == 0 || !info.dli_fname) return ".";
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

Options options_for(const Entry& entry, const std::optional<std::uint64_t>& seed,
                    const std::optional<std::filesystem::path>& cache_dir,
                    const std::optional<std::filesystem::path>& program_dir) {
  Options options;
  options.root = entry.root;
  options.home = entry.home;
  options.seed = seed;
  options.cache_dir = cache_dir.value_or("");
  options.program_dir = program_dir.value_or(module_folder());
  return options;
}

void bind_functions(py::module_& m) {
  m.def(
      "load_catalogue",
      [](const std::filesystem::path& root, const std::optional<std::filesystem::path>& schema) {
        return load_entries(std::filesystem::absolute(root), schema.value_or(""));
      },
      py::arg("root"), py::arg("schema") = py::none(),
      "Reads and validates root/exercises.json. Raises CatalogueError.");
  m.def(
      "judge",
      [](const Entry& entry, const std::string& source, const std::filesystem::path& source_path,
         const std::string& device, const std::optional<std::string>& only_case, std::optional<std::uint64_t> seed,
         const std::string& gpu, unsigned schedules, std::uint64_t schedule, bool keep_going,
         const std::optional<std::filesystem::path>& cache_dir, const std::optional<std::filesystem::path>& program_dir,
         const py::object& progress) {
        Options options = options_for(entry, seed, cache_dir, program_dir);
        options.device = device;
        options.only_case = only_case;
        options.gpu = gpu;
        options.schedules = schedules;
        options.schedule = schedule;
        options.stop_at_first_failure = !keep_going;
        const std::string path = source_path.empty() ? entry.exercise.stub.string() : source_path.string();
        return run_interruptible<Report>(
            [options, source, path, exercise = entry.exercise](const std::atomic<bool>& cancelled,
                                                               const Progress& tell) mutable {
              options.cancelled = &cancelled;
              return judge::judge(exercise, source, path, options, tell);
            },
            progress);
      },
      py::arg("exercise"), py::arg("source"), py::kw_only(), py::arg("source_path") = std::filesystem::path(),
      py::arg("device") = "auto", py::arg("case") = py::none(), py::arg("seed") = py::none(), py::arg("gpu") = "t4",
      py::arg("schedules") = 0, py::arg("schedule") = 0, py::arg("keep_going") = false,
      py::arg("cache_dir") = py::none(), py::arg("program_dir") = py::none(), py::arg("progress") = py::none(),
      "Judges one submission. Every argument is explained in _judge.pyi.");
  m.def(
      "check_items", [](const Entry& entry) { return judge::check_items(entry.exercise); }, py::arg("exercise"),
      "The submissions that prove an exercise, not judged yet: stub, reference, right/*.cu, wrong/*.cu.");
  m.def(
      "check_item",
      [](const Entry& entry, const CheckItem& item, std::optional<std::uint64_t> seed,
         const std::optional<std::filesystem::path>& cache_dir, const std::optional<std::filesystem::path>& program_dir,
         const py::object& progress) {
        Options options = options_for(entry, seed, cache_dir, program_dir);
        return run_interruptible<CheckItem>(
            [options, item = CheckItem(item), exercise = entry.exercise](const std::atomic<bool>& cancelled,
                                                                         const Progress& tell) mutable {
              options.cancelled = &cancelled;
              judge::check_item(exercise, item, options, tell);
              return item;
            },
            progress);
      },
      py::arg("exercise"), py::arg("item"), py::kw_only(), py::arg("seed") = py::none(),
      py::arg("cache_dir") = py::none(), py::arg("program_dir") = py::none(), py::arg("progress") = py::none(),
      "Judges one of check_items(); several may run at once, in threads.");
  m.def(
      "cancel_all", [] { detail::cancel_requested() = true; },
      "Ends everything that runs in other threads: each call there raises KeyboardInterrupt.");
  m.def(
      "metric_value",
      [](const std::string& name, const std::map<std::string, std::uint64_t>& given) {
        emulator::Counters counters;
        emulator::for_each_counter(counters, [&](std::string_view counter, std::uint64_t& value) {
          if (const auto found = given.find(std::string(counter)); found != given.end()) value = found->second;
        });
        return catalogue::metric_value(name, counters, {});
      },
      py::arg("name"), py::arg("counters"), "A metric of docs/authoring.md from counters by name.");
  m.def("cache_dir", &judge::default_cache_dir, py::arg("root"),
        "Where compiled submissions are kept when judge() is given no cache_dir.");
  m.def(
      "doctor",
      [](const std::optional<std::filesystem::path>& program_dir) {
        const py::gil_scoped_release release;
        return judge::doctor(program_dir.value_or(module_folder()));
      },
      py::arg("program_dir") = py::none(), "Looks at the machine: compilers, GPUs, the box's layers.");
}

}  // namespace

}  // namespace judge::python

PYBIND11_MODULE(_judge, m) {
  m.doc() = "The judge: load_catalogue, judge, check_item, doctor. See _judge.pyi.";
  m.attr("__version__") = judge::version();
  m.attr("VERDICTS") = judge::python::verdict_names();
  py::register_exception<judge::catalogue::CatalogueError>(m, "CatalogueError", PyExc_ValueError);
  judge::python::bind_catalogue(m);
  judge::python::bind_report(m);
  judge::python::bind_program(m, judge::python::module_folder());
  judge::python::bind_functions(m);
}
