// Copies and sets. All of them are done when they return, the Async ones too: on a GPU that is permitted, never
// required.

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "judge/cudart/capture.h"
#include "judge/cudart/memory.h"
#include "judge/cudart/registered.h"
#include "judge/cudart/registry.h"

namespace channel = judge::channel;

namespace judge::cudart {
namespace {

using channel::Call;
using channel::CopyPurpose;

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

const char* name_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return "cudaMemcpyHostToHost";
    case cudaMemcpyHostToDevice:
      return "cudaMemcpyHostToDevice";
    case cudaMemcpyDeviceToHost:
      return "cudaMemcpyDeviceToHost";
    case cudaMemcpyDeviceToDevice:
      return "cudaMemcpyDeviceToDevice";
    case cudaMemcpyDefault:
      return "cudaMemcpyDefault";
  }
  return "an unknown kind";
}

// The kind with cudaMemcpyDefault resolved, when both addresses are where it says they are.
std::optional<cudaError_t> settle_direction(const ApiCall& call, const Rectangle& what, cudaMemcpyKind& kind) {
  const Side to = side_of(call.device(), what.to);
  const Side from = side_of(call.device(), what.from);
  if (kind == cudaMemcpyDefault) {
    if (to == Side::host)
      kind = from == Side::host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    else
      kind = from == Side::host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
    return std::nullopt;
  }
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return call.fail(cudaErrorInvalidMemcpyDirection, "the direction is none of cudaMemcpyKind's values");
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const auto wrong = [&](const char* argument, const void* pointer, bool wants_device) {
    return call.fail(cudaErrorInvalidValue, std::string("the ") + argument + ", " + hex(pointer) + ", is " +
                                                (wants_device ? "a host address, but " : "a device address, but ") +
                                                name_of(kind) + " needs a " + (wants_device ? "device" : "host") +
                                                " address there");
  };
  if (to_device && to == Side::host) return wrong("destination", what.to, true);
  if (!to_device && to == Side::device) return wrong("destination", what.to, false);
  if (from_device && from == Side::host) return wrong("source", what.from, true);
  if (!from_device && from == Side::device) return wrong("source", what.from, false);
  return std::nullopt;
}

const std::byte* at(const void* base, std::size_t offset) {
  return static_cast<const std::byte*>(base) + offset;
}
std::byte* at(void* base, std::size_t offset) {
  return static_cast<std::byte*>(base) + offset;
}

// Cuts a copy between host and device into pieces that the bulk memory holds. step(device offset, host offset, row
// bytes, rows) is called for each; a piece has several rows only when whole rows fit.
template <class Step>
cudaError_t in_pieces(const Rectangle& what, std::size_t device_pitch, std::size_t host_pitch, Step&& step) {
  const bool contiguous = what.contiguous();
  const std::size_t row_bytes = contiguous ? what.row_bytes * what.rows : what.row_bytes;
  const std::size_t rows = contiguous ? 1 : what.rows;
  const std::size_t rows_at_once = std::max<std::size_t>(channel::kBulkBytes / row_bytes, 1);
  for (std::size_t row = 0; row < rows; row += rows_at_once) {
    const std::size_t piece_rows = std::min(rows_at_once, rows - row);
    for (std::size_t done = 0; done < row_bytes; done += channel::kBulkBytes) {
      const std::size_t piece_bytes = std::min<std::size_t>(row_bytes - done, channel::kBulkBytes);
      const cudaError_t status = step(row * device_pitch + done, row * host_pitch + done, piece_bytes, piece_rows);
      if (status != cudaSuccess) return status;
    }
  }
  return cudaSuccess;
}

// What every piece of a copy between host and device says.
channel::TransferRequest transfer(const void* host_address, CopyPurpose purpose, const Order& order) {
  channel::TransferRequest request;
  request.stream = address_of(order.stream);
  request.host_address = address_of(host_address);
  request.purpose = purpose;
  request.asynchronous = order.asynchronous ? 1 : 0;
  request.registered = order.asynchronous && is_registered(host_address) ? 1 : 0;
  return request;
}

channel::TransferRequest piece(channel::TransferRequest request, const void* device_address, std::size_t pitch,
                               std::size_t row_bytes, std::size_t rows) {
  request.address = address_of(device_address);
  request.pitch = rows == 1 ? row_bytes : pitch;
  request.row_bytes = row_bytes;
  request.rows = rows;
  return request;
}

cudaError_t to_device(Connection& device, const Rectangle& what, CopyPurpose purpose, const Order& order) {
  const channel::TransferRequest whole = transfer(what.from, purpose, order);
  std::uint64_t operation_bytes = what.row_bytes * what.rows;
  std::vector<std::byte> packed;
  return in_pieces(what, what.to_pitch, what.from_pitch,
                   [&](std::size_t to, std::size_t from, std::size_t row_bytes, std::size_t rows) {
                     auto request = piece(whole, at(what.to, to), what.to_pitch, row_bytes, rows);
                     request.operation_bytes = std::exchange(operation_bytes, 0);
                     if (rows == 1) {
                       return device.call<Call::write>(request, nullptr, std::span(at(what.from, from), row_bytes));
                     }
                     packed.resize(row_bytes * rows);
                     for (std::size_t row = 0; row < rows; ++row) {
                       std::memcpy(&packed[row * row_bytes], at(what.from, from + row * what.from_pitch), row_bytes);
                     }
                     return device.call<Call::write>(request, nullptr, packed);
                   });
}

cudaError_t from_device(Connection& device, const Rectangle& what, CopyPurpose purpose, const Order& order) {
  const channel::TransferRequest whole = transfer(what.to, purpose, order);
  std::uint64_t operation_bytes = what.row_bytes * what.rows;
  std::vector<std::byte> packed;
  return in_pieces(what, what.from_pitch, what.to_pitch,
                   [&](std::size_t from, std::size_t to, std::size_t row_bytes, std::size_t rows) {
                     auto request = piece(whole, at(what.from, from), what.from_pitch, row_bytes, rows);
                     request.operation_bytes = std::exchange(operation_bytes, 0);
                     if (rows == 1) {
                       return device.call<Call::read>(request, nullptr, {}, std::span(at(what.to, to), row_bytes));
                     }
                     packed.resize(row_bytes * rows);
                     const cudaError_t status = device.call<Call::read>(request, nullptr, {}, packed);
                     for (std::size_t row = 0; row < rows && status == cudaSuccess; ++row) {
                       std::memcpy(at(what.to, to + row * what.to_pitch), &packed[row * row_bytes], row_bytes);
                     }
                     return status;
                   });
}

}  // namespace

cudaError_t copy(const ApiCall& call, const Rectangle& what, cudaMemcpyKind kind, CopyPurpose purpose, bool to_symbol,
                 const Order& order) {
  if (what.row_bytes == 0 || what.rows == 0) return call.done(cudaSuccess);
  if (what.to == nullptr) return call.fail(cudaErrorInvalidValue, "the destination is a null pointer");
  if (what.from == nullptr) return call.fail(cudaErrorInvalidValue, "the source is a null pointer");
  if (what.rows > 1 && (what.to_pitch < what.row_bytes || what.from_pitch < what.row_bytes)) {
    return call.fail(cudaErrorInvalidPitchValue,
                     "a pitch is smaller than the width of " + std::to_string(what.row_bytes) + " bytes");
  }
  // No object is as large as half of the address space, so more than that is a negative size that was converted.
  if (!channel::rectangle_bytes(std::max({what.row_bytes, what.to_pitch, what.from_pitch}), what.rows, PTRDIFF_MAX)) {
    return call.fail(cudaErrorInvalidValue, "the size is impossibly large: was it a negative number?");
  }
  if (const auto rejected = settle_direction(call, what, kind)) return *rejected;
  // A mapped address used as host memory must be there for the program's own loads and stores.
  if (side_of(call.device(), what.to) == Side::mapped || side_of(call.device(), what.from) == Side::mapped) {
    call.device().map_window();
  }
  if (const cudaError_t sticky = call.device().sticky(); sticky != cudaSuccess) return call.done(sticky);

  switch (kind) {
    case cudaMemcpyHostToDevice:
      return call.done(to_device(call.device(), what, purpose, order));
    case cudaMemcpyDeviceToHost:
      return call.done(from_device(call.device(), what, purpose, order));
    case cudaMemcpyDeviceToDevice: {
      channel::CopyRequest request;
      request.to = address_of(what.to);
      request.to_pitch = what.to_pitch;
      request.from = address_of(what.from);
      request.from_pitch = what.from_pitch;
      request.row_bytes = what.row_bytes;
      request.rows = what.rows;
      request.stream = address_of(order.stream);
      request.purpose = purpose;
      request.to_symbol = to_symbol ? 1 : 0;
      request.asynchronous = order.asynchronous ? 1 : 0;
      return call.done(call.device().call<Call::copy>(request));
    }
    default:
      for (std::size_t row = 0; row < what.rows; ++row) {
        std::memmove(at(what.to, row * what.to_pitch), at(what.from, row * what.from_pitch), what.row_bytes);
      }
      return call.done(cudaSuccess);
  }
}

namespace {

Rectangle line(void* to, const void* from, std::size_t bytes) {
  return {to, bytes, from, bytes, bytes, 1};
}

}  // namespace

cudaError_t set(const ApiCall& call, void* to, std::size_t pitch, std::uint32_t value, unsigned width,
                std::size_t row_bytes, std::size_t rows, const Order& order) {
  if (row_bytes == 0 || rows == 0) return call.done(cudaSuccess);
  if (to == nullptr) return call.fail(cudaErrorInvalidValue, "the destination is a null pointer");
  if (rows > 1 && pitch < row_bytes) {
    return call.fail(cudaErrorInvalidPitchValue,
                     "the pitch is smaller than the width of " + std::to_string(row_bytes) + " bytes");
  }
  if (side_of(call.device(), to) == Side::host) {
    return call.fail(cudaErrorInvalidValue,
                     "the destination, " + hex(to) + ", is a host address: cudaMemset sets device memory; use memset");
  }
  channel::FillRequest request;
  request.address = address_of(to);
  request.pitch = pitch;
  request.row_bytes = row_bytes;
  request.rows = rows;
  request.stream = address_of(order.stream);
  request.value = value;
  request.width = width;
  return call.done(call.device().call<Call::fill>(request));
}

cudaError_t symbol_range(const ApiCall& call, const void* symbol, std::size_t bytes, std::size_t offset,
                         void*& address) {
  Variable* variable = nullptr;
  const cudaError_t status = Registry::get().resolve(call, symbol, variable);
  if (variable == nullptr) {
    return call.fail(cudaErrorInvalidSymbol,
                     "the symbol is not a __device__, __constant__ or __managed__ variable of this program: pass the "
                     "variable itself, not its name in quotes, and for an array not its address");
  }
  if (status != cudaSuccess) return call.done(status);
  if (offset > variable->info.bytes || bytes > variable->info.bytes - offset) {
    return call.fail(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                                                " do not fit the symbol " + variable->name + ", which has " +
                                                std::to_string(variable->info.bytes) + " bytes");
  }
  address = reinterpret_cast<void*>(variable->info.address + offset);
  return cudaSuccess;
}

namespace {

// The calls by what they do: at once, or on a stream, which may be under capture.
cudaError_t copy_now(const ApiCall& call, const Rectangle& what, cudaMemcpyKind kind,
                     CopyPurpose purpose = CopyPurpose::memory, bool to_symbol = false) {
  if (const auto rejected = reject_immediate(call)) return *rejected;
  return copy(call, what, kind, purpose, to_symbol);
}

cudaError_t copy_on(const ApiCall& call, cudaStream_t stream, const Rectangle& what, cudaMemcpyKind kind,
                    CopyPurpose purpose = CopyPurpose::memory, bool to_symbol = false) {
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  if (const auto captured = capture(call, stream, copy_work(what, kind, purpose, to_symbol))) return *captured;
  return copy(call, what, kind, purpose, to_symbol, {stream, true});
}

// cudaMemset's value is a byte, whatever the int says.
cudaError_t set_now(const ApiCall& call, void* to, std::size_t pitch, int value, std::size_t row_bytes,
                    std::size_t rows) {
  if (const auto rejected = reject_immediate(call)) return *rejected;
  return set(call, to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows);
}

cudaError_t set_on(const ApiCall& call, cudaStream_t stream, void* to, std::size_t pitch, int value,
                   std::size_t row_bytes, std::size_t rows) {
  if (const auto rejected = reject_stream(call, stream)) return *rejected;
  SetWork work;
  work.parameters = {to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows};
  if (const auto captured = capture(call, stream, work)) return *captured;
  return set(call, to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows, {stream, true});
}

cudaError_t copy_to_symbol(const ApiCall& call, const void* symbol, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, std::optional<cudaStream_t> stream = {}) {
  void* address = nullptr;
  if (const cudaError_t status = symbol_range(call, symbol, bytes, offset, address); status != cudaSuccess)
    return status;
  const Rectangle what = line(address, from, bytes);
  return stream ? copy_on(call, *stream, what, kind, CopyPurpose::symbol, true)
                : copy_now(call, what, kind, CopyPurpose::symbol, true);
}

cudaError_t copy_from_symbol(const ApiCall& call, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind, std::optional<cudaStream_t> stream = {}) {
  void* address = nullptr;
  if (const cudaError_t status = symbol_range(call, symbol, bytes, offset, address); status != cudaSuccess)
    return status;
  const Rectangle what = line(to, address, bytes);
  return stream ? copy_on(call, *stream, what, kind, CopyPurpose::symbol, false)
                : copy_now(call, what, kind, CopyPurpose::symbol, false);
}

}  // namespace
}  // namespace judge::cudart

using namespace judge::cudart;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_now(ApiCall("cudaMemcpy"), line(to, from, bytes), kind);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpyAsync");
  return copy_on(call, stream, line(to, from, bytes), kind);
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy_now(ApiCall("cudaMemcpy2D"), {to, to_pitch, from, from_pitch, width, height}, kind);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpy2DAsync");
  return copy_on(call, stream, {to, to_pitch, from, from_pitch, width, height}, kind);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return set_now(ApiCall("cudaMemset"), to, bytes, value, bytes, 1);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  const ApiCall call("cudaMemsetAsync");
  return set_on(call, stream, to, bytes, value, bytes, 1);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return set_now(ApiCall("cudaMemset2D"), to, pitch, value, width, height);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  const ApiCall call("cudaMemset2DAsync");
  return set_on(call, stream, to, pitch, value, width, height);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return copy_to_symbol(ApiCall("cudaMemcpyToSymbol"), symbol, from, bytes, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall call("cudaMemcpyToSymbolAsync");
  return copy_to_symbol(call, symbol, from, bytes, offset, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return copy_from_symbol(ApiCall("cudaMemcpyFromSymbol"), to, symbol, bytes, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  const ApiCall call("cudaMemcpyFromSymbolAsync");
  return copy_from_symbol(call, to, symbol, bytes, offset, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  const ApiCall call("cudaGetSymbolAddress");
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  return call.done(symbol_range(call, symbol, 0, 0, *out));
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  const ApiCall call("cudaGetSymbolSize");
  if (bytes == nullptr) return call.fail(cudaErrorInvalidValue, "the result has no place to go");
  Variable* variable = nullptr;
  const cudaError_t status = Registry::get().resolve(call, symbol, variable);
  if (variable == nullptr) return call.fail(status, "the symbol is not a variable of this program's device code");
  if (status == cudaSuccess) *bytes = variable->info.bytes;
  return call.done(status);
}

}  // extern "C"
JUDGE_PER_THREAD(cudaMemcpy, _ptds);
JUDGE_PER_THREAD(cudaMemcpyAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpy2D, _ptds);
JUDGE_PER_THREAD(cudaMemcpy2DAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemset, _ptds);
JUDGE_PER_THREAD(cudaMemsetAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemset2D, _ptds);
JUDGE_PER_THREAD(cudaMemset2DAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpyToSymbol, _ptds);
JUDGE_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
JUDGE_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
JUDGE_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
#pragma GCC visibility pop
