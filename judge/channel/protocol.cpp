#include "judge/channel/protocol.h"

namespace judge::channel {
namespace {

enum class Direction { request, reply };

Decoded malformed(Malformed why) {
  return Decoded{{}, why};
}

std::uint32_t body_bytes(const CallInfo& info, Direction direction) {
  return direction == Direction::request ? info.request_bytes : info.reply_bytes;
}

std::uint32_t payload_cap(const CallInfo& info, Direction direction) {
  return direction == Direction::request ? info.max_request_payload : info.max_reply_payload;
}

// Checks in the order in which each makes the next one meaningful.
Decoded decode(std::span<const std::byte> datagram, Direction direction, std::uint32_t expected_sequence) {
  Message message;
  if (datagram.size() < sizeof(Header)) return malformed(Malformed::truncated);
  std::memcpy(&message.header, datagram.data(), sizeof(Header));
  const Header& header = message.header;
  if ((header.magic & ~0xFFu) != kMagic) return malformed(Malformed::wrong_magic);
  if ((header.magic & 0xFFu) != kVersion) return malformed(Malformed::wrong_version);
  if (header.call >= kCallCount) return malformed(Malformed::unknown_call);
  if (header.sequence != expected_sequence) return malformed(Malformed::wrong_sequence);

  const std::uint16_t known_flags = direction == Direction::request ? kRequestFlags : kReplyFlags;
  const bool in_bulk = (header.flags & flag_bulk) != 0;
  if ((header.flags & ~known_flags) != 0) return malformed(Malformed::wrong_flags);
  if ((direction == Direction::request ? header.status != 0 : header.call_site != 0))
    return malformed(Malformed::wrong_flags);

  const CallInfo& info = kCalls[header.call];
  if (header.payload_bytes > payload_cap(info, direction)) return malformed(Malformed::payload_too_large);
  if (in_bulk != (header.payload_bytes > kInlineBytes)) return malformed(Malformed::wrong_flags);

  const std::size_t body = body_bytes(info, direction);
  const std::size_t expected = sizeof(Header) + body + (in_bulk ? 0 : header.payload_bytes);
  if (datagram.size() < expected) return malformed(Malformed::truncated);
  if (datagram.size() > expected) return malformed(Malformed::oversized);

  message.call = static_cast<Call>(header.call);
  message.body = datagram.subspan(sizeof(Header), body);
  message.inline_payload = datagram.subspan(sizeof(Header) + body);
  return Decoded{message, std::nullopt};
}

std::size_t encode(std::span<std::byte> out, Direction direction, Header header, std::span<const std::byte> body,
                   std::span<const std::byte> payload) {
  if (header.call >= kCallCount) return 0;
  const CallInfo& info = kCalls[header.call];
  if (body.size() != body_bytes(info, direction) || payload.size() > payload_cap(info, direction)) return 0;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  const bool in_bulk = payload.size() > kInlineBytes;
  header.flags = static_cast<std::uint16_t>((header.flags & ~flag_bulk) | (in_bulk ? flag_bulk : 0));
  const std::size_t total = sizeof(Header) + body.size() + (in_bulk ? 0 : payload.size());
  if (out.size() < total) return 0;
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, body.data(), body.size());
  if (!in_bulk && !payload.empty())
    std::memcpy(out.data() + sizeof header + body.size(), payload.data(), payload.size());
  return total;
}

}  // namespace

std::string_view to_string(Malformed why) {
  switch (why) {
    case Malformed::truncated:
      return "the message is shorter than its header says";
    case Malformed::oversized:
      return "the message is longer than its header says";
    case Malformed::wrong_magic:
      return "the message does not begin as a message of this protocol";
    case Malformed::wrong_version:
      return "the message is of another version of the protocol";
    case Malformed::unknown_call:
      return "the message names a call that does not exist";
    case Malformed::wrong_call:
      return "the reply is to another call";
    case Malformed::wrong_sequence:
      return "the message is out of sequence";
    case Malformed::wrong_flags:
      return "the message has flags that it must not have";
    case Malformed::payload_too_large:
      return "the message has a larger payload than its call allows";
  }
  return "the message is malformed";
}

Decoded decode_request(std::span<const std::byte> datagram, std::uint32_t expected_sequence) {
  return decode(datagram, Direction::request, expected_sequence);
}

Decoded decode_reply(std::span<const std::byte> datagram, Call expected_call, std::uint32_t expected_sequence) {
  Decoded decoded = decode(datagram, Direction::reply, expected_sequence);
  if (decoded && decoded.message.call != expected_call) return malformed(Malformed::wrong_call);
  return decoded;
}

std::size_t encode_request(std::span<std::byte> out, Call call, std::uint32_t sequence, std::span<const std::byte> body,
                           std::span<const std::byte> payload, std::uint32_t call_site) {
  Header header;
  header.call_site = call_site;
  header.call = static_cast<std::uint16_t>(call);
  header.sequence = sequence;
  return encode(out, Direction::request, header, body, payload);
}

std::size_t encode_reply(std::span<std::byte> out, Call call, std::uint32_t sequence, std::int32_t status,
                         std::uint16_t flags, std::span<const std::byte> body, std::span<const std::byte> payload) {
  Header header;
  header.call = static_cast<std::uint16_t>(call);
  header.sequence = sequence;
  header.status = status;
  header.flags = flags;
  return encode(out, Direction::reply, header, body, payload);
}

std::optional<std::uint64_t> rectangle_bytes(std::uint64_t row_bytes, std::uint64_t rows, std::uint64_t cap) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(row_bytes, rows, &bytes) || bytes > cap) return std::nullopt;
  return bytes;
}

}  // namespace judge::channel
