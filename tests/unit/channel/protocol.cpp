#include "judge/channel/protocol.h"

#include <string>
#include <vector>

#include "catch.h"

using namespace judge::channel;

namespace {

using Datagram = std::vector<std::byte>;

Datagram request(Call call, std::uint32_t sequence, std::span<const std::byte> body,
                 std::span<const std::byte> payload = {}) {
  Datagram datagram(kMaxDatagram);
  datagram.resize(encode_request(datagram, call, sequence, body, payload));
  return datagram;
}

Datagram allocate_request() {
  AllocateRequest body;
  body.bytes = 4096;
  body.kind = MemoryKind::managed;
  return request(Call::allocate, 7, bytes_of(body));
}

std::optional<Malformed> error_of(const Datagram& datagram, std::uint32_t sequence = 7) {
  const Decoded decoded = decode_request(datagram, sequence);
  return decoded.error;
}

template <class T>
void poke(Datagram& datagram, std::size_t offset, T value) {
  std::memcpy(datagram.data() + offset, &value, sizeof value);
}

// Offsets in the header, written out so that a change of the layout is noticed.
constexpr std::size_t kAtMagic = 0, kAtCall = 4, kAtFlags = 6, kAtSequence = 8, kAtPayload = 12, kAtStatus = 16;

}  // namespace

TEST_CASE("a request arrives as it was sent") {
  const std::string name = "_Z6conv1dPKfS0_Pfi";
  FindRequest body;
  body.module = 0x1122334455667788;
  const Datagram datagram = request(Call::find_kernel, 41, bytes_of(body), std::as_bytes(std::span(name)));
  REQUIRE(datagram.size() == 24 + 8 + name.size());

  const Decoded decoded = decode_request(datagram, 41);
  REQUIRE(decoded);
  CHECK(decoded.message.call == Call::find_kernel);
  CHECK_FALSE(decoded.message.payload_in_bulk());
  CHECK(body_as<FindRequest>(decoded.message).module == 0x1122334455667788);
  const auto payload = decoded.message.inline_payload;
  CHECK(std::string(reinterpret_cast<const char*>(payload.data()), payload.size()) == name);
}

TEST_CASE("a reply carries status and flags") {
  OccupancyReply body;
  body.blocks = 4;
  Datagram datagram(kMaxDatagram);
  datagram.resize(encode_reply(datagram, Call::occupancy, 3, 700, flag_sticky, bytes_of(body), {}));
  const Decoded decoded = decode_reply(datagram, Call::occupancy, 3);
  REQUIRE(decoded);
  CHECK(decoded.message.header.status == 700);
  CHECK(decoded.message.header.flags == flag_sticky);
  CHECK(body_as<OccupancyReply>(decoded.message).blocks == 4);
}

TEST_CASE("every length but the right one is refused") {
  const Datagram whole = allocate_request();
  REQUIRE(whole.size() == 24 + 16);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK(error_of(Datagram(whole.begin(), whole.begin() + length)) == Malformed::truncated);
  }
  CHECK(error_of(whole) == std::nullopt);
  Datagram longer = whole;
  longer.push_back(std::byte{0});
  CHECK(error_of(longer) == Malformed::oversized);
}

TEST_CASE("a payload length that the datagram does not have is refused") {
  const std::string name = "kernel";
  Datagram datagram = request(Call::find_kernel, 7, bytes_of(FindRequest{}), std::as_bytes(std::span(name)));
  poke<std::uint32_t>(datagram, kAtPayload, 7);
  CHECK(error_of(datagram) == Malformed::truncated);
  poke<std::uint32_t>(datagram, kAtPayload, 5);
  CHECK(error_of(datagram) == Malformed::oversized);
  poke<std::uint32_t>(datagram, kAtPayload, 0xFFFFFFFF);
  CHECK(error_of(datagram) == Malformed::payload_too_large);
}

TEST_CASE("version, magic, call, sequence, flags and status are each checked") {
  Datagram datagram = allocate_request();
  SECTION("version") {
    poke<std::uint32_t>(datagram, kAtMagic, kMagic | (kVersion + 1));
    CHECK(error_of(datagram) == Malformed::wrong_version);
  }
  SECTION("magic") {
    poke<std::uint32_t>(datagram, kAtMagic, 0x20544547);  // "GET "
    CHECK(error_of(datagram) == Malformed::wrong_magic);
  }
  SECTION("the first number past the calls") {
    poke<std::uint16_t>(datagram, kAtCall, static_cast<std::uint16_t>(kCallCount));
    CHECK(error_of(datagram) == Malformed::unknown_call);
  }
  SECTION("the last call, whose body is shorter") {
    poke<std::uint16_t>(datagram, kAtCall, static_cast<std::uint16_t>(Call::take_output));
    CHECK(error_of(datagram) == Malformed::oversized);
  }
  SECTION("sequence") {
    CHECK(error_of(datagram, 6) == Malformed::wrong_sequence);
    CHECK(error_of(datagram, 8) == Malformed::wrong_sequence);
    poke<std::uint32_t>(datagram, kAtSequence, 8);
    CHECK(error_of(datagram, 8) == std::nullopt);
  }
  SECTION("a request is never sticky") {
    poke<std::uint16_t>(datagram, kAtFlags, flag_sticky);
    CHECK(error_of(datagram) == Malformed::wrong_flags);
  }
  SECTION("a request has no status") {
    poke<std::int32_t>(datagram, kAtStatus, 1);
    CHECK(error_of(datagram) == Malformed::wrong_flags);
  }
  SECTION("an empty payload is not in the bulk memory") {
    poke<std::uint16_t>(datagram, kAtFlags, flag_bulk);
    CHECK(error_of(datagram) == Malformed::wrong_flags);
  }
}

TEST_CASE("a payload goes inline up to the limit and to the bulk memory beyond it") {
  const std::vector<std::byte> bytes(kBulkBytes + 1);
  const TransferRequest body;
  const auto at = [&](std::size_t count) {
    return request(Call::write, 7, bytes_of(body), std::span(bytes).first(count));
  };
  const Datagram last_inline = at(kInlineBytes);
  CHECK(last_inline.size() == 24 + sizeof(TransferRequest) + kInlineBytes);
  CHECK_FALSE(decode_request(last_inline, 7).message.payload_in_bulk());

  const Datagram first_bulk = at(kInlineBytes + 1);
  CHECK(first_bulk.size() == 24 + sizeof(TransferRequest));
  REQUIRE(decode_request(first_bulk, 7));
  CHECK(decode_request(first_bulk, 7).message.payload_in_bulk());
  CHECK(decode_request(first_bulk, 7).message.header.payload_bytes == kInlineBytes + 1);

  CHECK(at(kBulkBytes).size() == 24 + sizeof(TransferRequest));
  CHECK(at(kBulkBytes + 1).empty());

  Datagram lying = first_bulk;
  poke<std::uint32_t>(lying, kAtPayload, kBulkBytes + 1);
  CHECK(error_of(lying) == Malformed::payload_too_large);
}

TEST_CASE("a payload over its call's own limit is refused on both ends") {
  const std::vector<std::byte> name(kMaxNameBytes + 1);
  CHECK_FALSE(request(Call::find_kernel, 1, bytes_of(FindRequest{}), std::span(name).first(kMaxNameBytes)).empty());
  CHECK(request(Call::find_kernel, 1, bytes_of(FindRequest{}), name).empty());

  Datagram datagram(kMaxDatagram);
  CHECK(encode_request(datagram, Call::synchronize, 1, bytes_of(SynchronizeRequest{}), std::span(name).first(1)) == 0);
}

TEST_CASE("the encoder refuses a body of another call and a buffer that is too small") {
  Datagram datagram(kMaxDatagram);
  CHECK(encode_request(datagram, Call::launch, 1, bytes_of(AllocateRequest{}), {}) == 0);
  Datagram small(24 + 16 - 1);
  CHECK(encode_request(small, Call::allocate, 1, bytes_of(AllocateRequest{}), {}) == 0);
  Datagram exact(24 + 16);
  CHECK(encode_request(exact, Call::allocate, 1, bytes_of(AllocateRequest{}), {}) == 24 + 16);
}

TEST_CASE("a reply to another call or request is refused") {
  Datagram datagram(kMaxDatagram);
  datagram.resize(encode_reply(datagram, Call::free, 3, 0, 0, bytes_of(Empty{}), {}));
  CHECK(decode_reply(datagram, Call::write, 3).error == Malformed::wrong_call);
  CHECK(decode_reply(datagram, Call::free, 4).error == Malformed::wrong_sequence);
  CHECK(decode_reply(datagram, Call::free, 3).error == std::nullopt);
}

TEST_CASE("the list of calls is the protocol: a change of it needs a new version") {
  REQUIRE(kVersion == 3);
  CHECK(kCallCount == 29);
  CHECK(static_cast<int>(Call::hello) == 0);
  CHECK(static_cast<int>(Call::launch) == 11);
  CHECK(static_cast<int>(Call::take_output) == 20);
  CHECK(static_cast<int>(Call::set_limit) == 21);
  CHECK(sizeof(KernelReply) == 48);
  CHECK(kCalls[static_cast<std::size_t>(Call::launch)].name == "launch");
  CHECK(sizeof(LaunchRequest) == 48);
  CHECK(sizeof(TransferRequest) == 72);
  CHECK(sizeof(CopyRequest) == 72);
  CHECK(sizeof(NoteRequest) == 40);
  CHECK(sizeof(HelloReply) == 392);
}

TEST_CASE("a rectangle's size is limited and does not overflow") {
  CHECK(rectangle_bytes(5, 7, 35) == 35);
  CHECK(rectangle_bytes(5, 7, 34) == std::nullopt);
  CHECK(rectangle_bytes(0, ~0ull, 0) == 0);
  CHECK(rectangle_bytes(1ull << 32, 1ull << 32, ~0ull) == std::nullopt);  // 2^64
  CHECK(rectangle_bytes(1ull << 32, (1ull << 32) - 1, ~0ull) == (1ull << 32) * ((1ull << 32) - 1));
}
