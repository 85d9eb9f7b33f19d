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

struct Choice {
  const OpHandlers* table;
  const char* name;
};

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

// CUDA_JUDGE_ISA=baseline|avx2|avx512 lets the tests run the builds this CPU would not choose; one that it cannot run is
// ignored.
Choice choose() {
  __builtin_cpu_init();
  const char* override_name = std::getenv("CUDA_JUDGE_ISA");
  const std::string_view wanted = override_name ? override_name : "";
  if (wanted == "baseline") return {baseline::table, "baseline"};
  if (has_avx512() && wanted != "avx2") return {avx512::table, "avx512"};
  if (has_avx2()) return {avx2::table, "avx2"};
  return {baseline::table, "baseline"};
}

const Choice& chosen() {
  static const Choice choice = choose();
  return choice;
}

}  // namespace

const OpHandlers* op_table() { return chosen().table; }
const char* instruction_set() { return chosen().name; }

}  // namespace judge::emulator
