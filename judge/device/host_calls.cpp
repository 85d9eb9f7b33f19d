#include "judge/device/host_calls.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "judge/channel/fatbin.h"
#include "judge/device/error_name.h"
#include "judge/device/reply.h"

namespace judge::device {

using channel::Call;

namespace {

constexpr std::int32_t kMaxDynamicSharedMemorySize = 8;     // cudaFuncAttributeMaxDynamicSharedMemorySize
constexpr std::int32_t kPreferredSharedMemoryCarveout = 9;  // a hint, without effect here

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The untrusted process chose these words: control characters (terminal escapes) do not get any further.
std::string printable(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return out;
}

// Whether [address, address + (rows - 1) * pitch + row_bytes) exists in 64 bits. Which memory it is, the device checks.
bool representable(std::uint64_t address, std::uint64_t pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  std::uint64_t end = 0;
  return !__builtin_mul_overflow(pitch, rows - 1, &end) && !__builtin_add_overflow(end, row_bytes, &end) &&
         !__builtin_add_overflow(end, address, &end);
}

// cudaStreamLegacy is another name of the default stream.
constexpr std::uint64_t stream_of(std::uint64_t handle) {
  return handle == 1 ? 0 : handle;
}

constexpr Status invalid(const char* detail) {
  return {cuda_invalid_value, detail};
}

}  // namespace

HostCalls::HostCalls(Device& device)
    : device_(device), ledger_(device), scratch_(channel::kInlineBytes), datagram_(channel::kMaxDatagram) {}

void HostCalls::begin_case(const RunOptions& options, std::span<std::byte> bulk) {
  ledger_.clear();
  limits_ = options.limits;
  live_output_ = options.live_output;
  bulk_ = bulk;
  next_sequence_ = 1;
  greeted_ = false;
  launch_ms_ = 0;
  module_upload_ = {};
  module_bytes_ = 0;
}

std::span<const std::byte> HostCalls::answer(std::span<const std::byte> datagram, std::string& why) {
  const channel::Decoded decoded = channel::decode_request(datagram, next_sequence_);
  if (!decoded) {
    why = channel::to_string(*decoded.error);
    return {};
  }
  const channel::Message& message = decoded.message;
  if (greeted_ == (message.call == Call::hello)) {
    why = greeted_ ? "the connection greets twice" : "the connection does not begin with a greeting";
    return {};
  }
  ++next_sequence_;
  ledger_.set_call_site(message.header.call_site);

  // A bulk payload stays in memory that the host can change meanwhile. Only write, write_array and
  // register_module may have one; they take their copy in one pass and never read a byte twice.
  const Payload payload =
      message.payload_in_bulk() ? Payload(bulk_).first(message.header.payload_bytes) : Payload(message.inline_payload);
  const bool answers_when_dead =
      message.call == Call::hello || message.call == Call::report || message.call == Call::take_output;
  const int dead_before = device_.sticky();
  Reply reply;
  std::uint16_t flags = 0;
  if (dead_before != 0 && !answers_when_dead) {
    reply.status = {dead_before, ""};
    flags = channel::flag_sticky;
  } else {
    reply = dispatch(message, payload);
    if (!reply.status.ok() && !reply.recorded_as.empty() && device_.sticky() == 0)
      ledger_.error(reply.recorded_as, reply.status, reply.is_launch);
  }
  if (live_output_ && !device_.record().kernel_output.empty()) flags |= channel::flag_output_pending;
  const channel::CallInfo& info = channel::kCalls[message.header.call];
  const std::size_t n = channel::encode_reply(datagram_, message.call, message.header.sequence, reply.status.code,
                                              flags, Payload(reply.body).first(info.reply_bytes), reply.payload);
  return Payload(datagram_).first(n);
}

HostCalls::Reply HostCalls::dispatch(const channel::Message& message, Payload payload) {
  switch (message.call) {
    case Call::hello:
      return hello(channel::body_as<channel::HelloRequest>(message));
    case Call::register_module:
      return register_module(channel::body_as<channel::RegisterModuleRequest>(message), payload);
    case Call::unregister_module:
      return unregister_module(channel::body_as<channel::UnregisterModuleRequest>(message));
    case Call::find_kernel:
      return find_kernel(channel::body_as<channel::FindRequest>(message), payload);
    case Call::find_symbol:
      return find_symbol(channel::body_as<channel::FindRequest>(message), payload);
    case Call::allocate:
      return allocate(channel::body_as<channel::AllocateRequest>(message));
    case Call::free:
      return free(channel::body_as<channel::FreeRequest>(message));
    case Call::write:
      return write(channel::body_as<channel::TransferRequest>(message), payload);
    case Call::read:
      return read(channel::body_as<channel::TransferRequest>(message));
    case Call::copy:
      return copy(channel::body_as<channel::CopyRequest>(message));
    case Call::fill:
      return fill(channel::body_as<channel::FillRequest>(message));
    case Call::launch:
      return launch(channel::body_as<channel::LaunchRequest>(message), payload);
    case Call::synchronize:
      return synchronize(channel::body_as<channel::SynchronizeRequest>(message));
    case Call::set_function_attribute:
      return set_function_attribute(channel::body_as<channel::FunctionAttributeRequest>(message));
    case Call::occupancy:
      return occupancy(channel::body_as<channel::OccupancyRequest>(message));
    case Call::memory_info:
      return memory_info();
    case Call::pointer_attributes:
      return pointer_attributes(channel::body_as<channel::PointerRequest>(message));
    case Call::record_event:
      return record_event(channel::body_as<channel::EventRequest>(message));
    case Call::note:
      return note(channel::body_as<channel::NoteRequest>(message));
    case Call::report:
      return report(channel::body_as<channel::ReportRequest>(message), payload);
    case Call::set_limit:
      return set_limit(channel::body_as<channel::LimitRequest>(message));
    case Call::take_output:
      return take_output();
    case Call::create_array:
    case Call::destroy:
    case Call::write_array:
    case Call::read_array:
    case Call::copy_array:
    case Call::create_texture:
    case Call::create_surface:
      return texture_call(message, payload);
  }
  return Status{cuda_not_supported, ""};
}

HostCalls::Reply HostCalls::hello(const channel::HelloRequest&) {
  greeted_ = true;
  const DeviceProperties& p = device_.properties();
  channel::HelloReply r;
  r.device_base = kDeviceBase;
  r.device_span = kDeviceSpan;
  r.mapped_base = kMappedBase;
  r.mapped_span = kMappedSpan;
  r.total_global_bytes = p.total_global_bytes;
  r.major = p.major;
  r.minor = p.minor;
  r.multiprocessors = p.multiprocessors;
  r.max_threads_per_block = p.max_threads_per_block;
  r.max_threads_per_multiprocessor = p.max_threads_per_multiprocessor;
  r.max_blocks_per_multiprocessor = p.max_blocks_per_multiprocessor;
  r.shared_bytes_per_block = p.shared_bytes_per_block;
  r.shared_bytes_per_block_optin = p.shared_bytes_per_block_optin;
  r.shared_bytes_per_multiprocessor = p.shared_bytes_per_multiprocessor;
  r.reserved_shared_bytes_per_block = p.reserved_shared_bytes_per_block;
  r.registers_per_block = p.registers_per_block;
  r.registers_per_multiprocessor = p.registers_per_multiprocessor;
  r.constant_bytes = p.constant_bytes;
  r.l2_bytes = p.l2_bytes;
  r.clock_khz = p.clock_khz;
  r.memory_clock_khz = p.memory_clock_khz;
  r.memory_bus_bits = p.memory_bus_bits;
  r.max_block = p.max_block;
  r.max_grid = p.max_grid;
  p.name.copy(r.name.data(), r.name.size() - 1);
  return Reply(r);
}

HostCalls::Reply HostCalls::register_module(const channel::RegisterModuleRequest& request, Payload chunk) {
  static constexpr std::string_view kCall = "__cudaRegisterFatBinary";
  if (request.offset == 0) module_upload_.clear();
  if (request.total_bytes > channel::kMaxModuleBytes || request.offset != module_upload_.size() || chunk.empty() ||
      chunk.size() > request.total_bytes - request.offset)
    return {{cuda_invalid_kernel_image,
             "the embedded device code is larger than 64 MiB or arrived in pieces that do not fit"},
            kCall};
  module_upload_.insert(module_upload_.end(), chunk.begin(), chunk.end());
  if (module_upload_.size() < request.total_bytes) return Reply(channel::ModuleReply{});

  const std::vector<std::byte> blob = std::exchange(module_upload_, {});
  std::string ptx;
  if (request.form == channel::ModuleForm::ptx_text) {
    ptx = text_of(blob);
  } else {
    try {
      const DeviceProperties& p = device_.properties();
      ptx = channel::select_ptx(blob, p.major * 10 + p.minor);
    } catch (const channel::FatbinError& e) {
      const int code =
          e.kind() == channel::FatbinError::Kind::malformed ? cuda_invalid_kernel_image : cuda_no_kernel_image;
      return {{code, e.what()}, kCall};
    }
  }
  module_bytes_ += ptx.size();
  if (module_bytes_ > kMaxModuleBytesPerCase)
    return {{cuda_memory_allocation, "more than 256 MiB of device code were loaded"}, kCall};
  channel::ModuleReply r;
  const Status status = device_.load_module(ptx, r.module);
  if (status.code == cuda_not_supported) ledger_.unsupported(status.detail);
  if (!status.ok()) return {status, kCall};
  return Reply(r);
}

HostCalls::Reply HostCalls::unregister_module(const channel::UnregisterModuleRequest& request) {
  return device_.unload_module(request.module);
}

// A kernel that is not there is recorded when it is launched: nvcc's stubs look it up first and launch regardless.
HostCalls::Reply HostCalls::find_kernel(const channel::FindRequest& request, Payload name) {
  KernelInfo info;
  const Status status = device_.find_kernel(request.module, text_of(name), info);
  if (!status.ok()) return status;
  if (info.parameters.size() > channel::kMaxParameters)
    return Status{cuda_invalid_device_function, "the kernel has too many parameters"};
  scratch_.resize(info.parameters.size() * sizeof(channel::ParameterLayout));
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    const channel::ParameterLayout layout{info.parameters[i].offset, info.parameters[i].bytes,
                                          info.parameters[i].align};
    std::memcpy(scratch_.data() + i * sizeof layout, &layout, sizeof layout);
  }
  channel::KernelReply r;
  r.kernel = info.id;
  r.parameter_count = static_cast<std::uint32_t>(info.parameters.size());
  r.parameter_bytes = info.parameter_bytes;
  r.static_shared_bytes = info.static_shared_bytes;
  r.local_bytes = info.local_bytes;
  r.constant_bytes = info.constant_bytes;
  r.max_threads = info.max_threads;
  r.ptx_version = info.ptx_version;
  r.target = info.target;
  r.registers = info.registers;
  return Reply(r, scratch_);
}

HostCalls::Reply HostCalls::find_symbol(const channel::FindRequest& request, Payload name) {
  SymbolInfo info;
  const Status status = device_.find_symbol(request.module, text_of(name), info);
  if (!status.ok()) return {status, "cudaGetSymbolAddress"};
  const MemoryKind kind = info.managed ? MemoryKind::managed : MemoryKind::device;
  if (!ledger_.full()) ledger_.add(info.address, {info.bytes, kind, MemoryOwner::symbol, ""});
  channel::SymbolReply r;
  r.address = info.address;
  r.bytes = info.bytes;
  r.constant = info.constant ? 1 : 0;
  r.managed = info.managed ? 1 : 0;
  return Reply(r);
}

HostCalls::Reply HostCalls::allocate(const channel::AllocateRequest& request) {
  std::string_view call = "cudaMalloc";
  AllocationRequest wanted;
  wanted.bytes = request.bytes;
  switch (request.kind) {
    case channel::MemoryKind::device:
      wanted.kind = MemoryKind::device;
      break;
    case channel::MemoryKind::managed:
      wanted.kind = MemoryKind::managed;
      call = "cudaMallocManaged";
      break;
    case channel::MemoryKind::pinned:
      wanted.kind = MemoryKind::pinned;
      call = "cudaMallocHost";
      break;
    default:
      return {invalid("an unknown kind of memory"), call};
  }
  wanted.initialized = wanted.kind != MemoryKind::device;
  channel::AddressReply r;
  if (wanted.bytes == 0) return Reply(r);  // CUDA: success, and a null pointer
  if (ledger_.full()) return {{cuda_memory_allocation, "more than 65,536 allocations are alive"}, call};
  const Status status = device_.allocate(wanted, r.address);
  if (!status.ok()) return {status, call};
  ledger_.add(r.address, {wanted.bytes, wanted.kind, MemoryOwner::student, ""});
  ledger_.operation(
      {wanted.kind == MemoryKind::managed ? OperationKind::allocate_managed : OperationKind::allocate, wanted.bytes});
  return Reply(r);
}

HostCalls::Reply HostCalls::free(const channel::FreeRequest& request) {
  const std::string_view call = request.pinned != 0 ? "cudaFreeHost" : "cudaFree";
  if (request.address == 0) return {};  // as CUDA: nothing happens
  const OwnedMemory* memory = ledger_.at(request.address);
  if (memory != nullptr && memory->owner == MemoryOwner::exercise)
    return {{cuda_invalid_value, "'" + memory->name + "' belongs to the exercise: free only what you allocated"}, call};
  if (memory != nullptr && (memory->kind == MemoryKind::pinned) != (request.pinned != 0))
    return {invalid("memory of cudaMallocHost is freed by cudaFreeHost, other memory by cudaFree"), call};
  const Status status = device_.free(request.address);  // its sentence says what the address is instead
  if (!status.ok()) return {status, call};
  const std::uint64_t bytes = memory != nullptr ? memory->bytes : 0;
  ledger_.remove(request.address);
  ledger_.operation({request.in_stream != 0 ? OperationKind::free_in_stream : OperationKind::free, bytes});
  return {};
}

HostCalls::Reply HostCalls::write(const channel::TransferRequest& request, Payload rows) {
  const bool symbol = request.purpose == channel::CopyPurpose::symbol;
  const std::string_view call = symbol ? "cudaMemcpyToSymbol" : "cudaMemcpy";
  const auto bytes = channel::rectangle_bytes(request.row_bytes, request.rows, channel::kBulkBytes);
  if (!bytes || *bytes != rows.size()) return {invalid("the size of the copy does not fit its data"), call};
  if (*bytes == 0) return {};
  if (!representable(request.address, request.pitch, request.row_bytes, request.rows))
    return {invalid("the copy would run past the end of the address space"), call};
  Status status;
  if (request.pitch == request.row_bytes || request.rows == 1) {
    status = device_.write(request.address, rows);
  } else {
    for (std::uint64_t row = 0; row < request.rows && status.ok(); ++row)
      status = device_.write(request.address + row * request.pitch,
                             rows.subspan(row * request.row_bytes, request.row_bytes));
  }
  if (!status.ok()) return {status, call};
  if (!symbol) {
    for (std::uint64_t row = 0; row < request.rows; ++row)
      device_.mark_host_data(request.address + row * request.pitch, request.row_bytes);
    ledger_.wrote(request.address, call, true);
  }
  ledger_.copy_chunk(transfer(symbol ? OperationKind::copy_to_symbol : OperationKind::copy_to_device, *bytes, request),
                     request.operation_bytes);
  return {};
}

HostCalls::Reply HostCalls::read(const channel::TransferRequest& request) {
  const bool symbol = request.purpose == channel::CopyPurpose::symbol;
  const std::string_view call = symbol ? "cudaMemcpyFromSymbol" : "cudaMemcpy";
  const auto bytes = channel::rectangle_bytes(request.row_bytes, request.rows, channel::kBulkBytes);
  if (!bytes) return {invalid("the copy is larger than one message may ask for"), call};
  if (*bytes == 0) return {};
  if (!representable(request.address, request.pitch, request.row_bytes, request.rows))
    return {invalid("the copy would run past the end of the address space"), call};
  std::span<std::byte> to = bulk_.first(*bytes);
  if (*bytes <= channel::kInlineBytes) {
    scratch_.resize(*bytes);
    to = scratch_;
  }
  Status status;
  if (request.pitch == request.row_bytes || request.rows == 1) {
    status = device_.read(request.address, to);
  } else {
    for (std::uint64_t row = 0; row < request.rows && status.ok(); ++row)
      status =
          device_.read(request.address + row * request.pitch, to.subspan(row * request.row_bytes, request.row_bytes));
  }
  if (!status.ok()) return {status, call};
  ledger_.copy_chunk(
      transfer(symbol ? OperationKind::copy_from_symbol : OperationKind::copy_from_device, *bytes, request),
      request.operation_bytes);
  return Reply(channel::Empty{}, to);
}

HostCalls::Reply HostCalls::copy(const channel::CopyRequest& request) {
  OperationKind kind = OperationKind::copy_on_device;
  std::string_view call = "cudaMemcpy";
  if (request.purpose == channel::CopyPurpose::symbol) {
    kind = request.to_symbol != 0 ? OperationKind::copy_to_symbol : OperationKind::copy_from_symbol;
    call = request.to_symbol != 0 ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  }
  const auto bytes = channel::rectangle_bytes(request.row_bytes, request.rows, kDeviceSpan);
  if (!bytes) return {invalid("the copy is larger than any memory of the device"), call};
  if (*bytes == 0) return {};
  if (!representable(request.to, request.to_pitch, request.row_bytes, request.rows) ||
      !representable(request.from, request.from_pitch, request.row_bytes, request.rows))
    return {invalid("the copy would run past the end of the address space"), call};
  Status status;
  if (request.rows == 1 || (request.to_pitch == request.row_bytes && request.from_pitch == request.row_bytes)) {
    status = device_.copy(request.to, request.from, *bytes);
  } else {
    for (std::uint64_t row = 0; row < request.rows && status.ok(); ++row)
      status =
          device_.copy(request.to + row * request.to_pitch, request.from + row * request.from_pitch, request.row_bytes);
  }
  if (!status.ok()) return {status, call};
  // Pinned memory is the host's: cudaMemcpyDefault takes it there, and it ends up here because the device reaches it
  // too.
  const bool from_host = is_pinned(request.from) && !is_pinned(request.to);
  const bool to_host = is_pinned(request.to) && !is_pinned(request.from);
  Operation operation{kind, *bytes, -1, stream_of(request.stream), 0, true};
  if (kind == OperationKind::copy_on_device && (from_host || to_host)) {
    operation.kind = from_host ? OperationKind::copy_to_device : OperationKind::copy_from_device;
    operation.asynchronous = request.asynchronous != 0;
    if (request.rows == 1) {
      operation.device_address = from_host ? request.to : request.from;
      operation.host_address = from_host ? request.from : request.to;
    }
    for (std::uint64_t row = 0; from_host && row < request.rows; ++row)
      device_.mark_host_data(request.to + row * request.to_pitch, request.row_bytes);
  }
  ledger_.wrote(request.to, call, from_host);
  ledger_.operation(operation);
  return {};
}

HostCalls::Reply HostCalls::fill(const channel::FillRequest& request) {
  static constexpr std::string_view kCall = "cudaMemset";
  if (request.width != 1 && request.width != 2 && request.width != 4)
    return {invalid("an element to set has 1, 2 or 4 bytes"), kCall};
  const auto bytes = channel::rectangle_bytes(request.row_bytes, request.rows, kDeviceSpan);
  if (!bytes || request.row_bytes % request.width != 0)
    return {invalid("the size to set is larger than any memory of the device or not whole elements"), kCall};
  if (*bytes == 0) return {};
  if (!representable(request.address, request.pitch, request.row_bytes, request.rows))
    return {invalid("the memory to set would run past the end of the address space"), kCall};
  Status status;
  if (request.rows == 1 || request.pitch == request.row_bytes) {
    status = device_.fill(request.address, request.value, request.width, *bytes / request.width);
  } else {
    for (std::uint64_t row = 0; row < request.rows && status.ok(); ++row)
      status = device_.fill(request.address + row * request.pitch, request.value, request.width,
                            request.row_bytes / request.width);
  }
  if (!status.ok()) return {status, kCall};
  ledger_.wrote(request.address, kCall, false);
  ledger_.operation({OperationKind::set, *bytes, -1, stream_of(request.stream), 0, true});
  return {};
}

HostCalls::Reply HostCalls::launch(const channel::LaunchRequest& request, Payload parameters) {
  LaunchRequest wanted;
  wanted.kernel = request.kernel;
  wanted.grid = {request.grid[0], request.grid[1], request.grid[2]};
  wanted.block = {request.block[0], request.block[1], request.block[2]};
  wanted.dynamic_shared_bytes = request.dynamic_shared_bytes;
  wanted.cooperative = request.cooperative != 0;
  wanted.parameters = parameters;

  const std::size_t before = device_.record().launches.size();
  const auto begin = std::chrono::steady_clock::now();
  const Status status = device_.launch(wanted);
  launch_ms_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (!status.ok()) {
    if (status.code == cuda_not_supported) ledger_.unsupported(status.detail);
    Reply reply(status, wanted.cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel");
    reply.is_launch = true;
    return reply;
  }
  // Past its cap the record merges a launch into an earlier one of the same shape.
  const auto& launches = device_.record().launches;
  auto index = static_cast<std::int32_t>(launches.size()) - 1;
  if (launches.size() == before) {
    while (index >= 0 && !(launches[index].grid == wanted.grid && launches[index].block == wanted.block)) --index;
  }
  ledger_.operation({OperationKind::launch, 0, index, stream_of(request.stream), 0, true});
  return {};
}

HostCalls::Reply HostCalls::synchronize(const channel::SynchronizeRequest& request) {
  switch (request.what) {  // launches run to completion, so there is nothing to wait for
    case channel::SynchronizeWhat::device:
      ledger_.operation({OperationKind::synchronize});
      return {};
    case channel::SynchronizeWhat::stream:
      ledger_.operation({OperationKind::stream_synchronize, 0, -1, stream_of(request.handle)});
      return {};
    case channel::SynchronizeWhat::event:
      ledger_.operation({OperationKind::event_synchronize, 0, -1, 0, request.handle});
      return {};
  }
  return {invalid("nothing of this kind can be waited for"), "cudaDeviceSynchronize"};
}

HostCalls::Reply HostCalls::set_function_attribute(const channel::FunctionAttributeRequest& request) {
  static constexpr std::string_view kCall = "cudaFuncSetAttribute";
  if (request.attribute == kPreferredSharedMemoryCarveout) return {};
  if (request.attribute != kMaxDynamicSharedMemorySize || request.value < 0)
    return {invalid("only cudaFuncAttributeMaxDynamicSharedMemorySize can be set here, to a size of 0 or more"), kCall};
  return {device_.set_max_dynamic_shared(request.kernel, static_cast<std::uint32_t>(request.value)), kCall};
}

HostCalls::Reply HostCalls::set_limit(const channel::LimitRequest& request) {
  static constexpr std::string_view kCall = "cudaDeviceSetLimit";
  channel::LimitReply r;
  r.value = request.value;
  Status status;
  switch (request.kind) {
    case channel::LimitKind::stack:
      status = device_.set_limit(DeviceLimit::stack, r.value);
      break;
    case channel::LimitKind::printf_buffer:
      status = device_.set_limit(DeviceLimit::printf_buffer, r.value);
      break;
    case channel::LimitKind::malloc_heap:
      status = device_.set_limit(DeviceLimit::malloc_heap, r.value);
      break;
    default:
      status = invalid("there is no limit of this kind");
  }
  if (!status.ok()) return {status, kCall};
  return Reply(r);
}

HostCalls::Reply HostCalls::occupancy(const channel::OccupancyRequest& request) {
  channel::OccupancyReply r;
  const Status status =
      device_.max_active_blocks(request.kernel, request.block_threads, request.dynamic_shared_bytes, r.blocks);
  if (!status.ok()) return {status, "cudaOccupancyMaxActiveBlocksPerMultiprocessor"};
  return Reply(r);
}

HostCalls::Reply HostCalls::memory_info() {
  channel::MemoryInfoReply r;
  r.total_bytes = device_.properties().total_global_bytes;
  const std::uint64_t usable = std::min(r.total_bytes, limits_.memory_bytes);
  r.free_bytes = usable - std::min(usable, device_.bytes_in_use());
  return Reply(r);
}

HostCalls::Reply HostCalls::pointer_attributes(const channel::PointerRequest& request) {
  channel::PointerReply r;
  if (const OwnedMemory* memory = ledger_.around(request.address)) {
    switch (memory->kind) {
      case MemoryKind::device:
        r.kind = channel::PointerKind::device;
        break;
      case MemoryKind::managed:
        r.kind = channel::PointerKind::managed;
        break;
      case MemoryKind::pinned:
        r.kind = channel::PointerKind::pinned;
        break;
    }
  }
  return Reply(r);
}

bool HostCalls::is_pinned(Address address) const {
  const OwnedMemory* memory = ledger_.around(address);
  return memory != nullptr && memory->kind == MemoryKind::pinned;
}

// A copy between host and device as the record has it. What the library says of it is believed: it decides no verdict
// but that of the program's own streams.
Operation HostCalls::transfer(OperationKind kind, std::uint64_t bytes, const channel::TransferRequest& request) const {
  const bool pinned = request.registered != 0 || is_pinned(request.host_address);
  Operation operation{kind, bytes, -1, stream_of(request.stream), 0, request.asynchronous != 0 && pinned};
  if (request.rows == 1) {
    operation.device_address = request.address;
    operation.host_address = request.host_address;
  }
  return operation;
}

HostCalls::Reply HostCalls::note(const channel::NoteRequest& request) {
  static constexpr std::string_view kPrefetch = "cudaMemPrefetchAsync";
  switch (request.kind) {
    case channel::NoteKind::stream_create:
      ledger_.operation(
          {request.non_blocking != 0 ? OperationKind::stream_create_non_blocking : OperationKind::stream_create, 0, -1,
           request.stream});
      return {};
    case channel::NoteKind::stream_wait:
      ledger_.operation({OperationKind::stream_wait, 0, -1, stream_of(request.stream), request.event});
      return {};
    case channel::NoteKind::prefetch_to_device:
    case channel::NoteKind::prefetch_to_host: {
      std::uint64_t end = 0;
      const bool exists = request.bytes != 0 && !__builtin_add_overflow(request.address, request.bytes - 1, &end);
      const OwnedMemory* first = ledger_.around(request.address);
      if (!exists || first == nullptr || first != ledger_.around(end) || first->kind != MemoryKind::managed)
        return {invalid("the range is not inside one allocation of managed memory (cudaMallocManaged or __managed__)"),
                kPrefetch};
      ledger_.operation({request.kind == channel::NoteKind::prefetch_to_device ? OperationKind::prefetch_to_device
                                                                               : OperationKind::prefetch_to_host,
                         request.bytes, -1, stream_of(request.stream)});
      return {};
    }
  }
  return {invalid("a note of a kind that does not exist"), "cudaStreamCreate"};
}

HostCalls::Reply HostCalls::record_event(const channel::EventRequest& request) {
  ledger_.operation({OperationKind::event_record, 0, -1, stream_of(request.stream), request.event});
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  channel::TimestampReply r;
  r.nanoseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return Reply(r);
}

// What was taken leaves the record, so that the cap on device printf is one on what nobody has taken yet, as the size
// of CUDA's own buffer is (CUDA C++ Programming Guide, "Formatted Output").
HostCalls::Reply HostCalls::take_output() {
  if (!live_output_) return {};  // it stays in the record, where the judge reads it
  std::string& text = device_.record().kernel_output;
  const std::size_t n = std::min<std::size_t>(text.size(), channel::kInlineBytes);
  scratch_.resize(n);
  std::memcpy(scratch_.data(), text.data(), n);
  text.erase(0, n);
  return Reply(channel::Empty{}, scratch_);
}

HostCalls::Reply HostCalls::report(const channel::ReportRequest& request, Payload payload) {
  const std::string_view text = text_of(payload);
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string call = printable(text.substr(0, end));
  const std::string sentence = end < text.size() ? printable(text.substr(end + 1)) : std::string();
  if (request.kind == channel::ReportKind::unsupported)
    ledger_.unsupported(call);
  else if (device_.sticky() == 0)
    ledger_.error(call, {request.code, sentence}, request.kind == channel::ReportKind::launch_error);
  return {};
}

}  // namespace judge::device
