#include "judge/cudart/registered.h"

#include <sys/mman.h>
#include <sys/single_threaded.h>

#include <cstring>
#include <map>
#include <mutex>

#include "judge/cudart/capture.h"
#include "judge/cudart/memory.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

constexpr std::uintptr_t kPage = 4096;

struct Range {
  std::size_t bytes = 0;
  std::uintptr_t first_page = 0, page_bytes = 0;
  std::uintptr_t window = 0;      // address of the first page on the device; 0: not there
  std::uintptr_t allocation = 0;  // what the device allocated for it
};

struct Registered {
  std::mutex mutex;
  std::map<std::uintptr_t, Range> ranges;

  static Registered& get() { return immortal<Registered>(); }
  const std::pair<const std::uintptr_t, Range>* around(const void* pointer) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto after = ranges.upper_bound(address);
    if (after == ranges.begin()) return nullptr;
    const auto& entry = *std::prev(after);
    return address - entry.first < entry.second.bytes ? &entry : nullptr;
  }
  bool overlaps_page(std::uintptr_t first, std::uintptr_t bytes) const {
    for (const auto& [address, range] : ranges)
      if (first < range.first_page + range.page_bytes && range.first_page < first + bytes) return true;
    return false;
  }
};

bool exists(std::uintptr_t first, std::uintptr_t bytes) {
  std::vector<unsigned char> pages(bytes / kPage);
  return mincore(reinterpret_cast<void*>(first), bytes, pages.data()) == 0;
}

void free_on_device(const ApiCall& call, std::uintptr_t address) {
  channel::FreeRequest request;
  request.address = address;
  request.pinned = 1;
  call.device().call<channel::Call::free>(request);
}

// Whether other processes see what is written there, as with an exercise's host buffers. Such pages have to stay where
// they are. mremap of no bytes makes a second mapping of shared pages and refuses private ones (mremap(2)).
bool is_shared(std::uintptr_t page) {
  void* const second = mremap(reinterpret_cast<void*>(page), 0, kPage, MREMAP_MAYMOVE);
  if (second == MAP_FAILED) return false;
  munmap(second, kPage);
  return true;
}

// Puts pages of the window where the range's pages are. A range that cannot be moved stays as it is.
void share(const ApiCall& call, Range& range) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool on_stack = here - range.first_page < range.page_bytes;
  if (__libc_single_threaded == 0 || on_stack || is_shared(range.first_page) || !call.device().map_window()) return;
  channel::AllocateRequest request;
  request.bytes = range.page_bytes + kPage;
  request.kind = channel::MemoryKind::pinned;
  channel::AddressReply reply;
  if (call.device().call<channel::Call::allocate>(request, &reply) != cudaSuccess) return;
  const std::uintptr_t window = (reply.address + kPage - 1) / kPage * kPage;
  void* const pages = reinterpret_cast<void*>(range.first_page);
  std::memcpy(reinterpret_cast<void*>(window), pages, range.page_bytes);
  const auto offset = static_cast<off_t>(window - call.device().device().mapped_base);
  if (mmap(pages, range.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, channel::kMappedFd, offset) ==
      MAP_FAILED) {
    free_on_device(call, reply.address);
    return;
  }
  range.window = window;
  range.allocation = reply.address;
}

void unshare(const ApiCall& call, const Range& range) {
  if (range.window == 0) return;
  void* const pages = reinterpret_cast<void*>(range.first_page);
  // The window's own mapping keeps the bytes while the program's pages become its own again.
  if (mmap(pages, range.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    give_up("the pages of registered memory cannot be given back to the program");
  std::memcpy(pages, reinterpret_cast<void*>(range.window), range.page_bytes);
  free_on_device(call, range.allocation);
}

}  // namespace

bool is_registered(const void* pointer) {
  Registered& registered = Registered::get();
  const std::lock_guard lock(registered.mutex);
  return registered.around(pointer) != nullptr;
}

void* device_address_of_registered(const void* pointer) {
  Registered& registered = Registered::get();
  const std::lock_guard lock(registered.mutex);
  const auto* entry = registered.around(pointer);
  if (entry == nullptr || entry->second.window == 0) return nullptr;
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(pointer) - entry->second.first_page;
  return reinterpret_cast<void*>(entry->second.window + offset);
}

void unregister_all(const ApiCall& call) {
  Registered& registered = Registered::get();
  const std::lock_guard lock(registered.mutex);
  for (const auto& [address, range] : registered.ranges) unshare(call, range);
  registered.ranges.clear();
}

}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  const ApiCall call("cudaHostRegister");
  if (const auto rejected = reject_unsafe(call)) return *rejected;
  constexpr unsigned known =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly | cudaHostRegisterIoMemory;
  if ((flags & ~known) != 0) return call.fail(cudaErrorInvalidValue, "the flags are not cudaHostRegister flags");
  if ((flags & cudaHostRegisterIoMemory) != 0)
    return call.fail(cudaErrorNotSupported, "memory of other devices cannot be registered");
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Range range;
  range.bytes = bytes;
  range.first_page = address / kPage * kPage;
  std::uintptr_t end = 0;
  if (pointer == nullptr || bytes == 0 || side_of(call.device(), pointer) != Side::host ||
      __builtin_add_overflow(address, bytes + kPage - 1, &end)) {
    return call.fail(cudaErrorInvalidValue, "the range is not memory that the program allocated on the host");
  }
  range.page_bytes = end / kPage * kPage - range.first_page;
  if (!exists(range.first_page, range.page_bytes))
    return call.fail(cudaErrorInvalidValue, "the range is not all memory of this process");
  Registered& registered = Registered::get();
  const std::lock_guard lock(registered.mutex);
  if (registered.around(pointer) != nullptr)
    return call.fail(cudaErrorHostMemoryAlreadyRegistered, "the memory is registered already");
  if (!registered.overlaps_page(range.first_page, range.page_bytes)) share(call, range);
  registered.ranges[address] = range;
  return call.done(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* pointer) {
  const ApiCall call("cudaHostUnregister");
  if (const auto rejected = reject_unsafe(call)) return *rejected;
  Registered& registered = Registered::get();
  const std::lock_guard lock(registered.mutex);
  const auto found = registered.ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == registered.ranges.end())
    return call.fail(cudaErrorHostMemoryNotRegistered, "the memory is not registered");
  unshare(call, found->second);
  registered.ranges.erase(found);
  return call.done(cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
