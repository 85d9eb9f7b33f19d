#include "judge/session/session.h"

#include <fcntl.h>
#include <signal.h>

#include <cstring>

#include "catch.h"
#include "fixtures/behaviour.h"

using namespace judge::session;
namespace device = judge::device;
using namespace std::chrono_literals;

namespace {

const std::filesystem::path kPrograms = FAKE_PROGRAM_DIR;

template <class T>
Argument scalar(std::string name, T value) {
  Argument a;
  a.scalar = ScalarArgument{std::move(name), {}};
  const auto bytes = std::as_bytes(std::span(&value, 1));
  a.scalar->value.assign(bytes.begin(), bytes.end());
  return a;
}

Argument buffer(std::string name, Residence residence, Direction direction, std::size_t count,
                std::span<const float> contents = {}) {
  BufferArgument b;
  b.name = std::move(name);
  b.element_type = "float32";
  b.count = count;
  b.residence = residence;
  b.direction = direction;
  b.contents = std::as_bytes(contents);
  Argument a;
  a.buffer = b;
  return a;
}

// fixtures/submission.cpp: x = {1, 2, 3} and y = {5, 6, 7} on the device, w = {10, 20, 30} and out on the host.
CaseRequest request_for(Behaviour what) {
  static const std::array<float, 3> x{1, 2, 3}, y{5, 6, 7}, w{10, 20, 30};
  CaseRequest r;
  r.library = kPrograms / "libsubmission.so";
  r.arguments = {buffer("x", Residence::device, Direction::in, 3, x),
                 buffer("y", Residence::device, Direction::inout, 3, y),
                 buffer("w", Residence::host, Direction::in, 3, w),
                 buffer("out", Residence::host, Direction::out, 3),
                 scalar("factor", 0.5),
                 scalar("what", static_cast<int>(what))};
  r.wall_limit = 10s;
  return r;
}

CaseRequest request_for_library(const char* library) {
  CaseRequest r;
  r.library = kPrograms / library;
  return r;
}

// Starting the device costs a few milliseconds; one serves all tests, as one serves all cases of an exercise.
Session& session() {
  static Session s({"t4", kPrograms});
  return s;
}

std::vector<float> floats(const OutputBuffer& b) {
  std::vector<float> f(b.contents.size() / 4);
  std::memcpy(f.data(), b.contents.data(), f.size() * 4);
  return f;
}

}  // namespace

TEST_CASE("host buffers and scalars reach the entry, results and prints come back") {
  const CaseOutcome o = session().run(request_for(Behaviour::compute));
  INFO(o.host.detail);
  CHECK(o.host.end == HostEnd::returned);
  REQUIRE(o.outputs.size() == 2);
  CHECK(o.outputs[0].name == "y");
  CHECK(floats(o.outputs[0]) == std::vector<float>{5, 6, 7});
  CHECK(o.outputs[1].name == "out");
  CHECK(floats(o.outputs[1]) == std::vector<float>{5, 10, 15});  // the library's destructor did not run
  CHECK(o.outputs[1].guard_intact);
  CHECK(o.host.stdout_text == "hello from printf\nhello from cout\n");
  CHECK(o.host.stderr_text == "hello from cerr\n");
  CHECK_FALSE(o.host.output_truncated);
  CHECK(o.changed_inputs.empty());
  CHECK(session().properties().name == "Tesla T4");
  CHECK(session().device_peak_bytes() > 1u << 20);
}

TEST_CASE("a launch changes device memory, and what was not written shows") {
  const CaseOutcome o = session().run(request_for(Behaviour::double_y));
  CHECK(o.host.end == HostEnd::returned);
  CHECK(floats(o.outputs.at(0)) == std::vector<float>{10, 12, 7});
  CHECK(o.outputs[0].written == std::vector<std::uint8_t>{0xFF, 0x0F});
  REQUIRE(o.record.launches.size() == 1);
  REQUIRE(o.record.operations.size() == 1);
  CHECK(o.record.operations[0].kind == device::OperationKind::launch);
}

TEST_CASE("a submission of nvcc runs through our libcudart") {
  CaseRequest r = request_for(Behaviour::compute);
  r.library = kPrograms / "libcuda_submission.so";
  const CaseOutcome o = session().run(r);
  INFO(o.host.detail << o.host.stderr_text);
  CHECK(o.host.end == HostEnd::returned);
  CHECK(floats(o.outputs.at(0)) == std::vector<float>{10, 12, 14});
  CHECK(floats(o.outputs.at(1)) == std::vector<float>{10, 12, 14});
  CHECK(o.record.api_errors.empty());
  CHECK(o.record.leaked_bytes == 0);
  std::vector<std::string> operations;
  for (const device::Operation& op : o.record.operations) operations.emplace_back(to_string(op.kind));
  CHECK(operations ==
        std::vector<std::string>{"allocate", "launch", "copy_on_device", "copy_from_device", "free", "synchronize"});
}

TEST_CASE("a crash has its signal and address") {
  CaseOutcome o = session().run(request_for(Behaviour::null_pointer));
  CHECK(o.host.end == HostEnd::signaled);
  CHECK(o.host.signal == SIGSEGV);
  CHECK(o.host.fault_address == 0);
  CHECK_FALSE(o.host.fault_in_device_memory);

  o = session().run(request_for(Behaviour::read_device_pointer));
  CHECK(o.host.end == HostEnd::signaled);
  CHECK(o.host.fault_in_device_memory);
  CHECK(o.host.fault_address % 256 == 8);  // the third float of x

  CHECK(session().run(request_for(Behaviour::write_const_host)).host.signal == SIGSEGV);
  CHECK(session().run(request_for(Behaviour::overrun_host)).host.signal == SIGSEGV);
  CHECK(session().run(request_for(Behaviour::stack_overflow)).host.signal == SIGSEGV);
  o = session().run(request_for(Behaviour::abort));
  CHECK(o.host.signal == SIGABRT);
  CHECK(o.host.detail == "Aborted");
  o = session().run(request_for_library("libcrash_in_constructor.so"));
  CHECK(o.host.end == HostEnd::signaled);
  CHECK(o.host.signal == SIGSEGV);
}

TEST_CASE("an exception that nothing catches is told with its type and what it says, and abort() is told from it") {
  CaseOutcome o = session().run(request_for(Behaviour::uncaught_exception));
  CHECK(o.host.end == HostEnd::signaled);
  CHECK(o.host.signal == SIGABRT);
  CHECK(o.host.uncaught == "std::runtime_error: it broke");
  CHECK(o.host.stderr_text.find("it broke") != std::string::npos);
  o = session().run(request_for(Behaviour::uncaught_number));
  CHECK(o.host.uncaught == "int");
  o = session().run(request_for(Behaviour::abort));
  CHECK(o.host.uncaught.empty());
}

TEST_CASE("a loop of fork() is told as processes, not as memory") {
  const CaseOutcome o = session().run(request_for(Behaviour::fork_loop));
  CHECK(o.host.end == HostEnd::process_limit);
  CHECK(o.host.detail.find("processes") != std::string::npos);
}

TEST_CASE("root's submissions do not run as root, wherever the judge and the library lie and whatever they are called") {
  std::string pattern = (std::filesystem::temp_directory_path() / "judge-session-test-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);  // closed to others
  const std::filesystem::path odd = std::filesystem::path(pattern) / "$LIB:it's (a) folder; &";
  std::filesystem::create_directory(odd);
  for (const char* name : {"judge-device", "judge-host", "libcudart.so.13", "libsubmission.so"})
    std::filesystem::copy_file(kPrograms / name, odd / name);
  {
    Session closed(DeviceOptions{"t4", odd});
    CaseRequest r = request_for(Behaviour::print_user);
    r.library = odd / "libsubmission.so";
    const CaseOutcome o = closed.run(r);
    CHECK(o.host.end == HostEnd::returned);
    unsigned effective = 0, real = 0;
    REQUIRE(std::sscanf(o.host.stdout_text.c_str(), "%u %u", &effective, &real) == 2);
    CHECK(effective != 0);
    CHECK(real != 0);
  }
  std::filesystem::remove_all(pattern);
}

TEST_CASE("an exit before the entry returned is no return") {
  CaseOutcome o = session().run(request_for(Behaviour::exit_zero));
  CHECK(o.host.end == HostEnd::exited);
  CHECK(o.host.exit_status == 0);
  o = session().run(request_for_library("libexit_in_constructor.so"));
  CHECK(o.host.end == HostEnd::exited);
  CHECK(o.host.exit_status == 0);
}

TEST_CASE("a library that does not load says why") {
  CaseOutcome o = session().run(request_for_library("libundefined_symbol.so"));
  CHECK(o.host.end == HostEnd::load_failed);
  CHECK(o.host.missing_symbol == "cudaCallThatIsNotThere");
  o = session().run(request_for_library("libno_entry.so"));
  CHECK(o.host.end == HostEnd::load_failed);
  CHECK(o.host.missing_symbol.empty());
  CHECK(o.host.detail.find("judge_entry") != std::string::npos);
}

TEST_CASE("limits of the host process") {
  CaseRequest r = request_for(Behaviour::endless);
  r.wall_limit = 300ms;
  CaseOutcome o = session().run(r);
  CHECK(o.host.end == HostEnd::wall_limit);
  CHECK(o.wall_ms > 299);
  CHECK(o.wall_ms < 2000);

  r = request_for(Behaviour::sleep);
  r.wall_limit = 300ms;
  CHECK(session().run(r).host.end == HostEnd::wall_limit);

  r = request_for(Behaviour::ignore_signals);
  r.wall_limit = 300ms;
  CHECK(session().run(r).host.end == HostEnd::wall_limit);

  o = session().run(request_for(Behaviour::flood));
  CHECK(o.host.end == HostEnd::output_limit);
  CHECK(o.host.output_truncated);
  CHECK(o.host.stdout_text.size() == 256 * 1024);

  r = request_for(Behaviour::memory_bomb);
  r.host_memory_bytes = 200u << 20;
  CHECK(session().run(r).host.end == HostEnd::memory_limit);

  r = request_for(Behaviour::window_bomb);
  r.host_memory_bytes = 200u << 20;
  CHECK(session().run(r).host.end == HostEnd::memory_limit);
}

TEST_CASE("the output cap is exact") {
  CaseRequest r = request_for(Behaviour::print_1000);
  r.output_bytes = 999;
  CaseOutcome o = session().run(r);
  CHECK(o.host.end == HostEnd::output_limit);
  CHECK(o.host.stdout_text == std::string(999, 'a'));
  for (const std::uint64_t cap : {1000u, 1001u}) {
    r.output_bytes = cap;
    o = session().run(r);
    CHECK(o.host.end == HostEnd::returned);
    CHECK(o.host.stdout_text == std::string(1000, 'a'));
  }
}

TEST_CASE("nonsense and forgeries change nothing for the better") {
  CHECK(session().run(request_for(Behaviour::close_descriptors)).host.end == HostEnd::protocol_error);
  CHECK(session().run(request_for(Behaviour::close_descriptors_and_stay)).host.end == HostEnd::protocol_error);
  CHECK(session().run(request_for(Behaviour::nonsense_to_device)).host.end == HostEnd::protocol_error);
  CHECK(session().run(request_for(Behaviour::nonsense_to_judge)).host.end == HostEnd::protocol_error);
  CHECK(session().run(request_for(Behaviour::forge_setup_failed)).host.end == HostEnd::protocol_error);

  // A forged return ends the case early; the outputs are what they are.
  CaseOutcome o = session().run(request_for(Behaviour::forge_returned));
  CHECK(o.host.end == HostEnd::returned);
  CHECK(floats(o.outputs.at(0)) == std::vector<float>{5, 6, 7});
  CHECK(o.wall_ms < 5000);

  o = session().run(request_for(Behaviour::forge_fault));
  CHECK(o.host.end == HostEnd::returned);
  CHECK_FALSE(o.host.fault_in_device_memory);
  CHECK(session().run(request_for(Behaviour::compute)).host.end == HostEnd::returned);
}

TEST_CASE("a launch that outlasts the case costs the device its life, and the next case gets another") {
  CaseRequest r = request_for(Behaviour::long_launch);
  r.wall_limit = 200ms;
  const CaseOutcome o = session().run(r);
  CHECK(o.host.end == HostEnd::wall_limit);
  CHECK(o.wall_ms < 6000);
  REQUIRE(o.outputs.size() == 2);
  CHECK(o.outputs[0].contents.size() == 12);
  CHECK(session().run(request_for(Behaviour::double_y)).host.end == HostEnd::returned);
}

TEST_CASE("a device that dies is the judge's fault, and the next case gets another") {
  try {
    session().run(request_for(Behaviour::break_device));
    FAIL("the device died and nobody noticed");
  } catch (const SessionError& e) {
    CHECK(e.stage() == "device");
  }
  CHECK(session().run(request_for(Behaviour::double_y)).host.end == HostEnd::returned);
}

TEST_CASE("programs that are not there are named") {
  try {
    Session s({"t4", "/nonexistent"});
    FAIL("started");
  } catch (const SessionError& e) {
    CHECK(e.stage() == "device start");
    CHECK(std::string(e.what()).find("/nonexistent/judge-device") != std::string::npos);
  }
}

TEST_CASE("many cases leave no descriptor behind") {
  const auto open_descriptors = [] {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  session().run(request_for(Behaviour::compute));
  const int before = open_descriptors();
  double fastest_ms = 1e9;
  for (int i = 0; i < 20; ++i)
    fastest_ms = std::min(fastest_ms, session().run(request_for(Behaviour::compute)).wall_ms);
  CHECK(open_descriptors() == before);
  CHECK(fastest_ms < 60);  // about 4 ms on an idle machine; see judge/session/README.md
}

TEST_CASE("buffers of 17 MB arrive whole") {
  CaseRequest r = request_for(Behaviour::compute);
  std::vector<float> large(4'194'427);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<float>(i % 8191);
  r.arguments[0].buffer->count = r.arguments[1].buffer->count = large.size();
  r.arguments[0].buffer->contents = r.arguments[1].buffer->contents = std::as_bytes(std::span(large));
  const CaseOutcome o = session().run(r);
  CHECK(o.host.end == HostEnd::returned);
  CHECK(o.changed_inputs.empty());
  CHECK((floats(o.outputs.at(0)) == large));  // in parentheses: a failure does not print four million numbers
}
