#pragma once
// What the host process and the device process say to each other, declared once for both.
//
// How it works. The host process inherits a SOCK_SEQPACKET socket to the device (kSocketFd), a shared "bulk" memory for
// payloads that do not fit a datagram (kBulkFd, kBulkBytes), and the window of managed and pinned memory (kMappedFd).
// The host sends one request at a time and waits for its reply. A datagram is
//
//     Header | body: the fixed struct of the call | payload, when it is carried inline
//
// A payload of more than kInlineBytes is instead at offset 0 of the bulk memory and flag_bulk is set. Both sides copy a
// bulk payload out before they look at it, because the other side could change it meanwhile. `sequence` starts at 1 and
// counts requests; a reply repeats the sequence and the call of its request, and carries a cudaError_t in `status`.
//
// The host is untrusted. decode_request() checks length, version, call, sizes and sequence; after it, a body is a plain
// struct of the right size whose numbers mean nothing yet: addresses, handles, enumerations and products of sizes are
// for the device to check. A request that does not decode ends the connection: our library never sends one.
//
// A body must be trivially copyable, without padding (checked below), so that no bytes of a stack travel with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace judge::channel {

inline constexpr int kSocketFd = 3;
inline constexpr int kBulkFd = 4;
inline constexpr int kMappedFd = 5;
inline constexpr int kJudgeFd = 6;  // between the host runner and the judge; libcudart never touches it

inline constexpr std::uint32_t kMagic = 0x43444A00;          // "CDJ" above the version byte
inline constexpr std::uint32_t kVersion = 3;                 // below 256
inline constexpr std::uint32_t kInlineBytes = 64 * 1024;     // largest inline payload; fits the default socket buffer
inline constexpr std::uint32_t kBulkBytes = 8u << 20;        // copies larger than this go in chunks
inline constexpr std::uint64_t kMaxModuleBytes = 64u << 20;  // one fat binary, over all its chunks
inline constexpr std::uint32_t kMaxNameBytes = 4096;         // mangled names; templates make long ones
inline constexpr std::uint32_t kMaxParameterBytes = 32764;   // of one launch: PTX ISA 8.1, .param of an entry
inline constexpr std::uint32_t kMaxParameters = 4096;
inline constexpr std::uint32_t kMaxReportBytes = 2048;  // call name, NUL, sentence
inline constexpr std::uint32_t kDeviceNameBytes = 256;  // as cudaDeviceProp::name

enum Flags : std::uint16_t {
  flag_bulk = 1,            // either way: the payload is in the bulk memory
  flag_sticky = 2,          // reply: a kernel died; `status` is what every later call answers
  flag_output_pending = 4,  // reply: device printf text waits for take_output (a server may keep it and never say so)
};
inline constexpr std::uint16_t kRequestFlags = flag_bulk;
inline constexpr std::uint16_t kReplyFlags = flag_bulk | flag_sticky | flag_output_pending;

struct Header {
  std::uint32_t magic = kMagic | kVersion;
  std::uint16_t call = 0;
  std::uint16_t flags = 0;
  std::uint32_t sequence = 0;
  std::uint32_t payload_bytes = 0;
  std::int32_t status = 0;  // replies: cudaError_t; requests: 0
  std::uint32_t call_site =
      0;  // requests: offset of the caller's return address in its library, 0: not known; replies: 0
};

struct Empty {
  std::uint64_t reserved = 0;  // an empty class has size 1 in C++; eight zero bytes keep bodies aligned
};

// First call of a connection.
struct HelloRequest {
  std::uint32_t version = kVersion;
  std::uint32_t runtime_version = 0;  // CUDART_VERSION of the library, 13000
};
struct HelloReply {                                // where things are, and device::DeviceProperties field by field
  std::uint64_t device_base = 0, device_span = 0;  // addresses that only the device may use
  std::uint64_t mapped_base = 0, mapped_span = 0;  // where the host maps kMappedFd
  std::uint64_t total_global_bytes = 0;
  std::int32_t major = 0, minor = 0;
  std::int32_t multiprocessors = 0;
  std::int32_t max_threads_per_block = 0;
  std::int32_t max_threads_per_multiprocessor = 0;
  std::int32_t max_blocks_per_multiprocessor = 0;
  std::uint32_t shared_bytes_per_block = 0;
  std::uint32_t shared_bytes_per_block_optin = 0;
  std::uint32_t shared_bytes_per_multiprocessor = 0;
  std::uint32_t reserved_shared_bytes_per_block = 0;
  std::int32_t registers_per_block = 0;
  std::int32_t registers_per_multiprocessor = 0;
  std::uint32_t constant_bytes = 0;
  std::int32_t l2_bytes = 0;
  std::int32_t clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  std::array<std::uint32_t, 3> max_block{};
  std::array<std::uint32_t, 3> max_grid{};
  std::uint32_t reserved = 0;
  std::array<char, kDeviceNameBytes> name{};  // ends in NUL
};

// Payload: bytes [offset, offset + payload_bytes) of the fat binary or PTX text. Chunks come in order from offset 0;
// the reply to the one that completes total_bytes has the module, earlier replies have 0. A chunk at offset 0 starts
// afresh.
enum class ModuleForm : std::uint32_t { fat_binary = 0, ptx_text = 1 };
struct RegisterModuleRequest {
  std::uint64_t total_bytes = 0;
  std::uint64_t offset = 0;
  ModuleForm form = ModuleForm::fat_binary;
  std::uint32_t reserved = 0;
};
struct ModuleReply {
  std::uint64_t module = 0;
};
struct UnregisterModuleRequest {
  std::uint64_t module = 0;
};

// Payload: the name as the PTX spells it, without NUL.
struct FindRequest {
  std::uint64_t module = 0;
};
struct KernelReply {  // payload: parameter_count times ParameterLayout
  std::uint64_t kernel = 0;
  std::uint32_t parameter_count = 0;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t constant_bytes = 0;
  std::uint32_t max_threads = 0;
  std::int32_t ptx_version = 0;  // 90 for 9.0
  std::int32_t target = 0;       // 75 for sm_75
  std::uint32_t registers = 0;   // of a thread, as the device reckons
  std::uint32_t reserved = 0;
};
struct ParameterLayout {
  std::uint32_t offset = 0, bytes = 0, align = 0;
};
struct SymbolReply {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t constant = 0;
  std::uint32_t managed = 0;
};

enum class MemoryKind : std::uint32_t { device = 0, managed = 1, pinned = 2 };  // values of device::MemoryKind
struct AllocateRequest {
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint32_t reserved = 0;
};
struct AddressReply {
  std::uint64_t address = 0;
};
struct FreeRequest {  // cudaFree frees device and managed memory, cudaFreeHost pinned memory
  std::uint64_t address = 0;
  std::uint32_t pinned = 0;     // 1: cudaFreeHost
  std::uint32_t in_stream = 0;  // 1: cudaFreeAsync, which does not wait for the device; only for the record
};

// A rectangle of `rows` rows of row_bytes each; row r begins at address + r * pitch. A plain copy is one row. Payload
// (of write, of read's reply): the rows without gaps, exactly row_bytes * rows. A copy larger than the bulk memory goes
// in chunks: the first says operation_bytes of the whole, the others 0, so that the copy is recorded once. Of streams,
// and of what the host did not wait for, only the record tells; everything is done when its reply comes.
enum class CopyPurpose : std::uint32_t { memory = 0, symbol = 1 };  // symbol: cudaMemcpyToSymbol, …FromSymbol
struct TransferRequest {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t operation_bytes = 0;
  std::uint64_t stream = 0;        // 0: the default stream
  std::uint64_t host_address = 0;  // the other end, in the host process
  CopyPurpose purpose = CopyPurpose::memory;
  std::uint32_t asynchronous = 0;  // 1: a call that need not wait
  std::uint32_t registered = 0;    // 1: the host memory is registered (cudaHostRegister)
  std::uint32_t reserved = 0;
};
struct CopyRequest {  // between addresses of the device, which pinned and managed memory have too
  std::uint64_t to = 0, to_pitch = 0;
  std::uint64_t from = 0, from_pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t stream = 0;
  CopyPurpose purpose = CopyPurpose::memory;
  std::uint32_t to_symbol = 0;     // purpose symbol: 1 to a symbol, 0 from one
  std::uint32_t asynchronous = 0;  // 1: a call that need not wait
  std::uint32_t reserved = 0;
};
struct FillRequest {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t stream = 0;
  std::uint32_t value = 0;
  std::uint32_t width = 1;  // bytes of one element: 1, 2 or 4
};

// Payload: KernelReply::parameter_bytes bytes, laid out as the kernel's ParameterLayout list says.
struct LaunchRequest {
  std::uint64_t kernel = 0;
  std::uint64_t stream = 0;  // 0: the default stream; only for the record
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t cooperative = 0;  // 1: cudaLaunchCooperativeKernel
};

enum class SynchronizeWhat : std::uint32_t { device = 0, stream = 1, event = 2 };
struct SynchronizeRequest {
  SynchronizeWhat what = SynchronizeWhat::device;
  std::uint32_t reserved = 0;
  std::uint64_t handle = 0;  // of the stream or event
};

// cudaDeviceSetLimit, after which the reply has what the limit then is.
enum class LimitKind : std::uint32_t { stack = 0, printf_buffer = 1, malloc_heap = 2 };  // values of cudaLimit
struct LimitRequest {
  LimitKind kind = LimitKind::stack;
  std::uint32_t reserved = 0;
  std::uint64_t value = 0;
};
struct LimitReply {
  std::uint64_t value = 0;
};

struct FunctionAttributeRequest {
  std::uint64_t kernel = 0;
  std::int32_t attribute = 0;  // cudaFuncAttribute
  std::int32_t value = 0;
};
struct OccupancyRequest {
  std::uint64_t kernel = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t dynamic_shared_bytes = 0;
};
struct OccupancyReply {
  std::int32_t blocks = 0;
  std::uint32_t reserved = 0;
};

struct MemoryInfoReply {
  std::uint64_t free_bytes = 0, total_bytes = 0;
};
enum class PointerKind : std::uint32_t { unknown = 0, device = 1, managed = 2, pinned = 3 };
struct PointerRequest {
  std::uint64_t address = 0;
};
struct PointerReply {
  PointerKind kind = PointerKind::unknown;
  std::uint32_t reserved = 0;
};

// The device's clock for events. It is the emulator's own time and never presented as the time of a GPU.
struct EventRequest {
  std::uint64_t event = 0, stream = 0;  // handles of the library, only for the record
};
struct TimestampReply {
  std::uint64_t nanoseconds = 0;  // monotonic
};

// What changes nothing here and belongs into the record: streams and events are local to the library, and a prefetch
// only moves pages.
enum class NoteKind : std::uint32_t { stream_create = 0, stream_wait = 1, prefetch_to_device = 2, prefetch_to_host = 3 };
struct NoteRequest {
  NoteKind kind = NoteKind::stream_create;
  std::uint32_t non_blocking = 0;       // stream_create: 1: does not wait for the default stream
  std::uint64_t stream = 0, event = 0;  // handles of the library; event: stream_wait
  std::uint64_t address = 0, bytes = 0;  // of a prefetch
};

// CUDA arrays. A handle is the device's; 0 is none. The kinds of formats, flags and modes are the values of CUDA's own
// enumerations.
struct ChannelFormat {
  std::array<std::int32_t, 4> bits{};
  std::uint32_t kind = 0;  // cudaChannelFormatKind
  std::uint32_t reserved = 0;
};
struct CreateArrayRequest {
  std::uint64_t width = 0, height = 0, depth = 0;  // texels, rows, slices or layers; 0: not there
  ChannelFormat format;
  std::uint32_t flags = 0;
  std::uint32_t reserved = 0;
};
struct HandleReply {
  std::uint64_t handle = 0;
};
enum class HandleKind : std::uint32_t { array = 0, texture = 1, surface = 2 };
struct DestroyRequest {
  std::uint64_t handle = 0;
  HandleKind kind = HandleKind::array;
  std::uint32_t reserved = 0;
};
// Payload (of write_array, of read_array's reply): the box's rows and slices without gaps.
struct ArrayTransferRequest {
  std::uint64_t array = 0;
  std::uint64_t x_bytes = 0, y = 0, z = 0;
  std::uint64_t row_bytes = 0, rows = 0, slices = 0;
  std::uint64_t operation_bytes = 0;  // as in TransferRequest
};
struct CopySide {
  std::uint64_t array = 0;  // 0: device memory at `address`
  std::uint64_t x_bytes = 0, y = 0, z = 0;
  std::uint64_t address = 0, row_pitch = 0, slice_pitch = 0;
};
struct ArrayCopyRequest {  // on the device; one side or both are arrays
  CopySide to, from;
  std::uint64_t row_bytes = 0, rows = 0, slices = 0;
};
struct CreateTextureRequest {
  std::uint32_t resource = 0;  // cudaResourceType
  std::uint32_t filter = 0, read_mode = 0, srgb = 0, normalized_coordinates = 0;
  std::array<std::uint32_t, 3> address_modes{};
  std::array<std::uint32_t, 4> border{};  // bits of floats
  std::uint64_t array = 0;
  std::uint64_t address = 0, bytes = 0, width = 0, height = 0, pitch = 0;
  ChannelFormat format;
};
struct CreateSurfaceRequest {
  std::uint64_t array = 0;
};

// An error that the library found before it asked the device. Payload: call name, NUL, a sentence for the student.
enum class ReportKind : std::uint32_t { api_error = 0, launch_error = 1, unsupported = 2 };
struct ReportRequest {
  std::int32_t code = 0;  // cudaError_t
  ReportKind kind = ReportKind::api_error;
};

// X(call, request body, reply body, largest request payload, largest reply payload). The order is part of the version.
#define JUDGE_CHANNEL_CALLS(X)                                                                      \
  X(hello, HelloRequest, HelloReply, 0, 0)                                                          \
  X(register_module, RegisterModuleRequest, ModuleReply, kBulkBytes, 0)                             \
  X(unregister_module, UnregisterModuleRequest, Empty, 0, 0)                                        \
  X(find_kernel, FindRequest, KernelReply, kMaxNameBytes, kMaxParameters * sizeof(ParameterLayout)) \
  X(find_symbol, FindRequest, SymbolReply, kMaxNameBytes, 0)                                        \
  X(allocate, AllocateRequest, AddressReply, 0, 0)                                                  \
  X(free, FreeRequest, Empty, 0, 0)                                                                 \
  X(write, TransferRequest, Empty, kBulkBytes, 0)                                                   \
  X(read, TransferRequest, Empty, 0, kBulkBytes)                                                    \
  X(copy, CopyRequest, Empty, 0, 0)                                                                 \
  X(fill, FillRequest, Empty, 0, 0)                                                                 \
  X(launch, LaunchRequest, Empty, kMaxParameterBytes, 0)                                            \
  X(synchronize, SynchronizeRequest, Empty, 0, 0)                                                   \
  X(set_function_attribute, FunctionAttributeRequest, Empty, 0, 0)                                  \
  X(occupancy, OccupancyRequest, OccupancyReply, 0, 0)                                              \
  X(memory_info, Empty, MemoryInfoReply, 0, 0)                                                      \
  X(pointer_attributes, PointerRequest, PointerReply, 0, 0)                                         \
  X(record_event, EventRequest, TimestampReply, 0, 0)                                               \
  X(note, NoteRequest, Empty, 0, 0)                                                                 \
  X(report, ReportRequest, Empty, kMaxReportBytes, 0)                                               \
  X(take_output, Empty, Empty, 0, kInlineBytes)                                                     \
  X(set_limit, LimitRequest, LimitReply, 0, 0)                                                      \
  X(create_array, CreateArrayRequest, HandleReply, 0, 0)                                            \
  X(destroy, DestroyRequest, Empty, 0, 0)                                                           \
  X(write_array, ArrayTransferRequest, Empty, kBulkBytes, 0)                                        \
  X(read_array, ArrayTransferRequest, Empty, 0, kBulkBytes)                                         \
  X(copy_array, ArrayCopyRequest, Empty, 0, 0)                                                      \
  X(create_texture, CreateTextureRequest, HandleReply, 0, 0)                                        \
  X(create_surface, CreateSurfaceRequest, HandleReply, 0, 0)

enum class Call : std::uint16_t {
#define X(name, Request, Reply, request_payload, reply_payload) name,
  JUDGE_CHANNEL_CALLS(X)
#undef X
};

template <Call call>
struct CallTypes;
#define X(name, RequestBody, ReplyBody, request_payload, reply_payload)                                  \
  template <>                                                                                            \
  struct CallTypes<Call::name> {                                                                         \
    using Request = RequestBody;                                                                         \
    using Reply = ReplyBody;                                                                             \
    static_assert(std::is_trivially_copyable_v<RequestBody> && std::is_trivially_copyable_v<ReplyBody>); \
    static_assert(std::has_unique_object_representations_v<RequestBody>, #name " request has padding");  \
    static_assert(std::has_unique_object_representations_v<ReplyBody>, #name " reply has padding");      \
  };
JUDGE_CHANNEL_CALLS(X)
#undef X
static_assert(sizeof(Header) == 24 && std::has_unique_object_representations_v<Header>);

struct CallInfo {
  std::string_view name;
  std::uint32_t request_bytes, reply_bytes;  // sizes of the bodies
  std::uint32_t max_request_payload, max_reply_payload;
};
inline constexpr CallInfo kCalls[] = {
#define X(name, Request, Reply, request_payload, reply_payload) \
  {#name, sizeof(Request), sizeof(Reply), request_payload, reply_payload},
    JUDGE_CHANNEL_CALLS(X)
#undef X
};
inline constexpr std::size_t kCallCount = std::size(kCalls);
inline constexpr std::uint32_t kMaxBodyBytes = 512;
inline constexpr std::size_t kMaxDatagram =
    sizeof(Header) + kMaxBodyBytes + kInlineBytes;  // a receive buffer of this size
#define X(name, Request, Reply, request_payload, reply_payload) \
  static_assert(sizeof(Request) <= kMaxBodyBytes && sizeof(Reply) <= kMaxBodyBytes);
JUDGE_CHANNEL_CALLS(X)
#undef X

// A decoded datagram. The spans point into the datagram; nothing is aligned, so read a body with body_as.
struct Message {
  Header header;
  Call call{};
  std::span<const std::byte> body;
  std::span<const std::byte> inline_payload;  // empty when the payload is in the bulk memory or there is none
  bool payload_in_bulk() const { return (header.flags & flag_bulk) != 0; }
};

enum class Malformed : std::uint8_t {
  truncated,  // shorter than its header, body or inline payload
  oversized,  // longer than they are
  wrong_magic,
  wrong_version,
  unknown_call,
  wrong_call,  // a reply to something else
  wrong_sequence,
  wrong_flags,  // flags that this direction does not have, a request with a status, a bulk flag without need
  payload_too_large
};
std::string_view to_string(Malformed why);  // a sentence's end: "the message is shorter than its header says"

// Exactly one of message and error is meaningful.
struct Decoded {
  Message message;
  std::optional<Malformed> error;
  explicit operator bool() const { return !error; }
};
Decoded decode_request(std::span<const std::byte> datagram, std::uint32_t expected_sequence);
Decoded decode_reply(std::span<const std::byte> datagram, Call expected_call, std::uint32_t expected_sequence);

// Writes header, body and, when it fits inline, payload into `out`; returns the datagram's length, or 0 when `out` is
// too small or the payload is over the call's cap. A larger payload must be put in the bulk memory by the caller: the
// header then says flag_bulk. The function fills magic, call, payload_bytes and flag_bulk; the rest is the caller's.
std::size_t encode_request(std::span<std::byte> out, Call call, std::uint32_t sequence, std::span<const std::byte> body,
                           std::span<const std::byte> payload, std::uint32_t call_site = 0);
std::size_t encode_reply(std::span<std::byte> out, Call call, std::uint32_t sequence, std::int32_t status,
                         std::uint16_t flags, std::span<const std::byte> body, std::span<const std::byte> payload);

template <class Body>
std::span<const std::byte> bytes_of(const Body& body) {
  static_assert(std::has_unique_object_representations_v<Body>);
  return std::as_bytes(std::span(&body, 1));
}

// The body of a decoded message whose call has body type Body (CallTypes<call>::Request or ::Reply).
template <class Body>
Body body_as(const Message& message) {
  Body body{};
  if (message.body.size() == sizeof body) std::memcpy(&body, message.body.data(), sizeof body);
  return body;
}

// Bytes of a rectangle of rows; nullopt when the product overflows or exceeds `cap`.
std::optional<std::uint64_t> rectangle_bytes(std::uint64_t row_bytes, std::uint64_t rows, std::uint64_t cap);

}  // namespace judge::channel
