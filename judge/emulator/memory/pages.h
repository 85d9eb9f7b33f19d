#pragma once
// Anonymous memory from the kernel: zero pages that cost nothing until touched.

#include <cstddef>
#include <utility>

namespace judge::emulator {

class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes);  // throws std::bad_alloc
  ~Pages();
  Pages(Pages&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
  Pages& operator=(Pages&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void clear();  // back to zero pages

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace judge::emulator
