#include <cuda_runtime_api.h>

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "attached.h"
#include "catch.h"

using namespace judge::channel;

namespace {

void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, bytes) == cudaSuccess);
  return pointer;
}

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::vector<unsigned char> counting(std::size_t bytes) {
  std::vector<unsigned char> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return out;
}

bool same(const std::vector<std::byte>& a, const void* b) {
  return std::memcmp(a.data(), b, a.size()) == 0;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bytes go to the device and come back") {
  FakeDevice& device = attached_device();
  const auto sent = counting(1000);
  void* const p = allocate(1000);
  CHECK(number(p) >= kFakeDeviceBase);
  REQUIRE(cudaMemcpy(p, sent.data(), sent.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(same(device.memory(number(p), 1000), sent.data()));
  std::vector<unsigned char> got(1000);
  REQUIRE(cudaMemcpy(got.data(), p, got.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(got == sent);
  CHECK(cudaFree(p) == cudaSuccess);
  CHECK(device.requests(Call::free).at(0).as<FreeRequest>().address == number(p));
}

TEST_CASE("a copy larger than the bulk memory goes in chunks and counts once") {
  FakeDevice& device = attached_device();
  const std::size_t bytes = kBulkBytes + 100;
  const auto sent = counting(bytes);
  void* const p = allocate(bytes);
  REQUIRE(cudaMemcpy(p, sent.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(same(device.memory(number(p), bytes), sent.data()));
  const auto writes = device.requests(Call::write);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].as<TransferRequest>().operation_bytes == bytes);
  CHECK(writes[1].as<TransferRequest>().operation_bytes == 0);
  CHECK(writes[1].as<TransferRequest>().address == number(p) + kBulkBytes);
  CHECK(writes[1].payload.size() == 100);

  std::vector<unsigned char> got(bytes);
  REQUIRE(cudaMemcpy(got.data(), p, bytes, cudaMemcpyDefault) == cudaSuccess);
  CHECK(got == sent);
  CHECK(device.requests(Call::read).size() == 2);
}

TEST_CASE("sizes around the inline limit arrive whole") {
  FakeDevice& device = attached_device();
  for (const std::size_t bytes : {kInlineBytes - 1, kInlineBytes, kInlineBytes + 1}) {
    const auto sent = counting(bytes);
    void* const p = allocate(bytes);
    REQUIRE(cudaMemcpy(p, sent.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(same(device.memory(number(p), bytes), sent.data()));
    std::vector<unsigned char> got(bytes);
    REQUIRE(cudaMemcpy(got.data(), p, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(got == sent);
  }
}

TEST_CASE("a two-dimensional copy touches its rectangle only") {
  FakeDevice& device = attached_device();
  void* p = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&p, &pitch, 5, 3) == cudaSuccess);
  CHECK(pitch == 512);
  CHECK(device.requests(Call::allocate).at(0).as<AllocateRequest>().bytes == 3 * 512);
  device.set_memory(number(p), std::vector<std::byte>(3 * 512, std::byte{0xEE}));

  const char from[] = "abcde..fghij..klmno..";  // three rows of 5 in a pitch of 7
  REQUIRE(cudaMemcpy2D(p, pitch, from, 7, 5, 3, cudaMemcpyHostToDevice) == cudaSuccess);
  const auto memory = device.memory(number(p), 3 * 512);
  CHECK(std::memcmp(&memory[0], "abcde\xEE", 6) == 0);
  CHECK(std::memcmp(&memory[512], "fghij\xEE", 6) == 0);
  CHECK(std::memcmp(&memory[1024], "klmno\xEE", 6) == 0);
  CHECK(device.requests(Call::write).size() == 1);

  char to[] = "--------------------------";
  REQUIRE(cudaMemcpy2D(to, 8, p, pitch, 5, 3, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::string(to) == "abcde---fghij---klmno-----");

  CHECK(cudaMemcpy2D(p, 4, from, 7, 5, 3, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
  cudaGetLastError();
}

TEST_CASE("copies on the device name both rectangles") {
  FakeDevice& device = attached_device();
  void* const a = allocate(4096);
  void* const b = allocate(4096);
  REQUIRE(cudaMemcpy2D(a, 64, b, 32, 16, 4, cudaMemcpyDeviceToDevice) == cudaSuccess);
  const auto copy = device.requests(Call::copy).at(0).as<CopyRequest>();
  CHECK(copy.to == number(a));
  CHECK(copy.to_pitch == 64);
  CHECK(copy.from == number(b));
  CHECK(copy.from_pitch == 32);
  CHECK(copy.row_bytes == 16);
  CHECK(copy.rows == 4);
}

TEST_CASE("a wrong direction is refused before anything is touched, and names the argument") {
  FakeDevice& device = attached_device();
  void* const p = allocate(64);
  char host[64] = "unchanged";
  const auto refused = [&](void* to, const void* from, cudaMemcpyKind kind, const std::string& sentence) {
    device.forget();
    CHECK(cudaMemcpy(to, from, 64, kind) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    INFO(last_report(device));
    CHECK(contains(last_report(device), sentence));
    CHECK(device.requests().size() == 1);
  };
  refused(host, host, cudaMemcpyHostToDevice, "the destination, 0x");
  refused(host, host, cudaMemcpyHostToDevice, "is a host address, but cudaMemcpyHostToDevice needs a device address");
  refused(p, p, cudaMemcpyHostToDevice, "the source, 0x20000");
  refused(p, p, cudaMemcpyDeviceToHost, "the destination, 0x20000");
  refused(host, host, cudaMemcpyDeviceToHost, "the source, 0x");
  refused(host, p, cudaMemcpyHostToHost, "is a device address, but cudaMemcpyHostToHost needs a host address");
  refused(p, host, cudaMemcpyDeviceToDevice, "the source, 0x");
  refused(nullptr, host, cudaMemcpyHostToDevice, "cudaMemcpy: the destination is a null pointer");
  CHECK(std::string(host) == "unchanged");
  CHECK(cudaMemcpy(p, host, 64, static_cast<cudaMemcpyKind>(7)) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(p, host, static_cast<std::size_t>(-4), cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(contains(last_report(device), "negative"));
  cudaGetLastError();
}

TEST_CASE("copying nothing succeeds whatever the pointers") {
  attached_device();
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
}

TEST_CASE("host to host copies need no device") {
  FakeDevice& device = attached_device();
  char to[4] = {};
  CHECK(cudaMemcpy(to, "abc", 4, cudaMemcpyDefault) == cudaSuccess);
  CHECK(std::string(to) == "abc");
  CHECK(device.requests().empty());
}

TEST_CASE("sets carry one byte and their rectangle") {
  FakeDevice& device = attached_device();
  void* const p = allocate(4096);
  REQUIRE(cudaMemset(p, 0x1FF, 100) == cudaSuccess);  // as memset: the low byte
  REQUIRE(cudaMemset2DAsync(p, 64, 1, 10, 3, nullptr) == cudaSuccess);
  const auto fills = device.requests(Call::fill);
  REQUIRE(fills.size() == 2);
  const auto line = fills[0].as<FillRequest>();
  CHECK(line.value == 0xFF);
  CHECK(line.width == 1);
  CHECK(line.row_bytes == 100);
  CHECK(line.rows == 1);
  const auto rectangle = fills[1].as<FillRequest>();
  CHECK(rectangle.pitch == 64);
  CHECK(rectangle.row_bytes == 10);
  CHECK(rectangle.rows == 3);

  char host[8];
  CHECK(cudaMemset(host, 0, 8) == cudaErrorInvalidValue);
  CHECK(contains(last_report(device), "use memset"));
  cudaGetLastError();
}

TEST_CASE("managed and pinned memory is the same memory on both sides") {
  FakeDevice& device = attached_device();
  int* managed = nullptr;
  int* pinned = nullptr;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&managed), 16, cudaMemAttachGlobal) == cudaSuccess);
  REQUIRE(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 16, cudaHostAllocMapped) == cudaSuccess);
  managed[1] = 0x01020304;
  pinned[3] = 77;
  CHECK(device.memory(number(managed) + 4, 4) ==
        std::vector<std::byte>{std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}});
  device.set_memory(number(managed) + 8, {std::byte{9}, std::byte{0}, std::byte{0}, std::byte{0}});
  CHECK(managed[2] == 9);

  int copy = 0;
  REQUIRE(cudaMemcpy(&copy, &pinned[3], 4, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(copy == 77);
  int* mapped = nullptr;
  REQUIRE(cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), pinned, 0) == cudaSuccess);
  CHECK(mapped == pinned);

  device.forget();
  CHECK(cudaMemPrefetchAsync(managed, 16, {cudaMemLocationTypeDevice, 0}, 0, nullptr) == cudaSuccess);
  CHECK(cudaMemPrefetchAsync(managed, 8, {cudaMemLocationTypeHost, 0}, 0, nullptr) == cudaSuccess);
  CHECK(cudaMemPrefetchAsync(managed, 8, {cudaMemLocationTypeDevice, 1}, 0, nullptr) == cudaErrorInvalidDevice);
  REQUIRE(device.requests(Call::note).size() == 2);
  CHECK(device.requests(Call::note)[0].as<NoteRequest>().kind == NoteKind::prefetch_to_device);
  CHECK(device.requests(Call::note)[0].as<NoteRequest>().bytes == 16);
  CHECK(device.requests(Call::note)[1].as<NoteRequest>().kind == NoteKind::prefetch_to_host);
  CHECK(cudaMemAdvise(&copy, 4, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}) == cudaErrorInvalidValue);
  cudaGetLastError();

  device.forget();
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
  REQUIRE(cudaFree(managed) == cudaSuccess);
  CHECK(device.requests(Call::free).at(0).as<FreeRequest>().pinned == 1);
  CHECK(device.requests(Call::free).at(1).as<FreeRequest>().pinned == 0);
}

TEST_CASE("allocations of nothing and for nobody") {
  FakeDevice& device = attached_device();
  void* p = &device;
  CHECK(cudaMalloc(&p, 0) == cudaSuccess);
  CHECK(p == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  device.fail_next(Call::allocate, cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&p, 1ull << 50) == cudaErrorMemoryAllocation);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("registered host memory is kept on the books") {
  FakeDevice& device = attached_device();
  std::vector<char> memory(100);
  void* out = nullptr;
  REQUIRE(cudaHostRegister(memory.data(), 100, cudaHostRegisterDefault) == cudaSuccess);
  CHECK(cudaHostRegister(memory.data() + 99, 1, cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaHostGetDevicePointer(&out, memory.data(), 0) == cudaErrorNotSupported);
  CHECK(device.requests(Call::report).back().as<ReportRequest>().kind == ReportKind::unsupported);
  CHECK(cudaHostUnregister(memory.data()) == cudaSuccess);
  CHECK(cudaHostUnregister(memory.data()) == cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST_CASE("pointer attributes say where memory is") {
  attached_device();
  cudaPointerAttributes attributes{};
  void* const p = allocate(4);
  REQUIRE(cudaPointerGetAttributes(&attributes, p) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  CHECK(attributes.devicePointer == p);
  CHECK(attributes.hostPointer == nullptr);
  int local = 0;
  REQUIRE(cudaPointerGetAttributes(&attributes, &local) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(attributes.hostPointer == &local);
}

TEST_CASE("cudaDeviceReset frees what is left") {
  FakeDevice& device = attached_device();
  REQUIRE(cudaDeviceReset() == cudaSuccess);  // of the other tests
  void* const kept = allocate(4);
  void* const freed = allocate(4);
  REQUIRE(cudaFree(freed) == cudaSuccess);
  device.forget();
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  const auto frees = device.requests(Call::free);
  REQUIRE(frees.size() == 1);
  CHECK(frees[0].as<FreeRequest>().address == number(kept));
}

TEST_CASE("threads may copy at the same time") {
  attached_device();
  constexpr int kThreads = 6, kRounds = 50;
  std::vector<void*> memory;
  for (int i = 0; i < kThreads; ++i) memory.push_back(allocate(100'000));
  std::vector<int> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      // Alternates between inline and bulk payloads.
      for (int round = 0; round < kRounds; ++round) {
        const std::size_t bytes = round % 2 == 0 ? 1000 : 100'000;
        const std::vector<char> sent(bytes, static_cast<char>(i * kRounds + round));
        std::vector<char> got(bytes);
        cudaMemcpy(memory[i], sent.data(), bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(got.data(), memory[i], bytes, cudaMemcpyDeviceToHost);
        wrong[i] += got != sent;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(kThreads, 0));
}
