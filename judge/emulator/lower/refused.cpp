// What the emulator leaves out on purpose, and why, for the message that names it.

#include "judge/emulator/lower/lowering.h"

namespace judge::emulator::lower {

std::string refusal(const ptx::Instruction& i) {
  struct Reason {
    std::string_view opcode, modifier;
    const char* why;
  };
  static constexpr Reason kReasons[] = {
      {"wgmma", "", "warp-group matrix instructions of sm_90a are not emulated; mma.sync and wmma are"},
      {"tcgen05", "", "the tensor memory of sm_100 is not emulated"},
      {"multimem", "", "multicast memory spans several GPUs; one is emulated"},
      {"tensormap", "", "tensor maps are not emulated"},
      {"cp", "tensor", "copies described by a tensor map are not emulated"},
      {"prefetch", "tensormap", "tensor maps are not emulated"},
      {"mapa", "", "thread block clusters are not emulated"},
      {"getctarank", "", "thread block clusters are not emulated"},
      {"clusterlaunchcontrol", "", "it needs sm_100; the emulated devices are older"},
  };
  for (const Reason& r : kReasons)
    if (r.opcode == i.opcode && (r.modifier.empty() || i.has_modifier(r.modifier))) return r.why;
  return "";
}

std::string refusal_of_call(std::string_view function) {
  if (function.starts_with("__cudaCDP2") || function.starts_with("cudaLaunchDevice"))
    return "dynamic parallelism (a kernel that launches kernels or calls the runtime) is not emulated";
  if (function == "cudaGraphSetConditional") return "conditional graph nodes are not emulated";
  return "this function is neither in the module nor one that the emulator provides";
}

}  // namespace judge::emulator::lower
