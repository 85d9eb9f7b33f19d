// Throughput of the emulator on the large case of exercise 72: the reference kernel, 4,194,427 elements, every check
// and counter on, one worker; beside it a plain serial loop of the same work.
//
//   bench_emulator [repetitions]

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "judge/device/device.h"
#include "serial_conv1d.h"

using namespace judge;

namespace {

constexpr int kElements = 4'194'427, kTaps = 17;

// Processor time of this thread, which does all the work here: other load on the machine does not count.
double now_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

template <class F>
double milliseconds(F&& f) {
  const double start = now_ms();
  f();
  return now_ms() - start;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void require(const device::Status& s, const char* what) {
  if (s.ok()) return;
  std::fprintf(stderr, "%s: error %d: %s\n", what, s.code, s.detail.c_str());
  std::exit(1);
}

// The only kernel in the module's text: `.entry NAME(`.
std::string entry_name(const std::string& ptx) {
  const auto at = ptx.find(".entry ") + 7;
  return ptx.substr(at, ptx.find('(', at) - at);
}

std::string constant_name(const std::string& ptx) {
  const auto line = ptx.find(".const .align 4 .b8 ") + 20;
  return ptx.substr(line, ptx.find('[', line) - line);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  std::stringstream text;
  text << std::ifstream(CONV1D_PTX).rdbuf();
  const std::string ptx = text.str();

  std::vector<float> x(kElements), w(kTaps), y(kElements), expected(kElements);
  std::uint32_t seed = 1;
  const auto next = [&] { return static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1.0f; };
  for (float& v : x) v = next();
  for (float& v : w) v = next();

  std::vector<double> emulator, serial;
  std::uint64_t thread_instructions = 0;
  const auto dev = device::make_emulated_device();
  for (int r = 0; r < repetitions; ++r) {
    device::RunOptions options;
    options.workers = 1;
    dev->reset(options);
    std::uint64_t module = 0;
    device::KernelInfo kernel;
    device::SymbolInfo weights;
    require(dev->load_module(ptx, module), "load");
    require(dev->find_kernel(module, entry_name(ptx), kernel), "kernel");
    require(dev->find_symbol(module, constant_name(ptx), weights), "weights");
    device::Address dx = 0, dy = 0;
    require(dev->allocate({x.size() * 4, device::MemoryKind::device, "x", "float32", 4, false}, dx), "x");
    require(dev->allocate({y.size() * 4, device::MemoryKind::device, "y", "float32", 4, false}, dy), "y");
    require(dev->write(dx, std::as_bytes(std::span(x))), "write x");
    require(dev->write(weights.address, std::as_bytes(std::span(w))), "write w");
    require(dev->poison(dy, y.size() * 4), "poison");
    std::byte parameters[20];
    std::memcpy(parameters, &dx, 8);
    std::memcpy(parameters + 8, &dy, 8);
    std::memcpy(parameters + 16, &kElements, 4);
    device::LaunchRequest launch{kernel.id, {(kElements + 255) / 256, 1, 1}, {256, 1, 1}, 0, parameters};
    emulator.push_back(milliseconds([&] { require(dev->launch(launch), "launch"); }));
    require(dev->read(dy, std::as_writable_bytes(std::span(y))), "read");
    thread_instructions = dev->record().launches.at(0).counters.thread_instructions;
    if (!dev->record().launches[0].faults.empty()) {
      std::fprintf(stderr, "fault: %s\n", dev->record().launches[0].faults[0].message.c_str());
      return 1;
    }
    serial.push_back(milliseconds([&] { serial_conv1d(x.data(), w.data(), expected.data(), kElements); }));
  }
  for (int k = 0; k < kElements; ++k) {
    if (std::fabs(y[static_cast<std::size_t>(k)] - expected[static_cast<std::size_t>(k)]) <= 1e-4f) continue;
    std::fprintf(stderr, "element %d: emulator %g, serial loop %g\n", k,
                 static_cast<double>(y[static_cast<std::size_t>(k)]),
                 static_cast<double>(expected[static_cast<std::size_t>(k)]));
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double ms = median(emulator), loop = median(serial);
  std::printf("conv1d, %d elements, %d repetitions, one core, every check and counter on\n", kElements, repetitions);
  std::printf("emulator     %8.1f ms  (%.1f to %.1f)\n", ms, *std::min_element(emulator.begin(), emulator.end()),
              *std::max_element(emulator.begin(), emulator.end()));
  std::printf("             %8.2f x 10^9 thread instructions a second (%llu in all)\n",
              static_cast<double>(thread_instructions) / ms / 1e6,
              static_cast<unsigned long long>(thread_instructions));
  std::printf("serial loop  %8.1f ms\n", loop);
  std::printf("ratio        %8.2f x the serial loop\n", ms / loop);
  std::printf("peak memory  %8.1f MB for %.1f MB of buffers\n", static_cast<double>(usage.ru_maxrss) / 1024,
              2.0 * kElements * 4 / 1048576);
  return 0;
}
