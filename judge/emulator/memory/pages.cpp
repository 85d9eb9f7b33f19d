#include "judge/emulator/memory/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JUDGE_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define JUDGE_POISON 1
#endif
#ifdef JUDGE_POISON
#include <sanitizer/asan_interface.h>
#endif

namespace judge::emulator {

namespace {
constexpr std::size_t kHugePage = 2u << 20;
}

Pages::Pages(std::size_t bytes) {
  bytes_ = (bytes + 4095) & ~std::size_t{4095};
  if (bytes_ == 0) return;
  void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  // Fewer page faults on large buffers; a refusal costs speed only.
  if (bytes_ >= 2 * kHugePage) madvise(p, bytes_, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(p);
  ready_ = new std::uint8_t[(bytes_ >> kRegionShift) + 1]();
#ifdef JUDGE_POISON
  // What lies between the end and the next page is nobody's; whoever touches it has lost count.
  ASAN_POISON_MEMORY_REGION(data_ + bytes, bytes_ - bytes);
#endif
}

Pages::~Pages() {
#ifdef JUDGE_POISON
  if (data_ != nullptr) ASAN_UNPOISON_MEMORY_REGION(data_, bytes_);
#endif
  if (data_ != nullptr) munmap(data_, bytes_);
  delete[] ready_;
}

void Pages::clear() {
  if (data_ == nullptr) return;
  madvise(data_, bytes_, MADV_DONTNEED);
  std::fill_n(ready_, (bytes_ >> kRegionShift) + 1, std::uint8_t{0});
}

void Pages::make_ready(std::size_t region) const {
  const std::size_t from = region << kRegionShift;
  // A kernel that does not know this (before Linux 5.14) makes the pages one by one when they are touched.
  madvise(data_ + from, std::min(bytes_ - from, std::size_t{1} << kRegionShift), MADV_POPULATE_WRITE);
  __atomic_store_n(ready_ + region, std::uint8_t{1}, __ATOMIC_RELAXED);
}

}  // namespace judge::emulator
