#include "judge/device/record.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "judge/device/record_json.h"

namespace judge::device {
namespace {

using emulator::AccessKind;
using emulator::FaultParty;
using emulator::MemorySpace;
using emulator::ThreadId;
using nlohmann::json;

constexpr OperationKind kLastOperation = OperationKind::prefetch_to_host;
constexpr AccessKind kLastAccess = AccessKind::atomic;
constexpr MemorySpace kLastSpace = MemorySpace::param;

// The inverse of to_string for an enumeration without gaps.
template <class Enum>
Enum enum_from(const std::string& name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (to_string(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  throw std::runtime_error("case record: unknown name '" + name + "'");
}

json dump_dim(const Dim3& d) {
  return json::array({d.x, d.y, d.z});
}
Dim3 parse_dim(const json& j) {
  return {j.at(0), j.at(1), j.at(2)};
}

json dump_counters(const Counters& counters) {
  json j = json::object();
  emulator::for_each_counter(counters, [&](std::string_view name, std::uint64_t value) {
    if (value != 0) j[std::string(name)] = value;
  });
  return j;
}

Counters parse_counters(const json& j) {
  Counters c;
  emulator::for_each_counter(
      c, [&](std::string_view name, std::uint64_t& value) { value = j.value(std::string(name), std::uint64_t{0}); });
  return c;
}

json dump_location(const SourceLocation& l) {
  return {{"file", l.file}, {"line", l.line}, {"column", l.column}, {"function", l.function}};
}

SourceLocation parse_location(const json& j) {
  return {j.at("file").get<std::string>(), j.at("line").get<int>(), j.at("column").get<int>(),
          j.at("function").get<std::string>()};
}

json dump_thread(const ThreadId& t) {
  return {{"block", t.block}, {"thread", t.thread}};
}

ThreadId parse_thread(const json& j) {
  ThreadId t;
  j.at("block").get_to(t.block);
  j.at("thread").get_to(t.thread);
  return t;
}

json dump_fault(const Fault& f) {
  json j = {{"kind", std::string(to_string(f.kind))},
            {"kernel", f.kernel},
            {"where", dump_location(f.where)},
            {"who", dump_thread(f.who)},
            {"space", std::string(to_string(f.space))},
            {"access", std::string(to_string(f.access))},
            {"address", f.address},
            {"bytes", f.bytes},
            {"owner", f.owner},
            {"message", f.message},
            {"occurrences", f.occurrences},
            {"threads_gone", f.threads_gone}};
  if (f.element) j["element"] = *f.element;
  if (f.other) {
    j["other"] = {{"where", dump_location(f.other->where)},
                  {"who", dump_thread(f.other->who)},
                  {"access", std::string(to_string(f.other->access))}};
  }
  return j;
}

Fault parse_fault(const json& j) {
  Fault f;
  const auto kind = emulator::fault_kind_from(j.at("kind").get<std::string>());
  if (!kind) throw std::runtime_error("case record: unknown fault '" + j.at("kind").get<std::string>() + "'");
  f.kind = *kind;
  j.at("kernel").get_to(f.kernel);
  f.where = parse_location(j.at("where"));
  f.who = parse_thread(j.at("who"));
  f.space = enum_from(j.at("space").get<std::string>(), kLastSpace);
  f.access = enum_from(j.at("access").get<std::string>(), kLastAccess);
  j.at("address").get_to(f.address);
  j.at("bytes").get_to(f.bytes);
  j.at("owner").get_to(f.owner);
  j.at("message").get_to(f.message);
  j.at("occurrences").get_to(f.occurrences);
  j.at("threads_gone").get_to(f.threads_gone);
  if (j.contains("element")) f.element = j["element"].get<std::int64_t>();
  if (j.contains("other")) {
    const json& o = j["other"];
    f.other = FaultParty{parse_location(o.at("where")), parse_thread(o.at("who")),
                         enum_from(o.at("access").get<std::string>(), kLastAccess)};
  }
  return f;
}

json dump_access(const TracedAccess& a) {
  return {{"where", dump_location(a.where)},
          {"space", std::string(to_string(a.space))},
          {"kind", std::string(to_string(a.kind))},
          {"block", a.block},
          {"warp", a.warp},
          {"bytes", a.bytes},
          {"mask", a.mask},
          {"address", a.address}};
}

TracedAccess parse_access(const json& j) {
  TracedAccess a;
  a.where = parse_location(j.at("where"));
  a.space = enum_from(j.at("space").get<std::string>(), kLastSpace);
  a.kind = enum_from(j.at("kind").get<std::string>(), kLastAccess);
  j.at("block").get_to(a.block);
  j.at("warp").get_to(a.warp);
  j.at("bytes").get_to(a.bytes);
  j.at("mask").get_to(a.mask);
  j.at("address").get_to(a.address);
  return a;
}

json dump_launch(const LaunchRecord& l) {
  json j = {{"kernel", l.kernel},
            {"grid", dump_dim(l.grid)},
            {"block", dump_dim(l.block)},
            {"static_shared_bytes", l.static_shared_bytes},
            {"dynamic_shared_bytes", l.dynamic_shared_bytes},
            {"launches", l.launches},
            {"counters", dump_counters(l.counters)},
            {"finished", l.finished},
            {"faults_not_listed", l.faults_not_listed}};
  for (const LineRecord& line : l.lines)
    j["lines"].push_back({{"where", dump_location(line.where)}, {"counters", dump_counters(line.counters)}});
  for (const TracedAccess& access : l.accesses) j["accesses"].push_back(dump_access(access));
  for (const Fault& fault : l.faults) j["faults"].push_back(dump_fault(fault));
  return j;
}

LaunchRecord parse_launch(const json& j) {
  LaunchRecord l;
  j.at("kernel").get_to(l.kernel);
  l.grid = parse_dim(j.at("grid"));
  l.block = parse_dim(j.at("block"));
  j.at("static_shared_bytes").get_to(l.static_shared_bytes);
  j.at("dynamic_shared_bytes").get_to(l.dynamic_shared_bytes);
  j.at("launches").get_to(l.launches);
  l.counters = parse_counters(j.at("counters"));
  j.at("finished").get_to(l.finished);
  j.at("faults_not_listed").get_to(l.faults_not_listed);
  if (j.contains("lines"))
    for (const json& line : j["lines"])
      l.lines.push_back({parse_location(line.at("where")), parse_counters(line.at("counters"))});
  if (j.contains("accesses"))
    for (const json& access : j["accesses"]) l.accesses.push_back(parse_access(access));
  if (j.contains("faults"))
    for (const json& fault : j["faults"]) l.faults.push_back(parse_fault(fault));
  return l;
}

json dump_operation(const Operation& o) {
  json j = {{"kind", std::string(to_string(o.kind))}, {"bytes", o.bytes}, {"launch", o.launch}};
  if (o.stream != 0) j["stream"] = o.stream;
  if (o.event != 0) j["event"] = o.event;
  if (o.asynchronous) j["asynchronous"] = true;
  if (o.device_address != 0) j["addresses"] = json::array({o.device_address, o.host_address});
  return j;
}

Operation parse_operation(const json& j) {
  Operation o;
  o.kind = enum_from(j.at("kind").get<std::string>(), kLastOperation);
  j.at("bytes").get_to(o.bytes);
  j.at("launch").get_to(o.launch);
  o.stream = j.value("stream", std::uint64_t{0});
  o.event = j.value("event", std::uint64_t{0});
  o.asynchronous = j.value("asynchronous", false);
  if (j.contains("addresses")) {
    o.device_address = j["addresses"].at(0);
    o.host_address = j["addresses"].at(1);
  }
  return o;
}

}  // namespace

std::string_view to_string(OperationKind kind) {
  switch (kind) {
    case OperationKind::allocate:
      return "allocate";
    case OperationKind::free:
      return "free";
    case OperationKind::copy_to_device:
      return "copy_to_device";
    case OperationKind::copy_from_device:
      return "copy_from_device";
    case OperationKind::copy_on_device:
      return "copy_on_device";
    case OperationKind::copy_to_symbol:
      return "copy_to_symbol";
    case OperationKind::copy_from_symbol:
      return "copy_from_symbol";
    case OperationKind::set:
      return "set";
    case OperationKind::launch:
      return "launch";
    case OperationKind::synchronize:
      return "synchronize";
    case OperationKind::event_record:
      return "event_record";
    case OperationKind::stream_create:
      return "stream_create";
    case OperationKind::allocate_managed:
      return "allocate_managed";
    case OperationKind::free_in_stream:
      return "free_in_stream";
    case OperationKind::stream_create_non_blocking:
      return "stream_create_non_blocking";
    case OperationKind::stream_wait:
      return "stream_wait";
    case OperationKind::stream_synchronize:
      return "stream_synchronize";
    case OperationKind::event_synchronize:
      return "event_synchronize";
    case OperationKind::prefetch_to_device:
      return "prefetch_to_device";
    case OperationKind::prefetch_to_host:
      return "prefetch_to_host";
  }
  return "unknown";
}

std::string to_json(const CaseRecord& r) {
  json j = {{"operations_not_listed", r.operations_not_listed},
            {"kernel_output", r.kernel_output},
            {"output_truncated", r.output_truncated},
            {"steps", r.steps},
            {"leaked_bytes", r.leaked_bytes},
            {"unsupported", r.unsupported}};
  for (const LaunchRecord& l : r.launches) j["launches"].push_back(dump_launch(l));
  for (const Operation& o : r.operations) j["operations"].push_back(dump_operation(o));
  for (const ApiError& e : r.api_errors)
    j["api_errors"].push_back({{"call", e.call},
                               {"code", e.code},
                               {"name", e.name},
                               {"detail", e.detail},
                               {"is_launch", e.is_launch},
                               {"call_site", e.call_site},
                               {"where", dump_location(e.where)}});
  for (const InputWrite& w : r.input_writes)
    j["input_writes"].push_back({{"buffer", w.buffer},
                                 {"writer", w.writer},
                                 {"by_kernel", w.by_kernel},
                                 {"call_site", w.call_site},
                                 {"where", dump_location(w.where)}});
  for (const HostResult& h : r.host_results)
    j["host_results"].push_back({{"buffer", h.buffer},
                                 {"elements", h.elements},
                                 {"first", h.first},
                                 {"call", h.call},
                                 {"call_site", h.call_site},
                                 {"where", dump_location(h.where)}});
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

CaseRecord record_from_json(std::string_view text) {
  try {
    const json j = json::parse(text);
    CaseRecord r;
    j.at("operations_not_listed").get_to(r.operations_not_listed);
    j.at("kernel_output").get_to(r.kernel_output);
    j.at("output_truncated").get_to(r.output_truncated);
    j.at("steps").get_to(r.steps);
    j.at("leaked_bytes").get_to(r.leaked_bytes);
    j.at("unsupported").get_to(r.unsupported);
    if (j.contains("launches"))
      for (const json& l : j["launches"]) r.launches.push_back(parse_launch(l));
    if (j.contains("operations"))
      for (const json& o : j["operations"]) r.operations.push_back(parse_operation(o));
    if (j.contains("api_errors"))
      for (const json& e : j["api_errors"])
        r.api_errors.push_back({e.at("call").get<std::string>(), e.at("code").get<int>(),
                                e.at("name").get<std::string>(), e.at("detail").get<std::string>(),
                                e.at("is_launch").get<bool>(), e.at("call_site").get<CallSite>(),
                                parse_location(e.at("where"))});
    if (j.contains("input_writes"))
      for (const json& w : j["input_writes"])
        r.input_writes.push_back({w.at("buffer").get<std::string>(), w.at("writer").get<std::string>(),
                                  w.at("by_kernel").get<bool>(), w.at("call_site").get<CallSite>(),
                                  parse_location(w.at("where"))});
    if (j.contains("host_results"))
      for (const json& h : j["host_results"])
        r.host_results.push_back({h.at("buffer").get<std::string>(), h.at("elements").get<std::uint64_t>(),
                                  h.at("first").get<std::uint64_t>(), h.at("call").get<std::string>(),
                                  h.at("call_site").get<CallSite>(), parse_location(h.at("where"))});
    return r;
  } catch (const json::exception& e) {
    throw std::runtime_error(std::string("case record: ") + e.what());
  }
}

}  // namespace judge::device
