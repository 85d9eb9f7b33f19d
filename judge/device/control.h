#pragma once
// The trusted line between judge and device process: length-prefixed JSON text with descriptors beside it.
//
// Both ends are ours, so a malformed frame is a fault of the judge and throws. Bulk data never travels here: buffers go
// through shared memory whose descriptor is passed. The commands are listed in README.md.

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/device/descriptor.h"

namespace judge::device {

class ControlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ControlClosed : public ControlError {  // the other process has gone
 public:
  ControlClosed() : ControlError("the other end closed the control line") {}
};

struct ControlMessage {
  std::string text;
  std::vector<Descriptor> descriptors;
};

inline constexpr std::size_t kMaxControlBytes = 64u << 20;  // a record with every list at its cap is far below this
inline constexpr std::size_t kMaxControlDescriptors = 8;

class ControlSocket {
 public:
  ControlSocket() = default;
  explicit ControlSocket(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  void send(const std::string& text, std::span<const int> descriptors = {});
  // nullopt when nothing complete came before the deadline. Throws ControlClosed at end of file.
  std::optional<ControlMessage> receive(std::chrono::steady_clock::time_point deadline);

 private:
  Descriptor socket_;
};

}  // namespace judge::device
