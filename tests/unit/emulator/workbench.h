#pragma once
// An emulated device with kernels.cu on it: buffers from vectors, launches by kernel name.

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "judge/device/device.h"

struct Shape {
  unsigned blocks = 1, threads = 32, shared = 0;
};

class Workbench {
 public:
  explicit Workbench(judge::device::RunOptions options = {}, const char* ptx = KERNELS_PTX);

  template <class T>
  judge::device::Address buffer(const std::vector<T>& contents, const char* label = "x") {
    const auto a = allocate(contents.size() * sizeof(T), label, sizeof(T));
    check(device->write(a, std::as_bytes(std::span(contents))));
    return a;
  }
  judge::device::Address unset(std::uint64_t bytes, const char* label = "out") { return allocate(bytes, label, 4); }
  template <class T>
  std::vector<T> read(judge::device::Address a, std::size_t n) {
    std::vector<T> v(n);
    check(device->read(a, std::as_writable_bytes(std::span(v))));
    return v;
  }

  // Arguments by value, as the kernel declares them: Address for pointers.
  template <class... A>
  judge::device::Status launch(const char* kernel, judge::device::Dim3 grid, judge::device::Dim3 block, unsigned shared,
                               A... arguments) {
    judge::device::KernelInfo info;
    check(device->find_kernel(module_, kernel, info));
    std::vector<std::byte> bytes(info.parameter_bytes);
    std::size_t k = 0;
    [[maybe_unused]] const auto put = [&](auto value) {
      std::memcpy(bytes.data() + info.parameters.at(k).offset, &value, sizeof value);
      ++k;
    };
    (put(arguments), ...);
    return device->launch({info.id, grid, block, shared, bytes});
  }
  // Launches and returns the record, with its faults.
  template <class... A>
  const judge::device::LaunchRecord& run(const char* kernel, Shape shape, A... arguments) {
    check(launch(kernel, {shape.blocks, 1, 1}, {shape.threads, 1, 1}, shape.shared, arguments...));
    return device->record().launches.back();
  }
  judge::device::KernelInfo kernel(const char* name);

  std::unique_ptr<judge::device::Device> device;

 private:
  judge::device::Address allocate(std::uint64_t bytes, const char* label, unsigned element_bytes);
  static void check(const judge::device::Status& s);
  std::uint64_t module_ = 0;
};

// Of a file beside this one, from 1: the first line that contains the text.
int line_of(const std::string& text, const std::string& file = "kernels.cu");
