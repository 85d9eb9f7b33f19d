// A real nvcc program against the library, with the fake device behind it.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.h"
#include "fake_device.h"
#include "process.h"

using namespace judge::channel;

namespace {

Finished run(FakeDevice& device, const std::string& program, const std::string& mode) {
  device.symbols["counter"] = {kFakeMappedBase + 4096, 4, true};  // placed whenever the module is loaded
  return run_program({program, mode}, {std::string("LD_LIBRARY_PATH=") + JUDGE_CUDART_DIR, "LD_BIND_NOW=1"},
                     {device.host_socket(), device.bulk_fd(), device.window_fd()});
}

}  // namespace

TEST_CASE("a launch by <<<>>> brings every kind of argument") {
  std::string program = JUDGE_TEST_PROGRAM;
  SECTION("the usual default stream") {}
  SECTION("a default stream per thread") {
    program = JUDGE_TEST_PROGRAM_PER_THREAD;
  }
  FakeDevice device;
  // As the ABI aligns them: char at 0, short at 2, double at 8, Triple (8-aligned, 32 bytes) at 16, pointer at 48, bool
  // at 56, unsigned long long at 64.
  device.kernels["every_kind"] = {
      9, 72, {{0, 1, 1}, {2, 2, 2}, {8, 8, 8}, {16, 32, 8}, {48, 8, 8}, {56, 1, 1}, {64, 8, 8}}};
  const Finished finished = run(device, program, "arguments");
  INFO(finished.err);
  CHECK(finished.out == "cudaSuccess\n");
  CHECK(finished.exit_status == 3);

  const auto launches = device.requests(Call::launch);
  REQUIRE(launches.size() == 1);
  const auto launch = launches[0].as<LaunchRequest>();
  CHECK(launch.kernel == 9);
  CHECK(launch.grid == std::array<std::uint32_t, 3>{2, 3, 4});
  CHECK(launch.block == std::array<std::uint32_t, 3>{5, 6, 7});
  CHECK(launch.dynamic_shared_bytes == 8);
  CHECK(launch.stream != 0);

  const std::vector<std::byte>& values = launches[0].payload;
  REQUIRE(values.size() == 72);
  const auto at = [&](std::size_t offset, auto expected) {
    decltype(expected) value;
    std::memcpy(&value, &values[offset], sizeof value);
    return value == expected;
  };
  CHECK(at(0, 'A'));
  CHECK(at(2, short{-2}));
  CHECK(at(8, 0.25));
  CHECK(at(16, 't'));
  CHECK(at(24, 1.5));
  CHECK(at(32, 1.0f));
  CHECK(at(40, 3.0f));
  CHECK(at(48, kFakeDeviceBase));
  CHECK(at(56, true));
  CHECK(at(64, std::uint64_t{0x1122334455667788}));

  // The fat binary came whole, and is given back at exit.
  CHECK(device.requests(Call::register_module).size() == 1);
  CHECK(device.requests(Call::unregister_module).at(0).as<UnregisterModuleRequest>().module == 11);
}

TEST_CASE("a constant variable is written through its symbol") {
  FakeDevice device;
  device.symbols["weights"] = {kFakeDeviceBase + 4096, 68, false};
  CHECK(run(device, JUDGE_TEST_PROGRAM, "symbol").out == "cudaSuccess\n");
  const auto writes = device.requests(Call::write);
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].as<TransferRequest>().purpose == CopyPurpose::symbol);
  CHECK(writes[0].payload.size() == 68);
  const float expected[3] = {1, 2, 3};
  CHECK(std::memcmp(writes[0].payload.data(), expected, sizeof expected) == 0);
}

TEST_CASE("a managed variable is read and written by the host") {
  FakeDevice device;
  device.set_memory(kFakeMappedBase + 4096, {std::byte{7}, std::byte{0}, std::byte{0}, std::byte{0}});
  CHECK(run(device, JUDGE_TEST_PROGRAM, "managed").out == "8\n");
  CHECK(device.memory(kFakeMappedBase + 4096, 1).at(0) == std::byte{8});
}

TEST_CASE("once a kernel has died, every call answers its error") {
  FakeDevice device;
  device.kernels["fails"] = {1, 0, {}};
  device.fail_next(Call::synchronize, 700, true);
  CHECK(run(device, JUDGE_TEST_PROGRAM, "sticky").out ==
        "cudaSuccess\n"
        "cudaErrorIllegalAddress\n"
        "cudaErrorIllegalAddress\n"
        "cudaErrorIllegalAddress\n"
        "cudaErrorIllegalAddress\n"
        "cudaErrorIllegalAddress 1\n");
}

TEST_CASE("device printf text appears in order when the program synchronises") {
  FakeDevice device;
  device.kernels["nothing"] = {1, 0, {}};
  device.set_output("from the device\n");
  CHECK(run(device, JUDGE_TEST_PROGRAM, "output").out == "before\nfrom the device\nafter\n");
}

TEST_CASE("a program built with -rdc=true is refused by that name") {
  FakeDevice device;
  const Finished finished = run(device, JUDGE_TEST_PROGRAM_RDC, "symbol");
  CHECK(finished.out == "cudaErrorNotSupported\n");
  const auto reports = device.requests(Call::report);
  REQUIRE_FALSE(reports.empty());
  CHECK(reports[0].as<ReportRequest>().kind == ReportKind::unsupported);
  CHECK(reports[0].text().find("-rdc=true") == 0);
  CHECK(device.requests(Call::register_module).empty());
}

TEST_CASE("outside the judge the program is told where it belongs") {
  const Finished finished =
      run_program({JUDGE_TEST_PROGRAM, "arguments"}, {std::string("LD_LIBRARY_PATH=") + JUDGE_CUDART_DIR});
  CHECK(finished.exit_status == 70);
  CHECK(finished.out.empty());
  CHECK(finished.err.find("works only inside the judge") != std::string::npos);
}

TEST_CASE("the library exports exactly the listed names, all with CUDA's version") {
  std::set<std::string> expected;
  std::ifstream list(JUDGE_SOURCE_DIR "/tests/unit/cudart/exports.txt");
  for (std::string name; std::getline(list, name);) expected.insert(name);
  REQUIRE(expected.size() > 100);

  const Finished finished = run_program({"readelf", "--dyn-syms", "--wide", JUDGE_CUDART_DIR "/libcudart.so.13"},
                                        {std::string("PATH=") + getenv("PATH")});
  REQUIRE(finished.exit_status == 0);
  std::set<std::string> exported;
  std::istringstream lines(finished.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, value, size, type, bind, visibility, section, name;
    words >> number >> value >> size >> type >> bind >> visibility >> section >> name;
    if (type != "FUNC" && type != "OBJECT" && type != "TLS") continue;
    if (section == "UND" || section == "ABS" || bind == "LOCAL") continue;  // ABS: the version itself
    const std::size_t version = name.find('@');
    INFO(name);
    REQUIRE(version != std::string::npos);
    CHECK(name.substr(version) == "@@libcudart.so.13");
    exported.insert(name.substr(0, version));
  }
  CHECK(exported == expected);
}

TEST_CASE("the library needs the C library and nothing else") {
  const Finished finished = run_program({"readelf", "--dynamic", "--wide", JUDGE_CUDART_DIR "/libcudart.so.13"},
                                        {std::string("PATH=") + getenv("PATH")});
  std::vector<std::string> needed;
  std::istringstream lines(finished.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") != std::string::npos) needed.push_back(line.substr(line.find('[')));
    if (line.find("(SONAME)") != std::string::npos) CHECK(line.substr(line.find('[')) == "[libcudart.so.13]");
  }
  REQUIRE_FALSE(needed.empty());
  const std::set<std::string> c_library{"[libc.so.6]", "[libm.so.6]", "[ld-linux-x86-64.so.2]",
                                        "[ld-linux-aarch64.so.1]"};
  for (const std::string& name : needed) CHECK(c_library.count(name) == 1);
}
