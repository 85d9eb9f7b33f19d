#include "judge/emulator/observe/fault.h"

namespace judge::emulator {

std::string_view to_string(FaultKind kind) {
  switch (kind) {
#define X(name, meaning) \
  case FaultKind::name:  \
    return #name;
    JUDGE_FAULT_KINDS(X)
#undef X
  }
  return "unknown";
}

std::optional<FaultKind> fault_kind_from(std::string_view name) {
#define X(enumerator, meaning) \
  if (name == #enumerator) return FaultKind::enumerator;
  JUDGE_FAULT_KINDS(X)
#undef X
  return std::nullopt;
}

std::string_view to_string(MemorySpace space) {
  switch (space) {
    case MemorySpace::generic: return "generic";
    case MemorySpace::global: return "global";
    case MemorySpace::shared: return "shared";
    case MemorySpace::local: return "local";
    case MemorySpace::constant: return "constant";
    case MemorySpace::param: return "param";
  }
  return "unknown";
}

std::string_view to_string(AccessKind kind) {
  switch (kind) {
    case AccessKind::read: return "read";
    case AccessKind::write: return "write";
    case AccessKind::atomic: return "atomic";
  }
  return "unknown";
}

}  // namespace judge::emulator
