#include <pybind11/stl.h>

#include "judge/python/bindings.h"
#include "judge/report/report.h"

namespace py = pybind11;

namespace judge::python {

namespace {

std::string severity(const build::Diagnostic& d) {
  using Severity = build::Diagnostic::Severity;
  return d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
}

// Language-neutral for Python: the enum is ours, the name is for scripts.
std::string name_of(verdict::Verdict v) {
  return std::string(verdict::to_string(v));
}

report::Style style(bool colour, int width, const std::string& lang) {
  return {colour, width, lang};
}

void bind_build(py::module_& m) {
  py::class_<build::Diagnostic>(m, "Diagnostic", "One message of nvcc about the student's file.")
      .def_property_readonly("severity", &severity)
      .def_readonly("file", &build::Diagnostic::file)
      .def_readonly("line", &build::Diagnostic::line)
      .def_readonly("column", &build::Diagnostic::column)
      .def_readonly("text", &build::Diagnostic::text)
      .def_readonly("excerpt", &build::Diagnostic::excerpt);
  py::class_<build::KernelResources>(m, "KernelResources", "What ptxas -v says of one kernel.")
      .def_readonly("kernel", &build::KernelResources::kernel)
      .def_readonly("registers", &build::KernelResources::registers)
      .def_readonly("shared_bytes", &build::KernelResources::shared_bytes)
      .def_readonly("stack_bytes", &build::KernelResources::stack_bytes)
      .def_readonly("spill_store_bytes", &build::KernelResources::spill_store_bytes)
      .def_readonly("spill_load_bytes", &build::KernelResources::spill_load_bytes);
  py::class_<build::Result>(m, "Build", "The compilation of a submission.")
      .def_readonly("ok", &build::Result::ok)
      .def_readonly("cached", &build::Result::cached)
      .def_readonly("wrong_prototype", &build::Result::wrong_prototype)
      .def_readonly("timed_out", &build::Result::timed_out)
      .def_readonly("command", &build::Result::command)
      .def_readonly("wall_ms", &build::Result::wall_ms)
      .def_readonly("diagnostics", &build::Result::diagnostics)
      .def_readonly("kernels", &build::Result::kernels);
}

void bind_parts(py::module_& m) {
  py::class_<CaseReport>(m, "CaseReport", "What happened in one case; all of it is in Report.to_dict()[\"cases\"].")
      .def_readonly("name", &CaseReport::name)
      .def_readonly("title", &CaseReport::title)
      .def_readonly("hidden", &CaseReport::hidden)
      .def_readonly("timed", &CaseReport::timed)
      .def_readonly("ran", &CaseReport::ran)
      .def_readonly("sizes", &CaseReport::sizes)
      .def_readonly("seed", &CaseReport::seed)
      .def_readonly("turn", &CaseReport::turn)
      .def_property_readonly("verdict", [](const CaseReport& c) { return c.ran ? name_of(c.verdict) : ""; })
      .def_readonly("wall_ms", &CaseReport::wall_ms)
      .def_readonly("device_ms", &CaseReport::device_ms);
  py::class_<RequirementResult>(m, "RequirementResult", "A budget of the exercise against what the kernel did.")
      .def_readonly("metric", &RequirementResult::metric)
      .def_readonly("value", &RequirementResult::value)
      .def_readonly("min", &RequirementResult::min)
      .def_readonly("max", &RequirementResult::max)
      .def_readonly("met", &RequirementResult::met)
      .def_readonly("why", &RequirementResult::why);
}

void bind_check(py::module_& m) {
  py::class_<CheckItem>(m, "CheckItem", "One submission of an exercise's own and what became of it.")
      .def_property_readonly("kind", [](const CheckItem& i) { return std::string(to_string(i.kind)); })
      .def_property_readonly("path", [](const CheckItem& i) { return i.path.string(); })
      .def_property_readonly("expected",
                             [](const CheckItem& i) {
                               return i.expected                        ? name_of(*i.expected)
                                      : i.kind == CheckItem::Kind::stub ? std::string("not accepted")
                                                                        : std::string();
                             })
      .def_property_readonly("verdict", [](const CheckItem& i) { return i.got ? name_of(*i.got) : std::string(); })
      .def_readonly("ok", &CheckItem::ok)
      .def_readonly("note", &CheckItem::note)
      .def_property_readonly("wall_ms", [](const CheckItem& i) { return i.report.wall_ms; })
      .def_readonly("report", &CheckItem::report);
}

void bind_doctor(py::module_& m) {
  py::class_<sandbox::LayerStatus>(m, "Layer", "One protection of the box that untrusted code runs in.")
      .def_property_readonly("name", [](const sandbox::LayerStatus& l) { return std::string(to_string(l.layer)); })
      .def_readonly("available", &sandbox::LayerStatus::available)
      .def_readonly("detail", &sandbox::LayerStatus::detail);
  py::class_<Doctor>(m, "Doctor", "What this machine has.")
      .def_readonly("version", &Doctor::version)
      .def_readonly("nvcc", &Doctor::nvcc)
      .def_readonly("cuda_version", &Doctor::cuda_version)
      .def_readonly("host_compiler", &Doctor::host_compiler)
      .def_readonly("toolchain_error", &Doctor::toolchain_error)
      .def_readonly("instruction_set", &Doctor::instruction_set)
      .def_readonly("cores", &Doctor::cores)
      .def_readonly("gpus", &Doctor::gpus)
      .def_readonly("emulated_gpus", &Doctor::emulated_gpus)
      .def_readonly("layers", &Doctor::layers)
      .def_readonly("programs", &Doctor::programs);
}

}  // namespace

void bind_report(py::module_& m) {
  bind_build(m);
  bind_parts(m);
  py::class_<Report>(m, "Report", "The outcome of one submission.")
      .def_readonly("schema_version", &Report::schema_version)
      .def_readonly("exercise_id", &Report::exercise_id)
      .def_readonly("slug", &Report::slug)
      .def_readonly("title", &Report::title)
      .def_readonly("source_path", &Report::source_path)
      .def_readonly("untouched_stub", &Report::untouched_stub)
      .def_readonly("partial", &Report::partial)
      .def_readonly("device", &Report::device)
      .def_readonly("device_reason", &Report::device_reason)
      .def_property_readonly("verdict", [](const Report& r) { return name_of(r.verdict); })
      .def_property_readonly("exit_status", [](const Report& r) { return verdict::exit_status(r.verdict); })
      .def_property_readonly("accepted", [](const Report& r) { return r.verdict == verdict::Verdict::accepted; })
      .def_readonly("judge_error_stage", &Report::judge_error_stage)
      .def_readonly("judge_error", &Report::judge_error)
      .def_readonly("build", &Report::build)
      .def_readonly("cases", &Report::cases)
      .def_readonly("requirements", &Report::requirements)
      .def_readonly("requirement_case", &Report::requirement_case)
      .def_readonly("seed", &Report::seed)
      .def_readonly("next_step", &Report::next_step)
      .def_readonly("wall_ms", &Report::wall_ms)
      .def_readonly("device_peak_bytes", &Report::device_peak_bytes)
      .def(
          "to_text",
          [](const Report& r, bool colour, int width, const std::string& lang) {
            return report::to_terminal(r, style(colour, width, lang));
          },
          py::arg("colour") = false, py::arg("width") = 100, py::arg("lang") = "en",
          "The report for a terminal, ending in a newline; at most 100 columns.")
      .def(
          "to_json", [](const Report& r, int indent) { return report::to_json(r, indent); }, py::arg("indent") = 2,
          "The report as JSON; docs/report.schema.json describes it.")
      .def(
          "to_dict", [](const Report& r) { return py::module_::import("json").attr("loads")(report::to_json(r)); },
          "json.loads(self.to_json()).")
      .def("__repr__",
           [](const Report& r) { return "<Report " + std::to_string(r.exercise_id) + " " + name_of(r.verdict) + ">"; });
  bind_check(m);
  bind_doctor(m);
}

}  // namespace judge::python
