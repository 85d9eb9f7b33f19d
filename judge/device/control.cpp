#include "judge/device/control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace judge::device {
namespace {

struct FrameHeader {
  std::uint32_t magic;
  std::uint32_t descriptors;
  std::uint64_t bytes;
};
constexpr std::uint32_t kFrameMagic = 0x4a434d44;  // "JCMD"

// Waits until the socket is ready for `events`; false when the deadline passed.
bool wait_for(int fd, short events, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd p{fd, events, 0};
    const int n = ::poll(&p, 1, static_cast<int>(std::clamp<long long>(left, 0, 1 << 30)));
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "control line: poll");
  }
}

}  // namespace

Descriptor make_shared_memory(const char* name, std::uint64_t bytes) {
  Descriptor memory(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) throw std::system_error(errno, std::generic_category(), "memfd_create");
  if (::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
    throw std::system_error(errno, std::generic_category(), "shared memory: ftruncate");
  if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw std::system_error(errno, std::generic_category(), "shared memory: seal");
  return memory;
}

void ControlSocket::send(const std::string& text, std::span<const int> descriptors) {
  if (text.size() > kMaxControlBytes || descriptors.size() > kMaxControlDescriptors)
    throw ControlError("a control message is larger than its cap");
  const FrameHeader header{kFrameMagic, static_cast<std::uint32_t>(descriptors.size()), text.size()};
  std::string frame(sizeof header + text.size(), '\0');
  std::memcpy(frame.data(), &header, sizeof header);
  std::memcpy(frame.data() + sizeof header, text.data(), text.size());

  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxControlDescriptors)> ancillary{};
  std::size_t sent = 0;
  while (sent < frame.size()) {
    iovec part{frame.data() + sent, frame.size() - sent};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (sent == 0 && !descriptors.empty()) {
      message.msg_control = ancillary.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t n = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      wait_for(socket_.get(), POLLOUT, std::chrono::steady_clock::now() + std::chrono::seconds(1));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      throw ControlClosed();
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "control line: send");
    }
  }
}

std::optional<ControlMessage> ControlSocket::receive(std::chrono::steady_clock::time_point deadline) {
  ControlMessage out;
  FrameHeader header{};
  std::size_t got = 0;
  bool have_header = false;
  for (;;) {
    // Nothing received yet: the deadline may pass. A started frame is finished whatever happens, or the next receive
    // would begin in its middle; the sender is trusted to complete it.
    const bool begun = got > 0 || have_header;
    if (!wait_for(socket_.get(), POLLIN, begun ? deadline + std::chrono::seconds(60) : deadline)) {
      if (begun) throw ControlError("a control message stopped in its middle");
      return std::nullopt;
    }
    char* to = have_header ? out.text.data() : reinterpret_cast<char*>(&header);
    const std::size_t want = have_header ? out.text.size() : sizeof header;
    iovec part{to + got, want - got};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxControlDescriptors)> ancillary{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = ancillary.data();
    message.msg_controllen = ancillary.size();
    const ssize_t n = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      if (errno == ECONNRESET) throw ControlClosed();
      throw std::system_error(errno, std::generic_category(), "control line: receive");
    }
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
        out.descriptors.emplace_back(fd);
      }
    }
    if (n == 0 && want > got) throw ControlClosed();
    got += static_cast<std::size_t>(n);
    if (got < want) continue;
    if (!have_header) {
      if (header.magic != kFrameMagic || header.bytes > kMaxControlBytes)
        throw ControlError("a control message with an impossible header");
      have_header = true;
      got = 0;
      out.text.resize(header.bytes);
      if (header.bytes > 0) continue;
    }
    if (out.descriptors.size() != header.descriptors) throw ControlError("a control message lost its descriptors");
    return out;
  }
}

}  // namespace judge::device
