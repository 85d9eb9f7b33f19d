#include "judge/preparation.h"

#include <regex>
#include <utility>

#include "judge/build/build.h"
#include "judge/check/check.h"

namespace judge {

namespace {

constexpr std::size_t kCasesAhead = 1;

std::filesystem::path build_cpu_reference(const catalogue::Exercise& exercise, const std::filesystem::path& cache_dir) {
  std::vector<std::string> types;
  for (const catalogue::Argument& a : exercise.arguments) types.push_back(a.cpp_type);
  // The reference has the entry's prototype under the name with _cpu (docs/authoring.md).
  const std::string function = exercise.entry_name + "_cpu";
  const std::string prototype =
      std::regex_replace(exercise.entry, std::regex("\\b" + exercise.entry_name + "(?=\\s*\\()"), function);
  return build::build_reference(exercise.cpu_reference, prototype, function, types, cache_dir);
}

}  // namespace

Preparation::Preparation(const catalogue::Exercise& exercise, const std::vector<PlannedCase>& plan,
                         const std::filesystem::path& cache_dir)
    : exercise_(exercise), plan_(plan), cache_dir_(cache_dir), prepared_(plan.size()) {
  thread_ = std::thread([this] { work(); });
}

Preparation::~Preparation() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const Buffers& Preparation::inputs(std::size_t step) {
  return wait_for(step, &Prepared::inputs);
}
const Buffers& Preparation::expected(std::size_t step) {
  return wait_for(step, &Prepared::expected);
}

const Buffers& Preparation::wait_for(std::size_t step, std::optional<Buffers> Prepared::*what) {
  std::unique_lock lock(mutex_);
  for (std::size_t i = consumer_; i < step; ++i) prepared_[i] = {};
  consumer_ = step;
  changed_.notify_all();
  Prepared& p = prepared_.at(step);
  changed_.wait(lock, [&] { return (p.*what).has_value() || p.error; });
  if (p.error) std::rethrow_exception(p.error);
  return *(p.*what);
}

bool Preparation::wait_for_turn(std::size_t step) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || step <= consumer_ + kCasesAhead; });
  return !stop_;
}

void Preparation::prepare(std::size_t step, std::filesystem::path& reference) {
  const PlannedCase& planned = plan_[step];
  Prepared& p = prepared_[step];
  const auto publish = [&](std::optional<Buffers> Prepared::*what, Buffers buffers) -> const Buffers& {
    const std::lock_guard lock(mutex_);
    (p.*what) = std::move(buffers);
    changed_.notify_all();
    return *(p.*what);
  };
  const Buffers& inputs = publish(&Prepared::inputs, check::generate_inputs(exercise_, exercise_.cases[planned.index],
                                                                            planned.names, planned.seed));
  if (reference.empty()) reference = build_cpu_reference(exercise_, cache_dir_);
  publish(&Prepared::expected, check::run_reference(reference, exercise_, planned.names, inputs));
}

void Preparation::work() {
  std::filesystem::path reference;
  for (std::size_t step = 0; step < plan_.size() && wait_for_turn(step); ++step) {
    try {
      prepare(step, reference);
    } catch (const std::exception& e) {
      const std::lock_guard lock(mutex_);
      // The consumer waits for this step or an earlier one; it never asks for a later one after an error.
      prepared_[step].error =
          std::make_exception_ptr(StageError(prepared_[step].inputs ? "CPU reference" : "inputs", e.what()));
      changed_.notify_all();
      return;
    }
  }
}

}  // namespace judge
