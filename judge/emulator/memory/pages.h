#pragma once
// Anonymous memory from the kernel: zero pages that cost nothing until touched.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace judge::emulator {

class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes);  // throws std::bad_alloc
  ~Pages();
  Pages(Pages&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)),
        bytes_(std::exchange(o.bytes_, 0)),
        ready_(std::exchange(o.ready_, nullptr)) {}
  Pages& operator=(Pages&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    std::swap(ready_, o.ready_);
    return *this;
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void clear();  // back to zero pages

  // To be said before bytes at `from` and after it, fewer than a region, are first read and then written. Reading alone
  // would map the kernel's page of zeros, and the write would then replace it, which interrupts every other core.
  [[gnu::always_inline]] void will_write(std::size_t from, std::size_t bytes) const {
    if (ready_ == nullptr) return;
    const std::size_t first = from >> kRegionShift, last = (from + bytes - 1) >> kRegionShift;
    if (__atomic_load_n(ready_ + first, __ATOMIC_RELAXED) == 0) make_ready(first);
    if (__atomic_load_n(ready_ + last, __ATOMIC_RELAXED) == 0) make_ready(last);
  }

 private:
  static constexpr int kRegionShift = 21;  // a huge page's
  void make_ready(std::size_t region) const;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint8_t* ready_ = nullptr;  // by region: 1 when its pages are there to be written
};

}  // namespace judge::emulator
