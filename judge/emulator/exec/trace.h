#pragma once
// Launches whose accesses at some source lines are recorded. Such a launch runs a copy of the program with other
// handlers for loads, stores and atomics; one that records nothing runs the code it always ran.

#include <mutex>
#include <vector>

#include "judge/emulator/exec/state.h"
#include "judge/emulator/lower/program.h"
#include "judge/emulator/observe/trace.h"

namespace judge::emulator {

class AccessTrace {
 public:
  // lines: source lines, whatever file they are in.
  AccessTrace(const Program& program, std::vector<int> lines);

  const Program& program() const { return program_; }
  const OpHandlers* handlers() const { return handlers_.data(); }
  std::vector<TracedAccess> take() { return std::move(accesses_); }

  void record(Warp& warp, const Instr* instr);

 private:
  Program program_;
  std::vector<OpHandlers> handlers_;
  std::vector<int> lines_;
  std::mutex mutex_;
  std::vector<TracedAccess> accesses_;
};

}  // namespace judge::emulator
