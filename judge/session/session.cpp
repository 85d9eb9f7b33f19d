// How this works. For each case the judge shares the inputs, has the device reset itself and start filling its buffers,
// and starts the boxed host process meanwhile; then it tells that process where its arguments are. When the host
// process has ended, in whatever way, the device hands over outputs and record. A device that does not answer by then
// is inside a launch that takes too long: it is killed and the next case gets a new one.

#include "judge/session/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "judge/channel/protocol.h"
#include "judge/device/record_json.h"
#include "judge/session/arguments.h"
#include "judge/session/box_files.h"
#include "judge/session/device_process.h"
#include "judge/session/host_run.h"

namespace judge::session {
namespace {

using Clock = std::chrono::steady_clock;
using device::Descriptor;
using nlohmann::json;

constexpr std::chrono::seconds kPrepareLimit{60};  // filling the buffers of the largest case on a busy machine
constexpr std::chrono::seconds kCollectGrace{3};  // after the wall limit, for a launch in progress and for handing over

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

json start_command(const CaseRequest& request, const DeviceContents& contents) {
  json buffers = json::array();
  std::size_t i = 0;
  for (const Argument& a : request.arguments) {
    if (!a.buffer || a.buffer->residence != Residence::device) continue;
    const BufferArgument& b = *a.buffer;
    buffers.push_back({{"name", b.name},
                       {"element_type", b.element_type},
                       {"element_bytes", b.element_bytes},
                       {"bytes", b.count * b.element_bytes},
                       {"offset", contents.offsets[i++]},
                       {"filled", b.direction != Direction::out},
                       {"input", b.direction == Direction::in}});
  }
  const device::RunLimits& limits = request.run.limits;
  return {{"command", "start"},
          {"limits",
           {{"step_limit", limits.step_limit},
            {"memory_bytes", limits.memory_bytes},
            {"output_bytes", limits.output_bytes},
            {"wall_ms", request.wall_limit.count()}}},
          {"schedule_seed", request.run.schedule_seed},
          {"workers", request.run.workers},
          {"track_host_data", request.run.track_host_data},
          {"traced_lines", request.run.traced_lines},
          {"live_output", request.run.live_output},
          {"buffers", std::move(buffers)}};
}

std::pair<Descriptor, Descriptor> channel_pair() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds.data()) != 0)
    throw SessionError("channel", std::string("socketpair: ") + std::strerror(errno));
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

device::ControlMessage expect_answer(DeviceProcess& device, const char* what) {
  auto message = device.receive(Clock::now() + kPrepareLimit);
  if (!message) throw SessionError("device", std::string("the device process did not answer within 60 s: ") + what);
  return std::move(*message);
}

}  // namespace

std::string_view to_string(HostEnd end) {
  switch (end) {
    case HostEnd::returned:
      return "returned";
    case HostEnd::load_failed:
      return "load_failed";
    case HostEnd::exited:
      return "exited";
    case HostEnd::signaled:
      return "signaled";
    case HostEnd::wall_limit:
      return "wall_limit";
    case HostEnd::cpu_limit:
      return "cpu_limit";
    case HostEnd::memory_limit:
      return "memory_limit";
    case HostEnd::process_limit:
      return "process_limit";
    case HostEnd::output_limit:
      return "output_limit";
    case HostEnd::protocol_error:
      return "protocol_error";
  }
  return "unknown";
}

struct Session::Impl {
  explicit Impl(const DeviceOptions& o) : options(o), files(o.program_dir) {}

  DeviceOptions options;
  BoxFiles files;
  std::optional<DeviceProcess> device;
  device::DeviceProperties properties;
  std::uint64_t peak_bytes = 0;  // of device processes that are gone

  void start_device() {
    device.emplace(options);
    properties = device->properties();
  }
  void drop_device() {
    if (device) peak_bytes = std::max(peak_bytes, device->peak_bytes());
    device.reset();
  }

  CaseOutcome run(const CaseRequest& request);
  void collect(const CaseRequest& request, const HostBuffers& host_buffers, Clock::time_point deadline,
               CaseOutcome& outcome);
};

CaseOutcome Session::Impl::run(const CaseRequest& request) {
  const auto begin = Clock::now();
  if (!device) start_device();
  const DeviceContents contents = share_device_contents(request.arguments);
  const HostBuffers host_buffers = share_host_buffers(request.arguments);
  auto [host_end, device_end] = channel_pair();
  Descriptor bulk = device::make_shared_memory("judge bulk", channel::kBulkBytes);

  const std::array<int, 3> given{contents.memory.get(), device_end.get(), bulk.get()};
  device->send(start_command(request, contents).dump(), given);
  const device::ControlMessage reset = expect_answer(*device, "reset");
  if (reset.descriptors.size() != 1) throw SessionError("device", "the device process has no mapped window");
  HostRun host(request, files.programs(),
               {host_end.get(), bulk.get(), reset.descriptors.front().get(), host_buffers.memory.get()});
  host_end.reset();
  device_end.reset();
  const auto addresses =
      json::parse(expect_answer(*device, "filling the buffers").text).at("addresses").get<std::vector<std::uint64_t>>();

  CaseOutcome outcome;
  const auto deadline = Clock::now() + request.wall_limit;
  const auto setup = request.program ? encode_setup(request.library, request.program->arguments)
                                     : encode_setup(request, addresses, host_buffers);
  outcome.host = host.run(setup, deadline, device->control_fd());
  collect(request, host_buffers, deadline + kCollectGrace, outcome);
  outcome.wall_ms = ms_since(begin);
  return outcome;
}

void Session::Impl::collect(const CaseRequest& request, const HostBuffers& host_buffers, Clock::time_point deadline,
                            CaseOutcome& outcome) {
  device->send(R"({"command":"collect"})");
  const auto answer = device->receive(std::max(deadline, Clock::now() + kCollectGrace));
  json summary;
  if (answer) {
    summary = json::parse(answer->text);
    outcome.record = device::record_from_json(summary.at("record").get<std::string>());
    summary.at("launch_ms").get_to(outcome.device_ms);
    summary.at("changed_inputs").get_to(outcome.changed_inputs);
    const auto nonsense = summary.at("protocol_error").get<std::string>();
    if (!nonsense.empty() && (outcome.host.end == HostEnd::returned || outcome.host.end == HostEnd::exited)) {
      outcome.host.end = HostEnd::protocol_error;
      outcome.host.detail = "on the line to the device: " + nonsense;
    }
  } else {
    drop_device();
    outcome.device_ms = static_cast<double>(request.wall_limit.count());
    if (outcome.host.end == HostEnd::returned) {
      outcome.host.end = HostEnd::wall_limit;
      outcome.host.detail = "a kernel still ran when the case's time was over";
    }
  }

  std::size_t device_output = 0;
  auto host_buffer = host_buffers.buffers.begin();
  for (const Argument& a : request.arguments) {
    if (!a.buffer) continue;
    const BufferArgument& b = *a.buffer;
    const bool wanted = b.direction != Direction::in;
    if (b.residence == Residence::host) {
      if (wanted) outcome.outputs.push_back(read_host_buffer(host_buffers, *host_buffer, b));
      ++host_buffer;
    } else if (wanted) {
      OutputBuffer out{b.name, {}, {}, true};
      out.contents.resize(b.count * b.element_bytes);
      out.written.resize((out.contents.size() + 7) / 8);
      if (answer) {
        const json& o = summary.at("outputs").at(device_output++);
        const int memory = answer->descriptors.at(0).get();
        read_shared(memory, out.contents, o.at("offset"));
        read_shared(memory, std::as_writable_bytes(std::span(out.written)), o.at("written_offset"));
        o.at("guard_intact").get_to(out.guard_intact);
      }
      outcome.outputs.push_back(std::move(out));
    }
  }
}

Session::Session(const DeviceOptions& options) {
  // The box and the loader need them whatever the working directory is; and without links, because a program's folder
  // may be listed for its box around them, and then a link among them leads to what is not there yet.
  DeviceOptions absolute = options;
  absolute.program_dir = std::filesystem::weakly_canonical(std::filesystem::absolute(options.program_dir));
  try {
    impl_ = std::make_unique<Impl>(absolute);
  } catch (const std::exception& e) {
    throw SessionError("host start", e.what());
  }
  impl_->start_device();
}

Session::~Session() = default;

CaseOutcome Session::run(const CaseRequest& request) {
  CaseRequest absolute = request;
  try {
    absolute.library =
        impl_->files.library(std::filesystem::weakly_canonical(std::filesystem::absolute(request.library)));
    return impl_->run(absolute);
  } catch (const SessionError&) {
    impl_->drop_device();  // what state it is in is not known; the next case gets a new one
    throw;
  } catch (const std::exception& e) {
    impl_->drop_device();
    throw SessionError("session", e.what());
  }
}

std::uint64_t Session::device_peak_bytes() const {
  return std::max(impl_->peak_bytes, impl_->device ? impl_->device->peak_bytes() : 0);
}

const device::DeviceProperties& Session::properties() const {
  return impl_->properties;
}

}  // namespace judge::session
