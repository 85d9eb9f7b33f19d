#include "judge/emulator/memory/global_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "judge/emulator/memory/schedule.h"

namespace judge::emulator {

namespace {

constexpr std::uint64_t kGap = 1u << 20;  // addresses left unused between allocations
constexpr std::uint64_t kMaxShift = 64;   // alignments by which a schedule seed may move an allocation

Address align_up(Address a, std::uint64_t align) {
  return (a + align - 1) / align * align;
}

std::string describe_owner(const Allocation& a) {
  std::string text = a.label;
  if (text.empty())
    text = a.kind == AllocationKind::managed  ? "an unnamed managed allocation"
           : a.kind == AllocationKind::pinned ? "an unnamed pinned host allocation"
           : a.kind == AllocationKind::heap   ? "an unnamed malloc of a kernel"
                                              : "an unnamed cudaMalloc";
  text += " (";
  if (a.element_bytes != 0 && !a.element_type.empty())
    text += a.element_type + "[" + std::to_string(a.bytes / a.element_bytes) + "], ";
  return text + std::to_string(a.bytes) + " bytes)";
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t limit_bytes) : limit_(limit_bytes) {
  window_fd_ = memfd_create("cuda-judge-mapped", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Sealed: the host process gets this descriptor, and a shorter file would make the device's own accesses fault.
  if (window_fd_ < 0 || ftruncate(window_fd_, static_cast<off_t>(kMappedSpan)) != 0 ||
      fcntl(window_fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw std::system_error(errno, std::generic_category(), "managed memory window");
  void* p = mmap(nullptr, kMappedSpan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, window_fd_, 0);
  if (p == MAP_FAILED) {
    close(window_fd_);
    throw std::system_error(errno, std::generic_category(), "managed memory window");
  }
  window_ = static_cast<std::byte*>(p);
}

GlobalMemory::~GlobalMemory() {
  if (window_ != nullptr) munmap(window_, kMappedSpan);
  if (window_fd_ >= 0) close(window_fd_);
}

void GlobalMemory::reset() {
  allocations_.clear();
  heap_.reset();
  in_use_ = allocated_ = 0;
  textures_.clear();
  next_ = kDeviceBase;
  if (mapped_next_ != kMappedBase) {
    // A hole punched in the file empties it for both processes.
    madvise(window_, mapped_next_ - kMappedBase, MADV_REMOVE);
    mapped_next_ = kMappedBase;
  }
}

Address GlobalMemory::place(std::uint64_t bytes, std::uint32_t align) {
  const Address end = kDeviceBase + kDeviceSpan;
  // The shift keeps the alignment that cudaMalloc promises.
  const std::uint64_t shift = seed_ == 0 ? 0 : mix(seed_, allocated_) % kMaxShift * std::max(align, 256u);
  const Address at = align_up(next_ + kGap, std::max<std::uint64_t>(align, kGap)) + shift;
  if (at < end && bytes <= end - at) {
    next_ = at + bytes;
    return at;
  }
  // The range is used up once: forget freed allocations (use-after-free of those is no longer recognised) and look for
  // a gap.
  std::erase_if(allocations_, [](const auto& entry) {
    return entry.second->freed && entry.second->kind != AllocationKind::heap;
  });
  Address low = kDeviceBase + kGap;
  for (const auto& [base, a] : allocations_) {
    if (base >= kMappedBase) break;
    if (a->kind == AllocationKind::heap) {
      low = heap_.end();
      continue;
    }
    const Address candidate = align_up(low, std::max<std::uint64_t>(align, kGap));
    if (candidate + bytes + kGap <= base) return candidate;
    low = base + a->bytes + kGap;
  }
  const Address candidate = align_up(low, std::max<std::uint64_t>(align, kGap));
  return candidate < end && bytes <= end - candidate ? candidate : 0;
}

Allocation* GlobalMemory::allocate(std::uint64_t bytes, AllocationKind kind, std::uint32_t align) {
  if (bytes == 0 || bytes > limit_ || in_use_ > limit_ - bytes) return nullptr;
  auto a = std::make_unique<Allocation>();
  a->bytes = bytes;
  a->kind = kind;
  if (kind == AllocationKind::managed || kind == AllocationKind::pinned) {
    const Address at = align_up(mapped_next_, 4096);
    if (at - kMappedBase > kMappedSpan || bytes > kMappedSpan - (at - kMappedBase)) return nullptr;
    mapped_next_ = at + bytes + 4096;
    a->base = at;
    a->data = window_ + (at - kMappedBase);
    a->fully_initialized = true;  // the host writes there unseen
  } else {
    a->base = place(bytes, align);
    if (a->base == 0) return nullptr;
    try {
      a->data_pages = Pages(bytes + 64);  // room for a vector access at the last element
      a->init_pages = Pages((bytes + 3) / 4 + 64);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    a->data = a->data_pages.data();
    if (seed_ != 0 && (kind == AllocationKind::device)) fill_dirty(a->data, bytes, mix(seed_, allocated_, 1));
    a->init = reinterpret_cast<std::uint8_t*>(a->init_pages.data());
  }
  ++allocated_;
  in_use_ += bytes;
  Allocation* result = a.get();
  allocations_[a->base] = std::move(a);
  return result;
}

bool GlobalMemory::free(Address base) {
  const auto it = allocations_.find(base);
  if (it == allocations_.end() || it->second->freed || it->second->kind == AllocationKind::heap) return false;
  Allocation& a = *it->second;
  a.freed = true;
  in_use_ -= a.bytes;
  // The record stays, so that a later access can be called what it is; the memory goes back.
  a.data_pages = Pages();
  a.init_pages = Pages();
  a.write_pages = Pages();
  a.read_pages = Pages();
  a.data = nullptr;
  a.init = nullptr;
  a.write_shadow = a.read_shadow = nullptr;
  return true;
}

Allocation* GlobalMemory::adopt(std::unique_ptr<Allocation> a) {
  Allocation* result = a.get();
  allocations_[a->base] = std::move(a);
  return result;
}

Allocation* GlobalMemory::at(Address base) const {
  const auto it = allocations_.find(base);
  return it == allocations_.end() ? nullptr : it->second.get();
}

Allocation* GlobalMemory::find(Address address) const {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return nullptr;
  Allocation* a = std::prev(it)->second.get();
  return address - a->base < a->bytes ? a : nullptr;
}

Allocation* GlobalMemory::find_live(Address address, std::uint64_t bytes) const {
  Allocation* a = find(address);
  return a != nullptr && !a->freed && a->contains(address, bytes) ? a : nullptr;
}

AddressDescription GlobalMemory::describe(Address address, std::uint32_t access_bytes) const {
  AddressDescription d;
  const Allocation* best = find(address);
  if (best == nullptr) {
    std::uint64_t best_distance = UINT64_MAX;
    auto it = allocations_.upper_bound(address);
    if (it != allocations_.end() && it->first - address < best_distance) {
      best_distance = it->first - address;
      best = it->second.get();
    }
    if (it != allocations_.begin()) {
      const Allocation* before = std::prev(it)->second.get();
      if (address - (before->base + before->bytes) < best_distance) {
        best_distance = address - (before->base + before->bytes);
        best = before;
      }
    }
    // Too far from anything to be an index that ran off it.
    if (best_distance > (64u << 20)) return d;
  }
  d.allocation = best;
  d.inside = best->contains(address, access_bytes);
  d.owner = describe_owner(*best);
  const auto offset = static_cast<std::int64_t>(address - best->base);
  if (offset < 0)
    d.bytes_past_end = offset;
  else if (offset + static_cast<std::int64_t>(access_bytes) > static_cast<std::int64_t>(best->bytes))
    d.bytes_past_end = offset + static_cast<std::int64_t>(access_bytes) - static_cast<std::int64_t>(best->bytes);
  const std::int64_t unit = best->element_bytes != 0 ? best->element_bytes : access_bytes;
  if (unit != 0) d.element = offset >= 0 ? offset / unit : -((-offset + unit - 1) / unit);
  return d;
}

namespace {

// The two bits of each byte become those of `marks`, which is given for a word's first byte.
void set_marks(Allocation& in, std::uint64_t offset, std::uint64_t bytes, unsigned marks) {
  const auto set_byte = [&](std::uint64_t at) {
    const unsigned both = (1u | 1u << kHostDataShift) << (at & 3);
    in.init[at / 4] = static_cast<std::uint8_t>((in.init[at / 4] & ~both) | marks << (at & 3));
  };
  const std::uint64_t end = offset + bytes;
  for (; offset < end && (offset & 3) != 0; ++offset) set_byte(offset);
  const std::uint64_t words = (end - offset) / 4;
  std::memset(in.init + offset / 4, static_cast<int>(marks * kWordWritten), words);
  for (offset += 4 * words; offset < end; ++offset) set_byte(offset);
}

}  // namespace

void GlobalMemory::mark_written(Allocation& in, std::uint64_t offset, std::uint64_t bytes) {
  if (in.fully_initialized || bytes == 0) return;
  if (offset == 0 && bytes >= in.bytes) {
    in.fully_initialized = true;
    return;
  }
  set_marks(in, offset, bytes, 1);
}

void GlobalMemory::mark_unwritten(Allocation& in, std::uint64_t offset, std::uint64_t bytes) {
  if (in.init == nullptr) return;  // mapped memory counts as written
  if (in.fully_initialized) {
    in.fully_initialized = false;
    std::memset(in.init, kWordWritten, (in.bytes + 3) / 4);
  }
  set_marks(in, offset, bytes, 0);
}

void GlobalMemory::mark_host_data(Allocation& in, std::uint64_t offset, std::uint64_t bytes) {
  if (in.init == nullptr || bytes == 0) return;  // the host writes mapped memory unseen
  if (in.fully_initialized) {
    in.fully_initialized = false;
    std::memset(in.init, kWordWritten, (in.bytes + 3) / 4);
  }
  set_marks(in, offset, bytes, 1u | 1u << kHostDataShift);
}

bool GlobalMemory::is_host_data(const Allocation& in, std::uint64_t offset) const {
  return !in.fully_initialized && (in.init[offset / 4] >> (kHostDataShift + (offset & 3)) & 1) != 0;
}

bool GlobalMemory::is_written(const Allocation& in, std::uint64_t offset, std::uint64_t bytes) const {
  if (in.fully_initialized) return true;
  for (std::uint64_t i = offset; i < offset + bytes; ++i)
    if ((in.init[i / 4] >> (i & 3) & 1) == 0) return false;
  return true;
}

void GlobalMemory::copy_written(Allocation& to, std::uint64_t to_offset, const Allocation& from,
                                std::uint64_t from_offset, std::uint64_t bytes) {
  if (from.fully_initialized) return mark_written(to, to_offset, bytes);
  if (to.init == nullptr) return;
  // Runs of equal state, so that a large copy does not go byte by byte through the marks.
  for (std::uint64_t i = 0; i < bytes;) {
    const auto state = [&](std::uint64_t at) {
      return std::pair(is_written(from, from_offset + at, 1), is_host_data(from, from_offset + at));
    };
    const auto [written, by_host] = state(i);
    std::uint64_t n = 1;
    while (i + n < bytes && state(i + n) == std::pair(written, by_host)) ++n;
    if (by_host)
      mark_host_data(to, to_offset + i, n);
    else if (written)
      mark_written(to, to_offset + i, n);
    else
      mark_unwritten(to, to_offset + i, n);
    i += n;
  }
}

void GlobalMemory::prepare_race_shadow(unsigned shift) {
  heap_.prepare_race_shadow(shift);
  for (auto& [base, a] : allocations_) {
    if (a->freed || !a->tracked || a->kind == AllocationKind::heap) continue;
    if (a->write_shadow != nullptr && a->shadow_shift <= shift) continue;
    a->shadow_shift = shift;
    const std::size_t bytes = ((a->bytes >> shift) + 1 + kVectorSlack) * sizeof(std::uint64_t);
    a->write_pages = Pages(bytes);
    a->read_pages = Pages(bytes);
    a->write_shadow = reinterpret_cast<std::uint64_t*>(a->write_pages.data());
    a->read_shadow = reinterpret_cast<std::uint64_t*>(a->read_pages.data());
  }
}

void GlobalMemory::track_all(bool tracked) {
  for (auto& [base, a] : allocations_) a->tracked = tracked && a->kind != AllocationKind::constant;
}

bool GlobalMemory::track(Address address) {
  Allocation* a = find_live(address, 1);
  if (a == nullptr) return false;
  a->tracked = a->kind != AllocationKind::constant;
  return true;
}

void GlobalMemory::clear_race_shadow() {
  heap_.clear_race_shadow();
  for (auto& [base, a] : allocations_) {
    a->write_pages.clear();
    a->read_pages.clear();
  }
}

}  // namespace judge::emulator
