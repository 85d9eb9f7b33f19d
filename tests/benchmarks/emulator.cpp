// Throughput of the emulator, every check and counter on: the reference kernel of exercise 72 beside a plain serial
// loop of the same work, and the kernels of kernels.cu. Every result is compared with one computed here.
//
//   bench_emulator [repetitions] [name ...]

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "judge/device/device.h"
#include "serial_conv1d.h"

using namespace judge;

namespace {

using Clock = std::chrono::steady_clock;

// Processor time of this process: other load on the machine does not count, and with one worker it is the time of one
// core.
double processor_ms() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
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

std::string text_of(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The name after `before` in the module's text.
std::string name_after(const std::string& ptx, const std::string& before, char end) {
  const auto at = ptx.find(before) + before.size();
  return ptx.substr(at, ptx.find(end, at) - at);
}

struct Buffer {
  const void* data = nullptr;  // null: an output, of `bytes`
  std::size_t bytes = 0;
};

struct Workload {
  const char* name;
  const char* what;
  const char* ptx_file;
  std::string kernel;  // "": the only one
  Buffer constant;     // for the module's only __constant__ array
  std::vector<Buffer> buffers;
  std::vector<int> scalars;  // after the buffers' pointers
  device::Dim3 grid, block;
  std::function<double(const float*)> worst_error;  // relative to what is allowed: above 1 is wrong
  double hip_cpu_ms,
      pocl_ms;  // the same kernel built natively, one core, on another machine of this kind; 0: not known
};

struct Figures {
  double ms = 0, least_ms = 0, wall_ms = 0;
  std::uint64_t thread_instructions = 0;
};

Figures measure(device::Device& dev, const Workload& w, int repetitions, unsigned workers) {
  const std::string ptx = text_of(w.ptx_file);
  std::vector<double> samples, walls;
  Figures f;
  for (int r = 0; r < repetitions; ++r) {
    device::RunOptions options;
    options.workers = workers;
    dev.reset(options);
    std::uint64_t module = 0;
    device::KernelInfo kernel;
    require(dev.load_module(ptx, module), "load");
    require(dev.find_kernel(module, w.kernel.empty() ? name_after(ptx, ".entry ", '(') : w.kernel, kernel), "kernel");
    if (w.constant.data != nullptr) {
      device::SymbolInfo symbol;
      require(dev.find_symbol(module, name_after(ptx, ".const .align 4 .b8 ", '['), symbol), "constant");
      require(dev.write(symbol.address, {static_cast<const std::byte*>(w.constant.data), w.constant.bytes}),
              "constant");
    }
    std::vector<std::byte> parameters;
    const auto append = [&](const void* from, std::size_t n) {
      const auto* bytes = static_cast<const std::byte*>(from);
      parameters.insert(parameters.end(), bytes, bytes + n);
    };
    device::Address out = 0;
    std::vector<float> result;
    for (const Buffer& b : w.buffers) {
      device::Address at = 0;
      require(dev.allocate({b.bytes, device::MemoryKind::device, "buffer", "float32", 4, false}, at), "allocate");
      if (b.data != nullptr) {
        require(dev.write(at, {static_cast<const std::byte*>(b.data), b.bytes}), "write");
      } else {
        require(dev.poison(at, b.bytes), "poison");
        out = at;
        result.resize(b.bytes / 4);
      }
      append(&at, 8);
    }
    for (const int s : w.scalars) append(&s, 4);
    const device::LaunchRequest launch{kernel.id, w.grid, w.block, 0, parameters};
    const auto wall = Clock::now();
    const double start = processor_ms();
    require(dev.launch(launch), "launch");
    samples.push_back(processor_ms() - start);
    walls.push_back(std::chrono::duration<double, std::milli>(Clock::now() - wall).count());
    require(dev.read(out, std::as_writable_bytes(std::span(result))), "read");
    f.thread_instructions = dev.record().launches.at(0).counters.thread_instructions;
    if (!dev.record().launches[0].faults.empty()) {
      std::fprintf(stderr, "%s: %s\n", w.name, dev.record().launches[0].faults[0].message.c_str());
      std::exit(1);
    }
    if (const double e = w.worst_error(result.data()); !(e <= 1)) {
      std::fprintf(stderr, "%s: wrong by %g times what is allowed\n", w.name, e);
      std::exit(1);
    }
  }
  f.ms = median(samples);
  f.least_ms = *std::min_element(samples.begin(), samples.end());
  f.wall_ms = median(walls);
  return f;
}

template <class Expected>
std::function<double(const float*)> close_to(std::size_t n, double allowed, Expected expected) {
  return [=](const float* got) {
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double e = std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected(i))) / allowed;
      if (!(e <= worst)) worst = e;
    }
    return worst;
  };
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);

  std::uint32_t seed = 1;
  const auto random = [&] { return seed = seed * 1664525u + 1013904223u; };
  const auto floats = [&](std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = static_cast<float>(random() >> 8) / 8388608.0f - 1.0f;
    return v;
  };
  const auto in = [](const auto& v) { return Buffer{v.data(), v.size() * sizeof(v[0])}; };
  const auto out = [](std::size_t n) { return Buffer{nullptr, n * 4}; };

  constexpr int kConv = 4'194'427, kN = 512, kLong = 1 << 22, kStride = 2, kRows = 1 << 18;
  const auto x = floats(kConv), w = floats(17), a = floats(kN * kN), b = floats(kN * kN),
             wide = floats(std::size_t{kLong} * kStride);
  std::vector<float> conv(kConv), product(kN * kN), sums(kLong / 256), sparse(kRows);
  serial_conv1d(x.data(), w.data(), conv.data(), kConv);
  for (int i = 0; i < kN; ++i)
    for (int k = 0; k < kN; ++k)
      for (int j = 0; j < kN; ++j)
        product[std::size_t(i * kN + j)] += a[std::size_t(i * kN + k)] * b[std::size_t(k * kN + j)];
  for (int i = 0; i < kLong; ++i) sums[std::size_t(i / 256)] += x[std::size_t(i)];
  std::vector<int> at(kLong), starts(kRows + 1), columns;
  for (int& v : at) v = static_cast<int>(random() >> 10);
  for (int r = 0; r < kRows; ++r) {
    for (std::uint32_t k = 8 + (random() >> 28); k > 0; --k) columns.push_back(static_cast<int>(random() >> 14));
    starts[std::size_t(r) + 1] = static_cast<int>(columns.size());
  }
  const auto values = floats(columns.size());
  for (std::size_t r = 0; r < kRows; ++r)
    for (int k = starts[r]; k < starts[r + 1]; ++k)
      sparse[r] += values[std::size_t(k)] * x[std::size_t(columns[std::size_t(k)])];

  const auto blocks = [](int n) { return device::Dim3{static_cast<unsigned>((n + 255) / 256), 1, 1}; };
  const device::Dim3 line{256, 1, 1};
  const std::vector<Workload> workloads = {
      {"conv1d",
       "17 taps, 4,194,427 floats",
       CONV1D_PTX,
       "",
       in(w),
       {in(x), out(kConv)},
       {kConv},
       blocks(kConv),
       line,
       close_to(kConv, 1e-4, [&](std::size_t i) { return conv[i]; }),
       218,
       27.5},
      {"matmul16",
       "512 x 512 x 512, tiles of 16",
       KERNELS_PTX,
       "matmul16",
       {},
       {in(a), in(b), out(kN * kN)},
       {kN},
       {kN / 16, kN / 16, 1},
       {16, 16, 1},
       close_to(kN * kN, 1e-3, [&](std::size_t i) { return product[i]; }),
       325,
       99},
      {"matmul32",
       "512 x 512 x 512, tiles of 32",
       KERNELS_PTX,
       "matmul32",
       {},
       {in(a), in(b), out(kN * kN)},
       {kN},
       {kN / 32, kN / 32, 1},
       {32, 32, 1},
       close_to(kN * kN, 1e-3, [&](std::size_t i) { return product[i]; }),
       364,
       92},
      {"block_reduce",
       "4,194,304 floats, shuffles",
       KERNELS_PTX,
       "block_reduce",
       {},
       {Buffer{x.data(), kLong * 4}, out(kLong / 256)},
       {kLong},
       blocks(kLong),
       line,
       close_to(kLong / 256, 1e-4, [&](std::size_t i) { return sums[i]; }),
       817,
       26.5},
      {"strided_copy",
       "4,194,304 of 8,388,608 floats, stride 2",
       KERNELS_PTX,
       "strided_copy",
       {},
       {in(wide), out(kLong)},
       {kLong, kStride},
       blocks(kLong),
       line,
       close_to(kLong, 1e-9, [&](std::size_t i) { return wide[i * kStride]; }),
       24,
       15.8},
      {"gather",
       "4,194,304 floats at random places",
       KERNELS_PTX,
       "gather",
       {},
       {Buffer{x.data(), kLong * 4}, in(at), out(kLong)},
       {kLong},
       blocks(kLong),
       line,
       close_to(kLong, 1e-9, [&](std::size_t i) { return x[std::size_t(at[i])]; }),
       0,
       0},
      {"spmv",
       "262,144 rows of 8 to 23, one thread a row",
       KERNELS_PTX,
       "spmv",
       {},
       {in(starts), in(columns), in(values), Buffer{x.data(), kRows * 4}, out(kRows)},
       {kRows},
       blocks(kRows),
       line,
       close_to(kRows, 1e-4, [&](std::size_t i) { return sparse[i]; }),
       0,
       0},
  };

  const auto start = Clock::now();
  const auto dev = device::make_emulated_device();
  const double start_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();

  std::printf("every check and counter on; processor time, median of %d (least)\n", repetitions);
  std::printf("%-13s %9s %9s %14s %8s %12s %10s\n", "kernel", "ms", "least", "10^9 instr./s", "HIP-CPU", "PoCL",
              "two cores");
  for (const Workload& load : workloads) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), load.name) == wanted.end()) continue;
    const Figures one = measure(*dev, load, repetitions, 1), two = measure(*dev, load, repetitions, 2);
    std::printf("%-13s %9.1f %9.1f %14.2f", load.name, one.ms, one.least_ms,
                static_cast<double>(one.thread_instructions) / one.ms / 1e6);
    if (load.hip_cpu_ms > 0)
      std::printf(" %7.2fx %11.2fx", one.ms / load.hip_cpu_ms, one.ms / load.pocl_ms);
    else
      std::printf(" %8s %12s", "", "");
    std::printf(" %9.2fx   %s\n", one.wall_ms / two.wall_ms, load.what);
  }
  std::printf(
      "HIP-CPU, PoCL: ratio to the time of the same work built natively with them, one core (docs/performance.md);\n"
      "two cores: how many times faster by the clock on the wall.\n");
  std::vector<double> loops;
  for (int r = 0; r < repetitions; ++r) {
    const double before = processor_ms();
    serial_conv1d(x.data(), w.data(), conv.data(), kConv);
    loops.push_back(processor_ms() - before);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("conv1d as a plain serial loop: %.1f ms\n", median(loops));
  std::printf("start of the device: %.1f ms; peak memory, this program's own copies included: %.0f MB\n", start_ms,
              static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
