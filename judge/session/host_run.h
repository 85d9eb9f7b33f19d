#pragma once
// One boxed host process, from start to its end, as the kernel saw it.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "judge/device/descriptor.h"
#include "judge/session/session.h"

namespace judge::session {

struct HostDescriptors {  // ours; the process gets them under the numbers of channel/protocol.h and host/setup.h
  int device = -1, bulk = -1, window = -1, buffers = -1;
};

class HostRun {
 public:
  // Starts judge-host in a box. It waits for its setup. Throws SessionError.
  HostRun(const CaseRequest& request, const std::filesystem::path& program_dir, const HostDescriptors& descriptors);
  ~HostRun();

  // Sends the setup, then watches the process until it has returned, ended or broken a limit; kills what is left of it.
  // `device_fd` is watched too: readable means that the device died, and throws.
  HostOutcome run(std::span<const std::byte> setup, std::chrono::steady_clock::time_point deadline, int device_fd);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace judge::session
