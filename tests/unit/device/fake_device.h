#pragma once
// A device of plain memory with three built-in "kernels", for testing the server and the session without an emulator.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "judge/device/device.h"
#include "judge/device/error_name.h"
#include "judge/device/properties.h"

namespace judge::device {

// Kernels of any module whose text starts with "fake" or is PTX ("unsupported …" is refused as such):
//   1 double_it(float* x, uint32 n): x[i] *= 2    2 die(): sets the sticky error 700    3 sleep_ms(uint32 ms)    4
//   end_process()
class FakeDevice : public Device {
 public:
  static constexpr std::uint64_t kGuardBytes = 256;
  static constexpr std::byte kPoison{0xA5};

  FakeDevice() : properties_(*known_gpu("t4")) {}
  ~FakeDevice() override {
    if (window_ >= 0) ::close(window_);
  }

  const DeviceProperties& properties() const override { return properties_; }
  void reset(const RunOptions& options) override {
    memory_.clear();
    next_ = kDeviceBase;
    record_ = {};
    sticky_ = 0;
    limit_ = options.limits.memory_bytes;
    if (window_ >= 0) ::close(window_);
    window_ = ::memfd_create("fake window", MFD_CLOEXEC);
    if (::ftruncate(window_, static_cast<off_t>(kMappedSpan)) != 0) throw std::runtime_error("ftruncate");
  }

  Status allocate(const AllocationRequest& request, Address& out) override {
    if (request.bytes > limit_ || bytes_in_use() + request.bytes > limit_)
      return {cuda_memory_allocation, "out of device memory"};
    Memory memory;
    memory.bytes.assign(request.bytes + 2 * kGuardBytes, std::byte{0xEE});
    memory.written.assign(request.bytes, request.initialized);
    out = next_ + kGuardBytes;
    next_ += (memory.bytes.size() + 511) / 256 * 256;
    memory_[out] = std::move(memory);
    return {};
  }
  Status free(Address address) override {
    return memory_.erase(address) == 1 ? Status{} : Status{cuda_invalid_value, "not the start of an allocation"};
  }
  Status write(Address to, std::span<const std::byte> from) override {
    Memory* m = nullptr;
    std::uint64_t at = 0;
    if (!find(to, from.size(), m, at)) return {cuda_invalid_value, "not device memory"};
    std::copy(from.begin(), from.end(), m->data() + at);
    std::fill_n(m->written.begin() + static_cast<std::ptrdiff_t>(at), from.size(), true);
    return {};
  }
  Status read(Address from, std::span<std::byte> to) override {
    Memory* m = nullptr;
    std::uint64_t at = 0;
    if (!find(from, to.size(), m, at)) return {cuda_invalid_value, "not device memory"};
    std::copy_n(m->data() + at, to.size(), to.begin());
    return {};
  }
  Status copy(Address to, Address from, std::uint64_t bytes) override {
    if (bytes > limit_) return {cuda_invalid_value, "too large"};
    std::vector<std::byte> between(bytes);
    const Status status = read(from, between);
    return status.ok() ? write(to, between) : status;
  }
  Status fill(Address to, std::uint32_t value, unsigned width, std::uint64_t count) override {
    if (count > limit_) return {cuda_invalid_value, "too large"};
    std::vector<std::byte> bytes(width * count);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (i % width * 8));
    return write(to, bytes);
  }
  Status poison(Address to, std::uint64_t bytes) override {
    const Status status = write(to, std::vector<std::byte>(bytes, kPoison));
    Memory* m = nullptr;
    std::uint64_t at = 0;
    if (find(to, bytes, m, at)) std::fill_n(m->written.begin() + static_cast<std::ptrdiff_t>(at), bytes, false);
    return status;
  }
  Status written_map(Address from, std::uint64_t bytes, std::vector<std::uint8_t>& bits) override {
    Memory* m = nullptr;
    std::uint64_t at = 0;
    if (!find(from, bytes, m, at)) return {cuda_invalid_value, "not device memory"};
    bits.assign((bytes + 7) / 8, 0);
    for (std::uint64_t i = 0; i < bytes; ++i)
      if (m->written[at + i]) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << i % 8);
    return {};
  }
  bool guard_zones_intact(Address) override { return true; }
  int mapped_window_fd() const override { return window_; }

  Status load_module(std::string_view ptx, std::uint64_t& module) override {
    if (ptx.starts_with("throw")) throw std::runtime_error("the fake device broke");
    if (ptx.starts_with("unsupported")) return {cuda_not_supported, "line 7: tcgen05.mma"};
    if (!ptx.starts_with("fake") && ptx.find(".visible .entry") == ptx.npos)
      return {cuda_invalid_ptx, "line 1: not PTX"};
    module = 11;
    return {};
  }
  Status unload_module(std::uint64_t) override { return {}; }
  Status find_kernel(std::uint64_t module, std::string_view name, KernelInfo& out) override {
    if (module != 11) return {cuda_invalid_resource_handle, "no such module"};
    out.name = name;
    if (name.find("double_it") != name.npos) {
      out.id = 1;
      out.parameters = {{0, 8, 8}, {8, 4, 4}};
      out.parameter_bytes = 12;
    } else if (name == "die") {
      out.id = 2;
    } else if (name == "sleep_ms") {
      out.id = 3;
      out.parameters = {{0, 4, 4}};
      out.parameter_bytes = 4;
    } else if (name == "end_process") {
      out.id = 4;
    } else {
      return {cuda_invalid_device_function, "no kernel of this name"};
    }
    return {};
  }
  Status find_symbol(std::uint64_t, std::string_view, SymbolInfo&) override {
    return {cuda_invalid_symbol, "no such variable"};
  }
  Status set_max_dynamic_shared(std::uint64_t, std::uint32_t) override { return {}; }
  Status set_limit(DeviceLimit, std::uint64_t& value) override {
    value = (value + 15) / 16 * 16;
    return {};
  }
  Status max_active_blocks(std::uint64_t, std::uint32_t, std::uint32_t, int& blocks) override {
    blocks = 4;
    return {};
  }
  Status launch(const LaunchRequest& request) override {
    if (request.block.x > 1024) return {cuda_invalid_configuration, "2048 threads a block; the limit is 1024"};
    std::uint32_t word = 0;
    if (request.kernel == 1) {
      if (request.parameters.size() != 12) return {cuda_invalid_value, "wrong parameters"};
      Address x = 0;
      std::memcpy(&x, request.parameters.data(), 8);
      std::memcpy(&word, request.parameters.data() + 8, 4);
      std::vector<float> values(std::min<std::uint32_t>(word, 1u << 24));
      const auto bytes = std::as_writable_bytes(std::span(values));
      if (!read(x, bytes).ok()) return die(request);
      for (float& v : values) v *= 2;
      write(x, bytes);
    } else if (request.kernel == 2) {
      return die(request);
    } else if (request.kernel == 3) {
      if (request.parameters.size() != 4) return {cuda_invalid_value, "wrong parameters"};
      std::memcpy(&word, request.parameters.data(), 4);
      std::this_thread::sleep_for(std::chrono::milliseconds(word));
    } else if (request.kernel == 4) {
      ::_exit(42);
    } else {
      return {cuda_invalid_device_function, "no such kernel"};
    }
    remember(request);
    return {};
  }
  int sticky() const override { return sticky_; }
  CaseRecord& record() override { return record_; }
  std::uint64_t bytes_in_use() const override {
    std::uint64_t sum = 0;
    for (const auto& [address, memory] : memory_) sum += memory.written.size();
    return sum;
  }

 private:
  struct Memory {
    std::vector<std::byte> bytes;
    std::vector<bool> written;
    std::byte* data() { return bytes.data() + kGuardBytes; }
  };

  bool find(Address address, std::uint64_t bytes, Memory*& out, std::uint64_t& at) {
    auto found = memory_.upper_bound(address);
    if (found == memory_.begin()) return false;
    --found;
    at = address - found->first;
    out = &found->second;
    return at <= out->written.size() && bytes <= out->written.size() - at;
  }
  void remember(const LaunchRequest& request) {
    if (record_.launches.size() >= kMaxLaunchRecords) return;
    LaunchRecord l;
    l.kernel = "kernel" + std::to_string(request.kernel);
    l.grid = request.grid;
    l.block = request.block;
    record_.launches.push_back(std::move(l));
  }
  Status die(const LaunchRequest& request) {
    sticky_ = cuda_illegal_address;
    remember(request);
    return {};
  }

  DeviceProperties properties_;
  std::map<Address, Memory> memory_;
  Address next_ = kDeviceBase;
  CaseRecord record_;
  int sticky_ = 0;
  std::uint64_t limit_ = 0;
  int window_ = -1;
};

}  // namespace judge::device
