// cp.async, cp.async.bulk, mbarrier. What they do is in async.cpp.

#include "judge/emulator/exec/async.h"
#include "judge/emulator/exec/lanes.h"

namespace judge::emulator::JUDGE_ISA {

JUDGE_OP(cp_async_load) {
  return read_copy_source(state(w), i);
}
JUDGE_OP(cp_async_store) {
  return issue_copy(state(w), i);
}
JUDGE_OP(cp_async_commit) {
  return commit_copies(state(w), i);
}
JUDGE_OP(cp_async_wait) {
  return wait_for_copies(state(w), i);
}
JUDGE_OP(cp_async_arrive) {
  return arrive_after_copies(state(w), i);
}
JUDGE_OP(bulk_load) {
  return read_bulk_source(state(w), i);
}
JUDGE_OP(bulk_store) {
  return issue_bulk(state(w), i);
}
JUDGE_OP(mbarrier) {
  return update_barrier(state(w), i);
}
JUDGE_OP(mbarrier_wait) {
  const u32 asked = w.mask;
  u32 complete = 0;
  const Instr* next = test_barrier(state(w), i, &complete);
  u32* d = predicate(w, i->d);
  *d = (*d & ~asked) | (complete & asked);
  return next;
}

}  // namespace judge::emulator::JUDGE_ISA
