// Runs every tests/ptx/*.ptx on a device and compares with the outputs that the file itself lists. See README.md.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "judge/device/device.h"

using namespace judge::device;

namespace {

struct Row {
  std::vector<std::uint64_t> in, out;
};

struct PtxTest {
  std::string text;
  std::vector<std::string> in_types, out_types;
  double within = 0;  // 0: equal bits
  bool relative = true;
  std::vector<Row> rows;
};

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

PtxTest parse(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  PtxTest t;
  t.text.assign(std::istreambuf_iterator<char>(file), {});
  std::istringstream lines(t.text);
  for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;) {
    const auto w = words(line.substr(2));
    if (w.empty()) continue;
    if (w[0] == "in:") {
      t.in_types.assign(w.begin() + 1, w.end());
    } else if (w[0] == "out:") {
      t.out_types.assign(w.begin() + 1, w.end());
    } else if (w[0] == "within:") {
      t.within = std::stod(w.at(1));
      t.relative = w.at(2) == "relative";
    } else if (const auto arrow = std::find(w.begin(), w.end(), "->"); arrow != w.end()) {
      Row row;
      for (auto x = w.begin(); x != arrow; ++x) row.in.push_back(std::stoull(*x, nullptr, 16));
      for (auto x = arrow + 1; x != w.end(); ++x) row.out.push_back(std::stoull(*x, nullptr, 16));
      t.rows.push_back(row);
    }
  }
  return t;
}

float value(std::uint64_t bits, const std::string& type) {
  if (type == "f32") return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
  if (type == "bf16") return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<float>(bits & 0x3ff);
  const float magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

bool agrees(const PtxTest& t, const std::string& type, std::uint64_t got, std::uint64_t expected) {
  if (got == expected) return true;
  if (t.within == 0) return false;
  const double x = value(got, type), y = value(expected, type);
  return std::abs(x - y) <= t.within * (t.relative ? std::abs(y) : 1.0);
}

std::string hex(const std::vector<std::uint64_t>& values) {
  std::ostringstream s;
  for (const auto v : values) s << std::hex << "0x" << v << " ";
  return s.str();
}

// The outputs of all rows, or a sentence that says what failed.
std::string run(Device& device, const PtxTest& t, std::vector<std::uint64_t>& out) {
  device.reset({});
  std::uint64_t module = 0;
  if (const Status s = device.load_module(t.text, module); !s.ok()) return s.detail;
  KernelInfo kernel;
  if (const Status s = device.find_kernel(module, "test", kernel); !s.ok()) return s.detail;
  std::vector<std::uint64_t> in;
  for (const Row& row : t.rows) in.insert(in.end(), row.in.begin(), row.in.end());
  out.assign(t.rows.size() * t.out_types.size(), 0);
  const auto in_bytes = std::as_bytes(std::span(in)), out_bytes = std::as_bytes(std::span(out));
  Address addresses[2] = {};
  for (int k = 0; k < 2; ++k) {
    AllocationRequest request;
    request.bytes = std::max<std::size_t>(8, k == 0 ? in_bytes.size() : out_bytes.size());
    if (const Status s = device.allocate(request, addresses[k]); !s.ok()) return s.detail;
  }
  if (!in.empty())
    if (const Status s = device.write(addresses[0], in_bytes); !s.ok()) return s.detail;
  if (const Status s = device.write(addresses[1], out_bytes); !s.ok()) return s.detail;
  LaunchRequest launch;
  launch.kernel = kernel.id;
  launch.grid = {1, 1, 1};
  launch.block = {static_cast<std::uint32_t>(t.rows.size()), 1, 1};
  launch.parameters = std::as_bytes(std::span(addresses));
  if (const Status s = device.launch(launch); !s.ok()) return s.detail;
  if (device.sticky() != 0) return "the kernel faulted";
  const Status s = device.read(addresses[1], std::as_writable_bytes(std::span(out)));
  return s.ok() ? "" : s.detail;
}

}  // namespace

TEST_CASE("every PTX file gives the outputs it lists") {
  const auto device = make_emulated_device();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(JUDGE_SOURCE_DIR "/tests/ptx"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 400);
  for (const auto& path : files) {
    const PtxTest t = parse(path);
    INFO(path.filename().string());
    REQUIRE(!t.rows.empty());
    for (const Row& row : t.rows) {
      REQUIRE(row.in.size() == t.in_types.size());
      REQUIRE(row.out.size() == t.out_types.size());
    }
    std::vector<std::uint64_t> out;
    const std::string failure = run(*device, t, out);
    CHECK(failure == "");
    if (!failure.empty()) continue;
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const std::size_t n = t.out_types.size();
      const std::vector<std::uint64_t> got(out.begin() + static_cast<std::ptrdiff_t>(r * n),
                                           out.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
      INFO("in " << hex(t.rows[r].in) << "expected " << hex(t.rows[r].out) << "got " << hex(got));
      bool all = true;
      for (std::size_t k = 0; k < n; ++k) all &= agrees(t, t.out_types[k], got[k], t.rows[r].out[k]);
      CHECK(all);
    }
  }
}
