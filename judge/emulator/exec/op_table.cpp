// Chooses the build of the handlers that this CPU can run.

#include <cstdlib>
#include <string_view>

#include "judge/emulator/exec/state.h"

namespace judge::emulator {

namespace baseline {
extern const OpHandlers table[];
}
namespace avx2 {
extern const OpHandlers table[];
}
namespace avx512 {
extern const OpHandlers table[];
}

namespace {

[[maybe_unused]] bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi2");
}

[[maybe_unused]] bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

std::vector<InstructionSet> runnable() {
  __builtin_cpu_init();
  std::vector<InstructionSet> sets;
#ifdef JUDGE_BUILT_avx512
  if (has_avx512()) sets.push_back({"avx512", avx512::table});
#endif
#ifdef JUDGE_BUILT_avx2
  if (has_avx2()) sets.push_back({"avx2", avx2::table});
#endif
#ifdef JUDGE_BUILT_baseline
  sets.push_back({"baseline", baseline::table});
#endif
  return sets;
}

// CUDA_JUDGE_ISA=baseline|avx2|avx512 lets the tests run the builds this CPU would not choose; one that it cannot run
// is ignored.
InstructionSet choose() {
  const char* override_name = std::getenv("CUDA_JUDGE_ISA");
  for (const InstructionSet& set : instruction_sets())
    if (override_name && std::string_view(override_name) == set.name) return set;
  return instruction_sets().front();
}

const InstructionSet& chosen() {
  static const InstructionSet choice = choose();
  return choice;
}

}  // namespace

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> sets = runnable();
  return sets;
}

const OpHandlers* op_table() {
  return chosen().table;
}
const char* instruction_set() {
  return chosen().name;
}

}  // namespace judge::emulator
