// The three processes as students meet them: nvcc's library, our runtime library, the emulator.

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>

#include "catch.h"
#include "judge/session/session.h"

using namespace judge::session;
namespace device = judge::device;

namespace {

enum class What : int { well = 0, out_of_bounds = 1, too_many_threads = 2, registers_output = 3 };

CaseRequest request_for(What what) {
  static const std::array<float, 3> x{1, 2, 3}, y{5, 6, 7}, w{10, 20, 30};
  const auto buffer = [](const char* name, Residence residence, Direction direction, std::span<const float> contents) {
    BufferArgument b;
    b.name = name;
    b.element_type = "float32";
    b.count = 3;
    b.residence = residence;
    b.direction = direction;
    b.contents = std::as_bytes(contents);
    return Argument{b, {}};
  };
  const auto scalar = [](const char* name, auto value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return Argument{{}, ScalarArgument{name, {bytes.begin(), bytes.end()}}};
  };
  CaseRequest r;
  r.library = FAKE_PROGRAM_DIR "/libcuda_submission.so";
  r.arguments = {buffer("x", Residence::device, Direction::in, x),
                 buffer("y", Residence::device, Direction::inout, y),
                 buffer("w", Residence::host, Direction::in, w),
                 buffer("out", Residence::host, Direction::out, {}),
                 scalar("factor", 0.5),
                 scalar("what", static_cast<int>(what))};
  return r;
}

std::vector<float> floats(const OutputBuffer& b) {
  std::vector<float> f(b.contents.size() / 4);
  std::memcpy(f.data(), b.contents.data(), f.size() * 4);
  return f;
}

Session& session() {
  static Session s({"t4", JUDGE_BINARY_DIR "/bin"});
  return s;
}

}  // namespace

TEST_CASE("emulator: a right submission") {
  const CaseOutcome o = session().run(request_for(What::well));
  INFO(o.host.detail << o.host.stderr_text);
  CHECK(o.host.end == HostEnd::returned);
  CHECK(floats(o.outputs.at(0)) == std::vector<float>{10, 12, 14});
  CHECK(floats(o.outputs.at(1)) == std::vector<float>{10, 12, 14});
  CHECK(o.outputs[0].guard_intact);
  CHECK(o.record.api_errors.empty());
  CHECK(o.record.unsupported.empty());
  CHECK(o.record.leaked_bytes == 0);
  REQUIRE(o.record.launches.size() == 1);
  CHECK(o.record.launches[0].faults.empty());
  CHECK(o.record.launches[0].counters.global_load_sectors == 1);
  CHECK(o.device_ms > 0);
}

TEST_CASE("emulator: an output that the submission registers keeps what a stream copies there") {
  const CaseOutcome o = session().run(request_for(What::registers_output));
  CHECK(floats(o.outputs.at(1)) == std::vector<float>{10, 12, 14});
  CHECK(o.record.api_errors.empty());
  const auto copied = std::find_if(o.record.operations.begin(), o.record.operations.end(), [](const auto& op) {
    return op.kind == device::OperationKind::copy_from_device;
  });
  REQUIRE(copied != o.record.operations.end());
  CHECK(copied->asynchronous);
  CHECK(copied->stream != 0);
}

TEST_CASE("emulator: a session outlives the thread that made it") {
  auto made = std::async(std::launch::async, [] {
    return std::make_unique<Session>(DeviceOptions{"t4", JUDGE_BINARY_DIR "/bin"});
  });
  const std::unique_ptr<Session> s = made.get();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(s->run(request_for(What::well)).host.end == HostEnd::returned);
}

TEST_CASE("emulator: an access past the end is a fault with its line, and the next case is served as the first") {
  CaseOutcome o = session().run(request_for(What::out_of_bounds));
  CHECK(o.host.end == HostEnd::returned);
  REQUIRE(o.record.launches.size() == 1);
  REQUIRE(o.record.launches[0].faults.size() >= 1);
  const device::Fault& f = o.record.launches[0].faults[0];
  CHECK(f.kind == judge::emulator::FaultKind::out_of_bounds);
  REQUIRE(f.element.has_value());
  CHECK(*f.element == 3);
  CHECK(f.owner.find('y') != std::string::npos);
  CHECK(f.where.line == 5);
  o = session().run(request_for(What::well));
  CHECK(floats(o.outputs.at(1)) == std::vector<float>{10, 12, 14});
}

TEST_CASE("emulator: a launch beyond the limits is an error of the launch") {
  const CaseOutcome o = session().run(request_for(What::too_many_threads));
  CHECK(o.host.end == HostEnd::returned);
  CHECK(o.record.launches.empty());
  REQUIRE_FALSE(o.record.api_errors.empty());
  CHECK(o.record.api_errors[0].is_launch);
  CHECK(o.record.api_errors[0].name == "cudaErrorInvalidConfiguration");
  CHECK(floats(o.outputs.at(0)) == std::vector<float>{5, 6, 7});
}
