#include "judge/cudart/connection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace judge::cudart {
namespace {

using channel::Call;

thread_local const void* caller = nullptr;

// The offset in the library (or program) that holds the address: what debug information counts in. 0 for an address of
// no file, of this library itself, or one that does not fit.
std::uint32_t call_site(const void* address) {
  static const void* const own = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&call_site), &info) != 0 ? info.dli_fbase : nullptr;
  }();
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fbase == own) return 0;
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  return offset <= UINT32_MAX ? static_cast<std::uint32_t>(offset) : 0;
}

bool descriptors_are_ours() {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(channel::kSocketFd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET) return false;
  struct stat bulk {};
  if (fstat(channel::kBulkFd, &bulk) != 0 || bulk.st_size < static_cast<off_t>(channel::kBulkBytes)) return false;
  return fcntl(channel::kMappedFd, F_GETFD) != -1;
}

void send_all(std::span<const std::byte> datagram) {
  ssize_t sent = 0;
  do {
    sent = send(channel::kSocketFd, datagram.data(), datagram.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != static_cast<ssize_t>(datagram.size())) {
    give_up("the CUDA device process no longer answers, so the program cannot go on");
  }
}

std::size_t receive(std::span<std::byte> into) {
  ssize_t got = 0;
  do {
    got = recv(channel::kSocketFd, into.data(), into.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) give_up("the CUDA device process ended the connection, so the program cannot go on");
  return static_cast<std::size_t>(got);
}

// Where cuda's own device printf would appear: at these calls the runtime empties the device's buffer.
bool empties_printf_buffer(Call call) {
  return call == Call::synchronize || call == Call::read || call == Call::write;
}

}  // namespace

void give_up(std::string_view sentence) {
  const std::string line = "cuda judge: " + std::string(sentence) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(kGiveUpStatus);
}

Connection& Connection::get() {
  return immortal<Connection>();
}

Connection::Connection() : datagram_(channel::kMaxDatagram) {
  if (!descriptors_are_ours()) {
    give_up(
        "this program uses the judge's libcudart.so.13, which works only inside the judge. Run it with "
        "`python practice/judge.py run FILE.cu`, or put the CUDA toolkit's own library first on LD_LIBRARY_PATH");
  }
  void* bulk = mmap(nullptr, channel::kBulkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, channel::kBulkFd, 0);
  if (bulk == MAP_FAILED)
    give_up(std::string("the memory shared with the device cannot be mapped: ") + strerror(errno));
  bulk_ = static_cast<std::byte*>(bulk);

  channel::HelloRequest request;
  request.runtime_version = CUDART_VERSION;
  if (call<Call::hello>(request, &hello_) != cudaSuccess) {
    give_up("the CUDA device process refused the connection: rebuild the judge, its parts are of different versions");
  }
}

void Connection::set_caller(const void* return_address) {
  caller = return_address;
}

bool Connection::map_window() {
  const std::lock_guard lock(window_mutex_);
  if (window_mapped_) return true;
  void* const wanted = reinterpret_cast<void*>(hello_.mapped_base);
  void* const got = mmap(wanted, hello_.mapped_span, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, channel::kMappedFd, 0);
  if (got == MAP_FAILED) return false;
  if (got != wanted) {  // a kernel before Linux 4.17 takes the address as a hint only
    munmap(got, hello_.mapped_span);
    return false;
  }
  window_mapped_ = true;
  return true;
}

cudaError_t Connection::exchange(Call call, std::span<const std::byte> body, std::span<const std::byte> payload,
                                 std::span<std::byte> reply_body, std::span<std::byte> reply_payload,
                                 std::size_t* reply_payload_bytes) {
  // CUDA empties the device's printf buffer at the start of a launch, at synchronisation and at blocking copies.
  if (call == Call::launch && output_pending_.load(std::memory_order_relaxed)) print_device_output();
  bool output_pending = false;
  const cudaError_t status =
      exchange_locked(call, body, payload, reply_body, reply_payload, reply_payload_bytes, output_pending);
  if (output_pending && empties_printf_buffer(call)) print_device_output();
  return status;
}

cudaError_t Connection::exchange_locked(Call call, std::span<const std::byte> body, std::span<const std::byte> payload,
                                        std::span<std::byte> reply_body, std::span<std::byte> reply_payload,
                                        std::size_t* reply_payload_bytes, bool& output_pending) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t sequence = ++sequence_;
  if (payload.size() > channel::kInlineBytes && payload.size() <= channel::kBulkBytes) {
    std::memcpy(bulk_, payload.data(), payload.size());
  }
  const std::size_t length = channel::encode_request(datagram_, call, sequence, body, payload, call_site(caller));
  if (length == 0) return cudaErrorInvalidValue;  // a name or parameter list beyond the protocol's caps
  send_all(std::span(datagram_).first(length));

  const std::size_t got = receive(datagram_);
  const channel::Decoded decoded = channel::decode_reply(std::span(datagram_).first(got), call, sequence);
  if (!decoded)
    give_up("the CUDA device process answered nonsense: " + std::string(channel::to_string(*decoded.error)));
  const channel::Message& message = decoded.message;

  std::memcpy(reply_body.data(), message.body.data(), reply_body.size());
  const std::size_t payload_bytes = message.header.payload_bytes;
  if (payload_bytes > reply_payload.size()) give_up("the CUDA device process answered more than was asked for");
  if (payload_bytes != 0) {
    const std::byte* from = message.payload_in_bulk() ? bulk_ : message.inline_payload.data();
    std::memcpy(reply_payload.data(), from, payload_bytes);
  }
  if (reply_payload_bytes != nullptr) *reply_payload_bytes = payload_bytes;

  const int status = message.header.status;
  if ((message.header.flags & channel::flag_sticky) != 0 && status != 0) {
    sticky_.store(status, std::memory_order_relaxed);
  }
  output_pending = (message.header.flags & channel::flag_output_pending) != 0;
  output_pending_.store(output_pending, std::memory_order_relaxed);
  return static_cast<cudaError_t>(status);
}

void Connection::print_device_output() {
  std::vector<std::byte> text(channel::kInlineBytes);
  bool more = true;
  while (more) {
    std::size_t bytes = 0;
    channel::Empty reply;
    exchange_locked(Call::take_output, channel::bytes_of(channel::Empty{}), {},
                    std::as_writable_bytes(std::span(&reply, 1)), text, &bytes, more);
    std::fwrite(text.data(), 1, bytes, stdout);
    more = more && bytes != 0;
  }
}

}  // namespace judge::cudart
