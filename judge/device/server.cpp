#include "judge/device/server.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "judge/device/properties.h"
#include "judge/device/record_json.h"

namespace judge::device {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// Buffers are moved between shared memory and device in pieces that stay in the cache; nothing is mapped, so the peak
// of this process holds each buffer once.
constexpr std::size_t kChunkBytes = 1u << 20;
constexpr int kMessagesPerTurn = 64;  // then the judge gets its turn again

void check(const Status& status, const std::string& what) {
  if (!status.ok())
    throw std::runtime_error(what + ": " + status.detail + " (error " + std::to_string(status.code) + ")");
}

void read_exactly(int fd, std::span<std::byte> to, std::uint64_t offset) {
  while (!to.empty()) {
    const ssize_t n = ::pread(fd, to.data(), to.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("the contents of a buffer are shorter than announced");
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void write_exactly(int fd, std::span<const std::byte> from, std::uint64_t offset) {
  while (!from.empty()) {
    const ssize_t n = ::pwrite(fd, from.data(), from.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::system_error(errno, std::generic_category(), "writing outputs to shared memory");
    from = from.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

RunOptions run_options(const json& j) {
  RunOptions o;
  const json& limits = j.at("limits");
  limits.at("step_limit").get_to(o.limits.step_limit);
  limits.at("memory_bytes").get_to(o.limits.memory_bytes);
  limits.at("output_bytes").get_to(o.limits.output_bytes);
  o.limits.wall_ms = limits.value("wall_ms", o.limits.wall_ms);
  j.at("schedule_seed").get_to(o.schedule_seed);
  j.at("workers").get_to(o.workers);
  o.track_host_data = j.value("track_host_data", false);
  o.traced_lines = j.value("traced_lines", std::vector<int>{});
  o.live_output = j.value("live_output", false);
  return o;
}

}  // namespace

Server::Server(Device& device, ControlSocket control)
    : device_(device),
      calls_(device),
      control_(std::move(control)),
      received_(channel::kMaxDatagram + 1),
      chunk_(kChunkBytes),
      other_chunk_(kChunkBytes) {}

Server::~Server() {
  if (!bulk_.empty()) ::munmap(bulk_.data(), bulk_.size());
}

void Server::run() {
  control_.send(to_json(device_.properties()));
  for (;;) {
    std::array<pollfd, 2> p{{{control_.fd(), POLLIN, 0}, {host_.get(), POLLIN, 0}}};  // a negative fd is ignored
    if (::poll(p.data(), p.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "device process: poll");
    }
    try {
      if (p[0].revents != 0)
        if (auto message = control_.receive(Clock::now())) serve_command(std::move(*message));
    } catch (const ControlClosed&) {
      return;
    }
    if (p[1].revents != 0) serve_host(kMessagesPerTurn);
  }
}

void Server::serve_command(ControlMessage message) {
  try {
    const std::string command = json::parse(message.text).at("command").get<std::string>();
    if (command == "start")
      start(message);
    else if (command == "collect")
      collect();
    else
      throw std::runtime_error("unknown command '" + command + "'");
  } catch (const ControlError&) {
    throw;
  } catch (const std::exception& e) {
    control_.send(json{{"error", e.what()}}.dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

void Server::start(ControlMessage& message) {
  close_host("");
  buffers_.clear();
  protocol_error_.clear();
  device_failure_.clear();
  const json command = json::parse(message.text);
  if (message.descriptors.size() != 3) throw std::runtime_error("start needs three descriptors");
  contents_ = std::move(message.descriptors[0]);
  Descriptor bulk = std::move(message.descriptors[2]);
  struct stat status {};
  if (::fstat(bulk.get(), &status) != 0 || status.st_size != channel::kBulkBytes)
    throw std::runtime_error("the bulk memory has the wrong size");
  void* mapped = ::mmap(nullptr, channel::kBulkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, bulk.get(), 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping the bulk memory");
  if (!bulk_.empty()) ::munmap(bulk_.data(), bulk_.size());
  bulk_ = {static_cast<std::byte*>(mapped), channel::kBulkBytes};

  const RunOptions options = run_options(command);
  device_.reset(options);
  calls_.begin_case(options, bulk_);
  // Sent before the buffers are filled: the judge starts the host process meanwhile, which needs the window.
  const int window = device_.mapped_window_fd();
  control_.send("{}", std::span(&window, 1));
  json addresses = json::array();
  for (const json& b : command.at("buffers")) {
    ExerciseBuffer buffer{b.at("name"), 0, b.at("bytes"), b.at("offset"), b.at("filled"), b.at("input")};
    AllocationRequest request;
    request.bytes = buffer.bytes;
    request.label = buffer.name;
    b.at("element_type").get_to(request.element_type);
    b.at("element_bytes").get_to(request.element_bytes);
    request.input = buffer.input;
    buffer.element_bytes = request.element_bytes;
    allocate_exercise_buffer(buffer, std::move(request));
    addresses.push_back(buffer.address);
    buffers_.push_back(std::move(buffer));
  }
  host_ = std::move(message.descriptors[1]);
  control_.send(json{{"addresses", std::move(addresses)}}.dump());
}

void Server::allocate_exercise_buffer(ExerciseBuffer& buffer, AllocationRequest request) {
  if (buffer.bytes == 0) return;  // an entry gets a null pointer for an empty array
  check(device_.allocate(request, buffer.address), "allocating '" + buffer.name + "'");
  calls_.ledger().add(buffer.address,
                      {buffer.bytes, MemoryKind::device, MemoryOwner::exercise, buffer.name, buffer.input});
  if (!buffer.filled) {
    check(device_.poison(buffer.address, buffer.bytes), "poisoning '" + buffer.name + "'");
    return;
  }
  for (std::uint64_t done = 0; done < buffer.bytes; done += kChunkBytes) {
    const auto piece = std::span(chunk_).first(std::min<std::uint64_t>(kChunkBytes, buffer.bytes - done));
    read_exactly(contents_.get(), piece, buffer.offset + done);
    check(device_.write(buffer.address + done, piece), "filling '" + buffer.name + "'");
  }
}

bool Server::still_as_filled(const ExerciseBuffer& buffer) {
  for (std::uint64_t done = 0; done < buffer.bytes; done += kChunkBytes) {
    const std::uint64_t n = std::min<std::uint64_t>(kChunkBytes, buffer.bytes - done);
    read_exactly(contents_.get(), std::span(chunk_).first(n), buffer.offset + done);
    check(device_.read(buffer.address + done, std::span(other_chunk_).first(n)), "reading '" + buffer.name + "'");
    if (std::memcmp(chunk_.data(), other_chunk_.data(), n) != 0) return false;
  }
  return true;
}

void Server::collect() {
  // The judge has ended the host process; what it had sent before that still counts.
  if (host_) serve_host(static_cast<int>(kMaxOperations));
  close_host("");
  if (!device_failure_.empty()) throw std::runtime_error(device_failure_);

  std::uint64_t total = 0;
  json outputs = json::array();
  json changed = json::array();
  for (const ExerciseBuffer& b : buffers_)
    if (!b.input) total += b.bytes + (b.bytes + 7) / 8;
  Descriptor memory = make_shared_memory("judge outputs", total);
  std::uint64_t at = 0;
  std::vector<std::uint8_t> written;
  for (const ExerciseBuffer& b : buffers_) {
    const bool guard_intact = b.bytes == 0 || device_.guard_zones_intact(b.address);
    if (b.input) {
      if (!still_as_filled(b) || !guard_intact) changed.push_back(b.name);
      continue;
    }
    const std::uint64_t begin = at;
    for (std::uint64_t done = 0; done < b.bytes; done += kChunkBytes) {
      const auto piece = std::span(chunk_).first(std::min<std::uint64_t>(kChunkBytes, b.bytes - done));
      check(device_.read(b.address + done, piece), "reading '" + b.name + "'");
      write_exactly(memory.get(), piece, begin + done);
    }
    at = begin + b.bytes;
    written.assign((b.bytes + 7) / 8, 0);
    if (b.bytes > 0) check(device_.written_map(b.address, b.bytes, written), "written map of '" + b.name + "'");
    written.resize((b.bytes + 7) / 8);
    write_exactly(memory.get(), std::as_bytes(std::span(written)), at);
    outputs.push_back({{"name", b.name},
                       {"offset", begin},
                       {"bytes", b.bytes},
                       {"written_offset", at},
                       {"guard_intact", guard_intact}});
    at += written.size();
  }
  note_host_results();
  device_.record().leaked_bytes = calls_.ledger().leaked_bytes();
  const json answer = {{"record", to_json(device_.record())},
                       {"launch_ms", calls_.launch_ms()},
                       {"outputs", std::move(outputs)},
                       {"changed_inputs", std::move(changed)},
                       {"protocol_error", protocol_error_}};
  const int fd = memory.get();
  control_.send(answer.dump(), std::span(&fd, 1));
}

// An element counts when it holds something else than zeros and each of its bytes came from the host program.
void Server::note_host_results() {
  const HostCopy* copy = calls_.ledger().last_host_copy();
  if (copy == nullptr) return;
  std::vector<std::uint8_t> by_host;
  for (const ExerciseBuffer& b : buffers_) {
    if (b.input || b.bytes == 0) continue;
    device_.host_data_map(b.address, b.bytes, by_host);
    if (std::all_of(by_host.begin(), by_host.end(), [](std::uint8_t bits) { return bits == 0; })) continue;
    HostResult found{b.name, 0, 0, copy->call, copy->call_site, {}};
    if (const HostCopy* own = calls_.ledger().host_copy_into(b.address)) {
      found.call = own->call;
      found.call_site = own->call_site;
    }
    const std::uint64_t width = std::max<std::uint32_t>(1, b.element_bytes);
    std::array<std::byte, 16> value{};
    for (std::uint64_t e = 0; e < b.bytes / width; ++e) {
      bool all = true;
      for (std::uint64_t k = e * width; k < (e + 1) * width && all; ++k) all = (by_host[k / 8] >> (k % 8) & 1) != 0;
      if (!all) continue;
      const auto bytes = std::span(value).first(std::min<std::uint64_t>(width, value.size()));
      check(device_.read(b.address + e * width, bytes), "reading '" + b.name + "'");
      if (std::all_of(bytes.begin(), bytes.end(), [](std::byte x) { return x == std::byte{0}; })) continue;
      if (found.elements++ == 0) found.first = e;
    }
    if (found.elements > 0) device_.record().host_results.push_back(std::move(found));
  }
}

void Server::serve_host(int most_messages) {
  for (int i = 0; i < most_messages && host_; ++i) {
    // One byte more than the largest datagram, so that a longer one shows as oversized instead of being cut.
    const ssize_t n = ::recv(host_.get(), received_.data(), received_.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return close_host("");  // a datagram of no bytes reads like the end of the connection, and ends it
    std::string why;
    std::span<const std::byte> reply;
    try {
      reply = calls_.answer(std::span(received_).first(static_cast<std::size_t>(n)), why);
    } catch (const std::exception& e) {
      device_failure_ = e.what();
      return close_host("");
    }
    if (reply.empty()) return close_host(why.empty() ? "a reply could not be encoded" : why);
    const ssize_t sent = ::send(host_.get(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return close_host("the host sends calls and does not read the replies");
    if (sent < 0) {
      // The host is gone (it may have been ended on purpose). Calls that it sent before are still served.
      continue;
    }
  }
}

void Server::close_host(std::string why) {
  host_.reset();
  if (protocol_error_.empty()) protocol_error_ = std::move(why);
}

}  // namespace judge::device
