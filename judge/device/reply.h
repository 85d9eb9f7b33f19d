#pragma once
// A reply before encoding. Internal to host_calls.cpp and texture_calls.cpp.

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "judge/device/host_calls.h"

namespace judge::device {

// The body is that of the call, or absent when the call failed (zeros are sent then).
struct HostCalls::Reply {
  Status status;
  std::array<std::byte, channel::kMaxBodyBytes> body{};
  Payload payload;
  std::string_view
      recorded_as;  // name of the runtime call under which an error goes into the record; empty: not recorded
  bool is_launch = false;

  Reply() = default;
  Reply(Status s, std::string_view call = {}) : status(std::move(s)), recorded_as(call) {}
  template <class Body>
  explicit Reply(const Body& b, Payload p = {}) : payload(p) {
    std::memcpy(body.data(), &b, sizeof b);
  }
};

}  // namespace judge::device
