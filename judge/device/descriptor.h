#pragma once
// An owned file descriptor, and the sealed shared memory that processes hand each other through one.

#include <unistd.h>

#include <cstdint>
#include <utility>

namespace judge::device {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    if (this != &o) {
      reset();
      fd_ = std::exchange(o.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// A memfd of exactly `bytes`, sealed against growing and shrinking: whoever maps it cannot be killed by SIGBUS because
// an untrusted holder truncated it. Throws std::system_error.
Descriptor make_shared_memory(const char* name, std::uint64_t bytes);

}  // namespace judge::device
