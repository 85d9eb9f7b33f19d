#pragma once
// The library's end of the channel: one socket, one request at a time, whichever thread asks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "judge/channel/protocol.h"
#include "judge/cudart/api.h"

namespace judge::cudart {

// Writes the sentence to stderr and ends the process at once: no destructor or atexit handler of the program runs, for
// without a device nothing they could do would be right.
[[noreturn]] void give_up(std::string_view sentence);
inline constexpr int kGiveUpStatus = 70;  // EX_SOFTWARE

class Connection {
 public:
  // Opens at first use. Gives up when the descriptors are not those a judge passes down.
  static Connection& get();

  const channel::HelloReply& device() const { return hello_; }

  // The error that every call answers once a kernel has died; cudaSuccess while the device is healthy.
  cudaError_t sticky() const { return static_cast<cudaError_t>(sticky_.load(std::memory_order_relaxed)); }

  template <channel::Call which>
  cudaError_t call(const typename channel::CallTypes<which>::Request& request,
                   typename channel::CallTypes<which>::Reply* reply = nullptr, std::span<const std::byte> payload = {},
                   std::span<std::byte> reply_payload = {}, std::size_t* reply_payload_bytes = nullptr) {
    typename channel::CallTypes<which>::Reply scratch;
    auto* into = reply != nullptr ? reply : &scratch;
    return exchange(which, channel::bytes_of(request), payload, std::as_writable_bytes(std::span(into, 1)),
                    reply_payload, reply_payload_bytes);
  }

  // Where the program called this thread's current function of the library; sent along with what it asks the device.
  static void set_caller(const void* return_address);

  // Makes managed and pinned memory visible in this process. False when the address range cannot be mapped.
  bool map_window();

  Connection();

 private:
  cudaError_t exchange(channel::Call call, std::span<const std::byte> body, std::span<const std::byte> payload,
                       std::span<std::byte> reply_body, std::span<std::byte> reply_payload,
                       std::size_t* reply_payload_bytes);
  cudaError_t exchange_locked(channel::Call call, std::span<const std::byte> body, std::span<const std::byte> payload,
                              std::span<std::byte> reply_body, std::span<std::byte> reply_payload,
                              std::size_t* reply_payload_bytes, bool& output_pending);
  void print_device_output();

  std::mutex mutex_;
  std::uint32_t sequence_ = 0;
  std::byte* bulk_ = nullptr;
  std::vector<std::byte> datagram_;
  std::atomic<int> sticky_{0};
  std::atomic<bool> output_pending_{false};  // device printf text waits for us
  std::mutex window_mutex_;
  bool window_mapped_ = false;
  channel::HelloReply hello_;
};

// A value that is never destroyed: the program's own atexit handlers call into this library after its static objects
// would be gone.
template <class T>
T& immortal() {
  alignas(T) static std::byte storage[sizeof(T)];
  static T* const value = std::construct_at(reinterpret_cast<T*>(storage));
  return *value;
}

}  // namespace judge::cudart
