#pragma once
// The device's side of every call of judge/channel/protocol.h.
//
// One object serves one case at a time. A datagram either decodes and gets exactly one reply, or it is nonsense: then
// the connection must be closed, because our library never sends such a thing. A call that decodes but asks for
// something impossible gets the cudaError_t a GPU would give and is recorded. Once a kernel has died, every call
// answers that error, as CUDA's sticky errors do.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "judge/channel/protocol.h"
#include "judge/device/device.h"
#include "judge/device/ledger.h"

namespace judge::device {

inline constexpr std::uint64_t kMaxModuleBytesPerCase = 256u << 20;

class HostCalls {
 public:
  explicit HostCalls(Device& device);

  // Begins a case on a device that was reset, with a connection that has said nothing yet. `bulk` is the shared memory
  // of channel::kBulkBytes and must outlive the case.
  void begin_case(const RunOptions& options, std::span<std::byte> bulk);
  Ledger& ledger() { return ledger_; }
  double launch_ms() const { return launch_ms_; }  // wall time inside launches

  // The reply to one datagram, valid until the next call. Empty: nonsense, and `why` says what is wrong with it.
  std::span<const std::byte> answer(std::span<const std::byte> datagram, std::string& why);

 private:
  struct Reply;
  using Payload = std::span<const std::byte>;

  Reply dispatch(const channel::Message& message, Payload payload);
  Reply hello(const channel::HelloRequest& request);
  Reply register_module(const channel::RegisterModuleRequest& request, Payload chunk);
  Reply unregister_module(const channel::UnregisterModuleRequest& request);
  Reply find_kernel(const channel::FindRequest& request, Payload name);
  Reply find_symbol(const channel::FindRequest& request, Payload name);
  Reply allocate(const channel::AllocateRequest& request);
  Reply free(const channel::FreeRequest& request);
  Reply write(const channel::TransferRequest& request, Payload rows);
  Reply read(const channel::TransferRequest& request);
  Reply copy(const channel::CopyRequest& request);
  Reply fill(const channel::FillRequest& request);
  Reply launch(const channel::LaunchRequest& request, Payload parameters);
  Reply synchronize(const channel::SynchronizeRequest& request);
  Reply set_function_attribute(const channel::FunctionAttributeRequest& request);
  Reply set_limit(const channel::LimitRequest& request);
  Reply occupancy(const channel::OccupancyRequest& request);
  Reply memory_info();
  Reply pointer_attributes(const channel::PointerRequest& request);
  Reply record_event(const channel::EventRequest& request);
  Reply note(const channel::NoteRequest& request);
  Reply report(const channel::ReportRequest& request, Payload text);
  Reply take_output();
  // texture_calls.cpp
  Reply texture_call(const channel::Message& message, Payload payload);
  Reply create_array(const channel::CreateArrayRequest& request);
  Reply destroy(const channel::DestroyRequest& request);
  Reply write_array(const channel::ArrayTransferRequest& request, Payload rows);
  Reply read_array(const channel::ArrayTransferRequest& request);
  Reply copy_array(const channel::ArrayCopyRequest& request);
  Reply create_texture(const channel::CreateTextureRequest& request);

  bool is_pinned(Address address) const;
  Operation transfer(OperationKind kind, std::uint64_t bytes, const channel::TransferRequest& request) const;

  Device& device_;
  Ledger ledger_;
  RunLimits limits_;
  bool live_output_ = false;
  std::span<std::byte> bulk_;
  std::uint32_t next_sequence_ = 1;
  bool greeted_ = false;
  double launch_ms_ = 0;
  std::vector<std::byte> module_upload_;
  std::uint64_t module_bytes_ = 0;  // of all modules of this case
  std::vector<std::byte> scratch_;  // payload of a reply that travels inline
  std::vector<std::byte> datagram_;
};

}  // namespace judge::device
