// malloc and free in device code. A kernel that calls them runs on one worker.

#include <bit>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/call_values.h"

namespace judge::emulator {

namespace {

std::string allocated_at(const WarpState& w, const Instr* i) {
  const SourceLocation where = location_of(*w.worker->launch, i->index);
  if (where.line <= 0) return "a malloc in " + where.function;
  return "a malloc at " + where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

bool release(WarpState& w, const Instr* i, int lane, Address address) {
  GlobalMemory& memory = *w.worker->launch->memory;
  const Allocation* in = memory.find(address);
  const DeviceHeap::Freed freed = memory.heap().free(address);
  if (freed == DeviceHeap::Freed::yes) {
    // What instructions remember of their last access must not let this block pass any more.
    for (AccessCache& c : w.worker->caches)
      if (c.allocation == in) c = {};
    return true;
  }
  Fault f;
  f.kind = FaultKind::invalid_free;
  f.space = MemorySpace::global;
  f.access = AccessKind::write;
  f.address = address;
  f.owner = memory.describe(address, 1).owner;
  if (freed == DeviceHeap::Freed::twice)
    f.message = "frees memory that was freed before";
  else if (in != nullptr && in->kind == AllocationKind::heap && !in->freed)
    f.message = "frees an address inside a block, " + std::to_string(address - in->base) + " bytes after its beginning";
  else if (in != nullptr && in->kind != AllocationKind::heap)
    f.message = "frees memory that malloc in device code did not give";
  else
    f.message = "frees an address that is no block of the heap";
  report(w, i, std::move(f), lane, true);
  return false;
}

}  // namespace

const Instr* allocate_on_heap(WarpState& w, const Instr* i) {
  const CallSite& site = w.worker->launch->program->calls[i->aux];
  DeviceHeap& heap = w.worker->launch->memory->heap();
  const std::string label = allocated_at(w, i);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Allocation* a = heap.allocate(call_argument(w, site.arguments[0], l), label);
    set_call_result(w, site.results[0], l, a == nullptr ? 0 : a->base);
  }
  return i + 1;
}

const Instr* free_on_heap(WarpState& w, const Instr* i) {
  const CallSite& site = w.worker->launch->program->calls[i->aux];
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Address address = call_argument(w, site.arguments[0], l);
    if (address != 0 && !release(w, i, l, address)) return nullptr;
  }
  return i + 1;
}

}  // namespace judge::emulator
