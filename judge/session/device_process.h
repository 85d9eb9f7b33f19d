#pragma once
// The running program judge-device, and the trusted line to it.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "judge/device/control.h"
#include "judge/session/session.h"

namespace judge::session {

class DeviceProcess {
 public:
  explicit DeviceProcess(const DeviceOptions& options);  // throws SessionError
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  const device::DeviceProperties& properties() const { return properties_; }
  int control_fd() const { return control_.fd(); }  // readable outside an exchange: the process has died
  void send(const std::string& command, std::span<const int> descriptors = {});
  // nullopt: no answer before the deadline. Throws SessionError when the process is dead or answered with an error.
  std::optional<device::ControlMessage> receive(std::chrono::steady_clock::time_point deadline);
  std::uint64_t peak_bytes() const;  // VmHWM

 private:
  [[noreturn]] void report_death();

  pid_t pid_ = -1;
  device::ControlSocket control_;
  device::DeviceProperties properties_;
};

}  // namespace judge::session
