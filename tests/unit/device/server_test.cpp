#include "judge/device/server.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>

#include "catch.h"
#include "fake_device.h"
#include "judge/channel/protocol.h"
#include "judge/device/record_json.h"

using namespace judge::device;
namespace channel = judge::channel;
using channel::Call;
using nlohmann::json;

namespace {

struct Answer {
  int status = -1;
  std::uint16_t flags = 0;
  std::vector<std::byte> body, payload;
  template <class Body>
  Body as() const {
    Body b{};
    std::memcpy(&b, body.data(), std::min(sizeof b, body.size()));
    return b;
  }
};

// A server with its judge and its host, all in this process; the server has a thread.
class Rig {
 public:
  Rig() {
    int pair[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    judge_ = ControlSocket(Descriptor(pair[0]));
    thread_ = std::thread([this, theirs = pair[1]] {
      FakeDevice device;
      Server(device, ControlSocket(Descriptor(theirs))).run();
    });
    properties_ = receive().text;
  }
  ~Rig() {
    if (bulk_ != nullptr) ::munmap(bulk_, channel::kBulkBytes);
    judge_ = ControlSocket();
    thread_.join();
  }

  // Buffers "x" (input, floats 0, 1, 2, …) and "y" (output), `count` elements each.
  void start(std::size_t count = 4) {
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
    Descriptor contents = make_shared_memory("x", count * 4);
    REQUIRE(::pwrite(contents.get(), x.data(), count * 4, 0) == static_cast<ssize_t>(count * 4));
    Descriptor bulk = make_shared_memory("bulk", channel::kBulkBytes);
    if (bulk_ != nullptr) ::munmap(bulk_, channel::kBulkBytes);
    bulk_ = static_cast<std::byte*>(
        ::mmap(nullptr, channel::kBulkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, bulk.get(), 0));
    int pair[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    host_ = Descriptor(pair[0]);
    Descriptor theirs(pair[1]);
    const json command = {{"command", "start"},
                          {"limits", {{"step_limit", 1000}, {"memory_bytes", 1 << 26}, {"output_bytes", 1000}}},
                          {"schedule_seed", 0},
                          {"workers", 1},
                          {"buffers",
                           {{{"name", "x"},
                             {"element_type", "float32"},
                             {"element_bytes", 4},
                             {"bytes", count * 4},
                             {"offset", 0},
                             {"filled", true},
                             {"input", true}},
                            {{"name", "y"},
                             {"element_type", "float32"},
                             {"element_bytes", 4},
                             {"bytes", count * 4},
                             {"offset", 0},
                             {"filled", false},
                             {"input", false}}}}};
    const std::array<int, 3> fds{contents.get(), theirs.get(), bulk.get()};
    judge_.send(command.dump(), fds);
    REQUIRE(receive().descriptors.size() == 1);
    addresses_ = json::parse(receive().text).at("addresses").get<std::vector<Address>>();
    sequence_ = 1;
  }
  Address x() const { return addresses_.at(0); }
  Address y() const { return addresses_.at(1); }
  std::byte* bulk() const { return bulk_; }

  struct Collected {
    CaseRecord record;
    std::string protocol_error;
    std::vector<std::string> changed_inputs;
    std::vector<std::byte> y;
    std::vector<std::uint8_t> written;
  };
  Collected collect() {
    judge_.send(R"({"command":"collect"})");
    ControlMessage m = receive();
    const json j = json::parse(m.text);
    INFO(m.text);
    REQUIRE_FALSE(j.contains("error"));
    Collected c{record_from_json(j["record"].get<std::string>()), j["protocol_error"], j["changed_inputs"], {}, {}};
    const json& o = j["outputs"].at(0);
    c.y.resize(o["bytes"]);
    c.written.resize((c.y.size() + 7) / 8);
    REQUIRE(::pread(m.descriptors.at(0).get(), c.y.data(), c.y.size(), o["offset"]) ==
            static_cast<ssize_t>(c.y.size()));
    REQUIRE(::pread(m.descriptors.at(0).get(), c.written.data(), c.written.size(), o["written_offset"]) ==
            static_cast<ssize_t>(c.written.size()));
    return c;
  }
  ControlMessage command(const std::string& text) {
    judge_.send(text);
    return receive();
  }

  bool send_raw(std::span<const std::byte> datagram) {
    return ::send(host_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(datagram.size());
  }
  // nullopt: the server closed the connection.
  std::optional<Answer> receive_reply(Call call) {
    std::vector<std::byte> buffer(channel::kMaxDatagram);
    const ssize_t n = ::recv(host_.get(), buffer.data(), buffer.size(), 0);
    if (n <= 0) return std::nullopt;
    const auto d = channel::decode_reply(std::span(buffer).first(static_cast<std::size_t>(n)), call, sequence_++);
    REQUIRE(d);
    Answer a;
    a.status = d.message.header.status;
    a.flags = d.message.header.flags;
    a.body.assign(d.message.body.begin(), d.message.body.end());
    const auto payload = d.message.payload_in_bulk() ? std::span<const std::byte>(bulk_, d.message.header.payload_bytes)
                                                     : d.message.inline_payload;
    a.payload.assign(payload.begin(), payload.end());
    return a;
  }
  template <class Body>
  std::optional<Answer> try_call(Call call, const Body& body, std::span<const std::byte> payload = {}) {
    std::vector<std::byte> out(channel::kMaxDatagram);
    const std::size_t n = channel::encode_request(out, call, sequence_, channel::bytes_of(body), payload);
    REQUIRE(n > 0);
    if (payload.size() > channel::kInlineBytes) std::memcpy(bulk_, payload.data(), payload.size());
    if (!send_raw(std::span(out).first(n))) return std::nullopt;
    return receive_reply(call);
  }
  template <class Body>
  Answer call(Call call, const Body& body, std::span<const std::byte> payload = {}) {
    const auto a = try_call(call, body, payload);
    REQUIRE(a.has_value());
    return *a;
  }
  void hello() { REQUIRE(call(Call::hello, channel::HelloRequest{}).status == 0); }
  std::uint64_t load(std::string_view text) {
    channel::RegisterModuleRequest r;
    r.total_bytes = text.size();
    r.form = channel::ModuleForm::ptx_text;
    return call(Call::register_module, r, std::as_bytes(std::span(text))).as<channel::ModuleReply>().module;
  }
  std::uint64_t kernel(std::string_view name) {
    return call(Call::find_kernel, channel::FindRequest{11}, std::as_bytes(std::span(name)))
        .as<channel::KernelReply>()
        .kernel;
  }
  int launch(std::uint64_t id, std::span<const std::byte> parameters, std::uint32_t threads = 32) {
    channel::LaunchRequest r;
    r.kernel = id;
    r.grid = {1, 1, 1};
    r.block = {threads, 1, 1};
    return call(Call::launch, r, parameters).status;
  }

 private:
  ControlMessage receive() {
    auto m = judge_.receive(std::chrono::steady_clock::now() + std::chrono::seconds(10));
    REQUIRE(m.has_value());
    return std::move(*m);
  }

  ControlSocket judge_;
  std::thread thread_;
  std::string properties_;
  Descriptor host_;
  std::byte* bulk_ = nullptr;
  std::vector<Address> addresses_;
  std::uint32_t sequence_ = 1;
};

std::vector<std::byte> double_parameters(Address x, std::uint32_t n) {
  std::vector<std::byte> p(12);
  std::memcpy(p.data(), &x, 8);
  std::memcpy(p.data() + 8, &n, 4);
  return p;
}

channel::TransferRequest plain(Address address, std::uint64_t bytes) {
  channel::TransferRequest r;
  r.address = address;
  r.row_bytes = bytes;
  r.pitch = bytes;
  r.operation_bytes = bytes;
  return r;
}

}  // namespace

TEST_CASE("a case: copy, launch, read back, collect") {
  Rig rig;
  rig.start();
  const Answer greeting = rig.call(Call::hello, channel::HelloRequest{});
  CHECK(greeting.as<channel::HelloReply>().multiprocessors == 40);
  CHECK(std::string(greeting.as<channel::HelloReply>().name.data()) == "Tesla T4");
  CHECK(rig.load("fake") == 11);
  channel::CopyRequest copy;
  copy.to = rig.y();
  copy.from = rig.x();
  copy.row_bytes = copy.to_pitch = copy.from_pitch = 12;  // three of four floats
  CHECK(rig.call(Call::copy, copy).status == 0);
  CHECK(rig.launch(rig.kernel("double_it"), double_parameters(rig.y(), 3)) == 0);
  const Answer read = rig.call(Call::read, plain(rig.y(), 12));
  CHECK(read.status == 0);
  const std::array<float, 3> expected{0, 2, 4};
  REQUIRE(read.payload.size() == 12);
  CHECK(std::memcmp(read.payload.data(), expected.data(), 12) == 0);

  const auto c = rig.collect();
  CHECK(c.protocol_error.empty());
  CHECK(c.changed_inputs.empty());
  REQUIRE(c.y.size() == 16);
  CHECK(std::memcmp(c.y.data(), expected.data(), 12) == 0);
  CHECK(c.y[12] == FakeDevice::kPoison);
  CHECK(c.written == std::vector<std::uint8_t>{0xFF, 0x0F});
  CHECK(c.record.api_errors.empty());
  REQUIRE(c.record.operations.size() == 3);
  CHECK(c.record.operations[0].kind == OperationKind::copy_on_device);
  CHECK(c.record.operations[0].bytes == 12);
  CHECK(c.record.operations[1].kind == OperationKind::launch);
  CHECK(c.record.operations[1].launch == 0);
  CHECK(c.record.operations[2].kind == OperationKind::copy_from_device);
}

TEST_CASE("an input that the submission changed is named") {
  Rig rig;
  rig.start();
  rig.hello();
  rig.load("fake");
  CHECK(rig.launch(rig.kernel("double_it"), double_parameters(rig.x(), 2)) == 0);
  CHECK(rig.collect().changed_inputs == std::vector<std::string>{"x"});
  rig.start();  // the next case finds nothing of it
  CHECK(rig.collect().changed_inputs.empty());
}

TEST_CASE("memory that is not freed is leaked; the exercise's is not the student's to free") {
  Rig rig;
  rig.start();
  rig.hello();
  const auto allocate = [&](std::uint64_t bytes, channel::MemoryKind kind) {
    return rig.call(Call::allocate, channel::AllocateRequest{bytes, kind}).as<channel::AddressReply>().address;
  };
  const Address a = allocate(1000, channel::MemoryKind::device);
  allocate(24, channel::MemoryKind::managed);
  allocate(5000, channel::MemoryKind::pinned);
  const Address b = allocate(70, channel::MemoryKind::device);
  CHECK(allocate(0, channel::MemoryKind::device) == 0);
  CHECK(rig.call(Call::free, channel::FreeRequest{b}).status == 0);
  CHECK(rig.call(Call::free, channel::FreeRequest{0}).status == 0);
  CHECK(rig.call(Call::free, channel::FreeRequest{b}).status == cuda_invalid_value);
  CHECK(rig.call(Call::free, channel::FreeRequest{a, 1}).status == cuda_invalid_value);
  CHECK(rig.call(Call::free, channel::FreeRequest{rig.x()}).status == cuda_invalid_value);
  const auto pointer = rig.call(Call::pointer_attributes, channel::PointerRequest{a + 999});
  CHECK(pointer.as<channel::PointerReply>().kind == channel::PointerKind::device);
  const auto beyond = rig.call(Call::pointer_attributes, channel::PointerRequest{a + 1000});
  CHECK(beyond.as<channel::PointerReply>().kind == channel::PointerKind::unknown);
  const auto c = rig.collect();
  CHECK(c.record.leaked_bytes == 1024);
  REQUIRE(c.record.api_errors.size() == 3);
  CHECK(c.record.api_errors[0].call == "cudaFree");
  CHECK(c.record.api_errors[1].call == "cudaFreeHost");
  CHECK(c.record.api_errors[2].detail == "'x' belongs to the exercise: free only what you allocated");
}

TEST_CASE("a copy in chunks is one operation of the bytes that came") {
  Rig rig;
  rig.start(1u << 20);
  rig.hello();
  std::vector<std::byte> piece(1u << 20, std::byte{1});
  channel::TransferRequest r = plain(rig.y(), piece.size());
  r.operation_bytes = 4u << 20;
  CHECK(rig.call(Call::write, r, piece).status == 0);
  for (int i = 1; i < 3; ++i) {
    r.address = rig.y() + static_cast<Address>(i) * piece.size();
    r.operation_bytes = 0;
    CHECK(rig.call(Call::write, r, piece).status == 0);
  }
  const Answer read = rig.call(Call::read, plain(rig.y() + (3u << 20) - 100000, 100001));
  REQUIRE(read.payload.size() == 100001);  // in the bulk memory
  CHECK(read.payload[99999] == std::byte{1});
  CHECK(read.payload[100000] == FakeDevice::kPoison);
  const auto c = rig.collect();
  REQUIRE(c.record.operations.size() == 2);
  CHECK(c.record.operations[0].bytes == 3u << 20);  // announced were four
  CHECK(c.y[(3u << 20) - 1] == std::byte{1});
}

TEST_CASE("a copy is asynchronous when its call is and the host memory is pinned") {
  Rig rig;
  rig.start();
  rig.hello();
  const auto pinned = rig.call(Call::allocate, channel::AllocateRequest{4096, channel::MemoryKind::pinned});
  channel::TransferRequest r = plain(rig.y(), 16);
  r.stream = 0x1010;
  r.asynchronous = 1;
  CHECK(rig.call(Call::read, r).status == 0);  // into pageable memory
  r.host_address = pinned.as<channel::AddressReply>().address + 64;
  CHECK(rig.call(Call::read, r).status == 0);
  r.asynchronous = 0;
  CHECK(rig.call(Call::read, r).status == 0);
  r.host_address = 0;
  r.asynchronous = r.registered = 1;
  r.stream = 1;  // cudaStreamLegacy
  CHECK(rig.call(Call::read, r).status == 0);
  const auto c = rig.collect();
  REQUIRE(c.record.operations.size() == 5);
  CHECK_FALSE(c.record.operations[1].asynchronous);
  CHECK(c.record.operations[1].stream == 0x1010);
  CHECK(c.record.operations[2].asynchronous);
  CHECK_FALSE(c.record.operations[3].asynchronous);
  CHECK(c.record.operations[4].asynchronous);
  CHECK(c.record.operations[4].stream == 0);
}

TEST_CASE("a copy of pinned memory by its address alone is one between host and device") {
  Rig rig;
  rig.start();
  rig.hello();
  const auto pinned = rig.call(Call::allocate, channel::AllocateRequest{4096, channel::MemoryKind::pinned})
                          .as<channel::AddressReply>()
                          .address;
  channel::CopyRequest copy;
  copy.row_bytes = copy.to_pitch = copy.from_pitch = 16;
  copy.rows = 1;
  copy.asynchronous = 1;
  copy.stream = 0x1010;
  copy.to = rig.y();
  copy.from = pinned;
  CHECK(rig.call(Call::copy, copy).status == 0);
  std::swap(copy.to, copy.from);
  copy.asynchronous = 0;
  CHECK(rig.call(Call::copy, copy).status == 0);
  const auto c = rig.collect();
  REQUIRE(c.record.operations.size() == 3);
  CHECK(c.record.operations[1].kind == OperationKind::copy_to_device);
  CHECK(c.record.operations[1].asynchronous);
  CHECK(c.record.operations[1].stream == 0x1010);
  CHECK(c.record.operations[1].device_address == rig.y());
  CHECK(c.record.operations[1].host_address == pinned);
  CHECK(c.record.operations[2].kind == OperationKind::copy_from_device);
  CHECK_FALSE(c.record.operations[2].asynchronous);
}

TEST_CASE("a prefetch of managed memory is recorded, and one of anything else is an error") {
  Rig rig;
  rig.start();
  rig.hello();
  const auto managed = rig.call(Call::allocate, channel::AllocateRequest{100, channel::MemoryKind::managed});
  channel::NoteRequest note;
  note.kind = channel::NoteKind::prefetch_to_device;
  note.address = managed.as<channel::AddressReply>().address;
  for (const auto& [bytes, status] : {std::pair<std::uint64_t, int>{99, 0},
                                      {100, 0},
                                      {101, cuda_invalid_value},
                                      {0, cuda_invalid_value},
                                      {~0ull, cuda_invalid_value}}) {
    note.bytes = bytes;
    CHECK(rig.call(Call::note, note).status == status);
  }
  note.address = rig.y();
  note.bytes = 4;
  CHECK(rig.call(Call::note, note).status == cuda_invalid_value);
  note.kind = static_cast<channel::NoteKind>(17);
  CHECK(rig.call(Call::note, note).status == cuda_invalid_value);
  const auto c = rig.collect();
  REQUIRE(c.record.operations.size() == 3);
  CHECK(c.record.operations[0].kind == OperationKind::allocate_managed);
  CHECK(c.record.operations[2].kind == OperationKind::prefetch_to_device);
  CHECK(c.record.operations[2].bytes == 100);
  CHECK(c.record.api_errors.at(0).call == "cudaMemPrefetchAsync");
}

TEST_CASE("rows with a pitch leave the gaps alone") {
  Rig rig;
  rig.start(4);
  rig.hello();
  channel::TransferRequest r;
  r.address = rig.y();
  r.pitch = 8;
  r.row_bytes = 2;
  r.rows = 2;
  r.operation_bytes = 4;
  const std::array<std::byte, 4> four{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  CHECK(rig.call(Call::write, r, four).status == 0);
  const Answer back = rig.call(Call::read, r);
  CHECK(back.payload == std::vector<std::byte>(four.begin(), four.end()));
  const auto c = rig.collect();
  CHECK(c.written == std::vector<std::uint8_t>{0x03, 0x03});
}

TEST_CASE("sizes that do not exist are refused, not followed") {
  Rig rig;
  rig.start();
  rig.hello();
  channel::TransferRequest r = plain(rig.x(), ~0ull);
  CHECK(rig.call(Call::read, r).status == cuda_invalid_value);
  r = plain(rig.x(), 1ull << 33);
  r.rows = 1ull << 33;
  CHECK(rig.call(Call::read, r).status == cuda_invalid_value);
  r = plain(rig.x(), 4);
  r.rows = 2;
  r.pitch = ~0ull;
  CHECK(rig.call(Call::read, r).status == cuda_invalid_value);
  channel::FillRequest f;
  f.address = rig.y();
  f.row_bytes = 6;
  f.width = 4;
  CHECK(rig.call(Call::fill, f).status == cuda_invalid_value);
  f.width = 3;
  CHECK(rig.call(Call::fill, f).status == cuda_invalid_value);
  CHECK(rig.call(Call::allocate, channel::AllocateRequest{1ull << 60}).status == cuda_memory_allocation);
  CHECK(rig.call(Call::allocate, channel::AllocateRequest{16, static_cast<channel::MemoryKind>(77)}).status ==
        cuda_invalid_value);
  CHECK(rig.collect().protocol_error.empty());
}

TEST_CASE("a launch that breaks a limit is recorded as one that did not happen") {
  Rig rig;
  rig.start();
  rig.hello();
  rig.load("fake");
  CHECK(rig.launch(rig.kernel("double_it"), double_parameters(rig.x(), 1), 2048) == cuda_invalid_configuration);
  const auto c = rig.collect();
  CHECK(c.record.launches.empty());
  REQUIRE(c.record.api_errors.size() == 1);
  CHECK(c.record.api_errors[0].is_launch);
  CHECK(c.record.api_errors[0].name == "cudaErrorInvalidConfiguration");
  CHECK(c.record.api_errors[0].detail == "2048 threads a block; the limit is 1024");
}

TEST_CASE("after a kernel died every call answers its error, and none of them is an error of its own") {
  Rig rig;
  rig.start();
  rig.hello();
  rig.load("fake");
  const std::uint64_t die = rig.kernel("die");
  CHECK(rig.launch(die, {}) == 0);
  const Answer sync = rig.call(Call::synchronize, channel::SynchronizeRequest{});
  CHECK(sync.status == cuda_illegal_address);
  CHECK((sync.flags & channel::flag_sticky) != 0);
  CHECK(rig.call(Call::read, plain(rig.x(), 4)).status == cuda_illegal_address);
  CHECK(rig.launch(die, {}) == cuda_illegal_address);
  const auto c = rig.collect();
  CHECK(c.record.api_errors.empty());
  CHECK(c.record.launches.size() == 1);
}

TEST_CASE("device code that cannot be loaded, and what is unsupported, is said") {
  Rig rig;
  rig.start();
  rig.hello();
  rig.load("unsupported");
  rig.load("garbage");
  channel::ReportRequest r;
  r.kind = channel::ReportKind::unsupported;
  const std::string_view text("cudaGraph\x1b[31mCreate\0no graphs", 28);
  CHECK(rig.call(Call::report, r, std::as_bytes(std::span(text))).status == 0);
  const auto c = rig.collect();
  CHECK(c.record.unsupported == std::vector<std::string>{"line 7: tcgen05.mma", "cudaGraph [31mCreate"});
  REQUIRE(c.record.api_errors.size() == 2);
  CHECK(c.record.api_errors[1].name == "cudaErrorInvalidPtx");
}

TEST_CASE("an exception of the device reaches the judge, and the next case is served") {
  Rig rig;
  rig.start();
  rig.hello();
  channel::RegisterModuleRequest r;
  r.total_bytes = 5;
  r.form = channel::ModuleForm::ptx_text;
  CHECK_FALSE(rig.try_call(Call::register_module, r, std::as_bytes(std::span("throw", 5))).has_value());
  CHECK(json::parse(rig.command(R"({"command":"collect"})").text).at("error") == "the fake device broke");
  rig.start();
  rig.hello();
  CHECK(rig.collect().protocol_error.empty());
}

TEST_CASE("the judge's own mistakes are answered") {
  Rig rig;
  CHECK(json::parse(rig.command(R"({"command":"dance"})").text).contains("error"));
  CHECK(json::parse(rig.command("not json").text).contains("error"));
  CHECK(json::parse(rig.command(R"({"command":"start"})").text).contains("error"));
}

TEST_CASE("nonsense closes the connection and is told at collect") {
  Rig rig;
  const auto closes = [&](std::span<const std::byte> datagram) {
    rig.start();
    rig.hello();
    rig.send_raw(datagram);
    const bool closed = !rig.receive_reply(Call::free).has_value();
    const auto c = rig.collect();
    return closed && !c.protocol_error.empty();
  };
  std::vector<std::byte> good(channel::kMaxDatagram);
  good.resize(channel::encode_request(good, Call::free, 2, channel::bytes_of(channel::FreeRequest{}), {}));
  SECTION("truncated") {
    CHECK(closes(std::span(good).first(good.size() - 1)));
  }
  SECTION("oversized") {
    good.push_back(std::byte{0});
    CHECK(closes(good));
  }
  SECTION("larger than any message") {
    CHECK(closes(std::vector<std::byte>(channel::kMaxDatagram + 1)));
  }
  SECTION("replayed") {
    good.resize(channel::kMaxDatagram);
    good.resize(channel::encode_request(good, Call::free, 1, channel::bytes_of(channel::FreeRequest{}), {}));
    CHECK(closes(good));
  }
  SECTION("a second greeting") {
    good.resize(channel::kMaxDatagram);
    good.resize(channel::encode_request(good, Call::hello, 2, channel::bytes_of(channel::HelloRequest{}), {}));
    CHECK(closes(good));
  }
  SECTION("one byte") {
    CHECK(closes(std::span(good).first(1)));
  }
}

TEST_CASE("a call before the greeting is nonsense") {
  Rig rig;
  rig.start();
  CHECK_FALSE(rig.try_call(Call::memory_info, channel::Empty{}).has_value());
  CHECK(rig.collect().protocol_error == "the connection does not begin with a greeting");
}

TEST_CASE("random datagrams never break the server") {
  Rig rig;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    rig.start();
    rig.hello();
    // Well-formed headers around random bodies and payloads reach the calls; every fifth datagram is noise throughout.
    for (std::uint32_t sequence = 2; sequence < 12; ++sequence) {
      std::vector<std::byte> datagram(channel::kMaxDatagram);
      const auto index = static_cast<std::uint16_t>(1 + random() % (channel::kCallCount - 1));
      const channel::CallInfo& info = channel::kCalls[index];
      std::vector<std::byte> body(info.request_bytes);
      for (std::byte& b : body) b = static_cast<std::byte>(random() % 3 == 0 ? random() : 0);
      if (body.size() >= 8 && random() % 2 == 0) {
        const Address address = random() % 2 == 0 ? rig.x() : rig.y() + random() % 64;
        std::memcpy(body.data(), &address, 8);
      }
      std::vector<std::byte> payload(random() % 2 == 0 ? 0 : random() % (info.max_request_payload / 64 + 1));
      for (std::byte& b : payload) b = static_cast<std::byte>(random());
      datagram.resize(channel::encode_request(datagram, static_cast<Call>(index), sequence, body, payload));
      if (random() % 5 == 0)
        for (std::byte& b : datagram) b = static_cast<std::byte>(random());
      if (!rig.send_raw(datagram)) break;
    }
    const auto c = rig.collect();
    REQUIRE(c.y.size() == 16);
  }
  rig.start();
  rig.hello();
  CHECK(rig.call(Call::memory_info, channel::Empty{}).status == 0);
}
