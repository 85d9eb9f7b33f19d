#include "judge/program.h"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "judge/build/unit.h"
#include "judge/cache_place.h"
#include "judge/device/properties.h"
#include "judge/facts.h"
#include "judge/judge.h"

namespace judge {

namespace {

using Clock = std::chrono::steady_clock;
using session::HostEnd;
using verdict::Verdict;

constexpr std::size_t kMaxSourceBytes = 1 << 20;

// Thread instructions per second of the wall limit: more than the emulator does on any machine with many cores, so that
// an endless kernel is ended by the limit that can say at which line it was, soon after the clock would have done it.
constexpr std::uint64_t kStepsPerWallMs = 4'000'000;

// As large as what a program may print between two synchronisations; CUDA's own buffer has 1 MiB unless it asks for
// more.
constexpr std::uint64_t kPrintfBytes = 16 << 20;

void check_device(const std::string& device) {
  if (device == "auto" || device == "emulator") return;
  if (device == "gpu")
    throw std::invalid_argument("this version runs programs on the emulator only. Use --device emulator (or auto).");
  throw std::invalid_argument("unknown device \"" + device + "\": use auto or emulator");
}

std::filesystem::path cache_dir(const ProgramOptions& options) {
  return options.cache_dir.empty() ? default_cache_dir(options.root) : options.cache_dir;
}

// Line information holds the path at which a snapshot was compiled, in a folder that is gone.
void name_sources(const std::vector<build::ProgramSource>& sources, device::CaseRecord& record) {
  const auto rename = [&](emulator::SourceLocation& where) {
    const std::string name = std::filesystem::path(where.file).filename().string();
    for (const build::ProgramSource& source : sources)
      if (name == build::safe_file_name(source.name)) where.file = source.name;
  };
  for (device::LaunchRecord& launch : record.launches) {
    for (device::LineRecord& line : launch.lines) rename(line.where);
    for (device::Fault& fault : launch.faults) {
      rename(fault.where);
      if (fault.other) rename(fault.other->where);
    }
  }
}

// Sectors and wavefronts are what memory spends its time on.
std::uint64_t traffic(const device::Counters& c) {
  return c.global_load_sectors + c.global_store_sectors + c.global_red_sectors + c.global_atom_sectors +
         c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts + c.local_load_sectors +
         c.local_store_sectors;
}

bool same_line(const device::LineRecord& a, const device::LineRecord& b) {
  return a.where.line == b.where.line && a.where.file == b.where.file;
}

std::vector<KernelReport> kernel_reports(const ProgramReport& report, const device::DeviceProperties& gpu) {
  std::vector<KernelReport> kernels;
  for (const device::LaunchRecord& launch : report.record.launches) {
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const KernelReport& k) {
      return k.kernel == launch.kernel && k.grid == launch.grid && k.block == launch.block &&
             k.dynamic_shared_bytes == launch.dynamic_shared_bytes;
    });
    KernelReport& into = same != kernels.end() ? *same : kernels.emplace_back();
    into.kernel = launch.kernel;
    into.grid = launch.grid;
    into.block = launch.block;
    into.static_shared_bytes = launch.static_shared_bytes;
    into.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    into.launches += launch.launches;
    into.counters += launch.counters;
    for (const device::LineRecord& line : launch.lines) {
      const auto known =
          std::find_if(into.lines.begin(), into.lines.end(), [&](const auto& o) { return same_line(o, line); });
      if (known != into.lines.end())
        known->counters += line.counters;
      else
        into.lines.push_back(line);
    }
  }
  for (KernelReport& k : kernels) {
    for (const build::KernelResources& resources : report.build.kernels)
      if (resources.kernel == k.kernel) k.registers = resources.registers;
    k.occupancy = theoretical_occupancy(gpu, k.block.x * k.block.y * k.block.z, k.registers.value_or(0),
                                        k.static_shared_bytes + k.dynamic_shared_bytes);
    std::stable_sort(k.lines.begin(), k.lines.end(),
                     [](const auto& a, const auto& b) { return traffic(a.counters) > traffic(b.counters); });
  }
  return kernels;
}

// Failing calls are the program's own business: it may provoke them on purpose, and its exit status says what it made
// of them. How it ended is no finding either, unless a limit ended it.
Verdict finding_of(const ProgramReport& report) {
  CaseReport one;
  one.ran = true;
  one.record.launches = report.record.launches;
  one.record.unsupported = report.record.unsupported;
  const HostEnd end = report.host.end;
  if (end == HostEnd::wall_limit || end == HostEnd::cpu_limit || end == HostEnd::memory_limit ||
      end == HostEnd::process_limit || end == HostEnd::protocol_error || end == HostEnd::load_failed)
    one.host = report.host;
  return verdict::decide(facts_of(one));
}

void run_compiled(const ProgramOptions& options, ProgramReport& report) {
  session::Session session(session::DeviceOptions{options.gpu, options.program_dir});
  report.device = fmt::format("emulator ({})", session.properties().name);

  session::Program program;
  const std::filesystem::path name = report.sources.front().name;
  program.arguments = {name.stem().string()};
  program.arguments.insert(program.arguments.end(), options.arguments.begin(), options.arguments.end());
  program.environment = options.environment;
  program.working_directory = options.working_directory;
  program.may_write = options.may_write;
  program.streams = options.streams;

  session::CaseRequest request;
  request.library = report.build.library;
  request.program = std::move(program);
  request.wall_limit = options.wall_limit;
  request.host_memory_bytes = options.memory_bytes;
  request.cancelled = options.cancelled;
  request.run.schedule_seed = options.schedule_seed;
  request.run.traced_lines = options.traced_lines;
  request.run.live_output = true;
  request.run.limits.memory_bytes = options.memory_bytes;
  request.run.limits.output_bytes = kPrintfBytes;
  request.run.limits.step_limit = kStepsPerWallMs * static_cast<std::uint64_t>(options.wall_limit.count());
  session::CaseOutcome outcome = session.run(request);

  report.ran = true;
  report.host = std::move(outcome.host);
  report.record = std::move(outcome.record);
  report.wall_limit_ms = static_cast<std::uint64_t>(options.wall_limit.count());
  report.device_ms = outcome.device_ms;
  report.device_peak_bytes = session.device_peak_bytes();
  name_sources(report.sources, report.record);
  report.kernels = kernel_reports(report, session.properties());
  report.transfers = device::transfers_of(report.record.operations);
  // The loader's words for what a compiler would have said.
  if (report.host.end == HostEnd::load_failed &&
      report.host.detail.find("undefined symbol: main") != std::string::npos) {
    build::Diagnostic error;
    error.file = report.sources.front().name;
    error.text = "the program has no main(). `run` is for whole programs; an exercise is judged with judge.py ID FILE.";
    report.build.ok = false;
    report.build.diagnostics.insert(report.build.diagnostics.begin(), std::move(error));
    report.ran = false;
    report.finding = Verdict::compile_error;
    return;
  }
  report.finding = finding_of(report);
}

}  // namespace

int ProgramReport::exit_status(bool findings_count) const {
  int own = 0;
  if (ran && host.end == HostEnd::exited) own = host.exit_status;
  if (ran && host.end == HostEnd::signaled) own = 128 + host.signal;
  if (own != 0) return own;
  const bool ended_by_itself = ran && (host.end == HostEnd::exited || host.end == HostEnd::signaled);
  const bool unsupported = finding == Verdict::judge_error;
  return ended_by_itself && !findings_count && !unsupported ? 0 : verdict::exit_status(finding);
}

std::vector<build::ProgramSource> read_program(const std::vector<std::filesystem::path>& paths) {
  std::vector<build::ProgramSource> sources;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    build::ProgramSource source;
    source.name = path.filename().string();
    source.directory = std::filesystem::absolute(path).lexically_normal().parent_path();
    source.bytes.resize(kMaxSourceBytes + 1);
    file.read(source.bytes.data(), static_cast<std::streamsize>(source.bytes.size()));
    if (!file.is_open() || file.bad()) throw std::runtime_error("'" + path.string() + "' cannot be read");
    source.bytes.resize(static_cast<std::size_t>(file.gcount()));
    sources.push_back(std::move(source));
  }
  return sources;
}

build::Result compile_program(const std::vector<build::ProgramSource>& sources, const ProgramOptions& options) {
  check_device(options.device);
  if (sources.empty()) throw std::invalid_argument("a program needs at least one source");
  build::ProgramRequest request;
  request.sources = sources;
  request.common_header = options.root / "practice/common.cuh";
  request.flags = options.nvcc_flags;
  request.working_directory = std::filesystem::absolute(options.working_directory);
  request.target = device::compile_target(device::named_gpu(options.gpu));
  request.register_report = options.register_report;
  request.cache_dir = cache_dir(options);
  return build::build_program(request, build::find_toolchain());
}

ProgramReport run_program(const std::vector<build::ProgramSource>& sources, const ProgramOptions& options) {
  const auto begin = Clock::now();
  ProgramReport report;
  report.sources = sources;
  report.schedule_seed = options.schedule_seed;
  const auto fail = [&](std::string stage, std::string what) {
    report.finding = Verdict::judge_error;
    report.judge_error_stage = std::move(stage);
    report.judge_error = std::move(what);
  };
  check_device(options.device);
  try {
    report.build = compile_program(sources, options);
    if (report.build.ok)
      run_compiled(options, report);
    else
      report.finding = Verdict::compile_error;
  } catch (const session::SessionError& e) {
    fail(e.stage(), e.what());
  } catch (const build::ToolchainError& e) {
    fail("toolchain", e.what());
  } catch (const std::invalid_argument&) {
    throw;
  } catch (const std::exception& e) {
    fail("judge", e.what());
  }
  report.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return report;
}

}  // namespace judge
