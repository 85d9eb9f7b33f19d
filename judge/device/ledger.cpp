#include "judge/device/ledger.h"

#include <algorithm>
#include <utility>

#include "judge/device/error_name.h"

namespace judge::device {

void Ledger::clear() {
  memory_.clear();
  copy_bytes_to_come_ = 0;
  call_site_ = 0;
  last_copy_.reset();
  copies_into_.clear();
}

const OwnedMemory* Ledger::at(Address address) const {
  const auto found = memory_.find(address);
  return found == memory_.end() ? nullptr : &found->second;
}

const OwnedMemory* Ledger::around(Address address) const {
  auto found = memory_.upper_bound(address);
  if (found == memory_.begin()) return nullptr;
  --found;
  return address - found->first < found->second.bytes ? &found->second : nullptr;
}

std::uint64_t Ledger::leaked_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [address, memory] : memory_)
    if (memory.owner == MemoryOwner::student && memory.kind != MemoryKind::pinned) sum += memory.bytes;
  return sum;
}

void Ledger::operation(const Operation& operation) {
  copy_bytes_to_come_ = 0;
  CaseRecord& record = device_.record();
  if (record.operations.size() < kMaxOperations)
    record.operations.push_back(operation);
  else
    ++record.operations_not_listed;
}

void Ledger::copy_chunk(const Operation& chunk, std::uint64_t announced) {
  auto& operations = device_.record().operations;
  if (announced == 0 && chunk.bytes <= copy_bytes_to_come_ && !operations.empty() &&
      operations.back().kind == chunk.kind) {
    operations.back().bytes += chunk.bytes;
    copy_bytes_to_come_ -= chunk.bytes;
    return;
  }
  operation(chunk);
  copy_bytes_to_come_ = announced > chunk.bytes ? announced - chunk.bytes : 0;
}

void Ledger::wrote(Address address, std::string_view call, bool from_host) {
  if (from_host) last_copy_ = {std::string(call), call_site_};
  auto found = memory_.upper_bound(address);
  if (found == memory_.begin()) return;
  --found;
  const OwnedMemory& memory = found->second;
  if (memory.owner != MemoryOwner::exercise || address - found->first >= memory.bytes) return;
  if (from_host) copies_into_[found->first] = {std::string(call), call_site_};
  auto& list = device_.record().input_writes;
  const auto same = [&](const InputWrite& w) { return w.buffer == memory.name && w.call_site == call_site_; };
  if (memory.input && list.size() < kMaxInputWrites && std::none_of(list.begin(), list.end(), same))
    list.push_back({memory.name, std::string(call), false, call_site_, {}});
}

const HostCopy* Ledger::host_copy_into(Address buffer) const {
  const auto found = copies_into_.find(buffer);
  return found == copies_into_.end() ? nullptr : &found->second;
}

void Ledger::error(std::string_view call, const Status& status, bool is_launch) {
  auto& errors = device_.record().api_errors;
  if (errors.size() >= kMaxApiErrors) return;
  errors.push_back(
      {std::string(call), status.code, std::string(error_name(status.code)), status.detail, is_launch, call_site_, {}});
}

void Ledger::unsupported(const std::string& what) {
  auto& list = device_.record().unsupported;
  if (list.size() < kMaxUnsupported && std::find(list.begin(), list.end(), what) == list.end()) list.push_back(what);
}

}  // namespace judge::device
