// The JSON of a report. docs/report.schema.json says the same as a schema; a test holds the two together.

#include <cmath>
#include <nlohmann/json.hpp>

#include "judge/report/program.h"
#include "judge/report/report.h"
#include "judge/report/source_excerpt.h"

namespace judge::report {

namespace {

using json = nlohmann::ordered_json;

// JSON has no NaN and no infinities: they are the strings "nan", "inf" and "-inf".
json real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

json optional_real(const std::optional<double>& value) {
  return value ? real(*value) : json(nullptr);
}

json location(const Report& report, const emulator::SourceLocation& where) {
  const auto text = source_line(report, where);
  return {{"file", where.file},
          {"line", where.line},
          {"column", where.column},
          {"function", where.function},
          {"text", text ? json(std::string(*text)) : json(nullptr)}};
}

json known_location(const Report& report, const emulator::SourceLocation& where) {
  return where.line > 0 ? location(report, where) : json(nullptr);
}

json thread(const emulator::ThreadId& who) {
  return {{"block", who.block}, {"thread", who.thread}};
}

json dim(const device::Dim3& d) {
  return {d.x, d.y, d.z};
}

json counters(const device::Counters& c) {
  json j = json::object();
  emulator::for_each_counter(c, [&](std::string_view name, std::uint64_t value) { j[std::string(name)] = value; });
  return j;
}

json fault(const Report& report, const device::Fault& f) {
  json j{{"kind", emulator::to_string(f.kind)},
         {"kernel", f.kernel},
         {"where", location(report, f.where)},
         {"who", thread(f.who)},
         {"space", emulator::to_string(f.space)},
         {"access", emulator::to_string(f.access)},
         {"address", f.address},
         {"bytes", f.bytes},
         {"owner", f.owner},
         {"element", f.element ? json(*f.element) : json(nullptr)},
         {"other", nullptr},
         {"message", f.message},
         {"occurrences", f.occurrences},
         {"threads_gone", f.threads_gone}};
  if (f.other)
    j["other"] = {{"where", location(report, f.other->where)},
                  {"who", thread(f.other->who)},
                  {"access", emulator::to_string(f.other->access)}};
  return j;
}

json launch(const Report& report, const device::LaunchRecord& l) {
  json faults = json::array(), lines = json::array();
  for (const device::Fault& f : l.faults) faults.push_back(fault(report, f));
  for (const device::LineRecord& line : l.lines)
    lines.push_back({{"where", location(report, line.where)}, {"counters", counters(line.counters)}});
  return {{"kernel", l.kernel},
          {"grid", dim(l.grid)},
          {"block", dim(l.block)},
          {"static_shared_bytes", l.static_shared_bytes},
          {"dynamic_shared_bytes", l.dynamic_shared_bytes},
          {"finished", l.finished},
          {"counters", counters(l.counters)},
          {"lines", lines},
          {"faults", faults},
          {"faults_not_listed", l.faults_not_listed}};
}

json host(const session::HostOutcome& h) {
  return {{"end", session::to_string(h.end)},
          {"exit_status", h.exit_status},
          {"signal", h.signal},
          {"fault_address", h.fault_address},
          {"fault_in_device_memory", h.fault_in_device_memory},
          {"missing_symbol", h.missing_symbol},
          {"detail", h.detail},
          {"stdout", h.stdout_text},
          {"stderr", h.stderr_text},
          {"output_truncated", h.output_truncated}};
}

json comparison(const check::Comparison& c) {
  json first = json::array();
  for (const check::Mismatch& m : c.first)
    first.push_back({{"index", m.index},
                     {"position", m.position},
                     {"got", m.unwritten ? json(nullptr) : real(m.got)},
                     {"expected", real(m.expected)},
                     {"allowed", real(m.allowed)}});
  return {{"buffer", c.buffer},
          {"total", c.total},
          {"wrong", c.wrong},
          {"unwritten", c.unwritten},
          {"largest_error", real(c.largest_error)},
          {"first", first},
          {"diagnosis",
           {{"shape", check::to_string(c.diagnosis.shape)},
            {"sentence", c.diagnosis.sentence},
            {"period", c.diagnosis.period},
            {"offset", c.diagnosis.offset}}}};
}

json operation(const device::Operation& o) {
  json j = {{"kind", device::to_string(o.kind)}, {"bytes", o.bytes}, {"launch", o.launch}};
  if (o.stream != 0) j["stream"] = o.stream;
  if (o.event != 0) j["event"] = o.event;
  if (o.asynchronous) j["asynchronous"] = true;
  return j;
}

json record(const Report& report, const device::CaseRecord& r) {
  json launches = json::array(), operations = json::array(), errors = json::array();
  for (const device::LaunchRecord& l : r.launches) launches.push_back(launch(report, l));
  for (const device::Operation& o : r.operations) operations.push_back(operation(o));
  for (const device::ApiError& e : r.api_errors)
    errors.push_back({{"call", e.call},
                      {"code", e.code},
                      {"name", e.name},
                      {"detail", e.detail},
                      {"is_launch", e.is_launch},
                      {"where", known_location(report, e.where)}});
  json input_writes = json::array(), host_results = json::array();
  for (const device::InputWrite& w : r.input_writes)
    input_writes.push_back({{"buffer", w.buffer},
                            {"writer", w.writer},
                            {"by_kernel", w.by_kernel},
                            {"where", known_location(report, w.where)}});
  for (const device::HostResult& h : r.host_results)
    host_results.push_back({{"buffer", h.buffer},
                            {"elements", h.elements},
                            {"first", h.first},
                            {"call", h.call},
                            {"where", known_location(report, h.where)}});
  return {{"launches", launches},
          {"operations", operations},
          {"operations_not_listed", r.operations_not_listed},
          {"api_errors", errors},
          {"input_writes", input_writes},
          {"host_results", host_results},
          {"unsupported", r.unsupported},
          {"kernel_output", r.kernel_output},
          {"kernel_output_truncated", r.output_truncated},
          {"steps", r.steps},
          {"leaked_bytes", r.leaked_bytes}};
}

json case_report(const Report& report, const CaseReport& one) {
  json comparisons = json::array();
  for (const check::Comparison& c : one.comparisons) comparisons.push_back(comparison(c));
  json j{{"name", one.name}, {"title", one.title}, {"hidden", one.hidden}, {"timed", one.timed},
         {"ran", one.ran},   {"sizes", one.sizes}, {"seed", one.seed},     {"verdict", nullptr}};
  if (!one.ran) return j;
  j["schedule"] = one.schedule;
  j["verdict"] = verdict::to_string(one.verdict);
  j["wall_ms"] = real(one.wall_ms);
  j["device_ms"] = real(one.device_ms);
  j["step_limit"] = one.step_limit;
  j["wall_limit_ms"] = one.wall_limit_ms;
  j["comparisons"] = comparisons;
  j["changed_inputs"] = one.changed_inputs;
  j["broken_guards"] = one.broken_guards;
  j["writer"] = one.writer ? location(report, *one.writer) : json(nullptr);
  j["host"] = host(one.host);
  j["record"] = record(report, one.record);
  return j;
}

std::string_view severity(build::Diagnostic::Severity s) {
  switch (s) {
    case build::Diagnostic::Severity::note:
      return "note";
    case build::Diagnostic::Severity::warning:
      return "warning";
    case build::Diagnostic::Severity::error:
      return "error";
  }
  return "error";
}

json build_result(const build::Result& b) {
  json diagnostics = json::array(), kernels = json::array();
  for (const build::Diagnostic& d : b.diagnostics)
    diagnostics.push_back({{"severity", severity(d.severity)},
                           {"file", d.file},
                           {"line", d.line},
                           {"column", d.column},
                           {"text", d.text},
                           {"excerpt", d.excerpt}});
  for (const build::KernelResources& k : b.kernels)
    kernels.push_back({{"kernel", k.kernel},
                       {"registers", k.registers},
                       {"shared_bytes", k.shared_bytes},
                       {"constant_bytes", k.constant_bytes},
                       {"stack_bytes", k.stack_bytes},
                       {"spill_store_bytes", k.spill_store_bytes},
                       {"spill_load_bytes", k.spill_load_bytes}});
  return {{"ok", b.ok},
          {"cached", b.cached},
          {"wrong_prototype", b.wrong_prototype},
          {"timed_out", b.timed_out},
          {"command", b.command},
          {"wall_ms", real(b.wall_ms)},
          {"diagnostics", diagnostics},
          {"kernels", kernels}};
}

json requirement(const RequirementResult& r) {
  return {{"metric", r.metric},          {"value", real(r.value)}, {"min", optional_real(r.min)},
          {"max", optional_real(r.max)}, {"met", r.met},           {"why", r.why}};
}

}  // namespace

std::string to_json(const Report& report, int indent) {
  json cases = json::array(), requirements = json::array();
  for (const CaseReport& one : report.cases) cases.push_back(case_report(report, one));
  for (const RequirementResult& r : report.requirements) requirements.push_back(requirement(r));
  const bool failed = report.verdict == verdict::Verdict::judge_error;
  const json j{
      {"schema_version", report.schema_version},
      {"exercise",
       {{"id", report.exercise_id}, {"slug", report.slug}, {"title", report.title}, {"entry", report.entry}}},
      {"source_path", report.source_path},
      {"untouched_stub", report.untouched_stub},
      {"partial", report.partial},
      {"device", {{"name", report.device}, {"reason", report.device_reason}, {"peak_bytes", report.device_peak_bytes}}},
      {"seed", report.seed},
      {"schedules", report.schedules},
      {"verdict", verdict::to_string(report.verdict)},
      {"exit_status", verdict::exit_status(report.verdict)},
      {"judge_error",
       failed ? json{{"stage", report.judge_error_stage}, {"message", report.judge_error}} : json(nullptr)},
      {"build", build_result(report.build)},
      {"cases", cases},
      {"requirements", {{"case", report.requirement_case}, {"results", requirements}}},
      {"next_step", report.next_step},
      {"wall_ms", real(report.wall_ms)}};
  // Bytes of the student that are no UTF-8 become U+FFFD.
  return j.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const ProgramReport& program, int indent) {
  Report source;  // for the text of lines
  source.source_path = program.sources.front().name;
  source.source = program.sources.front().bytes;
  source.more_sources.assign(program.sources.begin() + 1, program.sources.end());

  json kernels = json::array(), faults = json::array(), errors = json::array(), names = json::array();
  for (const build::ProgramSource& one : program.sources) names.push_back(one.name);
  for (const KernelReport& k : program.kernels) {
    json lines = json::array();
    for (const device::LineRecord& line : k.lines)
      lines.push_back({{"where", location(source, line.where)},
                       {"requests", global_requests(line.counters)},
                       {"sectors", global_sectors(line.counters)},
                       {"sectors_per_request", ratio(global_sectors(line.counters), global_requests(line.counters))},
                       {"bank_conflicts", bank_conflicts(line.counters)},
                       {"divergent_branches", line.counters.divergent_branches},
                       {"counters", counters(line.counters)}});
    kernels.push_back({{"kernel", k.kernel},
                       {"grid", dim(k.grid)},
                       {"block", dim(k.block)},
                       {"static_shared_bytes", k.static_shared_bytes},
                       {"dynamic_shared_bytes", k.dynamic_shared_bytes},
                       {"launches", k.launches},
                       {"registers", k.registers ? json(*k.registers) : json(nullptr)},
                       {"occupancy",
                        {{"blocks", k.occupancy.blocks},
                         {"warps", k.occupancy.warps},
                         {"max_warps", k.occupancy.max_warps},
                         {"share", k.occupancy.share()}}},
                       {"counters", counters(k.counters)},
                       {"lines", lines}});
  }
  for (const device::LaunchRecord& l : program.record.launches)
    for (const device::Fault& f : l.faults) faults.push_back(fault(source, f));
  for (const device::ApiError& e : program.record.api_errors)
    errors.push_back(
        {{"call", e.call}, {"code", e.code}, {"name", e.name}, {"detail", e.detail}, {"is_launch", e.is_launch}});
  json transfers;
  for_each_transfer(program.transfers, [&](const char* name, std::uint64_t value) { transfers[name] = value; });
  const json j{{"schema_version", program.schema_version},
               {"sources", names},
               {"device", program.device},
               {"build", build_result(program.build)},
               {"ran", program.ran},
               {"finding", verdict::to_string(program.finding)},
               {"exit_status", program.exit_status()},
               {"host", host(program.host)},
               {"judge_error_stage", program.judge_error_stage},
               {"judge_error", program.judge_error},
               {"schedule_seed", program.schedule_seed},
               {"wall_ms", real(program.wall_ms)},
               {"device_ms", real(program.device_ms)},
               {"device_peak_bytes", program.device_peak_bytes},
               {"kernels", kernels},
               {"transfers", transfers},
               {"faults", faults},
               {"api_errors", errors},
               {"unsupported", program.record.unsupported}};
  return j.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace judge::report
