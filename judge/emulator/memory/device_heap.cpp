#include "judge/emulator/memory/device_heap.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "judge/emulator/memory/global_memory.h"

namespace judge::emulator {

namespace {

constexpr std::uint64_t kAlign = 16;   // of what malloc returns
constexpr std::uint64_t kGap = 48;     // unused bytes behind a block, at least
constexpr std::uint64_t kHeader = 16;  // what a block costs beside its bytes, against the limit
constexpr std::uint64_t kSpanFactor = 4;
constexpr std::size_t kRemembered = 1u << 16;  // freed blocks whose later use is recognised

std::uint64_t align_up(std::uint64_t x, std::uint64_t a) {
  return (x + a - 1) / a * a;
}

}  // namespace

bool DeviceHeap::set_limit(std::uint64_t bytes) {
  if (base_ != 0) return bytes == limit_;
  limit_ = bytes;
  return true;
}

std::uint64_t DeviceHeap::place(std::uint64_t bytes) {
  const std::uint64_t wanted = align_up(std::max<std::uint64_t>(bytes, 1), kAlign) + kGap;
  if (!wrapped_) {
    if (wanted <= span_ - next_) {
      const std::uint64_t at = next_;
      next_ += wanted;
      return at;
    }
    wrapped_ = true;
  }
  for (;;) {
    for (const std::uint64_t from : {scan_, std::uint64_t{0}}) {
      const std::uint64_t at = gap(from, wanted);
      if (at == UINT64_MAX) continue;
      scan_ = at + wanted;
      return at;
    }
    if (freed_.empty()) return UINT64_MAX;
    for (std::size_t k = std::max<std::size_t>(1, freed_.size() / 2); k > 0; --k) forget_oldest();
  }
}

// The first gap of this size from an offset on.
std::uint64_t DeviceHeap::gap(std::uint64_t from, std::uint64_t wanted) const {
  auto next = taken_.lower_bound(from);
  std::uint64_t low = next == taken_.begin() ? from : std::max(from, std::prev(next)->second);
  for (; next != taken_.end(); ++next) {
    if (next->first - low >= wanted) return low;
    low = next->second;
  }
  return low <= span_ && span_ - low >= wanted ? low : UINT64_MAX;
}

void DeviceHeap::forget_oldest() {
  taken_.erase(freed_.front() - base_);
  memory_.forget(freed_.front());
  freed_.pop_front();
}

Allocation* DeviceHeap::allocate(std::uint64_t bytes, std::string label) {
  if (bytes > limit_) return nullptr;
  const std::uint64_t cost = align_up(bytes, kAlign) + kHeader;
  if (cost > limit_ - std::min(limit_, in_use_)) return nullptr;
  if (base_ == 0) {
    span_ = align_up(limit_ * kSpanFactor + (1u << 16), 4096);
    try {
      data_ = Pages(span_ + 64);
      init_ = Pages(span_ / 4 + 64);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    base_ = memory_.reserve(span_);
    if (base_ == 0) return nullptr;
    prepare_race_shadow(shadow_shift_);
  }
  const std::uint64_t at = place(bytes);
  if (at == UINT64_MAX) return nullptr;
  auto a = std::make_unique<Allocation>();
  a->base = base_ + at;
  a->bytes = bytes;
  a->kind = AllocationKind::heap;
  a->tracked = true;
  a->label = std::move(label);
  a->data = data_.data() + at;
  a->init = reinterpret_cast<std::uint8_t*>(init_.data()) + at / 4;
  point_shadow(*a);
  // The memory is as the last owner left it; nobody has written it for this one.
  std::memset(a->data, kPoisonByte, bytes);
  std::memset(a->init, 0, (bytes + 3) / 4);
  const std::uint64_t entries = ((bytes >> shadow_shift_) + 1) * sizeof(std::uint64_t);
  std::memset(a->write_shadow, 0, entries);
  std::memset(a->read_shadow, 0, entries);
  taken_[at] = at + align_up(std::max<std::uint64_t>(bytes, 1), kAlign) + kGap;
  in_use_ += cost;
  ++live_blocks_;
  return memory_.adopt(std::move(a));
}

DeviceHeap::Freed DeviceHeap::free(Address base) {
  Allocation* a = memory_.at(base);
  if (a == nullptr || a->kind != AllocationKind::heap) return Freed::unknown;
  if (a->freed) return Freed::twice;
  a->freed = true;
  in_use_ -= align_up(a->bytes, kAlign) + kHeader;
  --live_blocks_;
  freed_.push_back(base);
  if (freed_.size() > kRemembered) {
    wrapped_ = wrapped_ || next_ > span_ / 2;  // from here on their room is used again
    forget_oldest();
  }
  return Freed::yes;
}

void DeviceHeap::point_shadow(Allocation& a) const {
  const std::uint64_t at = a.base - base_;
  a.shadow_shift = shadow_shift_;
  a.write_shadow = reinterpret_cast<std::uint64_t*>(writes_.data()) + (at >> shadow_shift_);
  a.read_shadow = reinterpret_cast<std::uint64_t*>(reads_.data()) + (at >> shadow_shift_);
}

void DeviceHeap::prepare_race_shadow(unsigned shift) {
  if (base_ == 0) {
    shadow_shift_ = shift;
    return;
  }
  if (writes_.data() != nullptr && shadow_shift_ <= shift) return;
  shadow_shift_ = shift;
  const std::size_t bytes = ((span_ >> shift) + 1 + kVectorSlack) * sizeof(std::uint64_t);
  writes_ = Pages(bytes);
  reads_ = Pages(bytes);
  for (const auto& [at, end] : taken_)
    if (Allocation* a = memory_.at(base_ + at); a != nullptr) point_shadow(*a);
}

void DeviceHeap::clear_race_shadow() {
  writes_.clear();
  reads_.clear();
}

void DeviceHeap::reset() {
  limit_ = kDefaultLimit;
  in_use_ = live_blocks_ = span_ = next_ = scan_ = 0;
  base_ = 0;
  wrapped_ = false;
  freed_.clear();
  taken_.clear();
  data_ = Pages();
  init_ = Pages();
  writes_ = Pages();
  reads_ = Pages();
}

}  // namespace judge::emulator
