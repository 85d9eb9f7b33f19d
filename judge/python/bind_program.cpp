#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "judge/program.h"
#include "judge/python/bindings.h"
#include "judge/report/report.h"

namespace py = pybind11;
using namespace pybind11::literals;

namespace judge::python {

namespace {

py::dict counters_of(const device::Counters& counters) {
  py::dict all;
  emulator::for_each_counter(
      counters, [&](std::string_view name, std::uint64_t value) { all[py::str(name.data(), name.size())] = value; });
  return all;
}

py::dict access_of(const device::TracedAccess& a) {
  py::list lanes;
  for (std::size_t lane = 0; lane < a.address.size(); ++lane)
    lanes.append((a.mask >> lane & 1) != 0 ? py::object(py::int_(a.address[lane])) : py::object(py::none()));
  return py::dict("line"_a = a.where.line, "space"_a = std::string(to_string(a.space)),
                  "kind"_a = std::string(to_string(a.kind)), "block"_a = a.block, "warp"_a = a.warp,
                  "bytes"_a = a.bytes, "addresses"_a = lanes);
}

py::list launches(const ProgramReport& report) {
  py::list all;
  for (const device::LaunchRecord& launch : report.record.launches) {
    py::dict lines;
    for (const device::LineRecord& line : launch.lines) lines[py::int_(line.where.line)] = counters_of(line.counters);
    py::list accesses;
    for (const device::TracedAccess& access : launch.accesses) accesses.append(access_of(access));
    all.append(py::dict("kernel"_a = launch.kernel, "lines"_a = lines, "accesses"_a = accesses));
  }
  return all;
}

void bind_results(py::module_& m) {
  py::class_<build::ProgramSource>(m, "ProgramSource", "One file of a program, as it was when it was read.")
      .def(py::init([](std::string name, const py::bytes& bytes, const std::filesystem::path& directory) {
             build::ProgramSource source;
             source.name = std::move(name);
             source.bytes = std::string(bytes);
             source.directory = std::filesystem::absolute(directory).lexically_normal();
             return source;
           }),
           py::arg("name"), py::arg("bytes"), py::arg("directory"))
      .def_readonly("name", &build::ProgramSource::name)
      .def_property_readonly("bytes", [](const build::ProgramSource& s) { return py::bytes(s.bytes); });
  py::class_<ProgramReport>(m, "ProgramReport", "How a program ran, and what the device saw.")
      .def_readonly("device", &ProgramReport::device)
      .def_readonly("build", &ProgramReport::build)
      .def_readonly("ran", &ProgramReport::ran)
      .def_property_readonly("finding",
                             [](const ProgramReport& r) { return std::string(verdict::to_string(r.finding)); })
      .def("exit_status", &ProgramReport::exit_status, py::arg("findings_count") = true,
           "The program's own status, 128 + n for signal n; where that is 0, or there is none, the finding's.")
      .def_readonly("judge_error", &ProgramReport::judge_error)
      .def_property_readonly("launches", &launches)
      .def_readonly("wall_ms", &ProgramReport::wall_ms)
      .def(
          "findings",
          [](const ProgramReport& r, bool colour, int width, const std::string& lang, bool findings_count) {
            return report::findings(r, {colour, width, lang}, findings_count);
          },
          py::arg("colour") = false, py::arg("width") = 100, py::arg("lang") = "en", py::arg("findings_count") = true,
          "What went wrong, as text; empty when nothing did.")
      .def(
          "profile",
          [](const ProgramReport& r, bool colour, int width, const std::string& lang) {
            return report::profile(r, {colour, width, lang});
          },
          py::arg("colour") = false, py::arg("width") = 100, py::arg("lang") = "en",
          "Each kernel: shape, occupancy, counters, and the lines with the most memory traffic.")
      .def(
          "to_json", [](const ProgramReport& r, int indent) { return report::to_json(r, indent); },
          py::arg("indent") = 2, "All of it as JSON; docs/run.schema.json describes it.");
}

}  // namespace

void bind_program(py::module_& m, const std::filesystem::path& module_folder) {
  bind_results(m);
  py::class_<ProgramOptions>(m, "ProgramOptions", "How a program is compiled and run; every field has a default.")
      .def(py::init([module_folder] {
        ProgramOptions options;
        options.program_dir = module_folder;
        options.working_directory = std::filesystem::current_path();
        return options;
      }))
      .def_readwrite("nvcc_flags", &ProgramOptions::nvcc_flags)
      .def_readwrite("arguments", &ProgramOptions::arguments)
      .def_readwrite("environment", &ProgramOptions::environment)
      .def_readwrite("working_directory", &ProgramOptions::working_directory)
      .def_readwrite("may_write", &ProgramOptions::may_write)
      .def_readwrite("streams", &ProgramOptions::streams)
      .def_readwrite("device", &ProgramOptions::device)
      .def_readwrite("gpu", &ProgramOptions::gpu)
      .def_readwrite("schedule_seed", &ProgramOptions::schedule_seed)
      .def_readwrite("memory_bytes", &ProgramOptions::memory_bytes)
      .def_readwrite("traced_lines", &ProgramOptions::traced_lines)
      .def_readwrite("register_report", &ProgramOptions::register_report)
      .def_readwrite("root", &ProgramOptions::root)
      .def_readwrite("cache_dir", &ProgramOptions::cache_dir)
      .def_property(
          "time_limit", [](const ProgramOptions& o) { return std::chrono::duration<double>(o.wall_limit).count(); },
          [](ProgramOptions& o, double seconds) {
            if (!(seconds > 0 && seconds <= 1e6))
              throw std::invalid_argument("the time limit must be 0.001 to 1e6 seconds");
            o.wall_limit = std::chrono::milliseconds(static_cast<long long>(seconds * 1000));
          },
          "Seconds.");
  m.def("read_program", &read_program, py::arg("paths"), "Reads a program's sources. Raises RuntimeError.");
  m.def(
      "compile_program",
      [](const std::vector<build::ProgramSource>& sources, const ProgramOptions& options) {
        return run_interruptible<build::Result>(
            [sources, options](const std::atomic<bool>&, const Progress&) {
              return judge::compile_program(sources, options);
            },
            py::none());
      },
      py::arg("sources"), py::arg("options"), "Compiles a program; the result is cached by content.");
  m.def(
      "run_program",
      [](const std::vector<build::ProgramSource>& sources, const ProgramOptions& given) {
        return run_interruptible<ProgramReport>(
            [sources, options = given](const std::atomic<bool>& cancelled, const Progress&) mutable {
              options.cancelled = &cancelled;
              return judge::run_program(sources, options);
            },
            py::none());
      },
      py::arg("sources"), py::arg("options"), "Compiles a program unless that is cached, and runs it.");
}

}  // namespace judge::python
