#pragma once
// A device process in a thread: answers the protocol as simply as can be and remembers every request. Where memory and
// kernels are needed it has them; it runs nothing.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "judge/channel/protocol.h"

struct Request {
  judge::channel::Call call{};
  std::vector<std::byte> body;
  std::vector<std::byte> payload;

  template <class Body>
  Body as() const {
    Body out{};
    if (body.size() == sizeof out) std::memcpy(&out, body.data(), sizeof out);
    return out;
  }
  std::string text() const { return {reinterpret_cast<const char*>(payload.data()), payload.size()}; }
};

struct FakeKernel {
  std::uint64_t id = 0;
  std::uint32_t parameter_bytes = 0;
  std::vector<judge::channel::ParameterLayout> parameters;
};

struct FakeSymbol {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool managed = false;
};

// Not the real device's: the library takes them from the greeting. These are free under the address sanitizer too.
inline constexpr std::uint64_t kFakeDeviceBase = 0x200000000000;
inline constexpr std::uint64_t kFakeMappedBase = 0x400000000000;
inline constexpr std::uint64_t kFakeMappedSpan = 64 << 20;

class FakeDevice {
 public:
  FakeDevice();   // makes socket, bulk memory and window, starts the thread
  ~FakeDevice();  // closes the device's end and joins

  int host_socket() const { return host_socket_; }
  int bulk_fd() const { return bulk_fd_; }
  int window_fd() const { return window_fd_; }

  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, FakeSymbol> symbols;
  // The next request of this call gets this status; with `dies`, every later one too.
  void fail_next(judge::channel::Call call, int status, bool dies = false);
  void set_output(std::string text);  // device printf text, announced with the next reply

  std::vector<Request> requests();                           // so far
  std::vector<Request> requests(judge::channel::Call call);  // of one call
  void forget();
  // Bytes of device or mapped memory.
  std::vector<std::byte> memory(std::uint64_t address, std::size_t bytes);
  void set_memory(std::uint64_t address, const std::vector<std::byte>& bytes);

 private:
  struct Reply;
  void serve();
  Reply answer(const Request& request);
  std::byte* at(std::uint64_t address);

  int socket_ = -1, host_socket_ = -1, bulk_fd_ = -1, window_fd_ = -1;
  std::byte* bulk_ = nullptr;
  std::byte* window_ = nullptr;
  std::vector<std::byte> device_memory_;
  std::uint64_t device_used_ = 0, window_used_ = 4096;
  std::uint64_t nanoseconds_ = 1'000'000;
  std::mutex mutex_;
  std::vector<Request> requests_;
  std::map<judge::channel::Call, std::pair<int, bool>> failures_;
  int dead_ = 0;
  std::string output_;
  std::thread thread_;
};
