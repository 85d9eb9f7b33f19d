#include "fake_device.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

using namespace judge::channel;

namespace {

constexpr std::size_t kDeviceBytes = 64 << 20;

// The library expects its descriptors at 3, 4 and 5, so the originals must lie elsewhere.
int out_of_the_way(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 20);
  close(fd);
  if (moved < 0) throw std::runtime_error("F_DUPFD_CLOEXEC");
  return moved;
}

int memory_file(const char* name, std::size_t bytes) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) throw std::runtime_error("memfd_create");
  return out_of_the_way(fd);
}

std::byte* map(int fd, std::size_t bytes) {
  void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (got == MAP_FAILED) throw std::runtime_error("mmap");
  return static_cast<std::byte*>(got);
}

}  // namespace

struct FakeDevice::Reply {
  int status = 0;
  std::vector<std::byte> body;
  std::vector<std::byte> payload;

  template <class Body>
  void set(const Body& value) {
    const auto bytes = bytes_of(value);
    body.assign(bytes.begin(), bytes.end());
  }
};

FakeDevice::FakeDevice() : device_memory_(kDeviceBytes) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("socketpair");
  socket_ = out_of_the_way(ends[0]);
  host_socket_ = out_of_the_way(ends[1]);
  bulk_fd_ = memory_file("bulk", kBulkBytes);
  window_fd_ = memory_file("window", kFakeMappedSpan);
  bulk_ = map(bulk_fd_, kBulkBytes);
  window_ = map(window_fd_, kFakeMappedSpan);
  thread_ = std::thread([this] { serve(); });
}

FakeDevice::~FakeDevice() {
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  for (int fd : {socket_, host_socket_, bulk_fd_, window_fd_}) close(fd);
  munmap(bulk_, kBulkBytes);
  munmap(window_, kFakeMappedSpan);
}

void FakeDevice::fail_next(Call call, int status, bool dies) {
  const std::lock_guard lock(mutex_);
  failures_[call] = {status, dies};
}

void FakeDevice::set_output(std::string text) {
  const std::lock_guard lock(mutex_);
  output_ = std::move(text);
}

std::vector<Request> FakeDevice::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<Request> FakeDevice::requests(Call call) {
  std::vector<Request> all = requests();
  std::erase_if(all, [&](const Request& request) { return request.call != call; });
  return all;
}

void FakeDevice::forget() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

std::byte* FakeDevice::at(std::uint64_t address) {
  if (address - kFakeMappedBase < kFakeMappedSpan) return window_ + (address - kFakeMappedBase);
  if (address - kFakeDeviceBase < kDeviceBytes) return device_memory_.data() + (address - kFakeDeviceBase);
  throw std::runtime_error("the library named an address that the fake device does not have");
}

std::vector<std::byte> FakeDevice::memory(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  return {at(address), at(address) + bytes};
}

void FakeDevice::set_memory(std::uint64_t address, const std::vector<std::byte>& bytes) {
  const std::lock_guard lock(mutex_);
  std::copy(bytes.begin(), bytes.end(), at(address));
}

void FakeDevice::serve() {
  std::vector<std::byte> datagram(kMaxDatagram);
  for (std::uint32_t sequence = 1;; ++sequence) {
    const ssize_t got = recv(socket_, datagram.data(), datagram.size(), 0);
    if (got <= 0) return;
    const Decoded decoded = decode_request(std::span(datagram).first(static_cast<std::size_t>(got)), sequence);
    if (!decoded) return;  // the library sees the connection end, and the test fails

    const std::lock_guard lock(mutex_);
    Request request;
    request.call = decoded.message.call;
    request.body.assign(decoded.message.body.begin(), decoded.message.body.end());
    const std::byte* payload = decoded.message.payload_in_bulk() ? bulk_ : decoded.message.inline_payload.data();
    request.payload.assign(payload, payload + decoded.message.header.payload_bytes);
    requests_.push_back(request);

    Reply reply;
    std::uint16_t flags = 0;
    const auto failure = failures_.find(request.call);
    if (dead_ != 0 && request.call != Call::report) {
      reply.status = dead_;
    } else if (failure != failures_.end()) {
      reply.status = failure->second.first;
      if (failure->second.second) dead_ = reply.status;
      failures_.erase(failure);
    } else {
      reply = answer(request);
    }
    if (dead_ != 0) flags |= flag_sticky;
    if (!output_.empty()) flags |= flag_output_pending;
    reply.body.resize(kCalls[static_cast<std::size_t>(request.call)].reply_bytes);
    if (reply.payload.size() > kInlineBytes) std::copy(reply.payload.begin(), reply.payload.end(), bulk_);
    const std::size_t length =
        encode_reply(datagram, request.call, sequence, reply.status, flags, reply.body, reply.payload);
    if (length == 0 || send(socket_, datagram.data(), length, MSG_NOSIGNAL) < 0) return;
  }
}

FakeDevice::Reply FakeDevice::answer(const Request& request) {
  Reply reply;
  switch (request.call) {
    case Call::hello: {
      HelloReply hello;
      hello.device_base = kFakeDeviceBase;
      hello.device_span = 1ull << 38;
      hello.mapped_base = kFakeMappedBase;
      hello.mapped_span = kFakeMappedSpan;
      hello.total_global_bytes = 16ull << 30;
      hello.major = 7;
      hello.minor = 5;
      hello.multiprocessors = 40;
      hello.max_threads_per_block = 1024;
      hello.shared_bytes_per_block = 48 * 1024;
      hello.shared_bytes_per_block_optin = 64 * 1024;
      hello.max_block = {1024, 1024, 64};
      hello.max_grid = {2147483647, 65535, 65535};
      std::strcpy(hello.name.data(), "Fake T4");
      reply.set(hello);
      break;
    }
    case Call::register_module: {
      const auto body = request.as<RegisterModuleRequest>();
      ModuleReply module;
      if (body.offset + request.payload.size() == body.total_bytes) module.module = 11;
      reply.set(module);
      break;
    }
    case Call::find_kernel: {
      const auto found = kernels.find(request.text());
      if (found == kernels.end()) {
        reply.status = 98;  // cudaErrorInvalidDeviceFunction
        break;
      }
      KernelReply kernel;
      kernel.kernel = found->second.id;
      kernel.parameter_count = static_cast<std::uint32_t>(found->second.parameters.size());
      kernel.parameter_bytes = found->second.parameter_bytes;
      kernel.static_shared_bytes = 1000;
      kernel.max_threads = 512;
      kernel.target = 75;
      reply.set(kernel);
      const auto bytes = std::as_bytes(std::span(found->second.parameters));
      reply.payload.assign(bytes.begin(), bytes.end());
      break;
    }
    case Call::find_symbol: {
      const auto found = symbols.find(request.text());
      if (found == symbols.end()) {
        reply.status = 13;  // cudaErrorInvalidSymbol
        break;
      }
      SymbolReply symbol;
      symbol.address = found->second.address;
      symbol.bytes = found->second.bytes;
      symbol.managed = found->second.managed ? 1 : 0;
      reply.set(symbol);
      break;
    }
    case Call::allocate: {
      const auto body = request.as<AllocateRequest>();
      std::uint64_t& used = body.kind == MemoryKind::device ? device_used_ : window_used_;
      AddressReply address;
      address.address = (body.kind == MemoryKind::device ? kFakeDeviceBase : kFakeMappedBase) + used;
      used += (body.bytes + 255) / 256 * 256;
      reply.set(address);
      break;
    }
    case Call::write: {
      const auto body = request.as<TransferRequest>();
      for (std::uint64_t row = 0; row < body.rows; ++row) {
        std::memcpy(at(body.address + row * body.pitch), request.payload.data() + row * body.row_bytes, body.row_bytes);
      }
      break;
    }
    case Call::read: {
      const auto body = request.as<TransferRequest>();
      reply.payload.resize(body.row_bytes * body.rows);
      for (std::uint64_t row = 0; row < body.rows; ++row) {
        std::memcpy(reply.payload.data() + row * body.row_bytes, at(body.address + row * body.pitch), body.row_bytes);
      }
      break;
    }
    case Call::occupancy: {
      OccupancyReply occupancy;
      occupancy.blocks = static_cast<std::int32_t>(1024 / request.as<OccupancyRequest>().block_threads);
      reply.set(occupancy);
      break;
    }
    case Call::memory_info: {
      MemoryInfoReply info;
      info.free_bytes = 3;
      info.total_bytes = 5;
      reply.set(info);
      break;
    }
    case Call::pointer_attributes: {
      const std::uint64_t address = request.as<PointerRequest>().address;
      PointerReply pointer;
      if (address - kFakeDeviceBase < kDeviceBytes) pointer.kind = PointerKind::device;
      if (address - kFakeMappedBase < kFakeMappedSpan) pointer.kind = PointerKind::managed;
      reply.set(pointer);
      break;
    }
    case Call::record_event: {
      TimestampReply time;
      time.nanoseconds = nanoseconds_;
      nanoseconds_ += 2'500'000;  // each recorded event is 2.5 ms after the one before
      reply.set(time);
      break;
    }
    case Call::set_limit: {
      LimitReply limit;
      limit.value = (request.as<LimitRequest>().value + 15) / 16 * 16;
      reply.set(limit);
      break;
    }
    case Call::take_output: {
      const auto bytes = std::as_bytes(std::span(output_));
      reply.payload.assign(bytes.begin(), bytes.end());
      output_.clear();
      break;
    }
    default:
      break;
  }
  return reply;
}
