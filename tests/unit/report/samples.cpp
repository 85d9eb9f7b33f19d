#include "samples.h"

#include <cmath>
#include <limits>

#include "judge/advice.h"

namespace judge::report::samples {

namespace {

using emulator::FaultKind;
using verdict::Verdict;

const std::string kSource = R"(#include <cuda_runtime.h>

constexpr int R = 8, kThreads = 256;
__constant__ float weights[2 * R + 1];

__global__ void convolve(const float* x, float* y, int n) {
  __shared__ float tile[kThreads + 2 * R];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + R] = x[i];
  if (threadIdx.x < R) {
    tile[threadIdx.x] = i < R ? 0.0f : x[i - R];
    __syncthreads();
  }
  float sum = 0;
  for (int k = 0; k <= 2 * R; ++k) sum += weights[k] * tile[threadIdx.x + k];
  if (i < n) y[i] = sum;
}
)";

emulator::SourceLocation at(int line, int column) {
  return {"conv1d.cu", line, column, "convolve"};
}

device::LaunchRecord launch(std::uint32_t blocks) {
  device::LaunchRecord l;
  l.kernel = "convolve";
  l.grid = {blocks, 1, 1};
  l.block = {256, 1, 1};
  l.static_shared_bytes = 1088;
  l.counters.global_load_sectors = 557'000;
  l.counters.global_load_bytes_requested = 32 * 557'000;
  l.counters.constant_loads = 2'228'294;
  return l;
}

CaseReport passed(std::string name, std::int64_t n, double wall_ms) {
  CaseReport one;
  one.name = std::move(name);
  one.ran = true;
  one.sizes = {{"n", n}};
  one.seed = 7;
  one.wall_ms = wall_ms;
  one.device_ms = wall_ms / 2;
  one.record.launches = {launch(static_cast<std::uint32_t>((n + 255) / 256))};
  one.record.operations = {{device::OperationKind::copy_to_symbol, 68, -1}, {device::OperationKind::launch, 0, 0}};
  check::Comparison c;
  c.buffer = "y";
  c.total = static_cast<std::uint64_t>(n);
  one.comparisons = {c};
  return one;
}

CaseReport not_run(std::string name, std::int64_t n) {
  CaseReport one;
  one.name = std::move(name);
  one.sizes = {{"n", n}};
  return one;
}

Report base() {
  Report r;
  r.exercise_id = 72;
  r.slug = "conv1d";
  r.title = {{"en", "1-D convolution: reuse the halo through shared memory"}, {"zh", "一维卷积：用共享内存复用 halo"}};
  r.entry = "void conv1d(const float* x, const float* w, float* y, int n)";
  r.source_path = "practice/072_conv1d/conv1d.cu";
  r.source = kSource;
  r.device = "emulator (Tesla T4)";
  r.device_reason = "GPU timing is not part of this version";
  r.build.ok = true;
  r.build.wall_ms = 812.4;
  r.build.command = "nvcc -O3 -lineinfo conv1d.cu";
  r.build.kernels = {{"convolve", 24, 1088, 420, 0, 0, 0}};
  r.seed = 20131107;
  r.wall_ms = 1234.5;
  r.device_peak_bytes = 120'000'000;
  return r;
}

// One case passed, the next one is `failing`, the last did not run.
Report failing_with(CaseReport failing, Verdict verdict) {
  Report r = base();
  r.verdict = failing.verdict = verdict;
  r.cases = {passed("one element", 1, 2.1), std::move(failing), not_run("large", 4'194'427)};
  r.cases.back().timed = true;
  r.next_step = next_step(r);
  return r;
}

CaseReport with_fault(device::Fault fault, bool kernel_died) {
  CaseReport one = passed("ragged", 10'007, 4.3);
  one.comparisons.clear();
  one.record.launches[0].faults = {std::move(fault)};
  one.record.launches[0].finished = !kernel_died;
  return one;
}

device::Fault fault(FaultKind kind, int line, int column) {
  device::Fault f;
  f.kind = kind;
  f.kernel = "convolve";
  f.where = at(line, column);
  return f;
}

RequirementResult requirement(std::string metric, double value, std::optional<double> min, std::optional<double> max,
                              std::string en, std::string zh) {
  RequirementResult r;
  r.metric = std::move(metric);
  r.value = value;
  r.min = min;
  r.max = max;
  r.met = (!min || value >= *min) && (!max || value <= *max);
  r.why = {{"en", std::move(en)}, {"zh", std::move(zh)}};
  return r;
}

Report right_with(double loaded) {
  Report r = base();
  r.build.cached = true;
  r.cases = {passed("one element", 1, 2.1), passed("ragged", 10'007, 4.3), passed("large", 4'194'427, 212.8)};
  r.cases[1].hidden = true;
  r.cases[2].timed = true;
  r.requirement_case = "large";
  r.requirements = {requirement("global_load_bytes", loaded, std::nullopt, 20'133'249.6,
                                "each element of x is read once, plus the halo", "x 的每个元素只读一次，外加 halo"),
                    requirement("constant_loads", 2'228'294, 1, std::nullopt, "the weights go in constant memory",
                                "权重应放在常量内存中"),
                    requirement("shared_bank_conflicts", 0, std::nullopt, 0,
                                "neighbouring lanes read neighbouring words", "相邻线程读取相邻的字")};
  r.verdict = r.requirements[0].met ? Verdict::accepted : Verdict::requirement_not_met;
  r.next_step = next_step(r);
  return r;
}

Report compile_error() {
  Report r = base();
  r.build.ok = false;
  r.build.kernels.clear();
  r.build.diagnostics = {{build::Diagnostic::Severity::error,
                          "conv1d.cu",
                          9,
                          33,
                          "expected a \";\"",
                          {"    tile[threadIdx.x + R] = x[i]", "                                ^"}}};
  r.verdict = Verdict::compile_error;
  r.next_step = next_step(r);
  return r;
}

Report wrong_prototype() {
  Report r = compile_error();
  r.build.wrong_prototype = true;
  r.build.diagnostics = {{build::Diagnostic::Severity::error,
                          "conv1d.cu",
                          20,
                          0,
                          "conv1d has the parameters (const float*, float*, int)",
                          {}}};
  r.next_step = next_step(r);
  return r;
}

Report wrong_answer() {
  CaseReport one = passed("ragged", 10'007, 4.3);
  check::Comparison& c = one.comparisons[0];
  c.wrong = 624;
  c.largest_error = 20'000;
  c.first = {{248, {248}, 0.731250, 1.402500, 1.5e-4, false},
             {249, {249}, -0.25, 0.0125, 1.125e-5, false},
             {250, {250}, std::numeric_limits<double>::quiet_NaN(), 2, 2.1e-4, false}};
  c.diagnosis = {check::Shape::block_edges,
                 "The wrong elements are the last 8 of every 256: the right edge of each block.", 256, 248};
  one.writer = at(16, 14);
  return failing_with(std::move(one), Verdict::wrong_answer);
}

Report never_launched() {
  CaseReport one = passed("ragged", 10'007, 1.9);
  one.record.launches.clear();
  one.record.operations.clear();
  check::Comparison& c = one.comparisons[0];
  c.wrong = c.unwritten = 10'007;
  c.first = {{0, {0}, 0, 0.5, 6e-5, true}, {1, {1}, 0, -1.25, 1.35e-4, true}};
  c.diagnosis = {check::Shape::all_unwritten, "No element was written.", 0, 0};
  return failing_with(std::move(one), Verdict::wrong_answer);
}

Report race() {
  device::Fault f = fault(FaultKind::race, 15, 58);
  f.who = {{3, 0, 0}, {31, 0, 0}};
  f.space = emulator::MemorySpace::shared;
  f.address = 156;
  f.bytes = 4;
  f.owner = "__shared__ tile (1088 bytes)";
  f.element = 39;
  f.other = {at(9, 25), {{3, 0, 0}, {32, 0, 0}}, emulator::AccessKind::write};
  f.message = "reads what other threads write, with nothing between that orders them";
  f.occurrences = 61'440;
  CaseReport one = with_fault(f, false);
  one.comparisons = passed("", 10'007, 0).comparisons;
  return failing_with(std::move(one), Verdict::race);
}

Report out_of_bounds() {
  device::Fault f = fault(FaultKind::out_of_bounds, 9, 27);
  f.who = {{39, 0, 0}, {23, 0, 0}};
  f.space = emulator::MemorySpace::global;
  f.address = 0x2000'0000'9c5c;
  f.bytes = 4;
  f.owner = "x (float[10007], 40028 bytes)";
  f.element = 10'007;
  f.message = "reads 4 bytes, ending 4 bytes past the end of x";
  f.occurrences = 233;
  CaseReport one = with_fault(f, true);
  one.record.launches[0].faults_not_listed = 12;
  // What CUDA answers afterwards follows from the fault: the report must not show it as a second one.
  one.record.api_errors = {{"cudaDeviceSynchronize", 700, "cudaErrorIllegalAddress", "", false, 0, {}}};
  return failing_with(std::move(one), Verdict::runtime_error);
}

Report barrier() {
  device::Fault f = fault(FaultKind::barrier_divergence, 12, 5);
  f.who = {{0, 0, 0}, {0, 0, 0}};
  f.message = "224 threads of the block ended or wait elsewhere while this one waits at the barrier";
  return failing_with(with_fault(f, true), Verdict::barrier_error);
}

Report uninitialized() {
  device::Fault f = fault(FaultKind::uninitialized_read, 15, 58);
  f.who = {{0, 0, 0}, {247, 0, 0}};
  f.space = emulator::MemorySpace::shared;
  f.address = 1056;
  f.bytes = 4;
  f.owner = "__shared__ tile (1088 bytes)";
  f.element = 264;
  f.message = "reads memory that nothing has written";
  return failing_with(with_fault(f, false), Verdict::uninitialized_read);
}

Report time_limit() {
  device::Fault f = fault(FaultKind::step_limit, 15, 3);
  f.who = {{0, 0, 0}, {0, 0, 0}};
  f.message = "the kernel did not end within its limit of instructions; this is where it was then";
  CaseReport one = with_fault(f, true);
  one.step_limit = 260'007'000;
  one.record.steps = 259'522'560;
  one.wall_limit_ms = 6'650;
  one.wall_ms = 412;
  return failing_with(std::move(one), Verdict::time_limit);
}

Report time_limit_on_the_host() {
  CaseReport one = passed("ragged", 10'007, 6'655);
  one.title = {{"en", "ragged"}, {"zh", "不整齐的大小"}};
  one.comparisons.clear();
  one.host.end = session::HostEnd::wall_limit;
  one.wall_limit_ms = 6'650;
  one.device_ms = 12.4;
  return failing_with(std::move(one), Verdict::time_limit);
}

Report computed_on_host() {
  CaseReport one = passed("ragged", 10'007, 4.3);
  one.record.host_results = {{"y", 10'006, 0, "cudaMemcpy", 0x1234, at(16, 0)}};
  return failing_with(std::move(one), Verdict::requirement_not_met);
}

Report input_changed() {
  CaseReport one = passed("one element", 1, 4.3);
  one.changed_inputs = {"x"};
  one.record.input_writes = {{"x", "convolve", true, 0, at(9, 25)}};
  check::Comparison& c = one.comparisons[0];
  c.wrong = 1;
  c.first = {{0, {0}, 0.5, 0.25, 1e-5, false}};
  c.diagnosis = {check::Shape::everything, "The wrong element is the only one there is.", 0, 0};
  return failing_with(std::move(one), Verdict::wrong_answer);
}

Report launch_failed() {
  CaseReport one = passed("ragged", 10'007, 1.2);
  one.comparisons.clear();
  one.record.launches.clear();
  one.record.api_errors = {{"cudaLaunchKernel", 9, "cudaErrorInvalidConfiguration",
                            "2048 threads a block: this GPU allows at most 1024", true, 0x1234, at(16, 0)}};
  return failing_with(std::move(one), Verdict::runtime_error);
}

Report host_crash() {
  CaseReport one = passed("ragged", 10'007, 1.2);
  one.comparisons.clear();
  one.record.launches.clear();
  one.host.end = session::HostEnd::signaled;
  one.host.signal = 11;
  one.host.fault_address = 0x200'0000'1000;
  one.host.fault_in_device_memory = true;
  one.host.stdout_text = "before\x1b[31m\nsecond line\n";
  return failing_with(std::move(one), Verdict::runtime_error);
}

Report judge_error() {
  Report r = base();
  r.build = {};
  r.judge_error_stage = "toolchain";
  r.judge_error = "nvcc was not found: install the CUDA Toolkit 13, or set CUDACXX to its nvcc";
  r.verdict = Verdict::judge_error;
  r.next_step = next_step(r);
  return r;
}

}  // namespace

std::vector<Sample> all() {
  return {{"accepted", {"en", "zh"}, right_with(17'824'000)},
          {"requirement_not_met", {"en"}, right_with(285'221'036)},
          {"compile_error", {"en", "zh"}, compile_error()},
          {"wrong_prototype", {"en"}, wrong_prototype()},
          {"wrong_answer_block_edges", {"en", "zh"}, wrong_answer()},
          {"wrong_answer_never_launched", {"en"}, never_launched()},
          {"race", {"en", "zh"}, race()},
          {"runtime_error_out_of_bounds", {"en", "zh"}, out_of_bounds()},
          {"runtime_error_launch", {"en"}, launch_failed()},
          {"runtime_error_host_crash", {"en"}, host_crash()},
          {"barrier_error", {"en"}, barrier()},
          {"uninitialized_read", {"en"}, uninitialized()},
          {"time_limit", {"en", "zh"}, time_limit()},
          {"time_limit_host", {"en", "zh"}, time_limit_on_the_host()},
          {"computed_on_host", {"en", "zh"}, computed_on_host()},
          {"input_changed", {"en", "zh"}, input_changed()},
          {"judge_error", {"en"}, judge_error()}};
}

}  // namespace judge::report::samples
